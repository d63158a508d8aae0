"""A compass walker that steps down a slope, as a run of the model with both feet free.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.2.
"""

from __future__ import annotations

import math
from typing import SupportsIndex

import numpy as np

from tarsus.arrays import Array
from tarsus.events import flow
from tarsus.gait.walkers.compass import GRAVITY, SLOPE, STABLE, start, walking
from tarsus.geometry import Ground
from tarsus.robots.compass import compass
from tarsus.robots.sizes import checked_size
from tarsus.simulation import Trajectory


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
