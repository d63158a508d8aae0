"""A walker in space with straight legs and a trunk, all hinged at one point.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.4. Its angles are those between legs or trunk and the vertical, whatever the
others do. Joints of a tree turn on what carries them; so a body that is carried by the stance leg
turns back as much as the leg leans, by couplings, and stays level: it carries the others.
"""

from __future__ import annotations

from tarsus.model import WORLD, Builder, Model, ModelError
from tarsus.model.checks import flag, number
from tarsus.robots.compass import HIP_COLOR, LEFT_COLOR, RIGHT_COLOR
from tarsus.robots.planar import checked_lengths

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
    _add_looks(builder, length)
    return builder.build()


def _limb(builder: Builder, name: str, carrier: str, mass: float, at: Point, center: Point) -> None:
    """Add a limb with a point mass, on two hinges: pitch about y, then roll about x."""
    builder.body(f"{name}_pitched").body(name, mass, center)
    builder.joint(f"{name}_pitch", "revolute", carrier, f"{name}_pitched", axis="y", position=at)
    builder.joint(f"{name}_roll", "revolute", f"{name}_pitched", name, axis="x")


def _add_looks(builder: Builder, length: float) -> None:
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
