"""The compass walker: two straight legs and a hip, the simplest machine that walks down a slope.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.2; A. Goswami, B. Thuilot, B. Espiau, "A Study of the Passive Gait of a
Compass-Like Biped Robot", International Journal of Robotics Research 17, 1998.
"""

from __future__ import annotations

import math

from tarsus.model import WORLD, Builder, Model, ModelError
from tarsus.model.checks import flag, number
from tarsus.robots.planar import checked_lengths

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
