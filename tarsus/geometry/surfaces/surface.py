"""Base class of parametric surfaces for rolling contact, with a check of their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import flag, number, numbers
from tarsus._lib.differences import derivative
from tarsus._lib.files import Array
from tarsus.model.description import Record
from tarsus.spatial import shaped

# What all surfaces have in common: a chart f(u) of two numbers, and what follows from it.
#
# A new surface is one file with a frozen dataclass that derives from `Surface` and has `point`,
# `tangents`, `second_derivatives`, `convex`, `reach` and `window`; where its chart is singular, it
# says the rest in closed form, too. The chart is so that ∂f/∂u₀ × ∂f/∂u₁ points out of the solid.
#
# V. Duindam, "Port-based modeling and control for efficient bipedal walking robots", 2006, section
# 3.1: the Gauss map g takes a point of a surface to its unit normal, and its differential takes
# velocities of the point to those of the normal.


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


# Whether stated derivatives of a surface are those of its function.


PLACES = 24
"""Derivatives are compared at so many places of the chart."""
STEP = 2e-4
"""Differences reach three times that share of the chart to both sides."""
TOLERANCE = 1e-6
"""A derivative may be off by this much of the largest one of its function."""

AXES = "xyz"


def check_derivatives(
    function: Callable[[Array], Any],
    first: Callable[[Array], Any],
    second: Callable[[Array], Any],
    low: Array,
    high: Array,
) -> None:
    """Raise ValueError if a function is not finite, has a wrong shape or a wrong derivative.

    They are compared with central differences of sixth order at places all over the chart, and
    the error names the entry that is wrong most, where, and by how much.
    """
    rng = np.random.default_rng(0)
    u = rng.uniform(low + 4 * STEP * (high - low), high - 4 * STEP * (high - low), (PLACES, 2))
    called("function", function, u, (3,))
    tangents = called("first", first, u, (3, 2))
    bends = called("second", second, u, (3, 2, 2))
    _compare("first", tangents, _differences("function", function, u, high - low), u)
    _compare("second", bends, _differences("first", first, u, high - low), u)
    flat = np.linalg.norm(np.cross(tangents[..., 0], tangents[..., 1]), axis=-1)
    if not (flat > 1e-12 * np.linalg.norm(tangents, axis=(-2, -1)) ** 2).all():
        where = u[np.argmin(flat)].tolist()
        raise ValueError(f"the chart is singular at u = {where}: its tangents are parallel")


def _differences(name: str, function: Callable[[Array], Any], u: Array, span: Array) -> Array:
    """Derivatives (n, …, 2) by both coordinates."""
    shape = (3,) if name == "function" else (3, 2)

    def along(axis: Array) -> Array:
        return derivative(
            lambda step: called(name, function, u + step * axis, shape), STEP * (span @ axis)
        )

    return np.stack([along(axis) for axis in np.eye(2)], axis=-1)


def called(name: str, function: Callable[[Array], Any], u: Array, shape: tuple[int, ...]) -> Array:
    """Return what a function of u (n, 2) returns, if it is finite and of the shape (n, *shape)."""
    found = np.asarray(function(u), np.float64)
    if found.shape != (len(u), *shape):
        raise ValueError(
            f"{name} returned shape {found.shape} for u {u.shape}, must be {(len(u), *shape)}"
        )
    wrong = ~np.isfinite(found)
    if wrong.any():
        place, *entry = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"{name}{entry} is {found[(place, *entry)]} at u = {u[place].tolist()}, must be finite"
        )
    return found


def _compare(name: str, stated: Array, expected: Array, u: Array) -> None:
    off = np.abs(stated - expected)
    if (off <= TOLERANCE * max(float(np.abs(expected).max()), 1e-12)).all():
        return
    place, axis, *by = (int(k) for k in np.unravel_index(np.argmax(off), off.shape))
    entry = (place, axis, *by)
    power = "²" if len(by) == 2 else ""
    what = f"{name}{[axis, *by]}, ∂{power}{AXES[axis]}/{''.join(f'∂u{k}' for k in by)}"
    raise ValueError(
        f"{what}, is {stated[entry]:.9g} at u = {u[place].tolist()}, "
        f"but differences say {expected[entry]:.9g}: it is off by {off[entry]:.3g}"
    )


# Any surface that has a formula.


Formula = Callable[[Array], ArrayLike]
"""From coordinates (n, 2) to n values."""


@dataclass(frozen=True, eq=False)
class Parametric(Surface):
    """A surface by three functions of coordinates u (n, 2), each called with many at once.

    `function` returns points (n, 3) [m], `first` their derivatives ∂f/∂u (n, 3, 2), `second`
    ∂²f/∂u∂u (n, 3, 2, 2). The chart is used from `low` to `high` (2,), where ∂f/∂u₀ × ∂f/∂u₁ points
    out of the solid and is nowhere zero. All three are checked there when the surface is made; a
    derivative that differences do not confirm is an error that says which entry. `solid_is_convex`
    lets searches rely on that.
    """

    kind: ClassVar[str] = "parametric"

    function: Formula
    first: Formula
    second: Formula
    low: Array = field(kw_only=True)
    high: Array = field(kw_only=True)
    solid_is_convex: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("function", "first", "second"):
            if not callable(getattr(self, name)):
                raise TypeError(
                    f"{name} is {getattr(self, name)!r}, must be a function of u (n, 2)"
                )
        for name in ("low", "high"):
            self._set(name, numbers(getattr(self, name), (2,), name))
        if not (self.low < self.high).all():
            raise ValueError(f"low must be below high, got {self.low} and {self.high}")
        flag(self.solid_is_convex, "solid_is_convex")
        check_derivatives(self.function, self.first, self.second, self.low, self.high)

    @property
    def numbers(self) -> tuple[float, ...]:
        """None: the core does not call functions of Python."""
        return ()

    @property
    def convex(self) -> bool:
        """What was stated."""
        return self.solid_is_convex

    @property
    def reach(self) -> float:
        """The radius of a ball about the origin that holds 1024 points of it, and 5 % more [m]."""
        sides = [np.linspace(low, high, 32) for low, high in zip(self.low, self.high, strict=True)]
        grid = np.stack(np.meshgrid(*sides), axis=-1)
        return 1.05 * float(np.linalg.norm(self.point(grid), axis=-1).max())

    def window(self, center: Array, radius: float) -> tuple[Array, Array]:
        """Return the bounds of the whole chart."""
        return self.low, self.high

    def point(self, u: ArrayLike) -> Array:
        """Return the points f(u) (…, 3) [m] at coordinates (…, 2)."""
        return self._called("function", u, (3,))

    def tangents(self, u: ArrayLike) -> Array:
        """Return ∂f/∂u (…, 3, 2): two tangents in columns."""
        return self._called("first", u, (3, 2))

    def second_derivatives(self, u: ArrayLike) -> Array:
        """Return ∂²f/∂u∂u (…, 3, 2, 2)."""
        return self._called("second", u, (3, 2, 2))

    def moved(self, u: Array, step: Array) -> Array:
        """Return the coordinates (…, 2) after a small step (…, 2), never beyond the chart."""
        return np.clip(u + step, self.low, self.high)

    def _called(self, name: str, u: ArrayLike, shape: tuple[int, ...]) -> Array:
        where = shaped(u, (2,), "u")
        found = called(name, getattr(self, name), where.reshape(-1, 2), shape)
        return found.reshape(*where.shape[:-1], *shape)
