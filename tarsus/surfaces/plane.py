"""The plane z = 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.surfaces.graph import Graph
from tarsus.surfaces.surface import coordinates


@dataclass(frozen=True, eq=False)
class Plane(Graph):
    """The plane z = 0, solid below; u: x and y [m]."""

    kind: ClassVar[str] = "plane"

    @property
    def convex(self) -> bool:
        """It is."""
        return True

    def height(self, u: ArrayLike) -> Array:
        """Return h (…) [m] at x and y (…, 2): zero."""
        return np.zeros_like(coordinates(u)[0])

    def slopes(self, u: ArrayLike) -> Array:
        """Return ∂h/∂x and ∂h/∂y (…, 2): zero."""
        return np.zeros((*coordinates(u)[0].shape, 2))

    def bends(self, u: ArrayLike) -> Array:
        """Return the second derivatives of h by xx, xy and yy (…, 3) [1/m]: zero."""
        return np.zeros((*coordinates(u)[0].shape, 3))
