"""A torus about z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.surfaces.disc import tube_normal, tube_normal_derivatives
from tarsus.surfaces.surface import Surface, coordinates, symmetric, vectors


@dataclass(frozen=True, eq=False)
class Torus(Surface):
    """A tube of radius `r` around a circle of radius `R` about z [m]; u: angles about both."""

    kind: ClassVar[str] = "torus"

    R: float
    r: float

    def __post_init__(self) -> None:
        self._positive("R", "r")
        if not self.r < self.R:
            raise ValueError(f"r is {self.r}, must be less than R = {self.R}: the tube has a hole")

    @property
    def convex(self) -> bool:
        """It has a hole."""
        return False

    @property
    def reach(self) -> float:
        """R + r [m]."""
        return self.R + self.r

    def window(self, center: Array, radius: float) -> tuple[Array, Array]:
        """Return the bounds of the whole chart."""
        return np.full(2, -np.pi), np.full(2, np.pi)

    def point(self, u: ArrayLike) -> Array:
        """Return the points f(u) (…, 3) [m] at coordinates (…, 2)."""
        around, up = coordinates(u)
        away = self.R + self.r * np.cos(up)
        return vectors(away * np.cos(around), away * np.sin(around), self.r * np.sin(up))

    def tangents(self, u: ArrayLike) -> Array:
        """Return ∂f/∂u (…, 3, 2): two tangents in columns."""
        around, _ = coordinates(u)
        of_normal = self.r * tube_normal_derivatives(u)
        circle = self.R * vectors(-np.sin(around), np.cos(around), 0.0)
        return np.stack([of_normal[..., 0] + circle, of_normal[..., 1]], axis=-1)

    def second_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂²f/∂u∂u (…, 3, 2, 2)."""
        around, up = coordinates(u)
        c, s, cu, su = np.cos(around), np.sin(around), np.cos(up), np.sin(up)
        away = self.R + self.r * cu
        mixed = vectors(self.r * su * s, -self.r * su * c, 0.0)
        return symmetric(vectors(-away * c, -away * s, 0.0), mixed, -self.r * tube_normal(u))

    def normal(self, u: ArrayLike) -> Array:
        """Return the unit normals (…, 3) out of the tube."""
        return tube_normal(u)

    def normal_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂g/∂u (…, 3, 2)."""
        return tube_normal_derivatives(u)
