"""The quadruped of Ayit: a torso of 50 kg on four legs of four joints, 96.8 kg in all.

Dimensions, masses, joint friction and gains are those of O. Ayit, "Contact Modeling as Applied to
the Dynamic Simulation of Legged Robots", Sabancı University 2015, Tables 5.1 to 5.3. The thesis
does not say where the hips are, how mass is spread, or in which posture the robot begins. Here
links are even boxes, the hips are at the corners of the torso, and the postures stand 0.6 m high.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.model import WORLD, Builder, Model
from tarsus.model.checks import suggestion
from tarsus.robots import solids
from tarsus.robots.solids import Triple

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
