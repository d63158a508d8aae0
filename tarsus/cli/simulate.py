"""`tarsus simulate`: a model or a scene in contact."""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import typer

from tarsus._lib.checks import suggestion
from tarsus._lib.files import Array
from tarsus.cli.common import (
    FILMS,
    BaseOption,
    CompleteOption,
    JsonOption,
    MimicOption,
    PackageDirs,
    open_model,
)
from tarsus.cli.run_report import with_companions
from tarsus.control.joint_control import PD, ImplicitPD
from tarsus.geometry.collision import Collision, TouchingShapes
from tarsus.geometry.ground_placement import stand
from tarsus.geometry.grounds import Ground
from tarsus.model.model import Model
from tarsus.scenes import names as scene_names
from tarsus.scenes.scene import Scene, scene_named
from tarsus.simulation.contact.compliant import Compliant
from tarsus.simulation.contact.law import ContactLaw, law_of
from tarsus.simulation.contact.penalty import Penalty
from tarsus.simulation.files import check_suffix
from tarsus.view.films import check_film
from tarsus.view.viewer import view as show

if TYPE_CHECKING:
    from tarsus.simulation.trajectory import Trajectory


# `tarsus simulate`: put a model on the ground, or play a scene, and say what came of it.


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
    height: Annotated[float | None, _option("Initial height above the ground, in m.")] = None,
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
        Path | None, _option("Write the run to a file (.npz, .parquet, .csv, .mcap).")
    ] = None,
    animate: Annotated[Path | None, _option(FILMS)] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the run in the browser.")] = False,
    view_for: Annotated[
        float | None, _option("Show it in the browser for so many seconds.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate a model in contact; prints speed, energy balance and contacts.

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
    from tarsus.cli.run_report import conditions, pushes
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


# What `tarsus simulate` simulates: a scene by its name, or a model that is put on the ground.


Controller = Literal["hold", "none"]
Contact = Literal["exact", "lemke", "penalty", "event", "compliant"]

YIELDING = 0.05
"""How far joints that hold a model give way under its weight, about [rad]."""


@dataclass(frozen=True)
class Choices:
    """What options say; None for what the scene, or a sensible start, decides."""

    contact: Contact | None = None
    stiffness: float | None = None
    damping: float | None = None
    slope: float | None = None
    friction: float | None = None
    restitution: float | None = None
    duration: float | None = None
    dt: float | None = None
    height: float | None = None
    controller: Controller | None = None
    kp: float | None = None
    kd: float | None = None
    joints: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    shapes: TouchingShapes | None = None


def adapted(scene: Scene, choices: Choices) -> Scene:
    """Return a scene with what options change of it."""
    for name in ("height", "joints", "points", "kp", "kd", "shapes"):
        if getattr(choices, name) not in (None, ()):
            option = {"joints": "joint", "points": "point"}.get(name, name)
            raise ValueError(f"--{option} is for models: {scene.name} has its own start")
    if choices.controller == "none":
        scene = scene.but(controller=None)
    changes = {"duration": choices.duration, "dt": choices.dt, "contact": _law(choices)}
    scene = scene.but(**{key: value for key, value in changes.items() if value is not None})
    surface = {
        name: getattr(choices, name)
        for name in ("slope", "friction", "restitution")
        if getattr(choices, name) is not None
    }
    if not surface:
        return scene
    if not isinstance(scene.ground, Ground):
        raise ValueError(f"--{next(iter(surface))} is for plain ground, {scene.name} has another")
    return scene.but(ground=replace(scene.ground, **surface))


def scene_of_model(model: Model, choices: Choices, companions: Sequence[str] = ()) -> Scene:
    """Return a model on the ground, or in the air if its root hangs on the world.

    What is with it starts where it is said to, and brings the ground along.
    """
    base = model.base
    free = base is not None and base.kind == "free"
    model = with_companions(model, companions)
    ground = None
    if free or companions or choices.slope is not None or choices.friction is not None:
        ground = Ground(
            friction=0.7 if choices.friction is None else choices.friction,
            restitution=choices.restitution or 0.0,
            slope=choices.slope or 0.0,
        )
    collision = _touching(model, choices)
    q0 = _posture(model, choices.joints)
    if free and ground is not None:
        lifted = next(joint for joint in model.joints if joint.kind == "free")
        q0 = stand(model, q0, ground, collision, lifted.name)
        q0[lifted.q_slice.start + 2] += _height(choices.height)
    elif choices.height is not None:
        raise ValueError(
            f"--height is for models with a free root; {model.name} hangs on the world"
        )
    return Scene(
        model.name,
        model,
        q0,
        np.zeros(model.nv),
        _controller(model, q0, choices),
        ground,
        collision,
        duration=2.0 if choices.duration is None else choices.duration,
        dt=1e-3 if choices.dt is None else choices.dt,
        contact=_law(choices) or "exact",
    )


def _touching(model: Model, choices: Choices) -> Collision | None:
    """Return what options say that touches, None where they say nothing."""
    if choices.points and choices.shapes:
        raise ValueError("--point names all that touches, --shapes chooses shapes: state one")
    if choices.points:
        return Collision.from_model(model, list(choices.points))
    return Collision.from_model(model, shapes=choices.shapes) if choices.shapes else None


def _law(choices: Choices) -> ContactLaw | None:
    """Return the law of the options, with springs if they are stated."""
    springs = {"stiffness": choices.stiffness, "damping": choices.damping}
    stated = {name: value for name, value in springs.items() if value is not None}
    if not stated:
        return None if choices.contact is None else law_of(choices.contact)
    law = None if choices.contact is None else law_of(choices.contact)
    if not isinstance(law, Penalty | Compliant):
        raise ValueError(f"--{next(iter(stated))} is for --contact penalty or compliant")
    return replace(law, **stated)  # type: ignore[arg-type]


def _posture(model: Model, joints: Sequence[str]) -> Array:
    """Return the initial configuration, within limits, with joints moved as `name=angle` says."""
    q = np.clip(model.initial_configuration, model.lower, model.upper)
    for text in joints:
        name, equals, value = text.partition("=")
        try:
            angle = float(value)
        except ValueError:
            angle = math.nan
        if not equals or not math.isfinite(angle):
            raise ValueError(f"--joint {text} must be a name and a number, such as knee=0.5")
        if name not in model.joint_names:
            raise ValueError(f"--joint {text}: no such joint{suggestion(name, model.joint_names)}")
        joint = model.joint(name)
        if joint.nq != 1 or joint.dependent:
            raise ValueError(f"--joint {text}: {name} has no single coordinate of its own")
        q[joint.q_slice] = angle
    return np.asarray(q)


def _height(height: float | None) -> float:
    if height is not None and not height >= 0.0:
        raise ValueError(f"--height is {height:g}, must not be negative")
    return height or 0.0


def _controller(model: Model, q0: Array, choices: Choices) -> PD | ImplicitPD | None:
    """Return what holds all joints where they start, or nothing.

    Without `--kp` joints are so stiff that they give way a little under the weight. Where steps
    are not of dt there is none that the law could be part of: it acts at every moment.
    """
    if choices.controller == "none" or not model.driven.any():
        return None
    poses = model.forward_kinematics(q0)[:, :3, 3]
    size = max(float(np.ptp(poses, axis=0).max()), 0.1)
    weight = model.total_mass * float(np.linalg.norm(model.gravity))
    kp = weight * size / YIELDING / 4 if choices.kp is None else choices.kp
    kd = kp / 20 if choices.kd is None else choices.kd
    law = PD if choices.contact in ("event", "compliant") else ImplicitPD
    return law(model, kp, kd, q0)
