"""Solids and convex hulls as contact shapes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import read_only
from tarsus._lib.files import Array
from tarsus.geometry.meshes import mesh_corners
from tarsus.geometry.outlines import balls, outline, rims
from tarsus.geometry.swept_spheres import SweptSphere, VolumeOnBody
from tarsus.model.description import Shape
from tarsus.spatial import pose, rotation_along

# Convex hulls of meshes with flat faces, of few corners, for contacts between bodies.
#
# Triangles of one plane become one face: then a cube of twelve triangles stands on its four
# corners.


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


# Solids that touch each other, and what stands for other shapes.
#
# Between bodies the core knows spheres, capsules, boxes, ellipsoids, tori, triangles with round
# edges, and convex hulls, as which meshes touch. Swept spheres are three of them. Other shapes are
# replaced:
#
# | shape | stands for it |
# |---|---|
# | cylinder, longer than wide | a capsule of the same radius and overall length |
# | cylinder, flat | a box of the same height and the same area |
# | mesh or ellipsoid without thickness | the smallest box or capsule around it, along its axes |


Fit = tuple[str, tuple[float, ...], Array]
"""Kind, size and placement (4, 4) on the body."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A solid at `placement` (4, 4) on its body.

    `size` (3,) by kind: sphere (radius, 0, 0), capsule (radius, length, 0) along z, the length
    without its caps, box (x, y, z), ellipsoid (half axes), torus (radius about z, radius of its
    tube, 0); of a triangle (4,) (radius, x of two corners, y of the third); a `hull` has none.
    `exact` is False if it only stands for the shape.
    """

    kind: str
    placement: Array
    size: Array
    exact: bool
    hull: FlatHull | None = None


def solid(shape: Shape | VolumeOnBody, most: int = MOST_CORNERS) -> Solid:
    """Return the solid that a shape is, or that stands for it; hulls have up to `most` corners."""
    if isinstance(shape, VolumeOnBody):
        return _of_volume(shape.volume)
    if shape.kind == "mesh" and (hull := hull_of_mesh(shape, most)) is not None:
        return Solid("hull", shape.placement @ pose(hull.middle), np.zeros(3), True, hull)
    kind, size, placement = shape.kind, shape.size, shape.placement
    if kind == "ellipsoid" and len(set(size)) == 1:
        kind, size = "sphere", size[:1]
    exact = kind in ("sphere", "capsule", "box", "torus") or is_ellipsoid(shape)
    if kind == "cylinder":
        kind, size = _of_cylinder(*size)
    elif not exact:
        kind, size, placement = around(shape)
    return Solid(kind, placement, np.array([*size, 0.0, 0.0][:3]), exact)


def is_ellipsoid(shape: Shape | VolumeOnBody) -> bool:
    """Whether a shape is an ellipsoid that is round all over: not one without thickness."""
    return isinstance(shape, Shape) and shape.kind == "ellipsoid" and min(shape.size) > 0.0


def _of_volume(volume: SweptSphere) -> Solid:
    points, radius = volume.points, volume.radius
    if len(points) == 1:
        return Solid("sphere", pose(points[0]), np.array([radius, 0.0, 0.0]), exact=True)
    if len(points) == 2:
        way = points[1] - points[0]
        length = float(np.linalg.norm(way))
        axes = rotation_along(way / length) if length > 0.0 else np.eye(3)
        middle = pose(points.mean(axis=0), axes)
        return Solid("capsule", middle, np.array([radius, length, 0.0]), exact=True)
    return _of_triangle(points, radius)


def _of_triangle(points: Array, radius: float) -> Solid:
    """The longest edge on x, the corner across it on y."""
    edges = np.roll(points, -1, axis=0) - points
    lengths = np.linalg.norm(edges, axis=1)
    longest = int(lengths.argmax())
    start, corner = points[longest], points[longest - 1]
    x = edges[longest] / lengths[longest] if lengths[longest] > 0.0 else np.eye(3)[0]
    foot = float(np.clip((corner - start) @ x, 0.0, lengths[longest]))
    across = corner - start - foot * x
    height = float(np.linalg.norm(across))
    # without a height any axis across does
    y = across / height if height > 0.0 else rotation_along(x)[:, 0]
    y = y - (y @ x) * x
    y /= np.linalg.norm(y)
    placement = pose(start + foot * x, np.column_stack([x, y, np.cross(x, y)]))
    size = np.array([radius, -foot, lengths[longest] - foot, height])
    return Solid("triangle", placement, size, exact=True)


def _of_cylinder(radius: float, length: float) -> tuple[str, tuple[float, ...]]:
    if length >= 2 * radius:
        return "capsule", (radius, length - 2 * radius)
    side = math.sqrt(math.pi) * radius
    return "box", (side, side, length)


def around(shape: Shape) -> Fit:
    """The smallest box or capsule around a shape, along its own or its principal axes."""
    found = rims(shape)
    points, margin = found[:, :3], float(found[0, 6])
    centered = points - points.mean(axis=0)
    principal = np.linalg.eigh(centered.T @ centered)[1]
    fits: list[tuple[float, Fit]] = []
    for axes in (shape.placement[:3, :3], principal):
        # z along the longest axis, right-handed
        turned = axes[:, np.argsort(np.ptp(points @ axes, axis=0))]
        turned = turned * np.array([np.sign(np.linalg.det(turned)), 1.0, 1.0])
        fits += [fit(points @ turned, margin, turned) for fit in (_box, _capsule)]
    return min(fits, key=lambda fit: fit[0])[1]


def _box(points: Array, margin: float, axes: Array) -> tuple[float, Fit]:
    """Volume and fit of a box around points (n, 3) in these axes, each with a margin."""
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    size = tuple((high - low).tolist())
    return math.prod(size), ("box", size, pose(axes @ ((low + high) / 2), axes))


def _capsule(points: Array, margin: float, axes: Array) -> tuple[float, Fit]:
    """Volume and fit of a capsule along z around points (n, 3) in these axes."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    away = np.linalg.norm(points[:, :2] - middle[:2], axis=1)
    inner = float(away.max())
    # the caps hold as much as they can; what is compact fits into a sphere
    cap = np.sqrt(np.maximum(inner**2 - away**2, 0.0))
    top, bottom = float((points[:, 2] - cap).max()), float((points[:, 2] + cap).min())
    middle[2] = (top + bottom) / 2
    radius, length = inner + margin, max(top - bottom, 0.0)
    volume = math.pi * radius**2 * (length + 4 / 3 * radius)
    return volume, ("capsule", (radius, length), pose(axes @ middle, axes))
