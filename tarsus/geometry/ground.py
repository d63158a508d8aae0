"""A plane, level or sloping."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry.terrain import HIGH, LOW, Mesh, Terrain, corners, grid_mesh
from tarsus.model.checks import number


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground(Terrain):
    """A plane that falls by the angle `slope` [rad] along +x, `level` [m] high at x = 0."""

    kind: ClassVar[str] = "plane"

    slope: float = 0.0
    level: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("slope", number(self.slope, "slope"))
        self._set("level", number(self.level, "level"))
        if not abs(self.slope) < math.pi / 2:
            raise ValueError(f"slope is {self.slope} rad, must be between -π/2 and π/2")

    @property
    def numbers(self) -> Array:
        """Normal and offset (4,): points of the plane have n · x = offset."""
        up = math.cos(self.slope)
        return np.array([math.sin(self.slope), 0.0, up, self.level * up])

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the height z [m] above each point (x, y)."""
        xs, _ = self._places(x, y)
        return np.asarray(self.level - math.tan(self.slope) * xs)

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the unit normals (…, 3), the same everywhere."""
        xs, _ = self._places(x, y)
        return np.broadcast_to(self.numbers[:3], (*xs.shape, 3))

    def mesh(self, low: ArrayLike = LOW, high: ArrayLike = HIGH) -> Mesh:
        """Return the two triangles of the piece between the corners `low` and `high` (2,) [m]."""
        x0, y0, x1, y1 = corners(low, high)
        x, y = np.array([x0, x1]), np.array([y0, y1])
        return grid_mesh(x, y, self.height(x[:, None], y))
