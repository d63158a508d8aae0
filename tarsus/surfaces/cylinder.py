"""A cylinder about z without ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.surfaces.surface import Surface, coordinates, symmetric, vectors


@dataclass(frozen=True, eq=False)
class Cylinder(Surface):
    """A cylinder of a `radius` [m] about z, without ends; u: angle about z, height z [m]."""

    kind: ClassVar[str] = "cylinder"

    radius: float

    def __post_init__(self) -> None:
        self._positive("radius")

    @property
    def convex(self) -> bool:
        """It is."""
        return True

    @property
    def reach(self) -> float:
        """It has no end."""
        return np.inf

    def window(self, center: Array, radius: float) -> tuple[Array, Array]:
        """Return bounds (2,) of the coordinates u of all that is in a ball about `center` (3,)."""
        return np.array([-np.pi, center[2] - radius]), np.array([np.pi, center[2] + radius])

    def point(self, u: ArrayLike) -> Array:
        """Return the points f(u) (…, 3) [m] at coordinates (…, 2)."""
        around, z = coordinates(u)
        return vectors(self.radius * np.cos(around), self.radius * np.sin(around), z)

    def tangents(self, u: ArrayLike) -> Array:
        """Return ∂f/∂u (…, 3, 2): two tangents in columns."""
        around, _ = coordinates(u)
        along = self.radius * vectors(-np.sin(around), np.cos(around), 0.0)
        return np.stack([along, np.broadcast_to([0.0, 0.0, 1.0], along.shape)], axis=-1)

    def second_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂²f/∂u∂u (…, 3, 2, 2)."""
        around, _ = coordinates(u)
        inward = -self.radius * vectors(np.cos(around), np.sin(around), 0.0)
        return symmetric(inward, np.zeros_like(inward), np.zeros_like(inward))
