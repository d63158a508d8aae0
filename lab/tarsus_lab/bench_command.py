"""`tarsus bench`: measure the speed of the algorithms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tarsus._lib.files import replacing
from tarsus.cli.common import BaseOption, JsonOption, MimicOption, PackageDirs, open_model


def bench(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL]...",
            help="Models to measure; a set of six without any.",
            show_default=False,
        ),
    ] = None,
    base: BaseOption = None,
    package_dir: PackageDirs = None,
    mimic: MimicOption = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small batches and few rounds.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the JSON to a file, too.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the speed of the algorithms, also of Pinocchio if it is installed."""
    from tarsus.cli.app import Output, print_json, progress_bar
    from tarsus.cli.info import mimic_note
    from tarsus.robots.load import MEASURED
    from tarsus_lab.bench.measure import Plan, measure
    from tarsus_lab.bench.tables import tables

    plan = Plan.quick() if quick else Plan()
    names = models or [*MEASURED, "chain(50)", "chain(200)", "tree(63,2)"]
    opened = {
        name: open_model(name, base, package_dirs=package_dir or (), mimic=mimic) for name in names
    }
    if output is not None and not output.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {output.parent} to write {output.name} to")
    with progress_bar() as progress:
        task = progress.add_task("warm up", total=1.0)
        results = measure(
            opened,
            plan,
            progress=lambda text, share: progress.update(task, description=text, completed=share),
        )
    if output is not None:
        with replacing(output) as part:
            part.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if as_json:
        print_json(results)
    else:
        console = Output()
        for table in tables(results, console.width):
            console.print(table)
        for name, model_of_name in opened.items():
            if note := mimic_note(model_of_name):
                console.print(Text(f"{name}: {note}", "yellow"))
