"""What a gait must keep: rows that are not negative at nodes of a phase."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from tarsus._lib.checks import count, number
from tarsus._lib.differences import derivative
from tarsus._lib.files import Array
from tarsus.events.guards import Guard, GuardValues
from tarsus.gait.optimal.collocation import Efforts, Slopes
from tarsus.gait.walkers.walker import Walker
from tarsus.model import Model


class Rows(Protocol):
    """Rows of a condition for one model."""

    def slack(self, q: Array, v: Array, a: Array) -> Array:
        """Return (n, rows): how much is left, negative where it is not kept."""

    def slopes(self, q: Array, v: Array, a: Array) -> Slopes:
        """Return how the slack changes."""


class Condition:
    """What must hold at nodes of a phase."""

    label: str
    phase: int
    """Number of the phase; −1 is the last."""

    @property
    def equal(self) -> bool:
        """Whether rows have to vanish, instead of not being negative."""
        return False

    def nodes(self, points: int | None = None) -> Array:
        """Return where it is looked at, on [0, 1], or at so many `points` instead."""
        raise NotImplementedError

    def of(self, walker: Walker) -> Rows:
        """Return its rows for its phase of a walker."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Require(Condition):
    """That a guard stays between `low` and `high` `during` a part of a phase, both ends included.

    `guard` is one of `ts.guards`: heights of points, positions and velocities of joints, their
    sums. With `rate` it is the guard's time derivative: how fast a foot comes down. `phase`
    numbers the phase, −1 for the last. (0.1, 0.9) is from a tenth of the phase to nine tenths,
    (1, 1) its end. There are `points` on the way where it is kept; what lies between them is
    looked at afterwards. Where `low` is `high` the guard has this value.
    """

    guard: Guard
    low: float | None = None
    high: float | None = None
    during: tuple[float, float] = (0.0, 1.0)
    phase: int = 0
    rate: bool = False
    points: int = 25
    label: str = field(default="requirement")

    def __post_init__(self) -> None:
        if not isinstance(self.guard, Guard):
            raise TypeError(f"guard is {self.guard!r}, must be one of ts.guards")
        begin, end = (number(x, "during") for x in self.during)
        if not 0.0 <= begin <= end <= 1.0:
            raise ValueError(f"during is {self.during}, must be two parts of 1, one after another")
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                number(getattr(self, name), name)
        if self.low is None and self.high is None:
            raise ValueError("a requirement needs low or high")
        count(self.points, "points", 1, 10_000)

    @property
    def equal(self) -> bool:
        """Whether the guard has one value only."""
        return self.low is not None and self.low == self.high

    def sides(self) -> list[tuple[float, float]]:
        """Return (sign, value) of its rows: sign times what it is over the value."""
        sides = [(1.0, self.low)] if self.equal else [(1.0, self.low), (-1.0, self.high)]
        return [(sign, side) for sign, side in sides if side is not None]

    def nodes(self, points: int | None = None) -> Array:
        """Return nodes on the way, one for an instant."""
        begin, end = self.during
        return np.linspace(begin, end, 1 if begin == end else points or self.points)

    def of(self, walker: Walker) -> Rows:
        """Return rows of the guard."""
        return _GuardRows(self, GuardValues(walker.phases[self.phase].model, self.guard))


@dataclass(frozen=True, eq=False)
class _GuardRows:
    of: Require
    guard: GuardValues

    def slack(self, q: Array, v: Array, a: Array) -> Array:
        value = self.guard.rates(q, v) if self.of.rate else self.guard.values(q, v)
        return np.stack([sign * (value - side) for sign, side in self.of.sides()], axis=-1)

    def slopes(self, q: Array, v: Array, a: Array) -> Slopes:
        by_q, by_v = self._rate_slopes(q, v) if self.of.rate else self.guard.slopes(q, v)
        spread = np.array([sign for sign, _ in self.of.sides()])[:, None]
        return by_q[:, None, :] * spread, by_v[:, None, :] * spread, None

    def _rate_slopes(self, q: Array, v: Array) -> tuple[Array, Array]:
        units = np.eye(q.shape[-1])

        def along(step: Array | float) -> Array:
            moved = q[:, None, :] + np.asarray(step) * units
            return self.guard.rates(moved, np.broadcast_to(v[:, None, :], moved.shape))

        return derivative(along), self.guard.slopes(q, v)[0]


@dataclass(frozen=True, eq=False)
class JointLimits(Condition):
    """That joints stay between the limits that the model states."""

    phase: int
    points: int = 15
    label: str = "joint limits"

    def nodes(self, points: int | None = None) -> Array:
        """Return nodes of the whole phase."""
        return np.linspace(0.0, 1.0, points or self.points)

    def of(self, walker: Walker) -> Rows:
        """Return rows of joints with limits."""
        model = walker.phases[self.phase].model
        lower, upper = (_joined(model, side) for side in ("lower", "upper"))
        return _Limits(_picks(lower, upper), np.concatenate(_finite(-lower, upper)), efforts=None)


@dataclass(frozen=True, eq=False)
class EffortLimits(Condition):
    """That efforts are within `most` (nv,) at nodes of the whole phase, infinite for no limit."""

    phase: int
    most: Array
    s: Array
    label: str = "efforts"

    def nodes(self, points: int | None = None) -> Array:
        """Return the nodes of efforts."""
        return self.s if points is None else np.linspace(0.0, 1.0, points)

    def of(self, walker: Walker) -> Rows:
        """Return rows of joints with limits."""
        model = walker.phases[self.phase].model
        sides = np.concatenate(_finite(self.most, self.most))
        return _Limits(_picks(-self.most, self.most), sides, Efforts(model))


@dataclass(frozen=True, eq=False)
class _Limits:
    """Rows most − picks x, where x is q or efforts."""

    picks: Array
    most: Array
    efforts: Efforts | None

    def slack(self, q: Array, v: Array, a: Array) -> Array:
        x = q if self.efforts is None else self.efforts.values(q, v, a)
        return np.asarray(self.most - x @ self.picks.T)

    def slopes(self, q: Array, v: Array, a: Array) -> Slopes:
        if self.efforts is not None:
            by_q, by_v, by_a = self.efforts.slopes(q, v, a)
            return -self.picks @ by_q, -self.picks @ by_v, -self.picks @ by_a
        rows = np.broadcast_to(-self.picks, (len(q), *self.picks.shape))
        return rows, np.zeros_like(rows), None


def _joined(model: Model, side: str) -> Array:
    found = np.zeros(model.nq)
    for name in model.joint_names:
        joint = model.joint(name)
        found[joint.q_slice] = getattr(joint, side)
    return found


def _finite(low: Array, high: Array) -> tuple[Array, Array]:
    return low[np.isfinite(low)], high[np.isfinite(high)]


def _picks(lower: Array, upper: Array) -> Array:
    units = np.eye(len(lower))
    return np.concatenate([-units[np.isfinite(lower)], units[np.isfinite(upper)]])
