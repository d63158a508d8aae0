"""Surfaces that volumes must enclose, and voxels of their interior."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import cos, pi

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.geometry.meshes import mesh_triangles
from tarsus.geometry.outlines import CORNERS
from tarsus.model.description import Shape

# Surfaces of shapes, to be enclosed: triangles of which nothing of the shape is outside.
#
# Round shapes become polyhedra around them. Spheres, capsules and tori also state balls, which
# enclose exactly: a swept sphere is convex, and holds a capsule if it holds the balls at its ends.


SEGMENTS = 48
"""Sides of a round shape; half as many from pole to pole."""
RING = 24
"""Balls along the circle of a torus."""
MOST_TRIANGLES = 200_000
"""Meshes of more are replaced by their convex hulls."""


@dataclass(frozen=True, eq=False)
class Skin:
    """The surface of a shape in the frame of its link: vertices (n, 3) [m], triangles (m, 3).

    `balls` (k, b, 3) with `radius` hold the shape exactly, b at a time, if there are any.
    `notes` tells what is special about a mesh.
    """

    vertices: Array
    triangles: Triangles
    balls: Array = field(default_factory=lambda: np.zeros((0, 1, 3)))
    radius: float = 0.0
    closed: bool = True
    notes: tuple[str, ...] = ()

    def image(self, signs: Array) -> Skin:
        """Return the surface with axes turned around whose signs (3,) are negative."""
        triangles = self.triangles[:, ::-1] if np.prod(signs) < 0.0 else self.triangles
        vertices, balls = self.vertices * signs, self.balls * signs
        return replace(self, vertices=vertices, triangles=triangles, balls=balls)


def skin(shape: Shape) -> Skin:
    """Return the surface of a shape; a `ModelError` names the shape whose mesh has none."""
    rotation, origin = shape.placement[:3, :3], shape.placement[:3, 3]

    def placed(points: Array) -> Array:
        return np.asarray(points @ rotation.T + origin)

    if shape.kind == "mesh":
        vertices, triangles = mesh_triangles(shape)
        return _mesh_skin(shape, placed(vertices), triangles)
    vertices, triangles, balls, radius = _primitive(shape.kind, shape.size)
    return Skin(placed(vertices), triangles, placed(balls), radius)


def _mesh_skin(shape: Shape, vertices: Array, triangles: Triangles) -> Skin:
    what = f"the mesh {shape.file!r} of body {shape.body!r}"
    if not len(triangles):
        raise ModelError(f"{what} has no triangles", shape.source)
    notes = []
    if len(triangles) > MOST_TRIANGLES:
        notes.append(f"{what} has {len(triangles)} triangles: its convex hull is enclosed")
        vertices, triangles = _hull(vertices, what, shape)
    twice = signed_volume(vertices, triangles)
    closed = is_closed(triangles) and abs(twice) > 0.0
    if not closed:
        notes.append(f"{what} is not closed: what most rays from it hit counts as inside")
    # scales may be negative, which turns triangles around
    turned = triangles[:, ::-1] if twice < 0.0 else triangles
    return Skin(vertices, turned, closed=closed, notes=tuple(notes))


def is_closed(triangles: Triangles) -> bool:
    """Whether every side of a triangle is another's in the other direction, as often."""
    tail, head = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    count = int(triangles.max(initial=0)) + 1
    return np.array_equal(np.sort(tail * count + head), np.sort(head * count + tail))


def signed_volume(vertices: Array, triangles: Triangles) -> float:
    """Return the volume inside a closed surface, negative if its normals point inwards."""
    a, b, c = (vertices[triangles] - vertices.mean(axis=0)).swapaxes(0, 1)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6


def _hull(vertices: Array, what: str, shape: Shape) -> tuple[Array, Triangles]:
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    try:
        hull = ConvexHull(vertices)
    except QhullError:
        message = f"{what} is flat and has more than {MOST_TRIANGLES} triangles"
        raise ModelError(message, shape.source) from None
    # normals point away from the middle
    triangles = np.asarray(hull.simplices, np.int64)
    a, b, c = vertices[triangles].swapaxes(0, 1)
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return vertices, triangles


def _primitive(kind: str, size: tuple[float, ...]) -> tuple[Array, Triangles, Array, float]:
    """Vertices and triangles around a shape at the origin, balls and their radius if it has any."""
    none = np.zeros((0, 1, 3))
    if kind == "box":
        quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        halves = np.array([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)])
        return CORNERS * np.array(size), halves, none, 0.0
    if kind == "cylinder":
        outer, half = size[0] / cos(pi / SEGMENTS), size[1] / 2
        profile = np.array([[0.0, -half], [outer, -half], [outer, half], [0.0, half]])
        vertices, triangles = _turned(profile)
        return vertices, triangles, none, 0.0
    if kind == "torus":
        circle = np.linspace(0.0, 2 * pi, SEGMENTS + 1)
        tube = size[1] * np.column_stack([np.cos(circle), np.sin(circle)]) + [size[0], 0.0]
        ring = size[0] / cos(pi / RING) * _circle()[:: SEGMENTS // RING]
        vertices, triangles = _turned(tube)
        return vertices, triangles, np.stack([ring, np.roll(ring, -1, axis=0)], axis=1), size[1]
    # faces of a polyhedron with corners on the sphere are nearer by both cosines, or less
    radius, length = (size[0], 0.0) if kind == "sphere" else (size[0], size[1])
    if kind == "ellipsoid":
        radius, length = 1.0, 0.0
    angles = np.linspace(-pi / 2, pi / 2, SEGMENTS // 2 + 2)
    step = angles[1] - angles[0]
    outer = radius / (cos(pi / SEGMENTS) * cos(step / 2))
    if kind != "ellipsoid":  # it is the balls that enclose: triangles are half way, in the mean
        outer = (outer + radius) / 2
    heights = outer * np.sin(angles) + np.sign(angles) * length / 2
    vertices, triangles = _turned(np.column_stack([outer * np.cos(angles), heights]))
    if kind == "ellipsoid":
        return vertices * np.array(size), triangles, none, 0.0
    ends = np.array([[[0.0, 0.0, -length / 2], [0.0, 0.0, length / 2]]])
    return vertices, triangles, ends[:, : 1 if kind == "sphere" else 2], radius


def _circle() -> Array:
    angles = 2 * pi * np.arange(SEGMENTS) / SEGMENTS
    return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(SEGMENTS)])


def _turned(profile: Array) -> tuple[Array, Triangles]:
    """The surface that a profile (k, 2) of radii and heights, upwards, makes about the z axis."""
    rings = profile[:, :1, None] * _circle() + profile[:, 1:, None] * np.array([0.0, 0.0, 1.0])
    number = np.arange(len(profile) * SEGMENTS).reshape(len(profile), SEGMENTS)
    here, after = number, np.roll(number, -1, axis=1)
    lower = np.stack([here[:-1], after[:-1], after[1:]], axis=-1).reshape(-1, 3)
    upper = np.stack([here[:-1], after[1:], here[1:]], axis=-1).reshape(-1, 3)
    return rings.reshape(-1, 3), np.concatenate([lower, upper])


# A grid over triangles: triangles cut along its planes, and which of its corners are inside.
#
# A swept sphere is convex: it holds a triangle if it holds its three corners, and the part of a
# solid in a cell if it holds the triangles in it and the cell's corners that are inside: these have
# all the extreme points of that part. So what is to be held becomes a few hundred pieces of points,
# and each may belong to any volume, also parts of one large triangle.


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
