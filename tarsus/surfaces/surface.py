"""What all surfaces have in common: a chart f(u) of two numbers, and what follows from it.

A new surface is one file with a frozen dataclass that derives from `Surface` and has `point`,
`tangents`, `second_derivatives`, `convex`, `reach` and `window`; where its chart is singular, it
says the rest in closed form, too. The chart is so that ∂f/∂u₀ × ∂f/∂u₁ points out of the solid.

V. Duindam, "Port-based modeling and control for efficient bipedal walking robots", 2006, section
3.1: the Gauss map g takes a point of a surface to its unit normal, and its differential takes
velocities of the point to those of the normal.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import number
from tarsus.model.description import Record
from tarsus.spatial.checks import shaped


class Surface(Record):
    """A smooth surface u ↦ f(u) of a solid, all in the frame of the body that carries it."""

    kind: ClassVar[str]
    """What the core calls this surface."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """What it is stated by, in the order in which the core reads them."""
        stated = fields(self)  # type: ignore[arg-type]
        return tuple(getattr(self, field.name) for field in stated if field.init)

    @property
    def convex(self) -> bool:
        """Whether the solid behind the surface is convex."""
        raise NotImplementedError

    @property
    def reach(self) -> float:
        """The radius of a ball about the origin that holds the surface, infinite for some [m]."""
        raise NotImplementedError

    def window(self, center: Array, radius: float) -> tuple[Array, Array]:
        """Return bounds (2,) of the coordinates u of all that is in a ball about `center` (3,)."""
        raise NotImplementedError

    def point(self, u: ArrayLike) -> Array:
        """Return the points f(u) (…, 3) [m] at coordinates (…, 2)."""
        raise NotImplementedError

    def tangents(self, u: ArrayLike) -> Array:
        """Return ∂f/∂u (…, 3, 2): two tangents in columns."""
        raise NotImplementedError

    def second_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂²f/∂u∂u (…, 3, 2, 2)."""
        raise NotImplementedError

    def normal(self, u: ArrayLike) -> Array:
        """Return the unit normals (…, 3) out of the solid: the Gauss map g(f(u))."""
        t = self.tangents(u)
        across = np.cross(t[..., 0], t[..., 1])
        return np.asarray(across / np.linalg.norm(across, axis=-1, keepdims=True))

    def normal_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂g/∂u (…, 3, 2), how the normal turns, by Weingarten's equations."""
        t = self.tangents(u)
        bend = -np.einsum("...k,...kij->...ij", self.normal(u), self.second_derivatives(u))
        return np.asarray(t @ np.linalg.solve(np.swapaxes(t, -1, -2) @ t, bend))

    def shape_operator(self, u: ArrayLike) -> Array:
        """Return the Gauss map's differential (…, 3, 3) [1/m]: from points' velocities to normals'.

        It is symmetric, zero along the normal, and positive where the solid is convex.
        """
        t = self.tangents(u)
        across = np.swapaxes(t, -1, -2)
        back = np.linalg.solve(across @ t, across)  # from velocities to rates of u
        return np.asarray(self.normal_derivatives(u) @ back)

    def principal_curvatures(self, u: ArrayLike) -> Array:
        """Return the least and the greatest curvature (…, 2) [1/m], positive where convex."""
        across = tangent_plane(self.normal(u))
        within = np.swapaxes(across, -1, -2) @ self.shape_operator(u) @ across
        return np.asarray(np.linalg.eigvalsh(within), np.float64)

    def moves(self, u: ArrayLike) -> tuple[Array, Array]:
        """Return how point and normal move along two independent directions, each (…, 3, 2).

        These directions are those of `moved`; the chart's own, unless it is singular somewhere.
        """
        return self.tangents(u), self.normal_derivatives(u)

    def moved(self, u: Array, step: Array) -> Array:
        """Return the coordinates (…, 2) after a small step (…, 2) as in `moves`."""
        return np.asarray(u + step)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _positive(self, *names: str) -> None:
        """Check that these numbers of the surface are above zero."""
        for name in names:
            value = number(getattr(self, name), name)
            if not value > 0.0:
                raise ValueError(f"{name} is {value}, must be above zero")
            self._set(name, value)


def coordinates(u: ArrayLike) -> tuple[Array, Array]:
    """Return both coordinates (…) of points on a surface."""
    found = shaped(u, (2,), "u")
    return found[..., 0], found[..., 1]


def vectors(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> Array:
    """Return vectors (…, 3) of three components that broadcast against each other."""
    return np.stack(np.broadcast_arrays(x, y, z), axis=-1).astype(np.float64, copy=False)


def symmetric(first: Array, mixed: Array, last: Array) -> Array:
    """Return second derivatives (…, 3, 2, 2) of those by u₀u₀, u₀u₁ and u₁u₁, each (…, 3)."""
    rows = [np.stack([first, mixed], axis=-1), np.stack([mixed, last], axis=-1)]
    return np.stack(rows, axis=-2)


def tangent_plane(normal: Array) -> Array:
    """Return two unit vectors (…, 3, 2) perpendicular to unit vectors (…, 3) and each other.

    T. Duff et al., "Building an orthonormal basis, revisited", JCGT 6(1), 2017.
    """
    x, y, z = np.moveaxis(normal, -1, 0)
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    first = vectors(1.0 + sign * x * x * a, sign * b, -sign * x)
    second = vectors(b, sign + y * y * a, -y)
    return np.stack([first, second], axis=-1)
