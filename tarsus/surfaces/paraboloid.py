"""A bowl, a hill or a saddle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import number
from tarsus.surfaces.graph import Graph
from tarsus.surfaces.surface import coordinates, vectors


@dataclass(frozen=True, eq=False)
class Paraboloid(Graph):
    """The ground z = a x² + b y², solid below, a and b in 1/m; u: x and y [m]."""

    kind: ClassVar[str] = "paraboloid"

    a: float
    b: float

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            self._set(name, number(getattr(self, name), name))

    @property
    def convex(self) -> bool:
        """Whether it bends down only."""
        return self.a <= 0.0 and self.b <= 0.0

    def height(self, u: ArrayLike) -> Array:
        """Return h (…) [m] at x and y (…, 2)."""
        x, y = coordinates(u)
        return np.asarray(self.a * x**2 + self.b * y**2)

    def slopes(self, u: ArrayLike) -> Array:
        """Return ∂h/∂x and ∂h/∂y (…, 2)."""
        x, y = coordinates(u)
        return np.stack([2.0 * self.a * x, 2.0 * self.b * y], axis=-1)

    def bends(self, u: ArrayLike) -> Array:
        """Return the second derivatives of h by xx, xy and yy (…, 3) [1/m]."""
        x, _ = coordinates(u)
        return vectors(np.full_like(x, 2.0 * self.a), 0.0, 2.0 * self.b)
