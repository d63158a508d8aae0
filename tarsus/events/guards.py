"""Guards: functions whose zero ends a phase; namespace `ts.guards`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import number, numbers
from tarsus._lib.differences import Derivative, differences
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.model.views import JointView
from tarsus.parts.part import Where, place_of
from tarsus.spatial import skew

# Guards: functions of the state whose zeros are events.
#
# A guard is a sum of terms that the core computes, with its rate; `Function` is any function of
# (t, q, v), one state at a time. Guards add up, and are multiplied by numbers:
#
#     2.0 * JointPosition("hip") + JointPosition("leg") - 0.1


StateFunction: TypeAlias = Callable[[float, Array, Array], float]

POSITION, VELOCITY, HEIGHT, DISTANCE, FUNCTION = range(5)
"""Kinds of terms, as the core counts them."""


class Functions:
    """Functions of users and their derivatives, by their numbers."""

    def __init__(self) -> None:
        self.listed: list[Callable[..., object]] = []
        self.derivatives: list[Derivative] = []

    def add(self, function: Callable[..., object], derivative: Derivative) -> int:
        """Return the number of a function."""
        self.listed.append(function)
        self.derivatives.append(derivative)
        return len(self.listed) - 1


class Guard:
    """A function of the state, a sum of terms and a constant."""

    def terms(self, model: Model, functions: Functions) -> tuple[float, list[list[float]]]:
        """Return the constant, and the terms (n, 15) as the core reads them."""
        raise NotImplementedError

    def __add__(self, other: Guard | float) -> Guard:
        return Sum(((1.0, self), (1.0, _guard(other))))

    def __sub__(self, other: Guard | float) -> Guard:
        return Sum(((1.0, self), (-1.0, _guard(other))))

    def __mul__(self, by: float) -> Guard:
        return Sum(((number(by, "factor"), self),))

    def __neg__(self) -> Guard:
        return Sum(((-1.0, self),))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: float) -> Guard:
        return -self + other


@dataclass(frozen=True)
class Constant(Guard):
    """A number."""

    value: float

    def terms(self, model: Model, functions: Functions) -> tuple[float, list[list[float]]]:
        """Return the number alone."""
        return self.value, []


def _guard(given: Guard | float) -> Guard:
    return given if isinstance(given, Guard) else Constant(number(given, "guard"))


@dataclass(frozen=True)
class Sum(Guard):
    """Guards times numbers: `parts` are (factor, guard)."""

    parts: tuple[tuple[float, Guard], ...]

    def terms(self, model: Model, functions: Functions) -> tuple[float, list[list[float]]]:
        """Return all terms, multiplied."""
        constant, rows = 0.0, []
        for factor, guard in self.parts:
            own, terms = guard.terms(model, functions)
            constant += factor * own
            rows += [[kind, factor * by, *rest] for kind, by, *rest in terms]
        return constant, rows


@dataclass(frozen=True)
class JointPosition(Guard):
    """The coordinate of a joint that has one, from `value` [rad or m]: zero where it is there."""

    joint: str
    value: float = 0.0

    def terms(self, model: Model, functions: Functions) -> tuple[float, list[list[float]]]:
        """Return one term."""
        at = _one(model, self.joint)
        return -number(self.value, "value"), [
            _row(POSITION, index=at.position_slice.start, other=at.velocity_slice.start)
        ]


@dataclass(frozen=True)
class JointVelocity(Guard):
    """The velocity of a joint with one coordinate of its own, from `value` [rad/s or m/s]."""

    joint: str
    value: float = 0.0

    def terms(self, model: Model, functions: Functions) -> tuple[float, list[list[float]]]:
        """Return one term."""
        at = _one(model, self.joint)
        if at.v_slice.stop - at.v_slice.start != 1:
            raise ValueError(
                f"joint {self.joint!r} has no velocity of its own: it follows others; name one "
                "that does not"
            )
        return -number(self.value, "value"), [_row(VELOCITY, index=at.v_slice.start)]


@dataclass(frozen=True)
class Height(Guard):
    """How far a point is from a plane: along `normal`, which is made a unit vector, from `over`.

    `where` is a frame, or a point in it: ("foot", (0, 0, −0.05)); `over` a point of the plane.
    """

    where: Where
    over: ArrayLike = (0.0, 0.0, 0.0)
    normal: ArrayLike = (0.0, 0.0, 1.0)

    def terms(self, model: Model, functions: Functions) -> tuple[float, list[list[float]]]:
        """Return one term."""
        normal = np.array(numbers(self.normal, (3,), "normal"))
        size = float(np.linalg.norm(normal))
        if size == 0.0:
            raise ValueError("normal is zero, must be a direction")
        normal = normal / size
        place = place_of(model, self.where, "where")
        return -float(normal @ numbers(self.over, (3,), "over")), [
            _row(HEIGHT, a=(place.body, place.placement[:3, 3]), way=normal)
        ]


@dataclass(frozen=True)
class Distance(Guard):
    """The distance of two points from `length` [m]; it must not be zero itself."""

    a: Where
    b: Where
    length: float = 0.0

    def terms(self, model: Model, functions: Functions) -> tuple[float, list[list[float]]]:
        """Return one term."""
        a, b = place_of(model, self.a, "a"), place_of(model, self.b, "b")
        return -number(self.length, "length"), [
            _row(
                DISTANCE,
                a=(a.body, a.placement[:3, 3]),
                b=(b.body, b.placement[:3, 3]),
            )
        ]


@dataclass(frozen=True)
class Function(Guard):
    """Any function (t, q, v) → number; states are asked one at a time, which is slow."""

    function: StateFunction = field(repr=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function is {self.function!r}, must be a function of (t, q, v)")

    def terms(self, model: Model, functions: Functions) -> tuple[float, list[list[float]]]:
        """Return one term."""

        def value(t: float, q: Array, v: Array) -> Array:
            return np.array([self.function(t, q, v)], float)

        number = functions.add(self.function, differences(value, model))
        return 0.0, [_row(FUNCTION, index=number)]


def _one(model: Model, name: str) -> JointView:
    joint = model.joint(name)
    if (joint.nq, joint.nv) != (1, 1):
        raise ValueError(f"joint {name!r} is {joint.kind}, must have one coordinate")
    return joint


def _row(
    kind: int,
    *,
    index: int = 0,
    other: int = 0,
    a: tuple[int, ArrayLike] = (-1, (0.0, 0.0, 0.0)),
    b: tuple[int, ArrayLike] = (-1, (0.0, 0.0, 0.0)),
    way: ArrayLike = (0.0, 0.0, 1.0),
) -> list[float]:
    of_a, of_b = np.asarray(a[1], float), np.asarray(b[1], float)
    row = [kind, 1.0, index, other, a[0], *of_a, b[0], *of_b, *np.asarray(way, float)]
    return [float(x) for x in row]


# Guards in NumPy: their values at states, one or many, and how they change.
#
# The core does the same within flows; this serves those who state events as equations.


class GuardValues:
    """A guard of a model whose positions simply add up: values and derivatives at q, v (…, n)."""

    def __init__(self, model: Model, guard: Guard) -> None:
        functions = Functions()
        self.model = model
        self.constant, self._terms = guard.terms(model, functions)
        self._functions = functions

    def values(self, q: Array, v: Array) -> Array:
        """Return the guard (…)."""
        total = np.full(q.shape[:-1], self.constant)
        for row in self._terms:
            total = total + row[1] * self._value(row, q, v)
        return total

    def slopes(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return its derivatives (…, nv) by q and by v."""
        by_q, by_v = np.zeros(v.shape), np.zeros(v.shape)
        for row in self._terms:
            kind = int(row[0])
            if kind == POSITION:
                by_q[..., int(row[2])] += row[1]
            elif kind == VELOCITY:
                by_v[..., int(row[2])] += row[1]
            elif kind in (HEIGHT, DISTANCE):
                by_q += row[1] * self._way(row, q)
            else:
                of_q, of_v = self._differences(row, q, v)
                by_q, by_v = by_q + row[1] * of_q, by_v + row[1] * of_v
        return by_q, by_v

    def rates(self, q: Array, v: Array) -> Array:
        """Return how fast it changes (…) while q moves with v; accelerations do not count."""
        return np.asarray((self.slopes(q, v)[0] * v).sum(axis=-1))

    def _value(self, row: list[float], q: Array, v: Array) -> Array:
        kind, index = int(row[0]), int(row[2])
        if kind == POSITION:
            return np.asarray(q[..., index])
        if kind == VELOCITY:
            return np.asarray(v[..., index])
        if kind == HEIGHT:
            return np.asarray(self._point(row, 4, q) @ np.array(row[12:15]))
        if kind == DISTANCE:
            apart = self._point(row, 4, q) - self._point(row, 8, q)
            return np.asarray(np.linalg.norm(apart, axis=-1))
        return self._asked(index, q, v)

    def _way(self, row: list[float], q: Array) -> Array:
        """Return how a height or a distance changes with q (…, nv)."""
        if int(row[0]) == HEIGHT:
            return np.asarray(np.array(row[12:15]) @ self._point_rows(row, 4, q))
        apart = self._point(row, 4, q) - self._point(row, 8, q)
        way = apart / np.linalg.norm(apart, axis=-1, keepdims=True)
        rows = self._point_rows(row, 4, q) - self._point_rows(row, 8, q)
        return np.asarray((way[..., None, :] @ rows)[..., 0, :])

    def _point(self, row: list[float], at: int, q: Array) -> Array:
        body, point = int(row[at]), np.array(row[at + 1 : at + 4])
        if body < 0:
            return point
        pose = np.asarray(self.model.forward_kinematics(q))[..., body, :, :]
        return np.asarray(pose[..., :3, :3] @ point + pose[..., :3, 3])

    def _point_rows(self, row: list[float], at: int, q: Array) -> Array:
        """Return the Jacobian (…, 3, nv) of a point."""
        body, point = int(row[at]), np.array(row[at + 1 : at + 4])
        if body < 0:
            return np.zeros((*q.shape[:-1], 3, self.model.nv))
        name = self.model.body_names[body]
        rows = np.asarray(self.model.frame_jacobian(q, name, "local_world_aligned"))
        pose = np.asarray(self.model.frame_pose(q, name))
        arm = pose[..., :3, :3] @ point
        return np.asarray(rows[..., :3, :] - skew(arm) @ rows[..., 3:, :])

    def _asked(self, index: int, q: Array, v: Array) -> Array:
        function = self._functions.listed[index]
        flat = zip(q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1]), strict=True)
        return np.array([function(0.0, a, b) for a, b in flat], float).reshape(q.shape[:-1])

    def _differences(self, row: list[float], q: Array, v: Array) -> tuple[Array, Array]:
        slope, n = self._functions.derivatives[int(row[2])], v.shape[-1]
        flat = zip(q.reshape(-1, q.shape[-1]), v.reshape(-1, n), strict=True)
        found = np.array([slope(0.0, a, b)[0] for a, b in flat]).reshape(*v.shape[:-1], -1)
        return found[..., :n], found[..., n : 2 * n]
