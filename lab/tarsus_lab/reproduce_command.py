"""`tarsus reproduce`: compute a table of a thesis anew and say how it compares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tarsus.cli.common import JsonOption


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(help="A table, such as lola-2.4; --list shows all.", show_default=False),
    ] = None,
    show_list: Annotated[bool, typer.Option("--list", help="List what can be reproduced.")] = False,
    robot: Annotated[
        str | None,
        typer.Option("--robot", help="Another humanoid, talos or g1, for lola-5.4, 7.1 and 7.4."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the result to a file (.png, .pdf, .svg).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compute a table of a thesis; exits with 1 if a value differs without an explanation."""
    from tarsus.cli.app import FAILED, Output
    from tarsus_lab.reproduce import TABLES
    from tarsus_lab.reproduce import reproduce as compute
    from tarsus_lab.reproduce.plot import plot as draw

    if show_list:
        lines = {key: line for key, (line, _) in TABLES.items()}
        print(json.dumps(lines, indent=1)) if as_json else Output().print(_list(lines))
        return
    if name is None:
        raise ValueError("which table? tarsus reproduce --list shows what there is")
    if plot is not None and not plot.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {plot.parent} to write {plot.name} to")
    with Console(stderr=True).status(f"computing {name}"):
        result = compute(name, robot)
    if plot is not None:
        draw(result, plot)
    if as_json:
        print(json.dumps(result.to_dict(), indent=1, ensure_ascii=False))
    else:
        Output().print(result)
    if not result.ok:
        raise typer.Exit(FAILED)


def _list(lines: dict[str, str]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, line in lines.items():
        table.add_row(Text(name, "bold"), Text(line))
    return table
