"""`tarsus view` and `tarsus studio`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from tarsus.cli.common import BaseOption, CompleteOption, MimicOption, PackageDirs, open_model
from tarsus.model.model import Model
from tarsus.simulation.files import WRITERS, load_run
from tarsus.simulation.trajectory import Trajectory
from tarsus.view.server import HOST
from tarsus.view.viewer import view as show

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# `tarsus view`: a model with a slider for each joint, or a run that was saved, in the browser.


def view(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|RUN",
            help="A model as for `info`, or a run that was saved (.npz).",
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
    if Path(what).suffix.lower() in WRITERS:
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


# `tarsus studio`: build and play in a browser, or do a script of lines without one.


FAILED = 1
Drawn = Literal["null", "csv", "png"]


def studio(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL|SCENE]",
            help="A scene of the gallery, a file, a robot or a scene as for `simulate`.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to serve; the next free one from here.")
    ] = 8090,
    script: Annotated[
        Path | None,
        typer.Option(help="Do the lines of a file, - for stdin.", show_default=False),
    ] = None,
    draw: Annotated[
        Drawn | None,
        typer.Option(
            help="Without a page: null draws nothing, csv the poses of each frame, png the end.",
            show_default=False,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Write the world to a studio scene (.json).", show_default=False),
    ] = None,
    session: Annotated[
        Path | None,
        typer.Option(
            help="A folder that keeps the world for the next time; by default one of the user's.",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Let lines replace files that they did not write. Without it a page asks first, "
            "and a script ends with 1.",
        ),
    ] = False,
    replay: Annotated[
        bool,
        typer.Option(
            "--replay",
            help="Do lines of the session again that use files. Without it the page asks first.",
        ),
    ] = False,
) -> None:
    """Build and simulate mechanisms in the browser; exits with 1 if a line of a script fails."""
    from tarsus.studio.language import written
    from tarsus.studio.server import open_studio as serve
    from tarsus.studio.session_folder import default_folder

    stage, first = _stage(what, overwrite=overwrite)
    file = None if script in (None, Path("-")) else script
    _check_files(stage, _beside(file, ".png") if draw == "png" else "", save)
    served = None
    if draw is None:
        # what was there the last time comes back first, so that undo leads to it
        served = serve(stage, port=port, session=session or default_folder(), replay=replay)
    if first or (script is not None and stage.document.description.bodies):
        _say(stage, first or "new")
    if draw == "csv":
        _say(stage, written("draw", "corpus", _beside(file, ".csv"), 1))
    elif draw == "null":
        _say(stage, "draw null")
    if script is not None:
        _do(stage, sys.stdin.read() if file is None else file.read_text("utf-8"))
    if draw == "png":
        _say(stage, written("export", _beside(file, ".png")))
    if save is not None:
        _save(stage, save)
    if served is not None:
        served.wait()


def _stage(what: str | None, *, overwrite: bool) -> tuple[Stage, str]:
    """Return a stage, and the line that opens a word; files are read below their folder."""
    from tarsus.studio.gallery import ENTRIES
    from tarsus.studio.session import Stage

    if what is None:
        return Stage(overwrite=overwrite), ""
    path = Path(what)
    if path.is_file():
        inside = path.resolve().is_relative_to(Path.cwd())
        stage = Stage(root=None if inside else path.resolve().parent, overwrite=overwrite)
        word = str(path.resolve().relative_to(stage.root.resolve()))
        return stage, f'load "{word}"'
    return Stage(overwrite=overwrite), f'{"open" if what in ENTRIES else "load"} "{what}"'


def _say(stage: Stage, line: str) -> None:
    """Do a line of our own; what is wrong with it is wrong with an option."""
    answer = stage.do(line)
    if answer.confirm:
        _refuse(answer.text)
    if not answer.ok:
        raise ValueError(answer.text)


def _refuse(text: str) -> NoReturn:
    """Say that a file would be replaced, and exit."""
    print(f"tarsus: {text}", file=sys.stderr)
    raise typer.Exit(FAILED)


def _check_files(stage: Stage, picture: str, save: Path | None) -> None:
    """Exit before the script runs if the files at its end may not be written."""
    from tarsus.studio.document_files import HEADER, KIND
    from tarsus.studio.language import LineError, to_write

    try:
        if picture:
            to_write(stage, [picture], (".png",))
        if save is not None:
            if save.suffix != KIND:
                raise ValueError(f"--save {save} must end with {KIND}")
            if not save.parent.is_dir():
                raise FileNotFoundError(f"there is no folder {save.parent} to write {save.name} to")
            stage.guard.check([save.resolve()], HEADER)
    except LineError as error:
        if not error.confirm:
            raise
        _refuse(str(error))


def _do(stage: Stage, script: str) -> None:
    """Do the lines of a script and print the answers; the first that fails ends it."""
    for number, line in enumerate(script.splitlines(), 1):
        answer = stage.do(line)
        if not answer.ok:
            print(f"tarsus: line {number}, {line.strip()!r}: {answer.text}", file=sys.stderr)
            raise typer.Exit(FAILED)
        for text in (answer.text, *stage.told):
            if text:
                print(text)
        stage.told.clear()


def _save(stage: Stage, file: Path) -> None:
    from tarsus.studio.document_files import HEADER, write_scene
    from tarsus.studio.language import LineError

    try:
        with stage.guard.writing(file.resolve(), HEADER) as part:
            lost = write_scene(stage, part)
    except LineError as error:
        _refuse(str(error))
    for each in lost:
        print(f"tarsus: not kept: {each}", file=sys.stderr)


def _beside(file: Path | None, ending: str) -> str:
    """Return the name of a file in the present folder that is called as a script."""
    return f"{'studio' if file is None else file.stem}{ending}"
