"""Positions that have entered what they must not are moved out, and no velocity is given."""

from __future__ import annotations

import numpy as np
from cone_problem import Array, Block, ConeProblem
from dense_step import Posed

DEPTH = 1e-6
"""What is deeper [m, rad] is corrected; a step heals so much at once …"""
HEALED = 0.2
"""… and this part of the rest."""
LEAVING = 1e-2
"""What is faster on its way out [m/s, rad/s] is left to itself."""
SOFT = 1e-3
"""Rows give way a little, or what is wedged would be thrown out: a part of their own entries."""


def correction(posed: Posed, p: Array, dt: float) -> Array:
    """Return δ (nv,): the least impulses on positions after which nothing is too deep.

    0 ≤ π ⊥ end + J M Jᵀ π ≥ 0 over the first rows, `end` being the gaps at the end of the step
    had they been healed before, and all rows a little soft.
    """
    rows = posed.rows
    gap = rows.gap[np.isfinite(rows.gap)]
    if not len(gap) or gap.min() >= -DEPTH:
        return np.zeros(len(posed.v))
    J = rows.J[rows.first]
    speed = J @ posed.after(p)
    part = np.where(speed > LEAVING, 0.0, HEALED * gap - DEPTH)
    end = np.where(gap > 0.0, gap, np.maximum(gap, part)) + dt * speed
    stops = tuple(Block("stop", (k,)) for k in range(len(gap)))
    # in units in which depths are of the size of one
    scale = float(np.abs(end).max())
    A = J @ posed.M @ J.T
    push = ConeProblem(A + SOFT * np.diag(np.diag(A)), end / scale, stops).solve() * scale
    return np.asarray(posed.M @ (J.T @ push))
