"""Numbers of one swept sphere: all points within a radius of a core, which is a point, a line or a
triangle, given by its corners (1 … 3, 3).
"""

from __future__ import annotations

from math import pi

import numpy as np

from tarsus.arrays import Array

THIN = 1e-12
"""A triangle is a line if its height is less than this share of its length."""


def volume(core: Array, radius: float) -> float:
    """Return the volume of a swept sphere [m³].

    Steiner's formula for a flat convex core: 2 A r + π/2 P r² + 4/3 π r³ with its area A and its
    perimeter P, which for a line is twice its length.
    """
    area, perimeter, _, _ = _measures(core)
    return 2 * area * radius + pi * radius**2 * (perimeter / 2 + 4 / 3 * radius)


def volume_slopes(core: Array, radius: float) -> tuple[Array, float]:
    """Return how the volume changes with each corner (k, 3), and with the radius."""
    area, perimeter, by_area, by_perimeter = _measures(core)
    by_core = 2 * radius * by_area + pi / 2 * radius**2 * by_perimeter
    return by_core, 2 * area + pi * radius * (perimeter + 4 * radius)


def nearest(core: Array, points: Array) -> tuple[Array, Array]:
    """Return the distances (n,) of points (n, 3) from a core, and the weights (n, k) of its corners
    that make the nearest place of the core.
    """
    count, rows = len(points), np.arange(len(points))
    weights = np.zeros((count, len(core)))
    if len(core) == 1:
        away = points - core[0]
        return np.sqrt((away * away).sum(axis=1)), weights + 1.0
    # on each side: one of a line, three of a triangle
    tail, head = ([0], [1]) if len(core) == 2 else ([0, 1, 2], [1, 2, 0])
    along = core[head] - core[tail]
    square = np.maximum((along * along).sum(axis=1), 1e-300)
    away = points[:, None] - core[tail]
    share = np.clip((away * along).sum(axis=2) / square, 0.0, 1.0)
    across = away - share[:, :, None] * along
    squares = (across * across).sum(axis=2)
    side = squares.argmin(axis=1)
    chosen = share[rows, side]
    weights[rows, np.take(tail, side)] = 1.0 - chosen
    weights[rows, np.take(head, side)] = chosen
    distance = np.sqrt(squares[rows, side])
    if len(core) == 3:
        _over_triangle(along, away[:, 0], distance, weights)
    return distance, weights


def _over_triangle(sides: Array, away: Array, distance: Array, weights: Array) -> None:
    """Put in heights and barycentric coordinates where points are over the inside of a triangle."""
    first, second = sides[0], -sides[2]
    normal = _cross(first, second)
    square = float(normal @ normal)
    if not square > THIN**2 * max(float(first @ first), float(second @ second)) ** 2:
        return  # it has no inside
    by_first = away @ _cross(second, normal) / square
    by_second = away @ _cross(normal, first) / square
    by_origin = 1.0 - by_first - by_second
    within = (by_first >= 0.0) & (by_second >= 0.0) & (by_origin >= 0.0)
    distance[within] = np.abs(away[within] @ normal) / np.sqrt(square)
    weights[within] = np.column_stack([by_origin, by_first, by_second])[within]


def _measures(core: Array) -> tuple[float, float, Array, Array]:
    """Area and perimeter of a core, and how they change with its corners (k, 3)."""
    if len(core) == 1:
        return 0.0, 0.0, np.zeros((1, 3)), np.zeros((1, 3))
    after = [1, 0] if len(core) == 2 else [1, 2, 0]
    before = [1, 0] if len(core) == 2 else [2, 0, 1]
    sides = core[after] - core
    lengths = np.sqrt((sides * sides).sum(axis=1))
    units = sides / np.maximum(lengths, 1e-300)[:, None]
    by_perimeter = units[before] - units
    if len(core) == 2:
        return 0.0, float(lengths.sum()), np.zeros((2, 3)), by_perimeter
    normal = _cross(sides[0], sides[1])
    twice = float(np.sqrt(normal @ normal))
    # a corner moves the area by half the opposite side, across it in the plane
    by_area = np.array([_cross(side, normal) for side in sides[after]]) / (-2 * max(twice, 1e-300))
    return twice / 2, float(lengths.sum()), by_area, by_perimeter


def _cross(a: Array, b: Array) -> Array:
    """The product of two vectors (3,); that of NumPy takes ten times as long."""
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
