"""Grounds: the base class, planes, smooth grounds, and space without a ground."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import number, read_only, reals
from tarsus._lib.files import Array
from tarsus.geometry.surfaces.graphs import Graph, Paraboloid, Plane, Sinusoid
from tarsus.model.description import Record

# What all grounds have in common: how they rub and bounce, and the list of their functions.
#
# A new ground is one file with a frozen dataclass that derives from `Terrain` and has `kind`,
# `numbers`, `height`, `normal` and `mesh`. The solid is below the surface.


Mesh = tuple[Array, NDArray[np.int64]]
"""Vertices (N, 3) [m], and triangles (M, 3) whose corners go around the upward normal."""

LOW, HIGH = (-5.0, -5.0), (5.0, 5.0)
"""The corners of the piece that `mesh` returns, if nothing else is asked for [m]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Terrain(Record):
    """How a ground rubs and bounces: each a number, or an array (B,) with one for each state.

    `friction` is Coulomb's coefficient μ, `viscous` adds to the bound of the friction force
    [N s/m] (Ayit 2015, eq. 4.22), `restitution` is the share of the approach speed that is left
    after an impact, and contacts that approach more slowly than `rest_speed` [m/s] do not bounce.
    `torsion` and `rolling` [m] bound the moments that resist spinning and rolling, as multiples of
    the load; they are numbers, the same for all states.
    """

    kind: ClassVar[str]
    """What the core calls this ground."""

    friction: float | Array = 0.7
    restitution: float | Array = 0.0
    viscous: float | Array = 0.0
    rest_speed: float | Array = 0.05
    torsion: float = 0.0
    rolling: float = 0.0

    def __post_init__(self) -> None:
        for name in ("friction", "restitution", "viscous", "rest_speed"):
            self._set(name, _coefficient(getattr(self, name), name))
        for name in ("torsion", "rolling"):
            value = _coefficient(getattr(self, name), name)
            if not isinstance(value, float):
                raise ValueError(f"{name} is {value}, must be one number for all states")
            self._set(name, value)
        if np.max(self.restitution) > 1.0:
            raise ValueError(f"restitution is {self.restitution}, must be from 0 to 1")
        self._contact_columns()

    @cached_property
    def parameters(self) -> Array:
        """Friction, viscous friction, restitution and rest speed (B, 4), B = 1 without arrays."""
        return read_only(np.stack(self._contact_columns(), axis=-1))

    @property
    def numbers(self) -> Array:
        """The surface as the core reads it (K,)."""
        raise NotImplementedError

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the height z [m] above each point (x, y)."""
        raise NotImplementedError

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the unit normals (…, 3) of the surface above each point (x, y)."""
        raise NotImplementedError

    def mesh(self, low: ArrayLike = LOW, high: ArrayLike = HIGH) -> Mesh:
        """Return the triangles of the piece between the corners `low` and `high` (2,) [m]."""
        raise NotImplementedError

    @staticmethod
    def _places(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """x and y of points as arrays of one shape: nothing is looked up where no place is."""
        found = reals(x, "x"), reals(y, "y")
        for name, values in zip("xy", found, strict=True):
            if not np.isfinite(values).all():
                raise ValueError(f"{name} has entries that are not finite")
        if found[0].shape == found[1].shape:
            return found
        first, second = np.broadcast_arrays(*found)
        return first, second

    def _contact_columns(self) -> tuple[Array, ...]:
        """The contact parameters as arrays of one length; an error if they have several."""
        parts = (self.friction, self.viscous, self.restitution, self.rest_speed)
        try:
            return np.broadcast_arrays(*(np.atleast_1d(part) for part in parts))
        except ValueError:
            sizes = ", ".join(str(np.size(part)) for part in parts)
            raise ValueError(
                "friction, viscous, restitution and rest_speed must be numbers or arrays of one "
                f"length, got the lengths {sizes}"
            ) from None

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def corners(low: ArrayLike, high: ArrayLike) -> tuple[float, float, float, float]:
    """Return x and y of both corners of a piece of ground, checked."""
    first, second = reals(low, "low"), reals(high, "high")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError(f"low and high must be finite, got {low!r} and {high!r}")
    if first.shape != (2,) or second.shape != (2,) or not (first < second).all():
        raise ValueError(f"low and high must be (x, y) with low < high, got {low!r} and {high!r}")
    return float(first[0]), float(first[1]), float(second[0]), float(second[1])


def grid_mesh(x: Array, y: Array, z: Array) -> Mesh:
    """Return the triangles over a grid x (n,), y (m,) with heights z (n, m).

    `x` may have equal neighbours: the quadrilateral between them stands upright.
    """
    xx, yy = np.meshgrid(x, y, indexing="ij")
    vertices = np.column_stack([xx.ravel(), yy.ravel(), z.ravel()])
    here = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
    across, along = here + len(y), here + 1
    first = np.column_stack([here, across, along])
    second = np.column_stack([across, across + 1, along])
    return vertices, np.concatenate([first, second])


def unit_normal(slope_x: Array, slope_y: Array) -> Array:
    """Return the unit normals (…, 3) of a surface with the slopes ∂z/∂x and ∂z/∂y."""
    normal = np.stack(np.broadcast_arrays(0.0 - slope_x, 0.0 - slope_y, 1.0), axis=-1)
    return np.asarray(normal / np.linalg.norm(normal, axis=-1, keepdims=True))


def _coefficient(value: Any, name: str) -> float | Array:
    try:
        found = reals(value, name)
    except TypeError:
        raise ValueError(f"{name} is {value!r}, must be a number or an array (B,)") from None
    if found.ndim > 1 or not found.size:
        raise ValueError(f"{name} has shape {found.shape}, must be a number or an array (B,)")
    if not np.isfinite(found).all() or (found < 0.0).any():
        raise ValueError(f"{name} is {value}, must be finite and not negative")
    return float(found) if found.ndim == 0 else read_only(found)


# A plane, level or sloping.


@dataclass(frozen=True, eq=False, kw_only=True)
class Ground(Terrain):
    """A plane that falls by the angle `slope` [rad] along +x, `level` [m] high at x = 0."""

    kind: ClassVar[str] = "plane"

    slope: float = 0.0
    level: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("slope", number(self.slope, "slope"))
        self._set("level", number(self.level, "level"))
        if not abs(self.slope) < math.pi / 2:
            raise ValueError(f"slope is {self.slope} rad, must be between -π/2 and π/2")

    @property
    def numbers(self) -> Array:
        """Normal and offset (4,): points of the plane have n · x = offset."""
        up = math.cos(self.slope)
        return np.array([math.sin(self.slope), 0.0, up, self.level * up])

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the height z [m] above each point (x, y)."""
        xs, _ = self._places(x, y)
        return np.asarray(self.level - math.tan(self.slope) * xs)

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the unit normals (…, 3), the same everywhere."""
        xs, _ = self._places(x, y)
        return np.broadcast_to(self.numbers[:3], (*xs.shape, 3))

    def mesh(self, low: ArrayLike = LOW, high: ArrayLike = HIGH) -> Mesh:
        """Return the two triangles of the piece between the corners `low` and `high` (2,) [m]."""
        x0, y0, x1, y1 = corners(low, high)
        x, y = np.array([x0, x1]), np.array([y0, y1])
        return grid_mesh(x, y, self.height(x[:, None], y))


# Free space: no ground at all, but bodies that rub and bounce where they meet each other.


@dataclass(frozen=True, eq=False, kw_only=True)
class Space(Terrain):
    """No surface; friction and restitution are those between bodies."""

    kind: ClassVar[str] = "none"

    @property
    def numbers(self) -> Array:
        """There is no surface (0,)."""
        return np.zeros(0)

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return −inf above each point (x, y): the ground is nowhere."""
        return np.full(np.broadcast_shapes(np.shape(x), np.shape(y)), -np.inf)

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return unit vectors (…, 3) that point up."""
        up = np.array([0.0, 0.0, 1.0])
        return np.broadcast_to(up, (*np.broadcast_shapes(np.shape(x), np.shape(y)), 3))

    def mesh(self, low: ArrayLike = LOW, high: ArrayLike = HIGH) -> Mesh:
        """Return no triangles."""
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)


