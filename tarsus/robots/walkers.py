"""Walkers: compass, Dribbel, the 3D walker and the simplest walker."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tarsus._lib.checks import flag, number
from tarsus._lib.errors import WORLD, ModelError
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.robots.building import checked_lengths

# The compass walker: two straight legs and a hip, the simplest machine that walks down a slope.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 4.2; A. Goswami, B. Thuilot, B. Espiau, "A Study of the Passive Gait of a
# Compass-Like Biped Robot", International Journal of Robotics Research 17, 1998.


LEFT_COLOR, RIGHT_COLOR, HIP_COLOR = (
    (0.35, 0.51, 0.68, 1.0),
    (0.87, 0.56, 0.29, 1.0),
    (0.16, 0.2, 0.28, 1.0),
)


def compass(
    leg_mass: float = 1.0,
    hip_mass: float = 5.0,
    length: float = 1.0,
    *,
    slope: float = 0.0,
    rooted: bool = False,
    gravity: float = 9.81,
    stiffness: float = 0.0,
    damping: float = 0.0,
    center: float = 0.5,
) -> Model:
    """Return a compass walker in the plane of x and z: point masses [kg] at its hip and its legs.

    The free model has q = (q₁, q₂, q₃, q₄) of the thesis, joints "forward", "up", "lean", "hip":
    the left foot is q₁ ahead and q₂ above the origin of a frame that is tilted by `slope` [rad], as
    `Ground(slope=…)` is, downhill along +x; the left leg leans back by q₃ from the normal of the
    slope, and the right leg is swung ahead of it by q₄. With `rooted` the left foot is a pivot at
    the origin, and q = (q₃, q₄) is what is left. Feet are the frames "left_foot" and "right_foot".
    Legs have a `length` [m]; `gravity` [m/s²] is 9.8 in the gait search of the thesis. A spring
    [N m/rad] and a damper [N m s/rad] may act between the legs, whose masses are at `center` of
    their length from the feet.
    """
    flag(rooted, "rooted")
    (length,) = checked_lengths("compass", length=length)
    masses = [number(leg_mass, "compass: leg_mass"), number(hip_mass, "compass: hip_mass")]
    if masses[0] <= 0.0 or masses[1] < 0.0:
        raise ModelError(f"compass: leg_mass and hip_mass are {masses}, must be > 0 and >= 0")
    angle = number(slope, "compass: slope")
    if not abs(angle) < math.pi / 2:
        raise ModelError(f"compass: slope is {angle} rad, must be between -π/2 and π/2")

    share = number(center, "compass: center")
    if not 0.0 <= share <= 1.0:
        raise ModelError(f"compass: center is {share}, must be from 0 (feet) to 1 (hip)")

    builder = Builder("compass", gravity=(0.0, 0.0, -number(gravity, "compass: gravity")))
    foot, tilt = WORLD, (0.0, angle, 0.0)
    if not rooted:
        builder.body("ahead").body("above")
        builder.joint("forward", "prismatic", WORLD, "ahead", axis="x", rotation=tilt)
        builder.joint("up", "prismatic", "ahead", "above", axis="z")
        foot, tilt = "above", (0.0, 0.0, 0.0)
    # positive turns lean back: about −y
    backwards, top = (0.0, -1.0, 0.0), (0.0, 0.0, length)
    builder.body("left", masses[0], (0.0, 0.0, share * length))
    builder.body("hip", masses[1])
    builder.body("right", masses[0], (0.0, 0.0, (share - 1.0) * length))
    builder.joint("lean", "revolute", foot, "left", axis=backwards, rotation=tilt)
    builder.joint("hip_mount", "fixed", "left", "hip", position=top)
    between = {"stiffness": stiffness, "damping": damping}
    builder.joint("hip", "revolute", "left", "right", axis=backwards, position=top, **between)
    builder.frame("left_foot", "left")
    builder.frame("right_foot", "right", position=(0.0, 0.0, -length))
    _add_looks(builder, length, share)
    return builder.build()


def _add_looks(builder: Builder, length: float, share: float) -> None:
    """Show legs beside each other, so that one does not hide the other, and the three masses."""
    thick, beside = 0.02 * length, 0.05 * length
    for body, side, up, color in (("left", 1, 0.5, LEFT_COLOR), ("right", -1, -0.5, RIGHT_COLOR)):
        middle = (0.0, side * beside, up * length)
        builder.shape(body, "cylinder", (thick, length), position=middle, color=color)
        mass = (0.0, side * beside, (up + share - 0.5) * length)
        builder.shape(body, "sphere", (2.5 * thick,), position=mass, color=color)
        end = (0.0, side * beside, (up - 0.5) * length)
        builder.shape(body, "sphere", (1.5 * thick,), position=end, color=color)
    builder.shape("hip", "sphere", (4.5 * thick,), color=HIP_COLOR)


# Dribbel: a walker in the plane with knees, as its analysis sees it.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 4.3 and table 4.1. Four legs move in two pairs; masses are of a pair.


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
    _add_looks_dribbel(builder)
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


def _add_looks_dribbel(builder: Builder) -> None:
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


# A walker in space with straight legs and a trunk, all hinged at one point.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 4.4. Its angles are those between legs or trunk and the vertical, whatever
# the others do. Joints of a tree turn on what carries them; so a body that is carried by the stance
# leg turns back as much as the leg leans, by couplings, and stays level: it carries the others.


Point = tuple[float, float, float]
ORIGIN: Point = (0.0, 0.0, 0.0)


def walker3d(
    hip_mass: float = 3.0,
    head_mass: float = 3.0,
    foot_mass: float = 1.0,
    length: float = 1.0,
    *,
    rooted: bool = False,
    gravity: float = 9.81,
) -> Model:
    """Return a walker with a trunk: point masses [kg] at its feet, its hip and its head.

    q = (q₁ … q₉) of the thesis: where the right foot is (joint "foot"), then pitch and roll of the
    right leg, the left leg and the trunk (joints "right_pitch", "right_roll", …), from the
    vertical: a leg or the trunk points along e(a, b) = (sin a cos b, −sin b, cos a cos b), legs
    from their feet to the hip. With `rooted` the right foot is a pivot at the origin, and the six
    angles are left. Feet are the frames "right_foot" and "left_foot", the head is "head". Legs and
    trunk have a `length` [m].
    """
    flag(rooted, "rooted")
    (length,) = checked_lengths("walker3d", length=length)
    given = {"hip_mass": hip_mass, "head_mass": head_mass, "foot_mass": foot_mass}
    masses = {name: number(value, f"walker3d: {name}") for name, value in given.items()}
    for name, value in masses.items():
        if value <= 0.0:
            raise ModelError(f"walker3d: {name} is {value}, must be positive")
    builder = Builder("walker3d", gravity=(0.0, 0.0, -number(gravity, "gravity")))
    top, down = (0.0, 0.0, length), (0.0, 0.0, -length)
    carrier = WORLD
    if not rooted:
        builder.body("place")
        builder.joint("foot", "translation", WORLD, "place")
        carrier = "place"
    _limb(builder, "right", carrier, masses["foot_mass"], ORIGIN, ORIGIN)
    # turns back as the leg leans, the last turn first
    builder.body("leaning").body("level", masses["hip_mass"])
    builder.joint("back_roll", "revolute", "right", "leaning", axis="x", position=top)
    builder.joint("back_pitch", "revolute", "leaning", "level", axis="y")
    for way in ("pitch", "roll"):
        builder.couple([f"right_{way}", f"back_{way}"], [[1.0], [-1.0]])
    _limb(builder, "left", "level", masses["foot_mass"], ORIGIN, down)
    _limb(builder, "trunk", "level", masses["head_mass"], ORIGIN, top)
    builder.frame("right_foot", "right")
    builder.frame("left_foot", "left", position=down)
    builder.frame("head", "trunk", position=top)
    _add_looks_walker3d(builder, length)
    return builder.build()


def _limb(builder: Builder, name: str, carrier: str, mass: float, at: Point, center: Point) -> None:
    """Add a limb with a point mass, on two hinges: pitch about y, then roll about x."""
    builder.body(f"{name}_pitched").body(name, mass, center)
    builder.joint(f"{name}_pitch", "revolute", carrier, f"{name}_pitched", axis="y", position=at)
    builder.joint(f"{name}_roll", "revolute", f"{name}_pitched", name, axis="x")


def _add_looks_walker3d(builder: Builder, length: float) -> None:
    """Show legs and trunk as rods, and the masses as balls."""
    thick = 0.02 * length
    for name, up, end, color in (
        ("right", 0.5, 0.0, RIGHT_COLOR),
        ("left", -0.5, -1.0, LEFT_COLOR),
        ("trunk", 0.5, 1.0, HIP_COLOR),
    ):
        middle, tip = (0.0, 0.0, up * length), (0.0, 0.0, end * length)
        builder.shape(name, "cylinder", (thick, length), position=middle, color=color)
        builder.shape(name, "sphere", (2.5 * thick,), position=tip, color=color)
    builder.shape("level", "sphere", (3.5 * thick,), color=HIP_COLOR)


# The simplest walker: a mass at the hip, feet that weigh almost nothing, gravity and legs of 1.
#
# M. Garcia, A. Chatterjee, A. Ruina, M. Coleman, "The simplest walking model: stability,
# complexity, and scaling", Journal of Biomechanical Engineering 120, 1998.


def simplest_walker(
    slope: float = 0.009, foot_mass: float = 1e-6, *, rooted: bool = False
) -> Model:
    """Return the simplest walker on a `slope` [rad], whose feet weigh `foot_mass` of its hip.

    Lengths are in legs, masses in hips, times in √(l/g): it is the compass walker
    (`tarsus.robots.walkers`, joints, frames and `rooted` are the same) with its mass at the ends.
    """
    number(slope, "simplest_walker: slope")
    if not number(foot_mass, "simplest_walker: foot_mass") > 0.0:
        raise ModelError(f"simplest_walker: foot_mass is {foot_mass}, must be > 0")
    return compass(foot_mass, 1.0, 1.0, slope=slope, rooted=rooted, gravity=1.0, center=0.0)
