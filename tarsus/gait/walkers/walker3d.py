"""A walker in space with straight legs and a trunk, driven at all its joints.

The stance foot is a pivot, and the swing foot strikes where it comes down to the ground ahead.
Straight legs scuff where they pass: a gait has to swing the foot around, or lift it sideways.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.4.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, held, resets
from tarsus.gait.walkers.walker import Walker
from tarsus.robots.walker3d import walker3d as model

LIFT = np.eye(9)[:, 3:]
"""From the six angles to all nine coordinates, the stance foot at the origin."""
MIRROR = np.array(
    [
        [0, 0, 1, 0, 0, 0],
        [0, 0, 0, -1, 0, 0],
        [1, 0, 0, 0, 0, 0],
        [0, -1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, -1],
    ],
    float,
)
"""Legs exchanged and left made right, of the six angles."""
START = np.array([-0.25, -0.1, 0.25, 0.1, 0.0, 0.0])
"""Angles just after a strike with which the search of the thesis begins [rad]."""


def walker3d(
    hip_mass: float = 3.0,
    head_mass: float = 3.0,
    foot_mass: float = 1.0,
    gravity: float = 9.81,
) -> Walker:
    """Return the walker of unit legs and trunk, with point masses [kg], on level ground."""
    numbers = {
        "hip_mass": hip_mass,
        "head_mass": head_mass,
        "foot_mass": foot_mass,
        "gravity": gravity,
    }
    free, pivoted = (
        model(hip_mass, head_mass, foot_mass, gravity=gravity, rooted=rooted)
        for rooted in (False, True)
    )
    strike = Exit(
        guards.Height("left_foot"),
        to="swing",
        when=guards.Height("left_foot", normal=(1.0, 0.0, 0.0)),
        reset=(
            resets.Linear(LIFT),
            resets.Impact(held(free, "left_foot")),
            resets.Linear(MIRROR @ LIFT.T),
        ),
        name="strike",
    )
    rates = np.array([0.6, 0.0, -0.6, 0.0, 0.0, 0.0])
    return Walker(
        Phase(pivoted, strike, name="swing"),
        start=(START, rates),
        ahead=_ahead,
        name="walker3d",
        numbers=numbers,
        recipe=walker3d,
    )


def _ahead(q: Array) -> Array:
    """Return how far the swing foot is ahead of the stance foot [m]."""
    ways = [np.sin(q[..., k]) * np.cos(q[..., k + 1]) for k in (0, 2)]
    return np.asarray(ways[0] - ways[1])
