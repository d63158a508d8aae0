"""The support polygon: the convex hull of the feet on the ground, and how far inside a point is.

A machine that stands still keeps its centre of mass above the polygon; one that walks keeps its
zero moment point in it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array


def support_polygon(points: ArrayLike) -> Array:
    """Return the corners (k, 2) of the convex hull of `points` (n, 2 or 3), counter-clockwise.

    Of one or two points, or of points on a line, the hull is a point or a segment.
    """
    flat = np.asarray(points, float)
    if flat.ndim != 2 or flat.shape[1] not in (2, 3) or not len(flat):
        raise ValueError(f"points has the shape {flat.shape}, must be (n, 2) or (n, 3), n > 0")
    ordered = np.unique(flat[:, :2], axis=0)
    # the lower and the upper chain of the hull, from left to right and back
    hull = [*_chain(ordered)[:-1], *_chain(ordered[::-1])[:-1]]
    return np.array(hull) if hull else ordered


def support_margin(points: ArrayLike, point: ArrayLike) -> float:
    """Return how far inside the support polygon of points (n, 2) a point (2,) is, or outside [m].

    Outside it is below zero.
    """
    corners, p = support_polygon(points), np.asarray(point, float)[:2]
    edges = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(edges, axis=1)
    if len(corners) > 2:
        to_point = p - corners
        inside = (edges[:, 0] * to_point[:, 1] - edges[:, 1] * to_point[:, 0]) / lengths
        if inside.min() >= 0.0:
            return float(inside.min())
    # outside, the distance to the nearest point of an edge
    squares = np.where(lengths > 0.0, lengths**2, 1.0)
    along = np.clip(np.einsum("ij,ij->i", p - corners, edges) / squares, 0.0, 1.0)
    return -float(np.linalg.norm(p - corners - along[:, None] * edges, axis=1).min())


def _chain(ordered: Array) -> list[Array]:
    """Return one side of the hull of ordered points: it turns left everywhere."""
    chain: list[Array] = []
    for p in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0.0:
            chain.pop()
        chain.append(p)
    return chain


def _turn(a: Array, b: Array, c: Array) -> float:
    """Return twice the area of a triangle, above zero if it turns left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
