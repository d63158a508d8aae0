"""Quantiles of what noise does: bounds of sums of squares and of deviations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.files import Array


def chi_square(share: ArrayLike, freedom: ArrayLike) -> Array:
    """Return what a sum of `freedom` squares of unit noise stays below, this share of the time."""
    from scipy.special import gammaincinv  # slow to import

    return np.asarray(2.0 * gammaincinv(np.asarray(freedom) / 2.0, share))


def student(share: ArrayLike, freedom: ArrayLike) -> Array:
    """Return what noise stays below if its size was estimated from `freedom` numbers."""
    from scipy.special import stdtrit  # slow to import

    return np.asarray(stdtrit(freedom, share))
