"""A grid over triangles: triangles cut along its planes, and which of its corners are inside.

A swept sphere is convex: it holds a triangle if it holds its three corners, and the part of a solid
in a cell if it holds the triangles in it and the cell's corners that are inside: these have all the
extreme points of that part. So what is to be held becomes a few hundred pieces of points, and each
may belong to any volume, also parts of one large triangle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array

Triangles = NDArray[np.int64]
OFFSET = np.array([0.3819, 0.4142, 0.4721])
"""Where the first planes are, in cells before the mesh: nowhere that people put corners."""
EDGE = 1e-9
"""What is nearer to a plane than this share of a cell is not cut."""
VOTES = 4
"""A corner is inside if it is so along as many of the six directions of the axes."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Cubes of a side [m] from the corner `low` (3,), as many as `shape` along each axis."""

    low: Array
    side: float
    shape: tuple[int, int, int]

    @classmethod
    def around(cls, points: Array, cells: int, most: int) -> Grid:
        """Return a grid over points (n, 3): about so many cells, at most `most` along an axis."""
        low, high = points.min(axis=0), points.max(axis=0)
        size = np.maximum(high - low, 1e-3 * float((high - low).max()) + 1e-12)
        side = max(float(np.cbrt(size.prod() / cells)), float(size.max()) / most)
        start = low - side * OFFSET
        count = np.floor((high - start) / side).astype(int) + 1
        return cls(start, side, (int(count[0]), int(count[1]), int(count[2])))

    @cached_property
    def lines(self) -> tuple[Array, Array, Array]:
        """The positions of the planes across each axis."""
        x, y, z = (
            self.low[axis] + self.side * np.arange(count + 1)
            for axis, count in enumerate(self.shape)
        )
        return x, y, z

    def cut(self, vertices: Array, triangles: Triangles) -> tuple[Array, Triangles]:
        """Return the same surface in triangles of which none crosses a plane of the grid."""
        for axis in range(3):
            while True:
                place = (vertices[triangles, axis] - self.low[axis]) / self.side
                first = np.floor(place.min(axis=1) + EDGE) + 1.0
                last = np.ceil(place.max(axis=1) - EDGE) - 1.0
                crossed = first <= last
                if not crossed.any():
                    break
                middle = np.floor((first + last)[crossed] / 2)
                at = self.low[axis] + self.side * middle
                vertices, parts = _split(vertices, triangles[crossed], axis, at)
                triangles = np.concatenate([triangles[~crossed], parts])
        return vertices, triangles

    def cells_of(self, vertices: Array, triangles: Triangles) -> NDArray[np.int64]:
        """Return the number of the cell of each triangle that was cut."""
        middle = vertices[triangles].mean(axis=1)
        places = np.floor((middle - self.low) / self.side).astype(np.int64)
        x, y, z = np.clip(places, 0, np.array(self.shape) - 1).T
        return np.asarray((x * self.shape[1] + y) * self.shape[2] + z)

    def inside(self, vertices: Array, triangles: Triangles) -> NDArray[np.bool_]:
        """Return which corners of cells are inside a surface, (nx + 1, ny + 1, nz + 1).

        Along each axis, up and down, crossings are counted, +1 where the surface is left and −1
        where it is entered: what is left is the winding number. Along six ways it is the same if
        the surface is closed; where it is not, most of them decide.
        """
        votes = np.zeros([count + 1 for count in self.shape], np.int8)
        for axis in range(3):
            order = [(axis + 1) % 3, (axis + 2) % 3, axis]
            lines = [self.lines[i] for i in order]
            which, height, sign = crossings(vertices[:, order], triangles, lines[0], lines[1])
            step = np.clip(np.searchsorted(lines[2], height), 0, len(lines[2]))
            turns = np.zeros((len(lines[0]) * len(lines[1]), len(lines[2]) + 1), np.int64)
            np.add.at(turns, (which, step), sign)
            below = np.cumsum(turns, axis=1)[:, :-1]
            above = turns.sum(axis=1, keepdims=True) - below
            found = (below != 0).astype(np.int8) + (above != 0)
            shaped = found.reshape(len(lines[0]), len(lines[1]), len(lines[2]))
            votes += np.moveaxis(shaped, (0, 1, 2), order)
        return np.asarray(votes >= VOTES)


def crossings(
    vertices: Array, triangles: Triangles, x: Array, y: Array
) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
    """Return where vertical lines at all x (n,) and y (m,) meet triangles.

    For each crossing: the number of the line, i m + j, the height z, and +1 where the normal of
    the triangle points up, −1 where it points down.
    """
    corners = vertices[triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    i0, i1 = np.searchsorted(x, low[:, 0]), np.searchsorted(x, high[:, 0])
    j0, j1 = np.searchsorted(y, low[:, 1]), np.searchsorted(y, high[:, 1])
    count = (i1 - i0) * (j1 - j0)
    which = np.repeat(np.arange(len(triangles)), count)
    number = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    wide = np.maximum(j1 - j0, 1)[which]
    i, j = i0[which] + number // wide, j0[which] + number % wide
    a, b, c = (corners[which, k] for k in range(3))
    px, py = x[i], y[j]

    def side(p: Array, q: Array) -> Array:
        found = (q[:, 0] - p[:, 0]) * (py - p[:, 1]) - (q[:, 1] - p[:, 1]) * (px - p[:, 0])
        return np.asarray(found)

    over_c, over_a, over_b = side(a, b), side(b, c), side(c, a)
    twice = over_a + over_b + over_c
    hit = ((over_a > 0) & (over_b > 0) & (over_c > 0)) | (
        (over_a < 0) & (over_b < 0) & (over_c < 0)
    )
    z = over_a * a[:, 2] + over_b * b[:, 2] + over_c * c[:, 2]
    height = z[hit] / twice[hit]
    return (i * len(y) + j)[hit], height, np.sign(twice[hit]).astype(np.int64)


def _split(vertices: Array, triangles: Triangles, axis: int, at: Array) -> tuple[Array, Triangles]:
    """Cut each triangle into three along its plane: one corner is on one side, two on the other."""
    upper = vertices[triangles, axis] > at[:, None]
    alone = np.where(upper.sum(axis=1) == 1, upper.argmax(axis=1), (~upper).argmax(axis=1))
    rows = np.arange(len(triangles))
    a, b, c = (triangles[rows, (alone + k) % 3] for k in range(3))
    new = []
    for other in (b, c):
        start, end = vertices[a, axis], vertices[other, axis]
        share = ((at - start) / (end - start))[:, None]
        points = vertices[a] + share * (vertices[other] - vertices[a])
        points[:, axis] = at
        new.append(points)
    p = len(vertices) + rows
    q = p + len(rows)
    parts = [np.column_stack(part) for part in ((a, p, q), (p, b, c), (p, c, q))]
    return np.concatenate([vertices, *new]), np.concatenate(parts)
