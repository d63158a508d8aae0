"""The commands and what they have in common: errors in one line, a clean end on Ctrl-C."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

import tarsus as ts
from tarsus.cli.convert import convert
from tarsus.cli.fit import fit
from tarsus.cli.gait import gait
from tarsus.cli.ik import ik
from tarsus.cli.models import open_model
from tarsus.cli.options import (
    BaseOption,
    CompleteOption,
    JsonOption,
    MimicOption,
    ModelText,
    PackageDirs,
)
from tarsus.cli.reproduce import reproduce
from tarsus.cli.simulate import simulate
from tarsus.cli.studio import studio
from tarsus.cli.view import view
from tarsus.cli.walk import walk
from tarsus.files import replacing

FAILED, WRONG_INPUT, INTERRUPTED = 1, 2, 130

SPELLINGS = {
    "base='free'": "--base free",
    'base="free"': "--base free",
    "base='fixed'": "--base fixed",
    "complete=": "--complete ",
    "package_dirs of ts.load": "--package-dir",
    "package_dirs": "--package-dir",
    "mimic='independent'": "--mimic independent",
    "name frames as contact_points": "name frames with --point",
    "contact_points=[…] names": "--point names",
    "shapes='primitives'": "--shapes primitives",
    "shapes='visual'": "--shapes visual",
}
"""What messages of the library call an argument, and the option of the same meaning."""


class Commands(typer.core.TyperGroup):
    """The commands, which end in one line on Ctrl-C, and quietly if nobody reads on."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; typer itself would answer both with an exit code and no word."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            raise typer.Exit(complain("interrupted", INTERRUPTED)) from None
        except BrokenPipeError:
            # the reader of our output has gone, as `head` does; Python shall not complain at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        return result


class Output(Console):
    """The console of results, which leaves a broken pipe to the commands."""

    def on_broken_pipe(self) -> None:
        """Let the error through; rich would end the program with 1, as a failed check does."""
        raise BrokenPipeError


app = typer.Typer(
    cls=Commands,
    help="Dynamics of machines that walk.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    try:
        app(arguments, prog_name="tarsus", standalone_mode=True)
    except SystemExit as end:
        return int(end.code or 0)
    except (ValueError, OSError, ImportError, ArithmeticError) as error:
        message = " ".join(str(error).split())
        for spelling, option in SPELLINGS.items():
            message = message.replace(spelling, option)
        return complain(message, WRONG_INPUT)
    return 0


def complain(message: str, code: int) -> int:
    """Print a line about what went wrong, and return the exit code."""
    print(f"tarsus: {message}", file=sys.stderr)
    return code


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tarsus {ts.__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Dynamics of machines that walk."""


@app.command()
def info(
    model: ModelText,
    base: BaseOption = None,
    package_dir: PackageDirs = None,
    mimic: MimicOption = None,
    complete: CompleteOption = None,
    warnings: Annotated[bool, typer.Option("--warnings", help="Show what was not taken over.")] = (
        False
    ),
    as_json: JsonOption = False,
) -> None:
    """Show the bodies and joints of a model."""
    from tarsus.cli.info import as_data, show

    opened = open_model(model, base, package_dirs=package_dir or (), mimic=mimic, complete=complete)
    if as_json:
        _print_json(as_data(opened))
    else:
        show(opened, Output(), warnings=warnings)


@app.command()
def check(
    model: ModelText,
    base: BaseOption = None,
    package_dir: PackageDirs = None,
    mimic: MimicOption = None,
    complete: CompleteOption = None,
    states: Annotated[int, typer.Option(min=1, help="How many random states to test.")] = 32,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random states.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Look for implausible numbers, and test the dynamics; exits with 1 if a test fails."""
    from tarsus.check import check as run_check
    from tarsus.cli.info import header

    opened = open_model(model, base, package_dirs=package_dir or (), mimic=mimic, complete=complete)
    with progress_bar() as progress:
        task = progress.add_task("check", total=1.0)
        report = run_check(
            opened,
            states=states,
            seed=seed,
            progress=lambda text, share: progress.update(task, description=text, completed=share),
        )
    if as_json:
        _print_json(report.to_dict())
    else:
        console = Output()
        console.print(header(opened))
        console.print()
        console.print(report)
    if not report.ok:
        raise typer.Exit(FAILED)


@app.command()
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
    """Measure the speed of the algorithms, beside Pinocchio if it is installed."""
    from tarsus.bench import Plan, measure
    from tarsus.bench.tables import tables
    from tarsus.cli.info import mimic_note
    from tarsus.robots.examples import MEASURED

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
        _print_json(results)
    else:
        console = Output()
        for table in tables(results, console.width):
            console.print(table)
        for name, model_of_name in opened.items():
            if note := mimic_note(model_of_name):
                console.print(Text(f"{name}: {note}", "yellow"))


app.command()(convert)
app.command()(simulate)
app.command()(walk)
app.command()(gait)
app.command()(fit)
app.command()(ik)
app.command()(reproduce)
app.command()(studio)
app.command()(view)


def progress_bar() -> Progress:
    """Return a progress bar that goes away when it is done, on stderr."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _print_json(data: Any) -> None:
    print(json.dumps(data, indent=1, ensure_ascii=False))
