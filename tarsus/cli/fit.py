"""`tarsus fit`: a few swept spheres around each link of a model, and how tight they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from tarsus.cli.models import open_model
from tarsus.cli.options import JsonOption, ModelText, PackageDirs
from tarsus.cli.tables import print_table
from tarsus.geometry import Fitted

Shapes = Literal["collision", "primitives", "visual"]


def fit(
    model: ModelText,
    package_dir: PackageDirs = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the volumes to a file (.yaml, .json)."),
    ] = None,
    parts: Annotated[int, typer.Option(min=1, max=64, help="Volumes of a link at most.")] = 4,
    tightness: Annotated[
        float,
        typer.Option(min=1.0, help="Volumes of a link may take this times its own volume."),
    ] = 1.2,
    links: Annotated[
        list[str] | None,
        typer.Option("--links", help="A link to enclose, again for more.", show_default=False),
    ] = None,
    shapes: Annotated[Shapes, typer.Option(help="What is enclosed.")] = "collision",
    mirror: Annotated[
        bool, typer.Option(help="Give links that look like mirror images the same volumes.")
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Enclose each link in a few swept spheres: balls, lines and triangles with a radius."""
    from tarsus.cli.app import Output, progress_bar
    from tarsus.geometry import fit as fit_volumes

    if output is not None and not output.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {output.parent} to write {output.name} to")
    opened = open_model(model, package_dirs=package_dir or ())
    with progress_bar() as progress:
        task = progress.add_task("fit", total=1.0)
        found = fit_volumes(
            opened,
            links=links,
            parts=parts,
            tightness=tightness,
            shapes=shapes,
            mirror=mirror,
            progress=lambda text, share: progress.update(task, description=text, completed=share),
        )
    if output is not None:
        found.save(output)
    if as_json:
        print(json.dumps(found.report.to_dict(), indent=1, ensure_ascii=False))
    else:
        _show(found, output, Output(highlight=False))


def _show(found: Fitted, output: Path | None, console: Console) -> None:
    report, count = found.report, sum(map(len, found.values()))
    console.print(f"{report.model}: {count} volumes on {len(found)} links", style="bold")
    print_table(console, report.TITLES, report.rows())
    for note in report.notes:
        console.print(Text(note, "yellow"))
    if output is not None:
        console.print(f"\nwritten to {output}")
