"""Gaits in families: where an energy or a heading is kept, each gait has others beside it."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array

ONE = 1e-4
"""Multipliers of families are as near to one as this; what is further away is told as it is."""


def changing(multipliers: Array, neutral: int) -> Array:
    """Return multipliers (…, n) without the `neutral` ones that lead along a family, set to zero.

    They are the nearest to one. A gait whose multipliers are not as near to one as its walker says
    keeps them: it is judged by all.
    """
    away = np.abs(multipliers - 1.0)
    order = np.argsort(away, axis=-1)[..., :neutral]
    left = multipliers.copy()
    family = np.take_along_axis(away, order, axis=-1) < ONE
    kept = np.take_along_axis(left, order, axis=-1)
    np.put_along_axis(left, order, np.where(family, 0.0, kept), axis=-1)
    return left
