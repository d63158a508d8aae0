"""A ground that is the same everywhere along y: a polyline in the plane of x and z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.geometry.terrain import HIGH, LOW, Mesh, Terrain, corners, grid_mesh, unit_normal
from tarsus.model.checks import read_only, reals
from tarsus.model.description import Array


@dataclass(frozen=True, eq=False)
class Profile(Terrain):
    """A polyline of `points` (k, 2) with x and z [m], k ≥ 2, level beyond its ends.

    x must not decrease; two points with the same x are the ends of a vertical face.
    """

    kind: ClassVar[str] = "profile"

    points: Array

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("points", _checked(self.points))

    @property
    def numbers(self) -> Array:
        """x and z of the points, in turn (2 k,)."""
        return self.points.ravel()

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the height z [m] above each point (x, y): at a vertical face, that of its top."""
        xs, _ = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        return np.maximum(self._height(xs, "left"), self._height(xs, "right"))

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the unit normals (…, 3); at a corner, that of the piece on its right."""
        xs, _ = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        return unit_normal(self._piece(xs, "right")[1], np.zeros(xs.shape))

    def mesh(self, low: ArrayLike = LOW, high: ArrayLike = HIGH) -> Mesh:
        """Return the triangles of the piece between the corners `low` and `high` (2,) [m]."""
        x0, y0, x1, y1 = corners(low, high)
        inner = self.points[(self.points[:, 0] > x0) & (self.points[:, 0] < x1)]
        ends = [
            [end, float(self._height(np.array(end), side))]
            for end, side in ((x0, "right"), (x1, "left"))
        ]
        x, z = np.concatenate([ends[:1], inner, ends[1:]]).T
        return grid_mesh(x, np.array([y0, y1]), np.repeat(z[:, None], 2, axis=1))

    def _height(self, x: Array, side: str) -> Array:
        """The limit of the height from the left or from the right."""
        start, slope = self._piece(x, side)
        near = np.clip(x, self.points[0, 0], self.points[-1, 0])
        return np.asarray(self.points[start, 1] + slope * (near - self.points[start, 0]))

    def _piece(self, x: Array, side: str) -> tuple[NDArray[np.int64], Array]:
        """The number of the point at which the piece over x begins, and the slope of the piece."""
        px, pz = self.points.T
        after = np.searchsorted(px, x, side="right" if side == "right" else "left")
        start = np.clip(after - 1, 0, len(px) - 1)
        end = np.clip(after, 0, len(px) - 1)
        run = px[end] - px[start]
        level = run == 0.0  # beyond the ends
        return start, np.where(level, 0.0, (pz[end] - pz[start]) / np.where(level, 1.0, run))


def _checked(value: ArrayLike) -> Array:
    points = reals(value, "points")
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
        raise ValueError(f"points has shape {points.shape}, must be (k, 2) with k ≥ 2")
    if not np.isfinite(points).all():
        raise ValueError("points has entries that are not finite")
    step = np.diff(points, axis=0)
    if (step[:, 0] < 0.0).any():
        raise ValueError(
            f"points must not go back along x, but number {np.argmin(step[:, 0]) + 1} does"
        )
    if not step.any(axis=1).all():
        raise ValueError("points has the same point twice in a row")
    upright = step[:, 0] == 0.0
    if (upright[1:] & upright[:-1]).any():
        raise ValueError("points has more than two points with the same x in a row")
    return read_only(points)