# A smooth ground: a surface z = h(x, y).


KINDS: tuple[type[Graph], ...] = (Plane, Paraboloid, Sinusoid)
"""Surfaces that the core knows as grounds."""
NUMBER = {Plane: 0, Paraboloid: 5, Sinusoid: 6}
"""Their places among the core's kinds of surfaces."""
PIECES = 200
"""A mesh has so many pieces along each side."""


@dataclass(frozen=True, eq=False)
class SmoothGround(Terrain):
    """The ground of a `surface` z = h(x, y): a `Paraboloid`, a `Sinusoid` or a `Plane`.

    Balls, ellipsoids and rims touch it where they are nearest to it, in up to two places each, so
    that what is wider than a trough stands on both of its flanks. A place that was not found is
    told as a step that was not solved.
    """

    kind: ClassVar[str] = "smooth"

    surface: Graph

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.surface, KINDS):
            raise TypeError(
                f"surface is of type {type(self.surface).__name__}, must be a Plane, a Paraboloid "
                "or a Sinusoid of tarsus.surfaces; HeightField.from_function takes any formula"
            )

    @property
    def numbers(self) -> Array:
        """The number of its kind in the core, and those of the surface (1 + k,)."""
        return np.array([NUMBER[type(self.surface)], *self.surface.numbers])

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the height z [m] above each point (x, y)."""
        return self.surface.height(np.stack(self._places(x, y), axis=-1))

    def normal(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the unit normals (…, 3) of the surface above each point (x, y)."""
        return self.surface.normal(np.stack(self._places(x, y), axis=-1))

    def mesh(self, low: ArrayLike = LOW, high: ArrayLike = HIGH) -> Mesh:
        """Return the triangles of the piece between the corners `low` and `high` (2,) [m]."""
        x0, y0, x1, y1 = corners(low, high)
        x, y = np.linspace(x0, x1, PIECES + 1), np.linspace(y0, y1, PIECES + 1)
        return grid_mesh(x, y, self.height(x[:, None], y))
