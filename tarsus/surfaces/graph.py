"""Grounds z = h(x, y): what they have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.surfaces.surface import Surface, coordinates, symmetric, vectors


class Graph(Surface):
    """A ground z = h(x, y), solid below; u: x and y [m]. It says `height`, `slopes` and `bends`."""

    def height(self, u: ArrayLike) -> Array:
        """Return h (…) [m] at x and y (…, 2)."""
        raise NotImplementedError

    def slopes(self, u: ArrayLike) -> Array:
        """Return ∂h/∂x and ∂h/∂y (…, 2)."""
        raise NotImplementedError

    def bends(self, u: ArrayLike) -> Array:
        """Return the second derivatives of h by xx, xy and yy (…, 3) [1/m]."""
        raise NotImplementedError

    @property
    def reach(self) -> float:
        """It has no end."""
        return np.inf

    def window(self, center: Array, radius: float) -> tuple[Array, Array]:
        """Return bounds (2,) of the coordinates u of all that is in a ball about `center` (3,)."""
        return center[:2] - radius, center[:2] + radius

    def point(self, u: ArrayLike) -> Array:
        """Return the points f(u) (…, 3) [m] at coordinates (…, 2)."""
        return vectors(*coordinates(u), self.height(u))

    def tangents(self, u: ArrayLike) -> Array:
        """Return ∂f/∂u (…, 3, 2): two tangents in columns."""
        slopes = self.slopes(u)
        level = np.broadcast_to(np.eye(2), (*slopes.shape[:-1], 2, 2))
        return np.concatenate([level, slopes[..., None, :]], axis=-2)

    def second_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂²f/∂u∂u (…, 3, 2, 2)."""
        up = np.array([0.0, 0.0, 1.0])
        first, mixed, last = np.moveaxis(self.bends(u), -1, 0)
        return symmetric(first[..., None] * up, mixed[..., None] * up, last[..., None] * up)
