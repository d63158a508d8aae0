"""An oracle for a chain of rods between two poles of the same height: forces of each rod at rest.

A rod of weight W carries (H, V) at one end and (H, V + W) at the other, so its slope is that of the
mean, tan θ = (V + W/2) / H. By symmetry V is W (k − n/2) at the left end of rod k; H follows from
the span.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq


def slopes(count: int, length: float, weight: float, span: float) -> tuple[NDArray, float]:
    """Return angles of the rods above the horizontal (count,) and the pull H along the span."""
    shares = np.arange(count) - (count - 1) / 2

    def missing(pull: float) -> float:
        return float(length * np.cos(np.arctan(weight * shares / pull)).sum() - span)

    pull = brentq(missing, 1e-6 * weight, 1e6 * weight, xtol=1e-13)
    return np.arctan(weight * shares / pull), float(pull)
