"""Dribbel: the swing knee bends, strikes its stop and locks, then the foot strikes.

A step has two phases. In "swing" the stance foot is a pivot, the stance knee is locked, and the
swing knee is free from a straight leg on; it ends where the knee is straight again. In "reach" both
knees are locked, as those of a compass walker, until the foot strikes.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.3.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, resets
from tarsus.gait.walkers.straight_strike import RELABEL as STRAIGHT
from tarsus.gait.walkers.straight_strike import straight_strike
from tarsus.gait.walkers.walker import Walker
from tarsus.model import Editor, Model
from tarsus.robots.dribbel import LOWER, UPPER
from tarsus.robots.dribbel import dribbel as model

SLOPE = math.radians(3.0)
"""Of the passive gaits [rad]."""
STABLE = (0.268905, -1.145241, 0.339580)
UNSTABLE = (0.254846, -1.144223, 0.280173)
"""Passive gaits (q₃, q̇₃, q̇₅) just after a strike [rad, rad/s]."""
RELABEL = np.vstack([STRAIGHT, np.zeros(4)])
"""From (q₁, q₂, q₃, q₅) to (q₃, q₅, q₆), legs exchanged, the knee straight (4.29)."""
LOCK = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""From (q₃, q₅, q₆) to (q₃, q₅)."""


def dribbel(slope: float = SLOPE, gravity: float = 9.81) -> Walker:
    """Return Dribbel on a slope [rad] that falls along its way."""
    tilted = {"slope": slope, "gravity": gravity}
    bent, straight, free = (
        model(knees=knees, rooted=rooted, slope=slope, gravity=gravity)
        for knees, rooted in (("swing", True), ("none", True), ("none", False))
    )
    knee = Exit(
        guards.JointPosition("swing_knee"),
        to="reach",
        crossing="rising",
        reset=(resets.Impact(locked(bent)), resets.Linear(LOCK)),
        name="knee strike",
    )
    strike = straight_strike(free, "swing_foot", RELABEL)
    return Walker(
        (Phase(bent, knee, name="swing"), Phase(straight, strike, name="reach")),
        start=start(),
        ahead=_ahead,
        name="dribbel",
        slope=slope,
        numbers=tilted,
        recipe=dribbel,
    )


def start(gait: tuple[float, float, float] = STABLE) -> tuple[Array, Array]:
    """Return (q₃, q₅, q₆) and their rates for a gait: both feet are on the slope."""
    return np.array([gait[0], -2.0 * gait[0], 0.0]), np.array([gait[1], gait[2], 0.0])


def locked(model: Model) -> Model:
    """Return the model with its swing knee locked straight, by a constraint to fall onto."""
    at = np.eye(4)
    at[2, 3] = -UPPER
    editor = Editor(model)
    editor.close_loop("weld", "swing_thigh", at, "swing_shank", np.eye(4), constraint=True)
    return editor.build()


def _ahead(q: Array) -> Array:
    """Return how far the swing foot is ahead of the stance foot [m], knees locked."""
    return np.asarray((UPPER + LOWER) * (np.sin(q[..., 0] + q[..., 1]) - np.sin(q[..., 0])))
