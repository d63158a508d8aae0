"""Linear complementarity problems 0 ≤ u ⊥ A u + b ≥ 0, solved twice: by trying, and by Lemke."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def lcp_residual(A: Array, b: Array, u: Array) -> float:
    """Return the largest violation of 0 ≤ u ⊥ A u + b ≥ 0, relative to the numbers in it."""
    w = A @ u + b
    scale = max(1.0, float(np.abs(b).max(initial=0.0)))
    signs = max(0.0, float(-u.min(initial=0.0)), float(-w.min(initial=0.0)) / scale)
    return max(signs, float(np.abs(np.minimum(u, w)).max(initial=0.0)) / scale)


def by_trying(A: Array, b: Array) -> list[Array]:
    """Return the solution of every choice of u = 0 or w = 0 that is one; up to ten unknowns."""
    n, found = len(b), []
    for choice in itertools.product((False, True), repeat=n):
        kept = np.flatnonzero(choice)
        u = np.zeros(n)
        u[kept] = np.linalg.lstsq(A[np.ix_(kept, kept)], -b[kept], rcond=None)[0]
        if lcp_residual(A, b, u) < 1e-9:
            found.append(u)
    return found


def by_lemke(A: Array, b: Array) -> Array | None:
    """Return a solution, or None for a ray (Cottle, Pang & Stone 1992, 4.4)."""
    n = len(b)
    if n == 0 or b.min() >= 0.0:
        return np.zeros(n)
    # w − A u − z = b; columns w 0…n−1, u n…2n−1, z 2n, then the right-hand side
    table = np.hstack([np.eye(n), -A, -np.ones((n, 1)), b[:, None]])
    basis = list(range(n))
    row, entering = int(np.argmin(b)), 2 * n
    for _ in range(50 * n + 50):
        table[row] /= table[row, entering]
        others = np.arange(n) != row
        table[others] -= np.outer(table[others, entering], table[row])
        leaving, basis[row] = basis[row], entering
        if leaving == 2 * n:
            u = np.zeros(2 * n + 1)
            u[basis] = table[:, -1]
            return u[n : 2 * n]
        entering = (leaving + n) % (2 * n)
        column = table[:, entering]
        ratios = np.where(
            column > 1e-12, table[:, -1] / np.where(column > 1e-12, column, 1), np.inf
        )
        if not np.isfinite(ratios.min()):
            return None
        ties = np.flatnonzero(ratios <= ratios.min() + 1e-13 * (1.0 + abs(ratios.min())))
        row = next((int(r) for r in ties if basis[r] == 2 * n), int(ties[0]))
    return None
