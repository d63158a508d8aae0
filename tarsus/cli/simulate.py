"""`tarsus simulate`: put a model on the ground, or play a scene, and say what came of it."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tarsus.cli.models import open_model
from tarsus.cli.options import (
    FILMS,
    BaseOption,
    CompleteOption,
    JsonOption,
    MimicOption,
    PackageDirs,
)
from tarsus.cli.scenes import Choices, Contact, Controller, adapted, scene_of_model
from tarsus.geometry.collision import TouchingShapes
from tarsus.scenes import names as scene_names
from tarsus.scenes.named import scene_named
from tarsus.simulation.files import check_suffix
from tarsus.view import view as show
from tarsus.view.animation import check_film

if TYPE_CHECKING:
    from tarsus.scenes import Scene
    from tarsus.simulation import Trajectory

SimulatedText = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model as for `info`, or a scene: trot, jump, 'drop(0.5)', \"walk('anymal')\", …",
        show_default=False,
    ),
]


def _option(help_text: str) -> Any:
    return typer.Option(help=help_text, show_default=False)


def simulate(
    model: SimulatedText,
    base: BaseOption = None,
    package_dir: PackageDirs = None,
    mimic: MimicOption = None,
    complete: CompleteOption = None,
    contact: Annotated[Contact | None, _option("The contact law; exact unless stated.")] = None,
    stiffness: Annotated[float | None, _option("Of penalty and compliant contact, in N/m.")] = None,
    damping: Annotated[float | None, _option("Of penalty and compliant contact, in N s/m.")] = None,
    slope: Annotated[float | None, _option("Of the ground, downhill along x, in rad.")] = None,
    friction: Annotated[float | None, _option("Coulomb's coefficient of the ground.")] = None,
    restitution: Annotated[float | None, _option("Share of speed left after impacts.")] = None,
    duration: Annotated[float | None, _option("How long to simulate, in seconds.")] = None,
    dt: Annotated[float | None, _option("The step, in seconds.")] = None,
    height: Annotated[float | None, _option("Start so far above the ground, in m.")] = None,
    joint: Annotated[
        list[str] | None, _option("Start with a joint moved, as in knee=0.5; may be repeated.")
    ] = None,
    point: Annotated[
        list[str] | None,
        _option("A frame that touches the ground, instead of all shapes; may be repeated."),
    ] = None,
    shapes: Annotated[
        TouchingShapes | None,
        _option("What touches: collision shapes, these without meshes, or visual shapes."),
    ] = None,
    companion: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="Another model at x,y,z, as in box.urdf@0.5,0,0.8 or table.urdf@1,0,0:fixed; "
            "may be repeated.",
            show_default=False,
        ),
    ] = None,
    controller: Annotated[
        Controller | None, _option("hold: joints stay where they start; none: they are limp.")
    ] = None,
    kp: Annotated[float | None, _option("Stiffness of joints that hold, in N m/rad.")] = None,
    kd: Annotated[float | None, _option("Damping of joints that hold, in N m s/rad.")] = None,
    push: Annotated[
        list[str] | None,
        _option(
            "Push a body in N, as in trunk:60,0,0@0.5+0.1, from 0.5 s on for 0.1 s; repeatable."
        ),
    ] = None,
    until: Annotated[
        list[str] | None,
        _option("End when it holds: 'trunk<0.2', 'knee>1.5', touch:trunk; may be repeated."),
    ] = None,
    plot: Annotated[Path | None, _option("Draw the run to a file (.png, .pdf, .svg).")] = None,
    save: Annotated[
        Path | None, _option("Write the run to a file (.parquet, .csv, .mcap).")
    ] = None,
    animate: Annotated[Path | None, _option(FILMS)] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the run in the browser.")] = False,
    view_for: Annotated[
        float | None, _option("Show it in the browser for so many seconds.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate a model in contact; prints speed, energy ledger and contacts.

    Exits with 1 if the run fails; what was simulated until then is reported all the same.
    """
    from tarsus.cli import run_report
    from tarsus.cli.app import FAILED, Output, complain

    choices = Choices(
        *(contact, stiffness, damping, slope, friction, restitution),
        *(duration, dt, height, controller, kp, kd),
        *(tuple(joint or ()), tuple(point or ()), shapes),
    )
    for file in (plot, save, animate):
        if file is not None and not file.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {file.parent} to write {file.name} to")
    if save is not None:
        check_suffix(save)
    if animate is not None:
        check_film(animate)
    scene = scene_named(model)
    if scene is not None:
        if companion:
            raise ValueError(f"--with is for models: {scene.name} has its own things in it")
        scene = adapted(scene, choices)
    else:
        try:
            opened = open_model(
                model, base, package_dirs=package_dir or (), mimic=mimic, complete=complete
            )
        except ValueError as error:
            if not str(error).startswith("there is no"):
                raise
            raise ValueError(f"{error}; or a scene: {', '.join(scene_names())}") from None
        scene = scene_of_model(opened, choices, companion or ())
    run, seconds, failure = _run(scene, push or (), until or ())
    if as_json:
        print(json.dumps({**run_report.as_data(run, seconds, scene.dt), "failure": failure}))
    else:
        console = Output()
        console.print(_title(scene), style="bold", highlight=False)
        run_report.show(run, seconds, scene.dt, console)
        if hint := _root_note(scene):
            console.print(hint, style="yellow", highlight=False)
    _write(run, plot, save, animate)
    if failure:
        raise typer.Exit(complain(failure, FAILED))
    if view or view_for is not None:
        _view(run, view_for)


