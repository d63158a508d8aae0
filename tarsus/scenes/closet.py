"""A closet that is tilted and let go: its other edge strikes the floor, and it rocks, or stands.

With half a width w, half a height h, a mass m and a moment of inertia J about its centre it turns
about one edge with a rate ω when the other one strikes. Without bouncing and sliding the first
edge would then move up with

    2 w (J + m (h² − w²)) / (J + m (h² + w²)) ω .

If that is positive it is let go and the closet rocks; if not, both edges hold, and it stands. So a
closet of even density rocks if h > w/√2, one with all its mass in the centre if h > w.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, example 3.10.
"""

from __future__ import annotations

import math

from tarsus.geometry import Collision, Ground
from tarsus.model import WORLD, Builder, Model
from tarsus.model.checks import number
from tarsus.robots.planar import checked_lengths
from tarsus.scenes.looks import GREY, ORANGE, show
from tarsus.scenes.scene import Scene, at_rest
from tarsus.simulation.contact import Event

FEET = ("left_edge", "right_edge")


def closet_model(
    half_width: float = 0.3,
    half_height: float = 0.8,
    mass: float = 40.0,
    inertia: float | None = None,
) -> Model:
    """Return a closet in the plane of x and z: joints "x", "z" of its centre, "turn" about −y.

    Sizes [m]; `inertia` about its centre [kg m²] is that of a box of even density if it is None.
    Its lower edges are the frames "left_edge" and "right_edge".
    """
    w, h, mass = checked_lengths(
        "closet", half_width=half_width, half_height=half_height, mass=mass
    )
    turning = mass * (w**2 + h**2) / 3 if inertia is None else number(inertia, "closet: inertia")
    builder = Builder("closet").body("across").body("along")
    # only the moment about y matters; of the others a body has at least as much together
    builder.body("closet", mass, inertia=(turning, turning, turning))
    builder.joint("x", "prismatic", WORLD, "across", axis="x")
    builder.joint("z", "prismatic", "across", "along", axis="z")
    builder.joint("turn", "revolute", "along", "closet", axis=(0.0, -1.0, 0.0))
    for name, side in zip(FEET, (-1.0, 1.0), strict=True):
        builder.frame(name, "closet", position=(side * w, 0.0, -h))
    depth = 0.8 * w
    show(builder, "closet", "box", (2 * w, depth, 2 * h), ORANGE)
    for side in (-1.0, 1.0):  # two doors with knobs
        at = (side * w / 2, -depth / 2, 0.0)
        show(builder, "closet", "box", (0.9 * w, 0.02 * w, 1.9 * h), GREY, at)
        knob = (side * 0.15 * w, -0.55 * depth, 0.0)
        show(builder, "closet", "sphere", (0.05 * w,), ORANGE, knob)
    return builder.build()


def closet(
    half_width: float = 0.3,
    half_height: float = 0.8,
    mass: float = 40.0,
    inertia: float | None = None,
    *,
    tilt: float = 0.2,
) -> Scene:
    """Return a closet that stands on its left edge, tilted by `tilt` [rad], and is let go."""
    model = closet_model(half_width, half_height, mass, inertia)
    q0 = model.neutral()
    c, s = math.cos(tilt), math.sin(tilt)
    # from the left edge to the centre is (w, h), turned by the tilt
    q0[:] = c * half_width - s * half_height, s * half_width + c * half_height, tilt
    return Scene(
        *("closet", model, q0, at_rest(model)),
        ground=Ground(),
        collision=Collision.from_model(model, FEET),
        contact=Event(slips=False),
        duration=4.0,
        dt=0.01,
    )
