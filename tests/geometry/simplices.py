"""Distances of points, lines and triangles by enumeration, and pairs that are hard to get right.

The nearest points of two simplices lie inside a corner, an edge or a face of each. All such pairs
are tried: the least-squares solution without bounds counts where it is inside. Nothing of this is
shared with the library.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from oracle import Array

KINDS = [(m, n) for m in (1, 2, 3) for n in (1, 2, 3)]


def enumerated_distance(a: Array, b: Array) -> Array:
    """Return the distances (n,) of simplices with corners a (n, i, 3) and b (n, j, 3)."""
    best = np.full(len(a), np.inf)
    for of_a, of_b in product(_parts(a.shape[1]), _parts(b.shape[1])):
        start_a, start_b = a[:, of_a[0]], b[:, of_b[0]]
        apart = start_b - start_a
        edges = [a[:, k] - start_a for k in of_a[1:]] + [start_b - b[:, k] for k in of_b[1:]]
        if not edges:
            best = np.minimum(best, np.linalg.norm(apart, axis=1))
            continue
        matrix = np.stack(edges, axis=-1)
        inverse = np.linalg.pinv(matrix, rcond=1e-13)
        x = np.einsum("nij,nj->ni", inverse, apart)
        left = apart - np.einsum("nij,nj->ni", matrix, x)
        x += np.einsum("nij,nj->ni", inverse, left)
        left = apart - np.einsum("nij,nj->ni", matrix, x)
        inside = (x > -1e-13).all(axis=1)
        for share in (x[:, : len(of_a) - 1], x[:, len(of_a) - 1 :]):
            inside &= share.sum(axis=1) < 1.0 + 1e-13
        best = np.where(inside, np.minimum(best, np.linalg.norm(left, axis=1)), best)
    return best


def _parts(corners: int) -> list[tuple[int, ...]]:
    return [part for size in range(1, corners + 1) for part in combinations(range(corners), size)]


def hard_pairs(
    rng: np.random.Generator, m: int, n: int, count: int
) -> dict[str, tuple[Array, Array]]:
    """Return families of pairs of simplices, each (count, m, 3) and (count, n, 3)."""

    def free(corners: int) -> Array:
        return rng.normal(size=(count, corners, 3))

    a, b = free(m), free(n)
    flat_a, flat_b = a.copy(), b.copy()
    flat_a[..., 2], flat_b[..., 2] = 0.0, 0.0
    lifted = flat_b + np.array([0.0, 0.0, 0.5])
    along = rng.normal(size=(count, 1, 3))
    line_a, line_b = (free(1) + along * rng.normal(size=(count, corners, 1)) for corners in (m, n))
    tilt = 10.0 ** rng.uniform(-16, -3, size=(count, 1, 1))
    sliver = free(1) + along * rng.normal(size=(count, n, 1)) + tilt * free(n)
    weights_a, weights_b = (rng.dirichlet(np.ones(k), count)[:, :, None] for k in (m, n))
    meeting = b + ((weights_a * a).sum(1) - (weights_b * b).sum(1))[:, None]
    return {
        "random": (a, b),
        "in one plane": (flat_a, flat_b),
        "in parallel planes": (flat_a, lifted),
        "in parallel lines": (line_a, line_b),
        "almost parallel": (line_a, line_b + tilt * free(n)),
        "slivers": (a, sliver),
        "without size": (np.repeat(free(1), m, axis=1), b),
        "both without size": (np.repeat(free(1), m, axis=1), np.repeat(free(1), n, axis=1)),
        "meeting": (a, meeting),
        "the same": (a, np.resize(a.swapaxes(0, 1), (n, count, 3)).swapaxes(0, 1).copy()),
        "small and far": (1e-3 * a, 1e-3 * b + 10.0),
        "small and large": (1e-4 * a, b),
        "sharing a corner": (a, np.concatenate([a[:, :1], b[:, 1:]], axis=1)),
    }
