"""Dribbel: a walker in the plane with knees, as its analysis sees it.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.3 and table 4.1. Four legs move in two pairs; masses are of a pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tarsus.model import WORLD, Builder, Model
from tarsus.model.checks import flag, number
from tarsus.robots.compass import HIP_COLOR, LEFT_COLOR, RIGHT_COLOR

UPPER, LOWER = 0.47, 0.43
"""Lengths of thigh and shank [m]."""
KNEES = ("both", "swing", "none")


@dataclass(frozen=True)
class Segment:
    """A thigh or a shank of a pair of legs: mass [kg], moment of inertia about its centre
    [kg m²], and how far the centre is above its lower end [m]."""

    mass: float
    inertia: float
    center: float


THIGH, SHANK = Segment(3.0, 0.108, 0.35), Segment(1.6, 0.059, 0.215)
"""As the thesis rounds them."""


def reassigned(
    hip: float = 2.0,
    thigh: float = 0.48,
    knee: float = 1.08,
    shank: float = 0.48,
    foot: float = 0.56,
) -> tuple[Segment, Segment]:
    """Return thigh and shank of a pair from the masses of parts [kg], those of a pair of legs.

    Rods have their mass spread along them; hip and feet are points, and the knee's mass is split
    so that 0.260 kg of a leg belong to the thigh and 0.280 kg to the shank.
    """
    above, below = knee * 0.260 / 0.540, knee * 0.280 / 0.540
    return (
        _segment(UPPER, thigh, ends=(above, hip)),
        _segment(LOWER, shank, ends=(foot, below)),
    )


def _segment(length: float, rod: float, ends: tuple[float, float]) -> Segment:
    """Return a rod with points at its lower and upper end."""
    mass = rod + sum(ends)
    center = (rod * length / 2 + ends[1] * length) / mass
    about = rod * length**2 / 12 + rod * (length / 2 - center) ** 2
    about += ends[0] * center**2 + ends[1] * (length - center) ** 2
    return Segment(mass, about, center)


def dribbel(
    *,
    knees: str = "both",
    slope: float = 0.0,
    rooted: bool = False,
    gravity: float = 9.81,
    thigh: Segment = THIGH,
    shank: Segment = SHANK,
) -> Model:
    """Return Dribbel in the plane of x and z.

    The free model has q = (q₁ … q₆) of the thesis, joints "forward", "up", "lean", "stance_knee",
    "hip" and "swing_knee": the stance foot is q₁ ahead and q₂ above the origin of a frame that is
    tilted by `slope` [rad], downhill along +x, the shank on it leans back by q₃, the stance knee
    bends by q₄, the swing thigh is q₅ ahead, and its shank q₆ of it. With `rooted` the stance foot
    is a pivot; `knees` says which of them bend: "both", "swing" or "none", others are locked
    straight. Feet are the frames "stance_foot" and "swing_foot".
    """
    flag(rooted, "rooted")
    if knees not in KNEES:
        raise ValueError(f"knees is {knees!r}, must be one of {', '.join(map(repr, KNEES))}")
    builder = Builder("dribbel", gravity=(0.0, 0.0, -number(gravity, "dribbel: gravity")))
    foot, tilt = WORLD, (0.0, number(slope, "dribbel: slope"), 0.0)
    if not rooted:
        builder.body("ahead").body("above")
        builder.joint("forward", "prismatic", WORLD, "ahead", axis="x", rotation=tilt)
        builder.joint("up", "prismatic", "ahead", "above", axis="z")
        foot, tilt = "above", (0.0, 0.0, 0.0)
    _body(builder, "stance_shank", shank, shank.center)
    _body(builder, "stance_thigh", thigh, thigh.center)
    _body(builder, "swing_thigh", thigh, thigh.center - UPPER)
    _body(builder, "swing_shank", shank, shank.center - LOWER)
    _hinge(builder, "lean", foot, "stance_shank", rotation=tilt)
    _hinge(builder, "stance_knee", "stance_shank", "stance_thigh", LOWER, knees == "both")
    _hinge(builder, "hip", "stance_thigh", "swing_thigh", UPPER)
    _hinge(builder, "swing_knee", "swing_thigh", "swing_shank", -UPPER, knees != "none")
    builder.frame("stance_foot", "stance_shank")
    builder.frame("swing_foot", "swing_shank", position=(0.0, 0.0, -LOWER))
    _add_looks(builder)
    return builder.build()


def _body(builder: Builder, name: str, segment: Segment, up: float) -> None:
    builder.body(name, segment.mass, (0.0, 0.0, up), inertia=(segment.inertia,) * 3)


def _hinge(
    builder: Builder,
    name: str,
    parent: str,
    child: str,
    up: float = 0.0,
    bends: bool = True,
    rotation: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> None:
    """Add a joint that leans back where it turns by more, about −y; or one that is locked."""
    kind, axis = ("revolute", (0.0, -1.0, 0.0)) if bends else ("fixed", None)
    at = (0.0, 0.0, up)
    builder.joint(name, kind, parent, child, axis=axis, position=at, rotation=rotation)


def _add_looks(builder: Builder) -> None:
    """Show rods beside each other, and the hip."""
    for name, length, up, side, color in (
        ("stance_shank", LOWER, 0.5 * LOWER, 1, LEFT_COLOR),
        ("stance_thigh", UPPER, 0.5 * UPPER, 1, LEFT_COLOR),
        ("swing_thigh", UPPER, -0.5 * UPPER, -1, RIGHT_COLOR),
        ("swing_shank", LOWER, -0.5 * LOWER, -1, RIGHT_COLOR),
    ):
        middle = (0.0, side * 0.05, up)
        builder.shape(name, "cylinder", (0.02, length), position=middle, color=color)
    builder.shape(
        "stance_thigh",
        "cylinder",
        (0.05, 0.2),
        position=(0.0, 0.0, UPPER),
        rotation=(math.pi / 2, 0.0, 0.0),
        color=HIP_COLOR,
    )
