"""A walker in space on round feet: two straight legs on one axle, whose soles are balls that roll.

It may rock from side to side and turn. Without a distance between its legs it is the walker of
`round_feet` in the plane, which nothing holds upright; with one it rocks from foot to foot.

T. McGeer, "Passive dynamic walking", International Journal of Robotics Research 9, 1990; A. D. Kuo,
"Stabilization of lateral motion in passive dynamic walking", International Journal of Robotics
Research 18, 1999; M. Coleman, A. Ruina, "An uncontrolled walking toy that cannot stand still",
Physical Review Letters 80, 1998.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.gait.walkers.walker import Walker
from tarsus.model import WORLD, Builder, Model, ModelError
from tarsus.model.checks import number
from tarsus.spatial import quaternion_from_vector

LEANING = (-0.006, -0.288, 0.026), -0.545
"""Turn of the stance leg and the angle of the hip after a strike, about those of a gait [rad]."""
RATES = (-0.343, 1.439, 0.097, 0.242)
"""Of the stance leg about its own axes and of the hip [rad/s]."""
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


def ball_feet(
    radius: float = 0.6,
    leg_mass: float = 1.0,
    hip_mass: float = 0.5,
    width: float = 0.35,
    axle: float = 0.7,
    slope: float = 0.02,
    gravity: float = 9.8,
    center: float = 0.6,
) -> Walker:
    """Return a walker of unit legs, `width` [m] apart, on balls of `radius` [m].

    Masses [kg] are at the hip and at `center` of the legs from their feet, spread to both sides by
    `axle` [m]: a long axle rocks slowly. As it is stated it walks without falling to a side, and
    without scuffing.
    """
    numbers = {
        "radius": radius,
        "leg_mass": leg_mass,
        "hip_mass": hip_mass,
        "width": width,
        "axle": axle,
        "slope": slope,
        "gravity": gravity,
        "center": center,
    }
    for name, value in numbers.items():
        number(value, f"ball_feet: {name}")
    if not 0.0 < radius <= 1.0:
        raise ModelError(f"ball_feet: radius is {radius:g} m, must be from above 0 to a leg's, 1")
    for name in ("leg_mass", "axle"):
        if not numbers[name] > 0.0:
            raise ModelError(f"ball_feet: {name} is {numbers[name]:g}, must be positive")
    for name in ("hip_mass", "width"):
        if not numbers[name] >= 0.0:
            raise ModelError(f"ball_feet: {name} is {numbers[name]:g}, must not be negative")
    if not 0.0 <= center <= 1.0:
        raise ModelError(f"ball_feet: center is {center:g}, must be from 0 (feet) to 1 (hip)")
    return Walker(
        model_of(leg_mass, hip_mass, width, axle, gravity, center),
        ("left_foot", "right_foot"),
        stance="round",
        radius=radius,
        slope=slope,
        start=(standing(*LEANING), RATES),
        name="ball feet",
        numbers=numbers,
        recipe=ball_feet,
    )


def standing(turn: ArrayLike, hip: float) -> Array:
    """Return q (7,) on the left foot, whose leg is turned by a vector (3,) [rad], at its root."""
    return np.concatenate([[0.0, 0.0], quaternion_from_vector(turn), [hip]])
