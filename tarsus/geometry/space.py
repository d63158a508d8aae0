"""Free space: no ground at all, but bodies that rub and bounce where they meet each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry.terrain import HIGH, LOW, Mesh, Terrain


@dataclass(frozen=True, eq=False, kw_only=True)
class Space(Terrain):
    """No surface; friction and restitution are those between bodies."""

    kind: ClassVar[str] = "none"

    @property
    def numbers(self) -> Array:
        """There is no surface (0,)."""
        return np.zeros(0)

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return −inf above each point (x, y): the ground is nowhere."""
        return np.full(np.broadcast_shapes(np.shape(x), np.shape(y)), -np.inf)

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return unit vectors (…, 3) that point up."""
        up = np.array([0.0, 0.0, 1.0])
        return np.broadcast_to(up, (*np.broadcast_shapes(np.shape(x), np.shape(y)), 3))

    def mesh(self, low: ArrayLike = LOW, high: ArrayLike = HIGH) -> Mesh:
        """Return no triangles."""
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
