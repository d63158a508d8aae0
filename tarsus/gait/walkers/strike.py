"""What a strike does to a state, as a reset of a phase.

The state goes to the same tree with a root that floats, falls onto the other foot, and is put down
on that foot with the names of both exchanged. All three are maps of the core where coordinates of
the new root are sums of the others, as in the plane and on flat feet; else they are one in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import Array
from tarsus.events import resets
from tarsus.events.held import held
from tarsus.gait.walkers.landing import Strike, rates_on, strike_slopes
from tarsus.spatial import pose, rotation_along

if TYPE_CHECKING:
    from tarsus.gait.walkers.stance import Stance

HOLDS = {"flat": "weld", "line": "revolute"}
"""What a foot falls onto, where positions are sums of others."""
ACROSS = (0.0, -1.0, 0.0)
"""A foot on an edge turns about −y: positive leans back."""
Sums = tuple[Array, Array]
"""Positions after a strike from those before: a matrix (nq, nq) and a shift (nq,)."""


def strike_of(stance: Stance) -> Sequence[resets.Reset]:
    """Return what a strike does: lifted, fallen onto the other foot, put down."""
    sums = _sums(stance)
    if sums is None:
        return (_function(stance, stance.landed),)
    if stance.stance == "round":
        return (_function(stance, partial(_rolled, stance, sums)),)
    (matrix, shift), standing, floating = sums, stance.standing, stance.floating
    free_q, free_v = floating.nq - standing.nq, floating.nv - standing.nv
    lift = np.concatenate([np.zeros((free_q, standing.nq)), np.eye(standing.nq)])
    begin = np.concatenate([floating.neutral()[:free_q], np.zeros(standing.nq)])
    lift_rates = np.concatenate([np.zeros((free_v, standing.nv)), np.eye(standing.nv)])
    down = np.concatenate([np.zeros((standing.nq, free_q)), matrix], axis=1)
    down_rates = np.concatenate([np.zeros((standing.nv, free_v)), matrix], axis=1)
    name, placement = stance.feet[1]
    edge = pose(rotation=rotation_along(ACROSS)) if stance.stance == "line" else np.eye(4)
    fallen = held(floating, (name, placement @ edge), kind=HOLDS[stance.stance])
    return (
        resets.Linear(lift, begin, lift_rates),
        resets.Impact(fallen),
        resets.Linear(down, shift, down_rates),
    )


def _function(stance: Stance, strike: Strike) -> resets.Function:
    """Return a strike as a reset, with its derivatives."""
    return resets.Function(
        lambda t, q, v: strike(q, v),
        derivative=lambda t, q, v: strike_slopes(stance.standing, strike, q, v),
    )


def _rolled(stance: Stance, sums: Sums, q: Array, v: Array) -> tuple[Array, Array]:
    """Return states after a strike, positions as sums of those before: (…, nq), (…, nv)."""
    image = q @ sums[0].T + sums[1]
    there = image @ stance.names  # signs and places: its inverse is its transpose
    return image, rates_on(stance.other, there, stance.standing, q, v) @ stance.names.T


def _sums(stance: Stance) -> Sums | None:
    """Return the map of positions at a strike; None if it is no sum, which states tell.

    Quaternions, and joints that depend on others in loops, are none.
    """
    m = stance.standing
    if m.nq != m.nv:
        return None
    rng, count = np.random.default_rng(1), 3 * m.nv + 4
    away = 0.3 * rng.uniform(-1.0, 1.0, size=(count, m.nv))
    q = np.asarray(m.integrate(np.tile(stance.rest, (count, 1)), away))
    given = np.column_stack([q, np.ones(count)])
    image = stance.relabelling.configurations(stance.set_down(q).q)
    found, *_ = np.linalg.lstsq(given, image, rcond=None)
    if np.abs(given @ found - image).max() > 1e-9:
        return None
    return np.asarray(found[:-1].T), np.asarray(found[-1])
