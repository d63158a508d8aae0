"""Gaits in families: where an energy or a heading is kept, each gait has others beside it.

What is kept (`Walker.kept`) tells them apart. As equations beside those of the return map it makes
a gait the only one again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.cycles.return_map import moved
from tarsus.gait.walkers.walker import Walker

STEP = 1e-6
"""Of differences of what is kept [rad, m, rad/s, m/s]."""
ROUNDED = 1e-8
"""What is nearer to one does not fade: multipliers are not known any better."""
ONE = 1e-4
"""Multipliers of families are as near to one as this; what is further away is told as it is."""


def fade(multipliers: Array, neutral: int) -> NDArray[np.bool_]:
    """Return whether pushes fade (…,) with multipliers (…, n), but for those along a family.

    These are the `neutral` ones nearest to one. A gait whose multipliers are not as near to one as
    its walker says is judged by all.
    """
    away = np.abs(multipliers - 1.0)
    order = np.argsort(away, axis=-1)[..., :neutral]
    sizes = np.abs(multipliers)
    family = np.take_along_axis(away, order, axis=-1) < ONE
    judged = np.where(family, 0.0, np.take_along_axis(sizes, order, axis=-1))
    np.put_along_axis(sizes, order, judged, axis=-1)
    return np.asarray((sizes < 1.0 - ROUNDED).all(axis=-1))


def kept_of(walker: Walker, q: Array, v: Array) -> Array:
    """Return what steps keep (B, k) of states q (B, nq) and v (B, nv); k is 0 without families."""
    return np.zeros((len(q), 0)) if walker.kept is None else np.asarray(walker.kept(q, v))


def kept_slopes(walker: Walker, q: Array, v: Array) -> Array:
    """Return how it changes with steps of q and changes of v (B, k, 2 nv), by differences."""
    size = 2 * v.shape[-1]
    found = np.zeros((len(q), walker.neutral, size))
    for column in range(size if walker.neutral else 0):
        step = np.zeros((len(q), size))
        step[:, column] = STEP
        ends = [kept_of(walker, *moved(walker, q, v, way * step)) for way in (1.0, -1.0)]
        found[:, :, column] = (ends[0] - ends[1]) / (2.0 * STEP)
    return found
