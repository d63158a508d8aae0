"""Adaptation of steps within the reach of the feet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tarsus._lib.files import Array
from tarsus._lib.qp import solve_qp

# Footsteps that are adapted to the measured state: where and when the next one lands.
#
# During single support on u₀ the divergent component ξ runs away from the centre of pressure p. If
# the foot lands on u after the time t, the walk goes on as planned where ξ is at u + b when double
# support of length T ends, with the offset b of the plan:
#
#     (ξ − p) τ + p = (1 − m) u₀ + (m − f) u + f (u + b),
#
# with τ = e^{ωt}, f = e^{−ωT} and m = (1 − f)/(ωT).
#
# This is linear in u, τ and b, so that the nearest u and t within what legs can do, with the least
# change of b, are a small quadratic programme (M. Khadiv, A. Herzog, S. Moosavian, L. Righetti,
# "Walking control based on step timing adaptation", IEEE Transactions on Robotics 36, 2020, here
# with double support). What ankles can do comes first: p moves within the sole.


FIRM = 1e5
"""What a foot's reach may push before it gives way to bounds."""


class Adapted(NamedTuple):
    """Where the next foot lands (…, 2), when (…) [s] from now, and the offset after it (…, 2)."""

    place: Array
    left: Array
    offset: Array
    pressure: Array
    """The centre of pressure (…, 2) that was counted on."""


@dataclass(frozen=True)
class StepLimits:
    """What legs can do: lengths [m] in axes of the foot that stands, times [s] of swings.

    `ahead` is how far the foot may land before or behind the other, `near` and `far` how far
    beside it; `stray` how far from where it was planned, which matters where the ground is not
    the same everywhere. `shortest` and `longest` are the limits of a swing.
    """

    ahead: float = 0.5
    near: float = 0.1
    far: float = 0.45
    stray: float = np.inf
    shortest: float = 0.3
    longest: float = 1.2


@dataclass(frozen=True)
class StepAdaptation:
    """Adapts steps within `limits`; weights of changes of place, time and offset.

    `omega` [1/s] is that of the pendulum, `double` [s] the length of double support.
    """

    omega: float
    double: float
    limits: StepLimits = StepLimits()
    place: float = 1.0
    time: float = 0.02
    offset: float = 1e3

    def last_offset(self, stance: Array, place: Array) -> Array:
        """Return the offset (…, 2) after a last step, after which ξ ends between the feet."""
        fade, mean = self._fading
        return np.asarray(-mean / (2.0 * fade) * (place - stance))

    def adapt(
        self,
        divergent: Array,
        stance: Array,
        heading: Array,
        side: Array,
        half: Array,
        place: Array,
        offset: Array,
        since: Array,
        left: Array,
        soonest: Array | float = 0.0,
        foot: FootReach | None = None,
    ) -> Adapted:
        """Return the next step of machines whose divergent component is measured (…, 2).

        They stand on a sole at `stance` (…, 2) that looks to `heading` (…) and is `half` (…, 2)
        times two long and wide; the other foot lands on its `side` (…), 1 for left. Planned are
        its `place` (…, 2), the `offset` (…, 2) and the time `left` (…), `since` (…) it swings;
        it can land in `soonest` (…) [s] at the earliest, where the `foot` can get until then.
        """
        w, turn = self.omega, _turn(heading)
        # all in axes of the foot that stands
        xi, wanted, shift = (_into(turn, x) for x in (divergent - stance, place - stance, offset))
        fade, mean = self._fading
        grow = np.exp(w * left)[..., None]
        planned = mean * wanted + fade * shift
        pressure = _within((xi * grow - planned) / np.maximum(grow - 1.0, 1e-6), -half, half)
        away = xi - pressure
        lead = np.broadcast_shapes(xi.shape[:-1], np.shape(left))
        low, high = self._bounds(lead, side, since, soonest)
        if self.limits.stray < np.inf:
            _narrow(low, high, wanted, self.limits.stray)
        # unknowns: u (2) and τ; rows: u, τ, and f b = (ξ − p) τ + p − m u
        task = np.empty((*lead, 5, 3))
        task[...] = self._task
        task[..., 3:, 2] = away
        target = np.empty((*lead, 5))
        target[..., :2], target[..., 2:3] = wanted, grow
        target[..., 3:] = fade * shift - pressure
        weight = np.empty((*lead, 5))
        weight[...] = (self.place, self.place, 0.0, self.offset, self.offset)
        # a change of the time counts alike however long the rest is: dτ = ω τ dt
        weight[..., 2:3] = self.time / grow**2
        within = foot.rows(stance, turn, w, low[..., 2], high[..., 2]) if foot is not None else None
        found = solve_qp(
            task,
            target,
            weight=weight,
            damping=1e-9,
            lower=low,
            upper=high,
            rows=None if within is None else within.rows,
            rows_upper=np.inf if within is None else within.upper,
            penalty=FIRM,
        )
        u, tau = found.v[..., :2], found.v[..., 2:3]
        after = (away * tau + pressure - mean * u) / fade
        back = turn.swapaxes(-1, -2)
        return Adapted(
            stance + _into(back, u),
            np.log(np.maximum(tau[..., 0], 1.0)) / w,
            _into(back, after),
            stance + _into(back, pressure),
        )

    @cached_property
    def _fading(self) -> tuple[float, float]:
        """What double support leaves of ξ, f, and m."""
        fade = float(np.exp(-self.omega * self.double))
        return fade, (1.0 - fade) / (self.omega * self.double)

    @cached_property
    def _task(self) -> Array:
        """The rows (5, 3) of the programme, but for ξ − p."""
        found = np.zeros((5, 3))
        found[:3] = np.eye(3)
        found[3, 0] = found[4, 1] = -self._fading[1]
        return found

    def _bounds(
        self, lead: tuple[int, ...], side: Array, since: Array, soonest: Array | float
    ) -> tuple[Array, Array]:
        """Return the bounds (*lead, 3) of u and τ."""
        own, w = self.limits, self.omega
        near, far = side * own.near, side * own.far
        first_time = np.maximum(own.shortest - since, soonest)
        low, high = np.empty((2, *lead, 3))
        low[..., 0], high[..., 0] = -own.ahead, own.ahead
        low[..., 1], high[..., 1] = np.minimum(near, far), np.maximum(near, far)
        low[..., 2] = np.exp(w * first_time)
        high[..., 2] = np.exp(w * np.maximum(own.longest - since, first_time))
        return low, high


