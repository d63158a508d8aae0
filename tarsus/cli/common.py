"""Options, models and tables that several commands use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import tarsus as ts
from tarsus.formats.readers import Base, Mimic

# Arguments and options that several commands share.


ModelText = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A file (.urdf, .sdf, .xml, .xacro, .yaml, .json), or chain(20), lola, panda, go2, …",
        show_default=False,
    ),
]
BaseOption = Annotated[
    Base | None,
    typer.Option("--base", help="Whether the base of a URDF is fixed or free.", show_default=False),
]
PackageDirs = Annotated[
    list[Path] | None,
    typer.Option(
        "--package-dir", help="A folder with the packages of package:// paths.", show_default=False
    ),
]
MimicOption = Annotated[Mimic | None, typer.Option("--mimic", help="How to read mimic joints.")]
CompleteOption = Annotated[
    Path | None,
    typer.Option(
        "--complete", help="A file with gears, couplings and loops to add.", show_default=False
    ),
]
FILMS = "Write a film (.gif, .mp4), a page (.html), a scene (.glb), or pictures to a folder."
"""What `--animate` does."""
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


# The MODEL argument: a file, a mechanism of `tarsus.robots`, or a robot of another package.


def open_model(
    text: str,
    base: Base | None = None,
    *,
    package_dirs: Sequence[Path] = (),
    mimic: Mimic | None = None,
    complete: Path | None = None,
) -> ts.Model:
    """Return the model that a text stands for: a path, `chain(20)`, `panda`, or `go2`."""
    return ts.load(text, base, package_dirs=list(package_dirs), mimic=mimic, complete=complete)


# Tables of the command line.


def print_table(console: Console, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table with an empty line before it; nothing if it has no rows."""
    if not rows:
        return
    table = Table(box=None, header_style="dim", pad_edge=False)
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console.print()
    console.print(table)
