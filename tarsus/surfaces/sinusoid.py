"""Waves along y."""

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
class Sinusoid(Graph):
    """The ground z = A sin(2π f y), solid below, f in 1/m (Duindam 2006, example 3.5); u: x, y [m].

    `amplitude` is A [m] and `frequency` f, both above zero.
    """

    kind: ClassVar[str] = "sinusoid"

    amplitude: float
    frequency: float

    def __post_init__(self) -> None:
        self._positive("amplitude", "frequency")
        number(self.amplitude * self.frequency**2, "amplitude · frequency²")

    @property
    def convex(self) -> bool:
        """It is not."""
        return False

    def height(self, u: ArrayLike) -> Array:
        """Return h (…) [m] at x and y (…, 2)."""
        return np.asarray(self.amplitude * np.sin(self._phase(u)))

    def slopes(self, u: ArrayLike) -> Array:
        """Return ∂h/∂x and ∂h/∂y (…, 2)."""
        slope = self.amplitude * self._wave * np.cos(self._phase(u))
        return np.stack([np.zeros_like(slope), slope], axis=-1)

    def bends(self, u: ArrayLike) -> Array:
        """Return the second derivatives of h by xx, xy and yy (…, 3) [1/m]."""
        return vectors(0.0, 0.0, -self.amplitude * self._wave**2 * np.sin(self._phase(u)))

    @property
    def _wave(self) -> float:
        return 2.0 * np.pi * self.frequency

    def _phase(self, u: ArrayLike) -> Array:
        return np.asarray(self._wave * coordinates(u)[1])
