"""Swept spheres around points by rule of thumb: where the search for the smallest begins."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.fitting.swept import nearest, volume

_SIDES = [[0.0, 120.0, 240.0], [0.0, 90.0, 225.0]]  # an even triangle, and half a square
_ANGLES = np.radians((np.arange(0.0, 360.0, 15.0)[:, None, None] + _SIDES).reshape(-1, 3))
NORMALS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=-1)
"""Normals of the sides (turns, 3, 2) of triangles that are tried."""
LINES, TRIANGLES = 2, 2
"""How many starts are worth to be improved."""


def starts(points: Array, margins: Array) -> dict[int, list[Array]]:
    """Return cores by their number of corners, the best first, for balls of radii `margins` (n,)
    about points (n, 3).
    """
    axes = principal_axes(points)
    lines = [_line(points, margins, axis) for axis in (*axes.T, _longest(points))]
    triangles = [
        core
        for normal in range(3)
        for core in _triangles(points, margins, np.roll(axes, -normal, axis=1))
    ]
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return {
        1: [middle[None]],
        2: _best(lines, points, margins)[:LINES],
        3: _best(triangles, points, margins)[:TRIANGLES],
    }


def principal_axes(points: Array) -> Array:
    """Return orthonormal columns (3, 3), the direction in which points spread least first."""
    centered = points - points.mean(axis=0)
    return np.asarray(np.linalg.eigh(centered.T @ centered)[1])


def reach(core: Array, points: Array, margins: Array) -> float:
    """Return the radius at which a core holds all balls."""
    return float((nearest(core, points)[0] + margins).max())


def _best(cores: list[Array], points: Array, margins: Array) -> list[Array]:
    volumes = [volume(core, reach(core, points, margins)) for core in cores]
    return [cores[i] for i in np.argsort(volumes, kind="stable")]


def _longest(points: Array) -> Array:
    """Direction to the farthest point from the one that is farthest from the middle."""
    far = points[np.argmax(((points - points.mean(axis=0)) ** 2).sum(axis=1))]
    other = points[np.argmax(((points - far) ** 2).sum(axis=1))]
    return np.asarray((other - far) / max(float(np.linalg.norm(other - far)), 1e-300))


def _line(points: Array, margins: Array, axis: Array) -> Array:
    """A line along an axis through the middle, as short as its caps allow."""
    along = points @ axis
    across = points - along[:, None] * axis
    middle = (across.min(axis=0) + across.max(axis=0)) / 2
    middle -= (middle @ axis) * axis
    away = np.linalg.norm(across - middle, axis=1)
    radius = float((away + margins).max())
    cap = np.sqrt(np.maximum((radius - margins) ** 2 - away**2, 0.0))
    top, bottom = float((along - cap).max()), float((along + cap).min())
    if top < bottom:
        top = bottom = (top + bottom) / 2
    return np.asarray(middle + np.array([[bottom], [top]]) * axis)


def _triangles(points: Array, margins: Array, axes: Array) -> list[Array]:
    """The two smallest triangles across the first axis whose offset sides touch the points."""
    height, flat = points @ axes[:, 0], points @ axes[:, 1:]
    middle = (height.min() + height.max()) / 2
    radius = float((np.abs(height - middle) + margins).max())
    cap = np.sqrt(np.maximum((radius - margins) ** 2 - (height - middle) ** 2, 0.0))
    offsets = (NORMALS @ flat.T - cap).max(axis=-1)  # (turns, 3)
    before, offsets_before = np.roll(NORMALS, 1, axis=1), np.roll(offsets, 1, axis=1)
    # where neighbouring sides meet (Cramer)
    meets = NORMALS[..., 0] * before[..., 1] - NORMALS[..., 1] * before[..., 0]
    x = offsets * before[..., 1] - offsets_before * NORMALS[..., 1]
    y = offsets_before * NORMALS[..., 0] - offsets * before[..., 0]
    corners = np.stack([x, y], axis=-1) / meets[..., None]
    # sides that passed each other leave a triangle that is inside out: a point will do
    centers = corners.mean(axis=1, keepdims=True)
    turned = ((NORMALS * centers).sum(axis=-1) > offsets).any(axis=1)
    corners[turned] = centers[turned]
    sides = corners - np.roll(corners, 1, axis=1)
    area = np.abs(sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]) / 2
    perimeter = np.linalg.norm(sides, axis=-1).sum(axis=1)
    order = np.argsort(2 * area * radius + np.pi / 2 * radius**2 * perimeter, kind="stable")
    return [corners[i] @ axes[:, 1:].T + middle * axes[:, 0] for i in order[:2]]
