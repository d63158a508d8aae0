"""The divergent component of motion (DCM) and support phases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import reals
from tarsus._lib.files import Array

# The divergent component of motion: a way of the centre of mass along points of support.
#
# The centre of mass c of a pendulum that is supported by the virtual repellent point r moves by c̈
# = ω² (c − r), ω² = g/height. Its divergent component ξ = c + ċ/ω runs away from r, ξ̇ = ω (ξ − r),
# and c follows it, ċ = ω (ξ − c). If r moves on straight lines between its supports, ξ is known
# backwards from where it ends, in closed form (J. Englsberger, C. Ott, A. Albu-Schäffer,
# "Three-dimensional bipedal walking control based on divergent component of motion", IEEE
# Transactions on Robotics 31, 2015). r is `height` above the zero moment point.


class Divergent(NamedTuple):
    """Divergent component, its velocity, and the repellent point that moves it, (…, 3) each."""

    point: Array
    velocity: Array
    repellent: Array


class Centre(NamedTuple):
    """Position, velocity and acceleration of the centre of mass, (…, 3) each."""

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class DivergentPlan:
    """Repellent points on straight lines between knots: `points` (…, K, 3) [m] at `times` (…, K).

    The motion begins at the first knot and ends at the last one, where they stand still. [1/s]
    is that of the pendulum.
    """

    times: Array
    points: Array
    omega: float

    def __post_init__(self) -> None:
        times, points = reals(self.times, "times"), reals(self.points, "points")
        if points.ndim < 2 or times.shape[-1:] != points.shape[-2:-1] or times.shape[-1] < 2:
            raise ValueError(
                f"times {times.shape} and points {points.shape} must be (…, K) and (…, K, 3), K ≥ 2"
            )
        if not (np.diff(times) > 0.0).all():
            raise ValueError(f"times must rise, got {times}")
        if not self.omega > 0.0:
            raise ValueError(f"omega is {self.omega}, must be above 0")
        lead = np.broadcast_shapes(times.shape[:-1], points.shape[:-2])
        object.__setattr__(self, "times", np.broadcast_to(times, (*lead, times.shape[-1])))
        object.__setattr__(self, "points", np.broadcast_to(points, (*lead, *points.shape[-2:])))
        long = np.diff(self.times)[..., None]
        rates = np.diff(self.points, axis=-2) / long
        object.__setattr__(self, "_rates", rates)
        fade = np.exp(-self.omega * long)
        ends = np.array(self.points)
        for k in range(long.shape[-2] - 1, -1, -1):
            lag = rates[..., k, :] / self.omega
            left = ends[..., k + 1, :] - self.points[..., k + 1, :] - lag
            ends[..., k, :] = self.points[..., k, :] + lag + left * fade[..., k, :]
        object.__setattr__(self, "knots", ends)

    _rates: Array = None  # type: ignore[assignment]
    knots: Array = None  # type: ignore[assignment]
    """The divergent component at the knots (…, K, 3)."""

    def at(self, t: ArrayLike) -> Divergent:
        """Return where the divergent component is at times (…)."""
        k, since, left = self._piece(t)
        rate = _pick(self._rates, k)
        point = _pick(self.points, k) + rate * since[..., None]
        lag = rate / self.omega
        away = _pick(self.knots, k + 1) - _pick(self.points, k + 1) - lag
        found = point + lag + away * np.exp(-self.omega * left)[..., None]
        # beyond the ends the repellent point stands still
        still = (np.asarray(t, float) >= self.times[..., -1])[..., None]
        point = np.where(still, self.points[..., -1, :], point)
        found = np.where(still, self.points[..., -1, :], found)
        return Divergent(found, self.omega * (found - point), point)

    def centre(self, t: ArrayLike, start: ArrayLike) -> Centre:
        """Return how the centre of mass moves at rising times (T,), from `start` (3,) at the first.

        Closed form from time to time: ξ is a line and an exponential in each piece.
        """
        times = np.asarray(t, float)
        inner = self.times[(self.times > times[0]) & (self.times < times[-1])]
        every = np.unique(np.concatenate([times, inner]))
        position = np.empty((len(every), 3))
        position[0] = start
        for k in range(len(every) - 1):
            position[k + 1] = self._carried(position[k], every[k], every[k + 1])
        at = position[np.searchsorted(every, times)]
        now = self.at(times)
        velocity = self.omega * (now.point - at)
        return Centre(at, velocity, self.omega**2 * (at - now.repellent))

    def _carried(self, centre: Array, t0: float, t1: float) -> Array:
        """Return the centre of mass at t1, within a piece that begins at or before t0."""
        before, dt, w = self.at(t0), t1 - t0, self.omega
        k, _, _ = self._piece(t0)
        rate = self._rates[int(k)] if t0 < self.times[-1] else np.zeros(3)
        # ξ = r₀ + ṙ/ω + ṙ t + a e^{ωt}, hence c = r₀ + ṙ t + a/2 e^{ωt} + b e^{−ωt}
        a = before.point - before.repellent - rate / w
        b = centre - before.repellent - a / 2
        grow = np.exp(w * dt)
        return np.asarray(before.repellent + rate * dt + a / 2 * grow + b / grow)

    def _piece(self, t: ArrayLike) -> tuple[NDArray[np.int64], Array, Array]:
        """Return the number of the piece, the time since it began, and what is left of it."""
        at = np.maximum(np.asarray(t, float), self.times[..., 0])
        last = self.times.shape[-1] - 2
        k = np.clip((self.times <= at[..., None]).sum(axis=-1) - 1, 0, last)
        begin, end = _pick(self.times[..., None], k)[..., 0], _pick(self.times[..., None], k + 1)
        inside = np.clip(at, begin, end[..., 0])
        return np.asarray(k), inside - begin, end[..., 0] - at


def _pick(rows: Array, k: NDArray[np.int64]) -> Array:
    """Return the entries k (…) of rows (…, K, n)."""
    if rows.ndim == 2:
        return np.asarray(rows[k])
    return np.asarray(np.take_along_axis(rows, k[..., None, None], axis=-2)[..., 0, :])


def support_weights(omega: float, single: float, double: float, ahead: int) -> Array:
    """Return weights (ahead + 1,): where ξ is when single support begins, as a sum of supports.

    Supports are that of the phase and those `ahead` after it, at which the last stays; phases last
    `single` and `double` [s]. The weights add up to one.
    """
    weights = np.zeros(ahead + 1)
    weights[ahead] = 1.0
    for k in range(ahead - 1, -1, -1):
        weights = end_weights(omega, double, weights, k) * np.exp(-omega * single)
        weights[k] += 1.0 - np.exp(-omega * single)
    return weights


def end_weights(omega: float, double: float, following: Array, k: int) -> Array:
    """Return the weights of ξ when double support from support k to the next begins.

    `following` are those of ξ when it ends.
    """
    fade = np.exp(-omega * double)
    mean = (1.0 - fade) / (omega * double)
    found = np.asarray(fade * following)
    found[k] += 1.0 - mean
    found[k + 1] += mean - fade
    return found


# Where the divergent component shall be at any instant of a walk: a sum of the supports to come.
#
# Supports are the soles that carry in single support, one after the other, and in the end the
# middle of both feet. With phases of known lengths the divergent component is the same sum of them
# in each step, whose weights fade so fast that a few are enough (`DivergentPlan` has the closed
# forms).


AHEAD = 4
"""Supports that are looked at beyond the present one: e^{−4ωT} is below 1e-4 for any walk."""

FOLLOWING = np.arange(AHEAD + 1)


@dataclass(frozen=True)
class Supports:
    """The pendulum of a walk: `omega` [1/s], and how long phases last [s].

    `single` and `double` are the usual phases; `start` is the first double support, in which the
    weight is shifted onto one foot.
    """

    omega: float
    single: float
    double: float
    start: float

    @cached_property
    def _begin(self) -> Array:
        """Weights (AHEAD + 1,) of ξ when single support on the first of the supports begins."""
        return support_weights(self.omega, self.single, self.double, AHEAD)

    @cached_property
    def _end(self) -> Array:
        """Weights (AHEAD + 1,) of ξ when it ends."""
        following = np.concatenate([[0.0], self._begin[:-1]])
        following[-1] += self._begin[-1]
        return end_weights(self.omega, self.double, following, 0)

    def plan(self, position: Array) -> DivergentPlan:
        """Return the plan of a whole walk along footsteps at `position` (…, N, 3) [m], from t = 0.

        Its repellent points are the supports themselves: add the height of the centre of mass.
        """
        first = position[..., :2, :].mean(axis=-2, keepdims=True)
        stands = np.repeat(position[..., 1:-1, :], 2, axis=-2)
        last = position[..., -2:, :].mean(axis=-2, keepdims=True)
        steps = position.shape[-2] - 2
        phases = np.tile([self.single, self.double], steps)
        times = np.concatenate([[0.0, self.start], self.start + np.cumsum(phases)])
        return DivergentPlan(times, np.concatenate([first, stands, last], axis=-2), self.omega)

    def ahead(self, position: Array, k: NDArray[np.int64]) -> Array:
        """Return the supports (B, AHEAD + 1, 3) from footstep k (B,) on, of all (B, N, 3).

        The last one is the middle of the feet that end the walk.
        """
        last = position.shape[1] - 1
        at = k[:, None] + FOLLOWING
        found = position[np.arange(len(k))[:, None], np.minimum(at, last)]
        ends = at >= last
        if ends.any():
            middle = (position[:, -2] + position[:, -1]) / 2
            found = np.where(ends[..., None], middle[:, None], found)
        return np.asarray(found)

    def in_single(self, ahead: Array, left: Array) -> tuple[Divergent, Array]:
        """Return where ξ shall be (B, 3) in single support with `left` (B,) [s] to go, and its end.

        `ahead` (B, AHEAD + 1, 3) begins with the support that carries.
        """
        here, end = ahead[:, 0], self._end @ ahead
        fade = np.exp(-self.omega * np.maximum(left, 0.0))[:, None]
        point = here + (end - here) * fade
        return Divergent(point, self.omega * (point - here), here), end

    def in_double(self, before: Array, ahead: Array, left: Array, long: Array) -> Divergent:
        """Return where ξ shall be (B, 3) in double support from `before` (B, 3) to the next.

        `left` (B,) of its length `long` (B,) [s] is to go.
        """
        w, here = self.omega, ahead[:, 0]
        rate = (here - before) / long[:, None]
        rest = np.maximum(left, 0.0)[:, None]
        repellent = here - rate * rest
        end = self._begin @ ahead
        point = repellent + rate / w + (end - here - rate / w) * np.exp(-w * rest)
        return Divergent(point, w * (point - repellent), repellent)

    def offset(self, ahead: Array) -> Array:
        """Return ξ less the support (B, 3) when single support on the second one begins."""
        return (
            np.asarray(self._begin[:-1] @ ahead[:, 1:] + self._begin[-1] * ahead[:, -1])
            - ahead[:, 1]
        )
