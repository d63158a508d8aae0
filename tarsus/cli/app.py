"""The commands and what they have in common: errors in one line, a clean end on Ctrl-C."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
import typer.core
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import tarsus as ts
from tarsus.cli.common import (
    BaseOption,
    CompleteOption,
    JsonOption,
    MimicOption,
    ModelText,
    PackageDirs,
    open_model,
)
from tarsus.cli.gait import gait
from tarsus.cli.models import convert, fit, ik
from tarsus.cli.simulate import simulate
from tarsus.cli.views import studio, view
from tarsus.cli.walk import walk

LAB = {
    "bench": "Measure the speed of the algorithms.",
    "reproduce": "Compute a table of a thesis again.",
}
"""Commands of `tarsus_lab`, which is found through entry points."""
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
    help="Rigid-body dynamics, contact simulation and control of robots.",
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
    """Rigid-body dynamics, contact simulation and control of robots."""


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
        print_json(as_data(opened))
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
    """Report implausible masses and limits, and test the dynamics; exits with 1 if a test fails."""
    from tarsus.check.check import check as run_check
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
        print_json(report.to_dict())
    else:
        console = Output()
        console.print(header(opened))
        console.print()
        console.print(report)
    if not report.ok:
        raise typer.Exit(FAILED)


app.command()(convert)
app.command()(simulate)
app.command()(walk)
app.command()(gait)
app.command()(fit)
app.command()(ik)
app.command()(studio)
app.command()(view)


def _add_installed_commands() -> None:
    """Add the commands of other installed packages, among them `tarsus_lab`.

    A command that is missing or cannot be imported says so when it is called; the others work.
    """
    found = {entry.name: entry for entry in entry_points(group="tarsus.commands")}
    for name in sorted({*found, *LAB}):
        try:
            app.command(name)(found[name].load())
        except Exception as error:  # whatever another package raises when it is imported
            reason = f"{type(error).__name__}: {error}" if name in found else "not installed"
            anything = {"ignore_unknown_options": True, "allow_extra_args": True}
            app.command(name, context_settings=anything)(_unavailable(name, reason))


def _unavailable(name: str, reason: str) -> Callable[[], None]:
    def command() -> None:
        raise ImportError(
            f"tarsus {name} is not available ({reason}); it comes with Tarsus: "
            "pip install --force-reinstall tarsus"
            if name in LAB
            else f"tarsus {name} is not available ({reason})"
        )

    command.__doc__ = f"{LAB.get(name, '')} (not available)".strip()
    return command


_add_installed_commands()


def progress_bar() -> Progress:
    """Return a progress bar that goes away when it is done, on stderr."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def print_json(data: Any) -> None:
    """Print data as JSON."""
    print(json.dumps(data, indent=1, ensure_ascii=False))
