"""An ellipsoid about the origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.surfaces.surface import Surface, coordinates, symmetric, tangent_plane, vectors


@dataclass(frozen=True, eq=False)
class Ellipsoid(Surface):
    """An ellipsoid with half axes `rx`, `ry`, `rz` [m] along x, y and z; u: longitude, latitude.

    The chart is singular at its poles, where all but the derivatives by u is still right.
    """

    kind: ClassVar[str] = "ellipsoid"

    rx: float
    ry: float
    rz: float

    def __post_init__(self) -> None:
        self._positive("rx", "ry", "rz")

    @property
    def half_axes(self) -> Array:
        """The half axes (3,) [m]."""
        return np.array([self.rx, self.ry, self.rz])

    @property
    def convex(self) -> bool:
        """It is."""
        return True

    @property
    def reach(self) -> float:
        """The longest half axis [m]."""
        return float(self.half_axes.max())

    def window(self, center: Array, radius: float) -> tuple[Array, Array]:
        """Return the bounds of the whole chart."""
        return np.array([-np.pi, -np.pi / 2]), np.array([np.pi, np.pi / 2])

    def point(self, u: ArrayLike) -> Array:
        """Return the points f(u) (…, 3) [m] at coordinates (…, 2)."""
        return self.half_axes * _direction(u)

    def tangents(self, u: ArrayLike) -> Array:
        """Return ∂f/∂u (…, 3, 2): two tangents in columns."""
        around, up = coordinates(u)
        c, s, cu, su = np.cos(around), np.sin(around), np.cos(up), np.sin(up)
        first, second = vectors(-s * cu, c * cu, 0.0), vectors(-c * su, -s * su, cu)
        return self.half_axes[:, None] * np.stack([first, second], axis=-1)

    def second_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂²f/∂u∂u (…, 3, 2, 2)."""
        around, up = coordinates(u)
        c, s, cu, su = np.cos(around), np.sin(around), np.cos(up), np.sin(up)
        first, mixed = vectors(-c * cu, -s * cu, 0.0), vectors(s * su, -c * su, 0.0)
        return self.half_axes[:, None, None] * symmetric(first, mixed, -_direction(u))

    def normal(self, u: ArrayLike) -> Array:
        """Return the unit normals (…, 3): along S⁻¹ d, where the point is S d."""
        steep = _direction(u) / self.half_axes
        return np.asarray(steep / np.linalg.norm(steep, axis=-1, keepdims=True))

    def normal_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂g/∂u (…, 3, 2)."""
        return self.shape_operator(u) @ self.tangents(u)

    def shape_operator(self, u: ArrayLike) -> Array:
        """Return (1 − g gᵀ) S⁻² (1 − g gᵀ) / ‖S⁻² f‖ (…, 3, 3) [1/m]."""
        n = self.normal(u)
        level = np.eye(3) - n[..., :, None] * n[..., None, :]
        steep = np.linalg.norm(_direction(u) / self.half_axes, axis=-1)[..., None, None]
        return np.asarray(level @ (level / self.half_axes[:, None] ** 2) / steep)

    def moves(self, u: ArrayLike) -> tuple[Array, Array]:
        """Return how point and normal move as the direction d turns, each (…, 3, 2)."""
        tangents = self.half_axes[:, None] * tangent_plane(_direction(u))
        return tangents, self.shape_operator(u) @ tangents

    def moved(self, u: Array, step: Array) -> Array:
        """Return the coordinates (…, 2) after the direction has turned by a step (…, 2)."""
        direction = _direction(u)
        x, y, z = np.moveaxis(
            direction + (tangent_plane(direction) @ step[..., None])[..., 0], -1, 0
        )
        return np.stack([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))], axis=-1)


def _direction(u: ArrayLike) -> Array:
    """Unit vectors d (…, 3) at longitudes and latitudes (…, 2)."""
    around, up = coordinates(u)
    return vectors(np.cos(around) * np.cos(up), np.sin(around) * np.cos(up), np.sin(up))
