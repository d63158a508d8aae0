"""Spheres, ellipsoids, cylinders, discs and tori."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.files import Array
from tarsus.geometry.surfaces.surface import Surface, coordinates, symmetric, tangent_plane, vectors

# An ellipsoid about the origin.


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


# A sphere about the origin.


@dataclass(frozen=True, eq=False)
class Sphere(Ellipsoid):
    """A sphere of a `radius` [m], an ellipsoid with equal half axes; u: longitude, latitude."""

    kind: ClassVar[str] = "sphere"

    rx: float = field(init=False, repr=False)
    ry: float = field(init=False, repr=False)
    rz: float = field(init=False, repr=False)
    radius: float

    def __post_init__(self) -> None:
        self._positive("radius")
        for name in ("rx", "ry", "rz"):
            self._set(name, self.radius)


# A cylinder about z without ends.


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


# The rim of a disc about z, with no thickness: a circle with a whole fan of normals.


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


# A torus about z.


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
