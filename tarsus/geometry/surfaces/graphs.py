"""Surfaces z = h(x, y): planes, paraboloids and sinusoids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import number
from tarsus._lib.files import Array
from tarsus.geometry.surfaces.surface import Surface, coordinates, symmetric, vectors

# Grounds z = h(x, y): what they have in common.


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


# The plane z = 0.


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


# A bowl, a hill or a saddle.


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


# Waves along y.


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