def _run(scene: Scene, push: Sequence[str], until: Sequence[str]) -> tuple[Trajectory, float, str]:
    """Return the run, how long it took to compute [s], and why it failed, if it did."""
    from tarsus.cli.events import conditions, pushes
    from tarsus.simulation import SimulationError

    simulation, failure = scene.simulation(), ""
    ends, external = conditions(scene.model, until) or None, pushes(push) or None
    with warnings.catch_warnings():
        # they are part of the report
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        try:
            run = simulation.run(
                scene.q0,
                scene.v0,
                duration=scene.duration,
                controller=scene.controller,
                until=ends,
                external=external,
            )
        except SimulationError as error:
            if error.trajectory is None or len(error.trajectory) < 2:
                raise ValueError(str(error)) from None
            run, failure = error.trajectory, str(error)
        return run, time.perf_counter() - start, failure


def _root_note(scene: Scene) -> str:
    """Return what to say where legs hang in the air, perhaps because of a forgotten option."""
    legs = [name for name in scene.model.frame_names if "foot" in name or "sole" in name]
    if scene.ground is not None or not legs:
        return ""
    return f"the root of {scene.model.name} is fixed, in free space: --base free lets it stand"


def _title(scene: Scene) -> str:
    law = scene.contact if isinstance(scene.contact, str) else scene.contact.name
    place = "in free space" if scene.ground is None else f"{law} contact"
    return f"{scene.name}, {place}, dt = {1e3 * scene.dt:g} ms"


def _write(run: Trajectory, plot: Path | None, save: Path | None, animate: Path | None) -> None:
    from tarsus.cli.app import progress_bar

    if plot is not None:
        run.plot(plot)
    if save is not None:
        run.save(save)
    if animate is not None:
        with progress_bar() as bar:
            task = bar.add_task("drawing", total=1.0)
            run.animate(animate, progress=lambda _, share: bar.update(task, completed=share))


def _view(run: Trajectory, seconds: float | None) -> None:
    viewer = show(run)
    if seconds is None:
        viewer.wait()
        return
    print(f"{run.model.name} is shown at {viewer.url} for {seconds:g} s", flush=True)
    time.sleep(seconds)
    viewer.close()
