"""Grounds as height fields, profiles and stairs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import count, number, read_only, reals
from tarsus._lib.checks import numbers as checked_numbers
from tarsus._lib.files import Array
from tarsus.geometry.grounds import HIGH, LOW, Mesh, Terrain, corners, grid_mesh, unit_normal

# A ground of heights on a grid.


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
        (i, j), (s, t) = self._cell(*self._places(x, y))
        h = self.heights
        near, far = (h[i, k] * (1 - s) + h[i + 1, k] * s for k in (j, j + 1))
        return np.asarray(near * (1 - t) + far * t)

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the unit normals (…, 3); on a line of the grid, that of the next cell."""
        x, y = self._places(x, y)
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

    def _cell(self, x: Array, y: Array) -> tuple[list[NDArray[np.int64]], list[Array]]:
        """The cell over each point, and where in it the point is, from 0 to 1 along x and y."""
        index, share = [], []
        for axis, value in enumerate((x, y)):
            last = self.heights.shape[axis] - 1
            at = np.clip((value - self.origin[axis]) / self._spacing[axis], 0.0, last)
            index.append(np.minimum(at.astype(np.int64), last - 1))
            share.append(np.asarray(at - index[-1]))
        return index, share

    def _inside(self, x: Array, y: Array) -> list[Array]:
        far = self.origin + self._spacing * (np.array(self.heights.shape) - 1)
        return [
            np.asarray((value >= self.origin[axis]) & (value <= far[axis]))
            for axis, value in enumerate((x, y))
        ]


# A ground that is the same everywhere along y: a polyline in the plane of x and z.


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
        xs, _ = self._places(x, y)
        return np.maximum(self._height(xs, "left"), self._height(xs, "right"))

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the unit normals (…, 3); at a corner, that of the piece on its right."""
        xs, _ = self._places(x, y)
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


# Stairs along x.


MOST_STEPS = 100_000
"""More steps than this are a mistake."""


@dataclass(frozen=True, eq=False)
class Steps(Profile):
    """Stairs of `count` steps of height `rise` and length `depth` [m], the first at x = `start`.

    The ground is level at z = 0 before them and at the height of the last step behind them. With
    a negative rise they go down.
    """

    points: Array = field(init=False, repr=False)
    rise: float = 0.15
    depth: float = 0.3
    count: int = 5
    start: float = 0.5

    def __post_init__(self) -> None:
        for name in ("rise", "depth", "start"):
            self._set(name, number(getattr(self, name), name))
        if self.rise == 0.0 or not self.depth > 0.0:
            message = "rise must not be zero and depth must be above zero"
            raise ValueError(f"{message}, got {self.rise} and {self.depth}")
        count(self.count, "count", most=MOST_STEPS)
        self._set("count", operator.index(self.count))
        edges = self.start + self.depth * np.arange(self.count)
        levels = self.rise * np.arange(self.count + 1)
        x, z = np.repeat(edges, 2), np.repeat(levels, 2)[1:-1]
        self._set("points", np.column_stack([x, z]))
        super().__post_init__()
