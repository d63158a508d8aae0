"""Where searches for poses begin that are given no start: half-way between limits.

Joints that follow others in loops are seldom in the middle of their ranges where the others are,
and often no loop closes there. Then all joints are moved at once, within their ranges, until the
loops are closed: least squares of the gaps, with a little pull to the middle. Cassie's feet are on
parallelograms that are flat in its neutral configuration, out of range: along closed loops there
is no way from there to the side on which its ranges are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.ik.constraints import Constraints
from tarsus.model import Model

PULL = 1e-3
"""What a radian from the middle counts, beside a metre by which loops are open."""

WITHIN = 1e-9
"""What is beyond its range by less is within it [rad, m]."""


def middle(model: Model) -> Array:
    """Return the configuration (nq,) half-way between limits; neutral where there are none.

    Where loops do not close there within all ranges, it is one near by that does, or the neutral
    configuration if there is none.
    """
    q = model.neutral()
    limited = np.isfinite(model.lower) & np.isfinite(model.upper)
    centre = 0.5 * (np.where(limited, model.lower, 0.0) + np.where(limited, model.upper, 0.0))
    kept = Constraints(model, limits=True, avoid=None)
    there = _closed(model, np.where(limited & (model.rate_index >= 0), centre, q))
    if there is None or kept.beyond(there) > WITHIN:
        goal = np.where(limited, centre, q)
        other = _closed(model, _within(model, q, goal, limited))
        if other is not None and kept.beyond(other) <= WITHIN:
            return other
    return q if there is None else there


def _closed(model: Model, q: Array) -> Array | None:
    try:
        return np.asarray(model.close(q))
    except ArithmeticError:
        return None


def _within(model: Model, q: Array, goal: Array, limited: NDArray[np.bool_]) -> Array:
    """Return positions within all ranges whose loops are as good as closed, from those of q."""
    from scipy.optimize import least_squares  # slow to import

    slices = [view.q_slice for view in model.joints if view.nq == view.nv]
    moved = np.concatenate([np.arange(each.start, each.stop) for each in slices])
    found = np.clip(q, model.lower, model.upper)
    moved = moved[model.upper[moved] > model.lower[moved]]
    low, high, pull = model.lower[moved], model.upper[moved], PULL * limited[moved]

    def gaps(x: Array) -> Array:
        found[moved] = x
        return np.concatenate([model.loop_gaps(found), pull * (x - goal[moved])])

    # a solver that stays within begins there
    edge = np.where(limited[moved], 1e-3 * (high - low), 0.0)
    start = np.clip(found[moved], low + edge, high - edge)
    found[moved] = least_squares(gaps, start, bounds=(low, high)).x
    return found
