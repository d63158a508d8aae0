"""The rim of a disc about z, with no thickness: a circle with a whole fan of normals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.surfaces.surface import Surface, coordinates, symmetric, vectors


@dataclass(frozen=True, eq=False)
class Disc(Surface):
    """The rim of a disc of a `radius` [m] about z; u: angle about z, angle of the normal.

    It is a torus whose tube has no radius: u₁ turns the normal from outwards (0) to along z (π/2)
    and the point stays. So it has normals and their derivatives, but no shape operator.
    """

    kind: ClassVar[str] = "disc"

    radius: float

    def __post_init__(self) -> None:
        self._positive("radius")

    @property
    def convex(self) -> bool:
        """A rim is not: it is a tube with a hole."""
        return False

    @property
    def reach(self) -> float:
        """The radius [m]."""
        return self.radius

    def window(self, center: Array, radius: float) -> tuple[Array, Array]:
        """Return the bounds of the whole chart."""
        return np.full(2, -np.pi), np.full(2, np.pi)

    def point(self, u: ArrayLike) -> Array:
        """Return the points f(u) (…, 3) [m] at coordinates (…, 2)."""
        around, _ = coordinates(u)
        return self.radius * vectors(np.cos(around), np.sin(around), 0.0)

    def tangents(self, u: ArrayLike) -> Array:
        """Return ∂f/∂u (…, 3, 2); the second column is zero."""
        around, _ = coordinates(u)
        along = self.radius * vectors(-np.sin(around), np.cos(around), 0.0)
        return np.stack([along, np.zeros_like(along)], axis=-1)

    def second_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂²f/∂u∂u (…, 3, 2, 2)."""
        inward = -self.point(u)
        return symmetric(inward, np.zeros_like(inward), np.zeros_like(inward))

    def normal(self, u: ArrayLike) -> Array:
        """Return the unit normals (…, 3) of the fan."""
        return tube_normal(u)

    def normal_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂g/∂u (…, 3, 2)."""
        return tube_normal_derivatives(u)

    def shape_operator(self, u: ArrayLike) -> Array:
        """Raise ValueError: the normal of a rim turns where its point rests."""
        raise ValueError("a Disc has no shape operator, its rim is sharp: use normal_derivatives")

    def principal_curvatures(self, u: ArrayLike) -> Array:
        """Return the least and the greatest curvature (…, 2) [1/m]; the greatest is infinite."""
        _, up = coordinates(u)
        return np.stack([np.cos(up) / self.radius, np.full(up.shape, np.inf)], axis=-1)


def tube_normal(u: ArrayLike) -> Array:
    """Return the unit normals (…, 3) of a tube around a circle about z."""
    around, up = coordinates(u)
    return vectors(np.cos(around) * np.cos(up), np.sin(around) * np.cos(up), np.sin(up))


def tube_normal_derivatives(u: ArrayLike) -> Array:
    """Return the derivatives (…, 3, 2) of `tube_normal`."""
    around, up = coordinates(u)
    c, s, cu, su = np.cos(around), np.sin(around), np.cos(up), np.sin(up)
    first, second = vectors(-s * cu, c * cu, 0.0), vectors(-c * su, -s * su, cu)
    return np.stack([first, second], axis=-1)
