"""A ground of heights on a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.geometry.terrain import HIGH, LOW, Mesh, Terrain, corners, grid_mesh, unit_normal
from tarsus.model.checks import number, read_only, reals
from tarsus.model.checks import numbers as checked_numbers
from tarsus.model.description import Array

MOST = 100_000_000
"""More heights than this are a mistake."""


@dataclass(frozen=True, eq=False)
class HeightField(Terrain):
    """Heights (nx, ny) [m] over a grid, bilinear in between and level beyond its ends.

    `heights[i, j]` is at x = x₀ + i dx, y = y₀ + j dy with `origin` (x₀, y₀) and `spacing`
    (dx, dy) or one number for both. Make the spacing smaller than the feet: between two lines of
    the grid a contact knows the slope under its point only.
    """

    kind: ClassVar[str] = "height_field"

    heights: Array
    spacing: float | Array
    origin: Array = field(default_factory=lambda: np.zeros(2))

    def __post_init__(self) -> None:
        super().__post_init__()
        heights = reals(self.heights, "heights")
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise ValueError(f"heights has shape {heights.shape}, must be (nx, ny), both ≥ 2")
        if not np.isfinite(heights).all():
            raise ValueError("heights has entries that are not finite")
        spacing = reals(self.spacing, "spacing")
        if spacing.shape not in ((), (2,)) or not (spacing > 0.0).all():
            raise ValueError(f"spacing is {self.spacing}, must be one or two numbers above zero")
        self._set("heights", read_only(heights))
        self._set("spacing", checked_numbers(np.full(2, spacing), (2,), "spacing"))
        self._set("origin", checked_numbers(self.origin, (2,), "origin"))

    @classmethod
    def from_function(
        cls,
        function: Callable[[Array, Array], ArrayLike],
        low: ArrayLike = LOW,
        high: ArrayLike = HIGH,
        spacing: float = 0.1,
        **contact: Any,
    ) -> Self:
        """Return the field of z = function(x, y), called once with arrays (nx, ny).

        It reaches from `low` to `high` (2,) [m] in equal steps of about `spacing`; `contact`
        takes friction and the other coefficients.
        """
        x0, y0, x1, y1 = corners(low, high)
        if not number(spacing, "spacing") > 0.0:
            raise ValueError(f"spacing is {spacing}, must be above zero")
        sides = (x1 - x0) / spacing, (y1 - y0) / spacing
        if (sides[0] + 1.0) * (sides[1] + 1.0) > MOST:
            raise ValueError(f"spacing is {spacing}, which makes more than {MOST} heights")
        nx, ny = (max(2, round(side) + 1) for side in sides)
        x, y = np.meshgrid(np.linspace(x0, x1, nx), np.linspace(y0, y1, ny), indexing="ij")
        heights = np.broadcast_to(np.asarray(function(x, y), np.float64), x.shape)
        steps = np.array([(x1 - x0) / (nx - 1), (y1 - y0) / (ny - 1)])
        return cls(heights, steps, np.array([x0, y0]), **contact)

    @property
    def numbers(self) -> Array:
        """Origin, spacing, numbers of grid lines, then the heights row by row (6 + nx ny,)."""
        return np.concatenate(
            [self.origin, self._spacing, self.heights.shape, self.heights.ravel()]
        )

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the height z [m] above each point (x, y)."""
        (i, j), (s, t) = self._cell(x, y)
        h = self.heights
        near, far = (h[i, k] * (1 - s) + h[i + 1, k] * s for k in (j, j + 1))
        return np.asarray(near * (1 - t) + far * t)

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the unit normals (…, 3); on a line of the grid, that of the next cell."""
        (i, j), (s, t) = self._cell(x, y)
        h = self.heights
        slope_x = (h[i + 1, j] - h[i, j]) * (1 - t) + (h[i + 1, j + 1] - h[i, j + 1]) * t
        slope_y = (h[i, j + 1] - h[i, j]) * (1 - s) + (h[i + 1, j + 1] - h[i + 1, j]) * s
        inside = self._inside(x, y)
        dx, dy = self._spacing
        return unit_normal(
            np.where(inside[0], slope_x / dx, 0.0), np.where(inside[1], slope_y / dy, 0.0)
        )

    def mesh(self, low: ArrayLike = LOW, high: ArrayLike = HIGH) -> Mesh:
        """Return the triangles of the piece between the corners `low` and `high` (2,) [m]."""
        x0, y0, x1, y1 = corners(low, high)
        lines = []
        for axis, (start, end) in enumerate(((x0, x1), (y0, y1))):
            line = self.origin[axis] + self._spacing[axis] * np.arange(self.heights.shape[axis])
            inner = line[(line > start) & (line < end)]
            lines.append(np.concatenate([[start], inner, [end]]))
        x, y = lines
        return grid_mesh(x, y, self.height(x[:, None], y))

    @property
    def _spacing(self) -> Array:
        return np.asarray(self.spacing)

    def _cell(self, x: ArrayLike, y: ArrayLike) -> tuple[list[NDArray[np.int64]], list[Array]]:
        """The cell over each point, and where in it the point is, from 0 to 1 along x and y."""
        index, share = [], []
        points = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        for axis, value in enumerate(points):
            last = self.heights.shape[axis] - 1
            at = np.clip((value - self.origin[axis]) / self._spacing[axis], 0.0, last)
            index.append(np.minimum(at.astype(np.int64), last - 1))
            share.append(np.asarray(at - index[-1]))
        return index, share

    def _inside(self, x: ArrayLike, y: ArrayLike) -> list[Array]:
        far = self.origin + self._spacing * (np.array(self.heights.shape) - 1)
        return [
            np.asarray((np.asarray(value) >= self.origin[axis]) & (np.asarray(value) <= far[axis]))
            for axis, value in enumerate((x, y))
        ]