def _narrow(low: Array, high: Array, at: Array, far: Array | float) -> None:
    """Let the bounds of u be no further from a place (…, 2) than `far`, as far as they allow it."""
    low[..., :2] = np.maximum(low[..., :2], np.minimum(at - far, high[..., :2]))
    high[..., :2] = np.minimum(high[..., :2], np.maximum(at + far, low[..., :2]))


def _within(value: Array, low: Array, high: Array) -> Array:
    return np.asarray(np.minimum(np.maximum(value, low), high))


def _turn(heading: Array) -> Array:
    """Return rotations (…, 2, 2) from the world into axes that look to `heading` (…)."""
    found = np.empty((*np.shape(heading), 2, 2))
    found[..., 0, 0] = found[..., 1, 1] = np.cos(heading)
    found[..., 0, 1] = np.sin(heading)
    found[..., 1, 0] = -found[..., 0, 1]
    return found


def _into(turn: Array, vector: Array) -> Array:
    return np.asarray((turn @ vector[..., None])[..., 0])


# Where a foot in the air can still land, the further the later it lands.


class FootReach(NamedTuple):
    """What a foot in the air can do: it is at `place` (…, 2) and has the `speed` (…, 2) [m/s].

    By itself it comes to rest evenly; from there it can be led away by `agile` [m/s²] times the
    square of the time that is left. So long before it lands, `settle` [s], it is above its landing.
    """

    place: Array
    speed: Array
    agile: float
    settle: float

    def at(self, left: Array) -> tuple[Array, Array]:
        """Return where it stops (…, 2) in the time `left` (…) [s], and how far around it gets."""
        rest = np.maximum(left - self.settle, 0.0)
        return self.place + self.speed * rest[..., None] / 2, self.agile * rest**2

    def rows(self, stance: Array, turn: Array, omega: float, low: Array, high: Array) -> Rows:
        """Return rows of a programme in u and τ = e^{ωt} that keep u where the foot gets in t.

        u is in axes `turn` (…, 2, 2) at `stance` (…, 2), τ between `low` and `high` (…). Between
        these the reach is taken for linear in τ, which is less than it is but for short times.
        """
        first, last = (self._bounds(stance, turn, np.log(tau) / omega) for tau in (low, high))
        slope = (last - first) / np.maximum(high - low, 1e-9)[..., None]
        rows = np.zeros((*slope.shape, 3))
        rows[..., 0, 0] = rows[..., 1, 1] = 1.0
        rows[..., 2, 0] = rows[..., 3, 1] = -1.0
        rows[..., 2] = -slope
        return Rows(rows, first - slope * low[..., None])

    def _bounds(self, stance: Array, turn: Array, left: Array) -> Array:
        """Return what u and −u may be at most (…, 4) after a time (…)."""
        stop, far = self.at(left)
        middle = (turn @ (stop - stance)[..., None])[..., 0]
        return np.concatenate([middle, -middle], axis=-1) + far[..., None]


class Rows(NamedTuple):
    """Rows (…, 4, 3) of a programme, and what they may be at most (…, 4)."""

    rows: Array
    upper: Array
