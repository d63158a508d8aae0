"""Robots on four legs, and other legged robots with a stance and feet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.ground_placement import stand
from tarsus.model.builder import Builder
from tarsus.model.description import Shape
from tarsus.model.model import Model
from tarsus.robots import building as solids
from tarsus.robots.building import Triple
from tarsus.robots.load import example

# Robots on legs: ANYmal, Solo 12, Talos, and the quadruped of Ayit, ready to stand.
#
# All but the last are in the package example-robot-data. To each belongs what its file does not
# say: which frames are its feet, a stance, what touches the ground, and gains that hold it.


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
    balls = [Shape(frame, "collision", "sphere", (radius,)) for frame in frames]
    return Model(replace(text, shapes=[*text.shapes, *balls]), strict=False)


# The quadruped of Ayit: a torso of 50 kg on four legs of four joints, 96.8 kg in all.
#
# Dimensions, masses, joint friction and gains are those of O. Ayit, "Contact Modeling as Applied to
# the Dynamic Simulation of Legged Robots", Sabancı University 2015, Tables 5.1 to 5.3. The thesis
# does not say where the hips are, how mass is spread, or in which posture the robot begins. Here
# links are even boxes, the hips are at the corners of the torso, and the postures stand 0.6 m high.


LEGS = {
    "hind_right": (-1, -1),
    "hind_left": (-1, 1),
    "front_right": (1, -1),
    "front_left": (1, 1),
}
"""The legs in the order of the thesis, and on which side of x and of y they are."""

TIPS = tuple(f"{leg}_tip" for leg in LEGS)
"""Frames at the ends of the feet, which alone touch the ground in the thesis."""

JOINTS = ("hip_roll", "hip_pitch", "knee", "ankle")
AXES = ("x", "y", "y", "y")

TORSO_SIZE, TORSO_MASS = (1.2, 0.6, 0.15), 50.0
HIP: Triple = (0.6, 0.3, 0.0)
"""Where the front left hip is on the torso [m]; both its axes meet there."""

# length along z, width along y, height along x [m], and mass [kg] (Table 5.1); the thesis prints
# a height of 0.5 m for the foot, ten times that of what it hangs on: 0.05 m is taken here
LINKS: dict[str, tuple[float, float, float, float]] = {
    "thigh": (0.28, 0.05, 0.1, 4.4),
    "shank": (0.27, 0.05, 0.1, 3.65),
    "foot": (0.22, 0.05, 0.05, 3.65),
}
LENGTHS: Triple = (0.28, 0.27, 0.22)
"""Lengths of thigh, shank and foot [m]."""

DAMPING, FRICTION = 0.3, 0.55
"""Viscous [N m s/rad] and dry friction [N m] of each joint (Table 5.2)."""

GAINS = {
    "kp": (6000.0, 20000.0, 70000.0, 30000.0),
    "kd": (1.0, 1.0, 1.0, 1.0),
    "ki": (120.0, 120.0, 120.0, 120.0),
}
"""Gains of the joints of a leg in the order of `JOINTS` (Table 5.3)."""

POSTURES: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "P1": ((0.0, 0.55, -1.51, 1.31), (0.0, 0.55, -1.51, 1.31)),
    "P2": ((0.0, 0.55, -1.51, 1.31), (0.0, -0.55, 1.51, -1.31)),
    "P3": ((0.0, 0.269, -1.1972, 1.6282), (0.0, 0.269, -1.1972, 1.6282)),
}
"""Angles of the hind and of the front legs [rad]; the feet are below the hips."""

CLEARANCE = 0.05
"""How far above its tip the shell of a foot ends [m], so that it is the tip that touches."""


def quadruped() -> Model:
    """Return a quadruped of 22 degrees of freedom (96.8 kg) of Ayit (2015).

    Each leg has the joints "hip_roll", "hip_pitch", "knee" and "ankle", such as
    "front_left_knee", and a frame at its end, such as "front_left_tip". Torso, legs and tips can
    touch the ground; in the thesis only the tips do (`contact_points=TIPS` of a simulation).
    """
    builder = Builder("quadruped")
    builder.body("torso", TORSO_MASS, inertia=solids.box(TORSO_MASS, TORSO_SIZE))
    builder.joint("root", "free", WORLD, "torso")
    for role in ("visual", "collision"):
        builder.shape("torso", "box", TORSO_SIZE, role=role)
    for leg, sides in LEGS.items():
        _add_leg(builder, leg, sides)
    return builder.build()


def standing(model: Model, posture: str = "P1", clearance: float = 0.0) -> Array:
    """Return the configuration (nq,) of a posture, its lowest tip `clearance` above z = 0 [m]."""
    if posture not in POSTURES:
        raise ValueError(f"there is no posture {posture!r}{suggestion(posture, POSTURES)}")
    q, (hind, front) = model.neutral(), POSTURES[posture]
    for leg, (ahead, _) in LEGS.items():
        for name, angle in zip(JOINTS, front if ahead > 0 else hind, strict=True):
            q[model.joint(f"{leg}_{name}").q_slice] = angle
    lowest = min(float(model.frame_pose(q, tip)[2, 3]) for tip in TIPS)
    q[2] += clearance - lowest
    return q


def gains(model: Model) -> dict[str, Array]:
    """Return "kp", "kd" and "ki" (nv,) of Table 5.3, zero for the torso."""
    found = {key: np.zeros(model.nv) for key in GAINS}
    for leg in LEGS:
        for k, name in enumerate(JOINTS):
            for key, values in GAINS.items():
                found[key][model.joint(f"{leg}_{name}").v_slice] = values[k]
    return found


def _add_leg(builder: Builder, leg: str, sides: tuple[int, int]) -> None:
    # the roll axis carries the pitch axis at the same point, by a body without mass
    builder.body(f"{leg}_hip")
    parent, at = "torso", (sides[0] * HIP[0], sides[1] * HIP[1], HIP[2])
    for name, axis, part in zip(JOINTS, AXES, ("hip", *LINKS), strict=True):
        body = f"{leg}_{part}"
        if part in LINKS:
            _add_link(builder, body, *LINKS[part])
        friction = {"damping": DAMPING, "friction": FRICTION}
        builder.joint(f"{leg}_{name}", "revolute", parent, body, position=at, axis=axis, **friction)
        parent, at = body, (0.0, 0.0, -LINKS[part][0] if part in LINKS else 0.0)
    tip = f"{leg}_tip"
    builder.frame(tip, parent, position=at)
    builder.shape(parent, "sphere", (0.0,), role="collision", position=at, name=tip)


def _add_link(
    builder: Builder, body: str, length: float, width: float, height: float, mass: float
) -> None:
    size, middle = (height, width, length), (0.0, 0.0, -length / 2)
    builder.body(body, mass, middle, solids.box(mass, size))
    builder.shape(body, "box", size, position=middle)
    # a capsule from joint to joint; that of a foot stops short of its tip
    along = length - (CLEARANCE if body.endswith("foot") else 0.0)
    place = (0.0, 0.0, -along / 2)
    builder.shape(body, "capsule", (width / 2, along), role="collision", position=place)


# Inverse kinematics of a leg with a roll hip and three pitch joints, as a formula.
#
# At zero the leg hangs straight down; a segment with absolute pitch φ points along (−sin φ, −cos φ)
# in the plane (x, z) of the leg. Four joints for three numbers: the pitch of the foot is free.


def leg_angles(foot: ArrayLike, pitch: ArrayLike = 0.35, lengths: Triple = LENGTHS) -> Array:
    """Return hip roll, hip pitch, knee and ankle (…, 4) [rad] that bring the tip to `foot`.

    `foot` (…, 3) is relative to the hip, in the axes of the torso [m]. `pitch` (…) is that of the
    foot [rad]; the knee bends to the other side, as the legs of Ayit's quadruped do: a pitch above
    zero has the knee behind the line from hip to ankle.
    """
    x, y, z = np.moveaxis(np.asarray(foot, float), -1, 0)
    phi, (thigh, shank, last) = np.asarray(pitch, float), lengths
    side = np.where(phi < 0.0, -1.0, 1.0)
    ankle_x = x + last * np.sin(phi)
    ankle_z = last * np.cos(phi) - np.hypot(y, z)
    cosine = (ankle_x**2 + ankle_z**2 - thigh**2 - shank**2) / (2.0 * thigh * shank)
    if not (np.abs(cosine) <= 1.0).all():
        farthest = np.sqrt((ankle_x**2 + ankle_z**2).max())
        reach = f"{abs(thigh - shank):.3g} to {thigh + shank:.3g} m"
        raise ValueError(
            f"foot is out of reach: the ankle is {farthest:.3g} m from the hip, it gets {reach}"
        )
    knee = -side * np.arccos(cosine)
    hip = np.arctan2(-ankle_x, -ankle_z)
    hip = hip - np.arctan2(shank * np.sin(knee), thigh + shank * np.cos(knee))
    roll = np.arctan2(y, -z)
    return np.stack(np.broadcast_arrays(roll, hip, knee, phi - hip - knee), axis=-1)
