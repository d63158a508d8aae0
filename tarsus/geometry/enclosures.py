"""Swept spheres around the shapes of a model.

Spheres and capsules are swept spheres. What is not is enclosed, so that a distance is never
reported larger than it is:

| shape | volumes | reach beyond it |
|---|---|---|
| box | slices of half height c: a rectangle, c inside of its edges, with the radius √3 c | 0.73 c |
| cylinder, long | a line, c inside of its ends, with √2 times its radius c | 0.41 c |
| cylinder, flat | slices of half height c: an octagon | 0.4 c and 8 % of its radius |
| ellipsoid | a rectangle as far as the two longer axes, with the shortest as radius | at corners |
| torus | an octagon around its circle: it has no hole | 8 % of its radius |
| mesh | the smallest box or capsule around its hull, enclosed in turn | |
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.directions import DIRECTIONS
from tarsus.geometry.rims import reach, rims
from tarsus.geometry.solids import around
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model.description import Shape

MOST_SLICES = 32
CORNERS = 8
"""Corners of the polygon that stands for a disc."""
SAFE = 1.0 + 1e-12
"""Radii are larger by so much: corners on the surface are inside, whatever rounding does."""

Piece = tuple[Array, float]
"""Points (n, 3) in the shape's axes and a radius."""


def enclosures(shape: Shape, beyond: float) -> tuple[list[SweptSphere], float]:
    """Return swept spheres that hold a shape of a link, and how far they reach beyond it [m]."""
    pieces, placement = _pieces(shape, beyond)
    name = shape.name or shape.kind
    volumes = [
        SweptSphere(
            points @ placement[:3, :3].T + placement[:3, 3],
            radius,
            name if len(pieces) == 1 else f"{name} {number}",
        )
        for number, (points, radius) in enumerate(pieces, 1)
    ]
    exact = shape.kind in ("sphere", "capsule")
    return volumes, 0.0 if exact else _beyond(shape, volumes)


def enclosure_notes(shapes: Sequence[Shape], reaches: Sequence[float]) -> list[str]:
    """Tell for each kind of shape how many are enclosed, and how far they reach at most."""
    farthest: dict[str, list[float]] = {}
    for shape, beyond in zip(shapes, reaches, strict=True):
        if beyond > 0.0:
            farthest.setdefault(shape.kind, []).append(beyond)
    return [
        f"shapes of kind {kind} ({len(found)}) are enclosed, reaching up to {max(found):.3g} m "
        "beyond them"
        for kind, found in sorted(farthest.items())
    ]


def _pieces(shape: Shape, beyond: float) -> tuple[list[Piece], Array]:
    kind, size, placement = shape.kind, shape.size, shape.placement
    if kind == "mesh":
        kind, size, placement = around(shape)
    if kind == "sphere":
        return [(np.zeros((1, 3)), size[0])], placement
    if kind == "capsule":
        return [(_line(size[1] / 2), size[0])], placement
    if kind == "box":
        return _box(np.array(size) / 2, beyond), placement
    if kind == "cylinder":
        return _cylinder(size[0], size[1] / 2, beyond), placement
    if kind == "torus":
        return _disc(size[0] / math.cos(math.pi / CORNERS), 0.0, size[1]), placement
    return _ellipsoid(np.array(size)), placement


def _line(half: float) -> Array:
    return np.array([[0.0, 0.0, -half], [0.0, 0.0, half]])


def _box(half: Array, beyond: float) -> list[Piece]:
    """Slices across the shortest side; of each the corners are as far as its faces reach."""
    order = np.argsort(half)[::-1]
    a, b, c = half[order]
    slices = min(max(math.ceil((math.sqrt(3.0) - 1.0) * c / beyond), 1), MOST_SLICES)
    thin = c / slices
    pieces = []
    for height in np.linspace(thin - c, c - thin, slices):
        for points in _rectangle(a - thin, b - thin, height):
            turned = np.empty_like(points)
            turned[:, order] = points
            pieces.append((turned, math.sqrt(3.0) * thin * SAFE))
    return pieces


def _rectangle(a: float, b: float, height: float = 0.0) -> list[Array]:
    """A rectangle of half sides a ≥ b as two triangles, a line if b is zero, a point if a is."""
    if a <= 0.0:
        return [np.array([[0.0, 0.0, height]])]
    if b <= 0.0:
        return [np.array([[-a, 0.0, height], [a, 0.0, height]])]
    corners = np.array([[-a, -b, height], [a, -b, height], [a, b, height], [-a, b, height]])
    return [corners[[0, 1, 2]], corners[[0, 2, 3]]]


def _cylinder(radius: float, half: float, beyond: float) -> list[Piece]:
    if half >= radius:
        return [(_line(half - radius), math.sqrt(2.0) * radius * SAFE)]
    slices = min(max(math.ceil((math.sqrt(2.0) - 1.0) * half / beyond), 1), MOST_SLICES)
    thin = half / slices
    # the middle of an edge of the polygon is farthest from the rim of the slice
    outer = radius - thin
    across = math.hypot(radius - outer * math.cos(math.pi / CORNERS), thin) * SAFE
    heights = np.linspace(thin - half, half - thin, slices)
    return [piece for height in heights for piece in _disc(outer, float(height), across)]


def _disc(outer: float, height: float, radius: float) -> list[Piece]:
    """A polygon about z, as triangles from its first corner."""
    angle = 2.0 * math.pi / CORNERS * np.arange(CORNERS)
    corners = np.column_stack(
        [outer * np.cos(angle), outer * np.sin(angle), np.full(CORNERS, height)]
    )
    return [(corners[[0, k, k + 1]], radius * SAFE) for k in range(1, CORNERS - 1)]


def _ellipsoid(half: Array) -> list[Piece]:
    """‖(a x, b y, c z)‖ ≤ (a − c)|x| + (b − c)|y| + c for unit vectors: support functions."""
    order = np.argsort(half)[::-1]
    a, b, c = half[order]
    pieces = []
    for points in _rectangle(a - c, b - c):
        turned = np.empty_like(points)
        turned[:, order] = points
        pieces.append((turned, c * SAFE))
    return pieces


def _beyond(shape: Shape, volumes: Sequence[SweptSphere]) -> float:
    """How far the volumes reach beyond the shape in the direction in which they do most [m]."""
    outer = np.max(
        [(DIRECTIONS @ each.points.T).max(axis=1) + each.radius for each in volumes], axis=0
    )
    if shape.kind == "ellipsoid":
        axes = shape.placement[:3, :3] * np.array(shape.size)
        inner = np.linalg.norm(DIRECTIONS @ axes, axis=1) + DIRECTIONS @ shape.placement[:3, 3]
    else:
        inner = reach(rims(shape), DIRECTIONS).max(axis=1)
    return float(max((outer - inner).max(), 0.0))
