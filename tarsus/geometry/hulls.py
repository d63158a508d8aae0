"""Convex hulls of meshes with flat faces, of few corners, for contacts between bodies.

Triangles of one plane become one face: then a cube of twelve triangles stands on its four corners.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.geometry.meshes import mesh_corners
from tarsus.geometry.outline import outline
from tarsus.geometry.rims import balls
from tarsus.model.checks import read_only
from tarsus.model.description import Shape

MOST_CORNERS = 256
"""Corners that a hull may have in the core."""
FLAT = 1e-6
"""Corners this far from a plane, in sizes of the hull, lie in it."""
ALIKE = 0.99
"""Cosine between normals of triangles that may be one face."""


@dataclass(frozen=True, eq=False)
class FlatHull:
    """Corners (n, 3) [m] about the middle of their bounds, and loops of faces, seen from outside.

    `middle` (3,) is where that is in the frame of the shape. `error` [m] is how far the mesh
    reaches beyond its faces, if it has more corners.
    """

    corners: Array
    faces: tuple[tuple[int, ...], ...]
    middle: Array
    error: float


def hull_of_mesh(shape: Shape, most: int) -> FlatHull | None:
    """Return the hull of a mesh with at most so many corners; None for one that is flat."""
    mesh_corners(shape)  # tells what is wrong with the file
    file = str(shape.file)
    changed = os.stat(file).st_mtime_ns
    return _remembered(file, changed, tuple(shape.size), min(most, MOST_CORNERS))


def flat_hull(points: Array, most: int = MOST_CORNERS) -> FlatHull | None:
    """Return the hull of points (n, 3) with at most so many of them; None for flat ones."""
    from scipy.spatial import ConvexHull  # slow to import, and only for meshes

    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    centered = points - middle
    size = float(np.ptp(points, axis=0).max())
    if len(points) < 4 or not np.linalg.svd(centered, compute_uv=False)[-1] > FLAT * size:
        return None
    kept = np.arange(len(points))
    if len(points) > most:
        kept, _ = outline(balls(centered), np.ones(len(points), bool), most)
    hull = ConvexHull(centered[kept])
    beyond = centered @ hull.equations[:, :3].T + hull.equations[:, 3]
    error = max(float(beyond.max()), 0.0) if len(kept) < len(points) else 0.0
    used, number = np.unique(hull.simplices, return_inverse=True)
    corners, normals = centered[kept][used], hull.equations[:, :3]
    triangles = _outwards(corners, number.reshape(-1, 3), normals)
    faces = _faces(corners, triangles, normals, hull.neighbors, FLAT * size)
    return FlatHull(read_only(corners), tuple(faces), read_only(middle), error)


@lru_cache(maxsize=1024)
def _remembered(file: str, _changed: int, size: tuple[float, ...], most: int) -> FlatHull | None:
    shape = Shape("", "collision", "mesh", size, file=file)
    return flat_hull(mesh_corners(shape), most)


def _outwards(corners: Array, triangles: NDArray[np.int64], normals: Array) -> NDArray[np.int64]:
    """Triangles (m, 3), counterclockwise seen from outside."""
    a, b, c = np.moveaxis(corners[triangles], 1, 0)
    turned = np.einsum("ij,ij->i", np.cross(b - a, c - a), normals) < 0.0
    found = triangles.copy()
    found[turned, 1], found[turned, 2] = triangles[turned, 2], triangles[turned, 1]
    return found


def _faces(
    corners: Array,
    triangles: NDArray[np.int64],
    normals: Array,
    neighbors: NDArray[np.int64],
    slack: float,
) -> list[tuple[int, ...]]:
    """Loops of the faces, each of the triangles that lie in the plane of its largest one."""
    a, b, c = np.moveaxis(corners[triangles], 1, 0)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    left = set(range(len(triangles)))
    found = []
    for seed in np.argsort(-areas, kind="stable").tolist():
        if seed not in left:
            continue
        height = float(corners[triangles[seed, 0]] @ normals[seed])
        off = np.abs(corners[triangles] @ normals[seed] - height).max(axis=1)
        alike = (off <= slack) & (normals @ normals[seed] > ALIKE)
        group = _connected(seed, alike, neighbors, left)
        loop = _loop(triangles[group])
        if loop is None:  # not a simple face: its triangles are
            group, loop = [seed], tuple(triangles[seed].tolist())
        left -= set(group)
        found.append(loop)
    return found


def _connected(
    seed: int, alike: NDArray[np.bool_], neighbors: NDArray[np.int64], left: set[int]
) -> list[int]:
    group, front = {seed}, [seed]
    while front:
        for other in neighbors[front.pop()].tolist():
            if other >= 0 and other in left and alike[other] and other not in group:
                group.add(other)
                front.append(other)
    return sorted(group)


def _loop(triangles: Iterable[Array]) -> tuple[int, ...] | None:
    """The corners around connected triangles; None if they are no simple polygon."""
    edges: set[tuple[int, int]] = set()
    for i, j, k in (triangle.tolist() for triangle in triangles):
        for edge in ((i, j), (j, k), (k, i)):
            if edge[::-1] in edges:
                edges.remove(edge[::-1])
            else:
                edges.add(edge)
    after = dict(edges)
    start = min(after)
    loop = [start]
    while (corner := after[loop[-1]]) != start:
        loop.append(corner)
        if len(loop) > len(after):
            return None
    return tuple(loop) if len(loop) == len(after) == len(edges) else None
