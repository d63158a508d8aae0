"""Robots on legs: ANYmal, Solo 12, Talos, and the quadruped of Ayit, ready to stand.

All but the last are in the package example-robot-data. To each belongs what its file does not say:
which frames are its feet, a stance, what touches the ground, and gains that hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.geometry import Collision, stand
from tarsus.model import Model, Shape
from tarsus.model.checks import suggestion
from tarsus.model.description import Array
from tarsus.robots.examples import example
from tarsus.robots.quadruped import LEGS, quadruped, standing


@dataclass(frozen=True, eq=False)
class Legged:
    """A robot, the frames of its feet by leg, joint angles of its stance, and its gains."""

    name: str
    model: Model
    feet: Mapping[str, str]
    angles: Mapping[str, float]
    kp: float
    """[N m/rad], of all joints."""
    kd: float
    """[N m s/rad]."""
    collision: Collision
    """What touches the ground."""

    @cached_property
    def stance(self) -> Array:
        """The configuration (nq,) in which the robot stands on level ground."""
        q = self.model.neutral()
        for joint, angle in self.angles.items():
            q[self.model.joint(joint).q_slice] = angle
        return stand(self.model, q, collision=self.collision)


def anymal() -> Legged:
    """Return ANYmal B (30 kg) on the spheres of its feet."""
    angles = {
        f"{side}{end}_{joint}": angle
        for side, left in (("L", 1.0), ("R", -1.0))
        for end, front in (("F", 1.0), ("H", -1.0))
        for joint, angle in (("HAA", -0.1 * left), ("HFE", 0.7 * front), ("KFE", -1.0 * front))
    }
    feet = {"hind_right": "RH", "hind_left": "LH", "front_right": "RF", "front_left": "LF"}
    model = example("anymal")
    return Legged(
        "anymal",
        model,
        {leg: f"{short}_FOOT" for leg, short in feet.items()},
        angles,
        kp=300.0,
        kd=8.0,
        collision=Collision.from_model(model),
    )


def solo12() -> Legged:
    """Return Solo 12 (2.5 kg) on spheres at its feet, instead of their meshes."""
    angles = {
        f"{end}{side}_{joint}": angle
        for side, left in (("L", 1.0), ("R", -1.0))
        for end, front in (("F", 1.0), ("H", -1.0))
        for joint, angle in (("HAA", 0.1 * left), ("HFE", 0.8 * front), ("KFE", -1.6 * front))
    }
    feet = {"hind_right": "HR", "hind_left": "HL", "front_right": "FR", "front_left": "FL"}
    frames = {leg: f"{short}_FOOT" for leg, short in feet.items()}
    radius = 0.016
    model = _with_balls(example("solo12"), tuple(frames.values()), radius)
    return Legged(
        "solo12",
        model,
        frames,
        angles,
        kp=8.0,
        kd=0.2,
        collision=Collision.from_model(model, shapes="primitives"),
    )


def talos() -> Legged:
    """Return Talos (90 kg), a humanoid, on the corners of its soles."""
    angles = {
        f"leg_{side}_{number}_joint": angle
        for side in ("left", "right")
        for number, angle in ((3, -0.411354), (4, 0.859395), (5, -0.448041))
    }
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = (0.25847 * sign, 0.173046 * sign, -0.0002 * sign, -0.525366)
        angles |= {f"arm_{side}_{k}_joint": angle for k, angle in enumerate(arm, 1)}
    corners = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.06, 0.06)])
    feet = {side: f"{side}_sole_link" for side in ("left", "right")}
    model = example("talos_reduced")
    return Legged(
        "talos_reduced",
        model,
        feet,
        angles,
        kp=3000.0,
        kd=60.0,
        collision=Collision.from_model(model, dict.fromkeys(feet.values(), corners)),
    )


def ayit() -> Legged:
    """Return the quadruped of Ayit in posture P2, with stiffer damping than that of the thesis."""
    model = quadruped()
    q = standing(model, "P2")
    angles = {joint.name: float(q[joint.q_slice][0]) for joint in model.joints[1:]}
    feet = {leg: f"{leg}_tip" for leg in LEGS}
    collision = Collision.from_model(model)
    return Legged("quadruped", model, feet, angles, kp=6000.0, kd=200.0, collision=collision)


LEGGED: dict[str, Callable[[], Legged]] = {
    "quadruped": ayit,
    "anymal": anymal,
    "solo12": solo12,
    "talos_reduced": talos,
}


def legged(name: str) -> Legged:
    """Return a robot on legs by its name."""
    if name not in LEGGED:
        raise ValueError(f"there is no robot on legs {name!r}{suggestion(name, LEGGED)}")
    return LEGGED[name]()


def _with_balls(model: Model, frames: tuple[str, ...], radius: float) -> Model:
    """Return the model with spheres to touch the ground at frames."""
    text = model.description
    text.shapes += [Shape(frame, "collision", "sphere", (radius,)) for frame in frames]
    return Model(text, strict=False)
