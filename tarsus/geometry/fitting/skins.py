"""Surfaces of shapes, to be enclosed: triangles of which nothing of the shape is outside.

Round shapes become polyhedra around them. Spheres, capsules and tori also state balls, which
enclose exactly: a swept sphere is convex, and holds a capsule if it holds the balls at its ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import cos, pi

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.fitting.cells import Triangles
from tarsus.geometry.meshes import mesh_triangles
from tarsus.geometry.rims import CORNERS
from tarsus.model.description import ModelError, Shape

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
