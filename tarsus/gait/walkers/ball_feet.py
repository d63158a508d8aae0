"""A walker in space on round feet: two straight legs on one axle, whose soles are balls that roll.

It may rock from side to side and turn. Without a distance between its legs it is the walker of
`round_feet` in the plane, which nothing holds upright; with one it rocks from foot to foot.

T. McGeer, "Passive dynamic walking", International Journal of Robotics Research 9, 1990; A. D. Kuo,
"Stabilization of lateral motion in passive dynamic walking", International Journal of Robotics
Research 18, 1999; M. Coleman, A. Ruina, "An uncontrolled walking toy that cannot stand still",
Physical Review Letters 80, 1998.
"""

from __future__ import annotations

import math

from tarsus.gait.walkers.walker import Walker
from tarsus.model import WORLD, Builder, Model, ModelError
from tarsus.model.checks import number

BACKWARDS = (0.0, -1.0, 0.0)
"""Legs are swung ahead about −y."""


def model_of(
    leg_mass: float, hip_mass: float, width: float, axle: float, gravity: float, center: float
) -> Model:
    """Return the machine: joints "base", which floats, and "hip"; feet of unit legs are frames.

    Masses [kg] are spread to both sides by `axle` [m], their radius of gyration about the plane of
    the leg.
    """
    b = Builder("ball feet", gravity=(0.0, 0.0, -gravity))
    half = 0.5 * hip_mass
    mass = leg_mass + half
    height = (center * leg_mass + half) / mass
    about = leg_mass * half / mass * (1.0 - center) ** 2
    across = mass * axle**2
    moments = (about + across, about, across)
    b.body("left", mass, (0.0, 0.0, height), inertia=moments)
    b.body("right", mass, (0.0, 0.0, height - 1.0), inertia=moments)
    b.joint("base", "free", WORLD, "left")
    b.joint("hip", "revolute", "left", "right", position=(0.0, -width, 1.0), axis=BACKWARDS)
    b.frame("left_foot", "left").frame("right_foot", "right", position=(0.0, 0.0, -1.0))
    return b.build()
