"""`tarsus view`: a model with a slider for each joint, or a run that was saved, in the browser."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from tarsus.cli.models import open_model
from tarsus.cli.options import BaseOption, CompleteOption, MimicOption, PackageDirs
from tarsus.model import Model
from tarsus.simulation import Trajectory, load_run
from tarsus.view import view as show
from tarsus.view.gate import HOST

RUN = ".parquet"


def view(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|RUN",
            help="A model as for `info`, or a run that was saved (.parquet).",
            show_default=False,
        ),
    ],
    base: BaseOption = None,
    package_dir: PackageDirs = None,
    mimic: MimicOption = None,
    complete: CompleteOption = None,
    shapes: Annotated[
        Literal["visual", "collision", "skeleton"] | None,
        typer.Option(help="What to draw; the first that there is.", show_default=False),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to serve; the next free one from here.")
    ] = 8080,
    host: Annotated[
        str, typer.Option(help="0.0.0.0 lets other machines connect, with the address shown.")
    ] = HOST,
    view_for: Annotated[
        float | None, typer.Option("--for", help="End after so many seconds.", show_default=False)
    ] = None,
) -> None:
    """Show a model or a run in the browser, until Ctrl-C."""
    shown: Model | Trajectory
    if Path(what).suffix.lower() == RUN:
        shown = load_run(what)
    else:
        shown = open_model(
            what, base, package_dirs=package_dir or (), mimic=mimic, complete=complete
        )
        for text in shown.warnings:
            if text.startswith("mesh files"):  # which would be looked for in vain
                print(text.replace("package_dirs", "--package-dir"), file=sys.stderr)
    viewer = show(shown, port=port, host=host, shapes=shapes)
    if view_for is None:
        viewer.wait()
        return
    print(f"{viewer.stage.model.name} is shown at {viewer.url} for {view_for:g} s", flush=True)
    time.sleep(view_for)
    viewer.close()
