"""What `tarsus simulate` simulates: a scene by its name, or a model that is put on the ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tarsus.arrays import Array
from tarsus.cli.companions import with_companions
from tarsus.control import PD, ImplicitPD
from tarsus.geometry import Collision, Ground, stand
from tarsus.geometry.collision import TouchingShapes
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.scenes import Scene
from tarsus.simulation.contact import Compliant, ContactLaw, Penalty, law_of

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
