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
    """Return a solution, or None for a ray (Cottle, Pang & Stone 1992, 4.4).

    Long sequences of pivots lose their digits, and degenerate problems their way: unknowns are
    measured so that entries are of the size of one, what was found is solved for once more, and
    what is no solution is looked for along another way.
    """
    n = len(b)
    if n == 0 or b.min() >= 0.0:
        return np.zeros(n)
    sizes = sizes_of(A)
    scaled, least = sizes[:, None] * A * sizes, sizes * b
    rng, found = np.random.default_rng(0), None
    for cover in (np.ones(n), *rng.uniform(0.1, 1.0, (20, n))):
        u = pivoted(scaled, least, cover)
        if u is None:
            continue
        kept = np.flatnonzero(u > 0.0)
        again = np.zeros(n)
        again[kept] = np.linalg.lstsq(scaled[np.ix_(kept, kept)], -least[kept], rcond=None)[0]
        better = min((u, again), key=lambda each: lcp_residual(A, b, sizes * each))
        found = sizes * better
        if lcp_residual(A, b, found) < 1e-10:
            return np.asarray(found)
    return found


def sizes_of(A: Array) -> Array:
    """Return units (n,) of the unknowns in which the entries of A are of the size of one."""
    diagonal = np.diag(A)
    sizes = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 0.0)
    beside = np.abs(A * sizes).max(axis=1)
    return np.where(sizes > 0.0, sizes, 1.0 / np.where(beside > 0.0, beside, 1.0))


def pivoted(A: Array, b: Array, cover: Array) -> Array | None:
    """Return what Lemke's pivots end with; `cover` is the column of the artificial unknown."""
    n = len(b)
    # w − A u − d z = b; columns w 0…n−1, u n…2n−1, z 2n, then the right-hand side
    table = np.hstack([np.eye(n), -A, -cover[:, None], b[:, None]])
    basis = list(range(n))
    row, entering = int(np.argmin(b / cover)), 2 * n
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
