"""Numbers of one swept sphere: all points within a radius of a core, which is a point, a line or a
triangle, given by its corners (1 … 3, 3).
"""

from __future__ import annotations

from math import pi

import numpy as np

from tarsus import _core
from tarsus.arrays import Array


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
    count, none = len(points), np.zeros(len(points))
    cores = np.ascontiguousarray(np.broadcast_to(core, (count, *core.shape)))
    found = _core.swept_distance(np.ascontiguousarray(points)[:, None], none, cores, none)
    others = found[:, 12 : 11 + len(core)]
    return found[:, 0], np.column_stack([1.0 - others.sum(axis=1), others])


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
