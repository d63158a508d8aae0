"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tarsus.formats import Base, Mimic

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
    typer.Option("--base", help="How the root of a URDF hangs on the world.", show_default=False),
]
PackageDirs = Annotated[
    list[Path] | None,
    typer.Option(
        "--package-dir", help="A folder with the packages of package:// paths.", show_default=False
    ),
]
MimicOption = Annotated[
    Mimic | None, typer.Option("--mimic", help="What to do with joints that mimic others.")
]
CompleteOption = Annotated[
    Path | None,
    typer.Option(
        "--complete", help="A file with gears, couplings and loops to add.", show_default=False
    ),
]
FILMS = "Write a film (.gif, .mp4), a page (.html), a scene (.glb), or pictures to a folder."
"""What `--animate` does."""
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
