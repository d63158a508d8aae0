"""Along a curve of gaits: predict by its tangent, correct at a right angle to it.

H. B. Keller, "Numerical solution of bifurcation and nonlinear eigenvalue problems", 1977.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.cycles.branch_system import BranchSystem, Gait

ROUNDS = 8


def tangent(gait: Gait, along: Array | None = None) -> Array:
    """Return the unit tangent of the curve at a gait, the way that goes along `along`.

    The kernel of the derivatives; where gaits have families and nothing tells them apart the
    direction nearest to `along`.
    """
    _, sizes, ways = np.linalg.svd(gait.matrix)
    small = np.ones(len(ways), bool)  # the last always is
    small[: len(ways) - 1] = sizes[: len(ways) - 1] < 1e-9 * sizes[0]
    kernel = ways[small]
    if along is None or len(kernel) == 1:
        way = kernel[-1]
        return np.asarray(way if along is None or way @ along >= 0.0 else -way)
    way = kernel.T @ (kernel @ along)
    return np.asarray(way / np.linalg.norm(way))


def corrected(
    system: BranchSystem, guess: Gait, way: Array, tolerance: float
) -> tuple[Gait | None, int]:
    """Return the gait of the curve across from a guess, and after how many rounds; or None.

    Newton's steps solve F = 0 without moving along `way`: on the plane of the prediction.
    """
    gait = guess
    for round in range(ROUNDS):
        if not np.isfinite(gait.error) or gait.error > 1e3:
            return None, round
        if gait.error <= tolerance:
            return gait, round
        matrix = np.vstack([gait.matrix, way])
        if not np.isfinite(matrix).all():
            return None, round
        step = np.linalg.lstsq(matrix, np.append(-gait.errors, 0.0), rcond=1e-11)[0]
        if np.linalg.norm(step) > 1.0:
            return None, round
        gait = system.moved(gait, step)
    return (gait, ROUNDS) if gait.error <= tolerance else (None, ROUNDS)
