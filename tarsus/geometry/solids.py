"""Solids that touch each other, and what stands for other shapes.

Between bodies the core knows spheres, capsules, boxes, ellipsoids, tori, triangles with round
edges, and convex hulls, as which meshes touch. Swept spheres are three of them. Other shapes are
replaced:

| shape | stands for it |
|---|---|
| cylinder, longer than wide | a capsule of the same radius and overall length |
| cylinder, flat | a box of the same height and the same area |
| mesh or ellipsoid without thickness | the smallest box or capsule around it, along its axes |
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.hulls import MOST_CORNERS, FlatHull, hull_of_mesh
from tarsus.geometry.rims import rims
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.geometry.volume_on_body import VolumeOnBody
from tarsus.model.description import Shape
from tarsus.spatial import pose, rotation_along

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
