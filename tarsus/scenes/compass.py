"""A compass walker that steps down a slope by itself: one phase, one event, and a change of names.

The stance foot is a pivot. The swing foot is 2 sin(e/2) sin(q₄/2) above the slope, e = 2 q₃ + q₄:
its strikes are the zeros of e, and where q₄ passes zero it only scuffs, as straight legs must,
which does not count. A strike catches the swing foot and lets the other go: the walker is lifted to
its four coordinates, falls onto the new foot, and is put down with the names of its legs changed.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.2; passive gaits at 3°, 9.8 m/s² and masses of 1 and 5 kg.
"""

from __future__ import annotations

import math
from typing import SupportsIndex

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, flow, guards, held, resets
from tarsus.geometry import Ground
from tarsus.robots.compass import compass
from tarsus.robots.sizes import checked_size
from tarsus.simulation import Trajectory

SLOPE, GRAVITY = math.radians(3.0), 9.8
"""Of the passive gaits [rad, m/s²]."""
STABLE = (0.2992945, -1.0729629, 0.7084066)
UNSTABLE = (0.2795542, -1.1647713, 0.5698736)
"""Passive gaits (q₃, q̇₃, q̇₄) just after a strike [rad, rad/s]."""
LIFT = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
"""From (q₃, q₄) to (q₁, q₂, q₃, q₄)."""
RELABEL = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, -1.0]])
"""And back, stance and swing leg exchanged (4.10)."""


def walking(
    leg_mass: float = 1.0, hip_mass: float = 5.0, slope: float = SLOPE, gravity: float = GRAVITY
) -> Phase:
    """Return the phase "swing" of a compass walker, which a strike leads back into.

    Its coordinates are (q₃, q₄); `tarsus.flow(walking(), q0, v0, …)` has a strike for an event.
    """
    free, pivoted = (
        compass(leg_mass, hip_mass, slope=slope, gravity=gravity, rooted=rooted)
        for rooted in (False, True)
    )
    swung = guards.JointPosition("hip")
    strike = Exit(
        2.0 * guards.JointPosition("lean") + swung,
        to="swing",
        when=swung,
        reset=(
            resets.Linear(LIFT),
            resets.Impact(held(free, "right_foot")),
            resets.Linear(RELABEL),
        ),
        name="strike",
    )
    return Phase(pivoted, strike, name="swing")


def start(gait: tuple[float, float, float] = STABLE) -> tuple[Array, Array]:
    """Return (q₃, q₄) and their rates for a gait: both feet are on the slope."""
    return np.array([gait[0], -2.0 * gait[0]]), np.array([gait[1], gait[2]])


def descent(
    steps: SupportsIndex = 6,
    gait: tuple[float, float, float] = STABLE,
    *,
    every: float = 0.01,
) -> Trajectory:
    """Return some steps down the slope, as a run of the free model with a sample `every` [s]."""
    count = checked_size(steps, "steps")
    q0, v0 = start(gait)
    flowed = flow(walking(), q0, v0, duration=2.0 * count, events=count, sample=every)
    t, q, v = flowed.samples
    strikes = np.array([event.t for event in flowed.events])
    ways = [_ahead(event.q) for event in flowed.events]
    number = np.searchsorted(strikes, t, side="right")
    feet = np.concatenate([[0.0], np.cumsum(ways)])[number]
    states = [
        _named(foot, a, b, bool(k % 2)) for foot, a, b, k in zip(feet, q, v, number, strict=True)
    ]
    recorded = {"q": np.array([q for q, _ in states]), "v": np.array([v for _, v in states])}
    model = compass(slope=SLOPE, gravity=GRAVITY)
    return Trajectory(model, t, recorded, ground=Ground(slope=SLOPE))


def _ahead(q: Array) -> float:
    """Return how far the swing foot is ahead of the stance foot [m]."""
    return float(math.sin(q[0] + q[1]) - math.sin(q[0]))


def _named(foot: float, q: Array, v: Array, right: bool) -> tuple[Array, Array]:
    """Return q and v (4,) of the free model, whose first foot is the left one."""
    if not right:
        return np.array([foot, 0.0, *q]), np.array([0.0, 0.0, *v])
    one, two, rate, other = q[0], q[0] + q[1], v[0], v[0] + v[1]
    place = [foot + _ahead(q), math.cos(one) - math.cos(two)]
    ahead = math.cos(two) * other - math.cos(one) * rate
    up = math.sin(two) * other - math.sin(one) * rate
    return np.array([*place, two, -q[1]]), np.array([ahead, up, other, -v[1]])
