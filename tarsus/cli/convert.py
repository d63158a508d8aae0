"""`tarsus convert`: a model in another format, and what that format cannot say."""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import tarsus as ts
from tarsus.cli.models import open_model
from tarsus.cli.options import (
    BaseOption,
    CompleteOption,
    JsonOption,
    MimicOption,
    ModelText,
    PackageDirs,
)
from tarsus.cli.tables import print_table
from tarsus.formats import WRITABLE
from tarsus.formats.export import ExportWarning

OutFile = Annotated[
    Path,
    typer.Argument(
        metavar="OUT",
        help=f"The file to write; its ending chooses the format: {', '.join(WRITABLE)}.",
        show_default=False,
    ),
]


def convert(
    model: ModelText,
    out: OutFile,
    base: BaseOption = None,
    package_dir: PackageDirs = None,
    mimic: MimicOption = None,
    complete: CompleteOption = None,
    copy_meshes: Annotated[
        bool, typer.Option("--copy-meshes", help="Put copies of meshes beside the file.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Write nothing if the format cannot say all of it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a model in another format; prints what that format cannot say."""
    from tarsus.cli.app import Output

    opened = open_model(model, base, package_dirs=package_dir or (), mimic=mimic, complete=complete)
    if not out.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {out.parent} to write {out.name} to")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)  # they are in the table
        left_out = ts.save(opened, out, meshes="copy" if copy_meshes else "refer", strict=strict)
    if as_json:
        found = {"file": str(out), "left_out": [asdict(thing) for thing in left_out]}
        print(json.dumps(found, ensure_ascii=False))
        return
    console = Output()
    said = f"{len(left_out)} things are not said, or otherwise" if left_out else "all of it is said"
    console.print(f"{opened.name} is written to {out}: {said}", highlight=False, markup=False)
    rows = [(thing.what, thing.name, thing.reason) for thing in left_out]
    print_table(console, ("what", "name", "why"), rows)
