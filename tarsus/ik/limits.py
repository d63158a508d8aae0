"""Limits of joints as bounds of velocities: how far and how fast each may go in the next step.

A joint at q with upper limit u keeps it after a step of dt if v ≤ (u − q)/dt. Velocities are
bounded by themselves; with accelerations a also |v − v_last| ≤ a dt, and no joint may be faster
than it can brake before its limit. Braking in n + 1 steps, with velocities v, v − a dt, …, takes
dt ((n + 1) v − a dt n (n + 1)/2), hence

    v ≤ ((u − q)/dt + a dt n (n + 1)/2) / (n + 1),     n (n + 1) a dt²/2 ≤ u − q, n largest.

A joint that is beyond its limit comes back, no faster than it may move. Where bounds contradict
each other, those of positions come first, then those of velocities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.ik.arguments import positive
from tarsus.model import Model
from tarsus.model.checks import flag, number


@dataclass(frozen=True)
class Limits:
    """Which limits of a model hold: of `position`, of `velocity`, and of `acceleration`.

    `position` and `velocity` are those that the model states, True or False, also of joints that
    follow others and of rotors; `velocity` can be numbers by name of joint instead [rad/s, m/s].
    `margin` [rad, m] keeps positions away from their limits. `acceleration` is a number for all
    joints or numbers by name [rad/s², m/s²], and None for no limit. `share` is how much of the way
    to a limit one step may take.
    """

    position: bool = True
    velocity: bool | Mapping[str, float] = True
    acceleration: float | Mapping[str, float] | None = None
    margin: float = 0.0
    share: float = 1.0

    def __post_init__(self) -> None:
        flag(self.position, "position")
        if isinstance(self.velocity, Mapping):
            for name, value in self.velocity.items():
                positive(value, f"velocity of joint {name!r}")
        else:
            flag(self.velocity, "velocity")
        if number(self.margin, "margin") < 0.0:
            raise ValueError(f"margin is {self.margin}, must not be negative")
        if not 0.0 < number(self.share, "share") <= 1.0:
            raise ValueError(f"share is {self.share}, must be above 0 and at most 1")
        if isinstance(self.acceleration, Mapping):
            for name, value in self.acceleration.items():
                positive(value, f"acceleration of joint {name!r}")
        elif self.acceleration is not None:
            positive(self.acceleration, "acceleration")


class JointBounds:
    """The limits of a model's own velocities, ready to be evaluated."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self.limits = limits
        self._model = model
        rates = model.rate_index
        self._positions = np.flatnonzero(rates >= 0)
        self._velocities = rates[self._positions]
        self.lower = np.where(rates >= 0, model.lower + limits.margin, -np.inf)
        self.upper = np.where(rates >= 0, model.upper - limits.margin, np.inf)
        crossed = np.flatnonzero(self.lower > self.upper)
        if limits.position and crossed.size:
            q = int(crossed[0])
            gap = model.upper[q] - model.lower[q]
            raise ValueError(f"margin is {limits.margin}, but q[{q}] has a range of {gap}")
        self.fastest = _fastest(model, limits)
        self.acceleration = _accelerations(model, limits.acceleration)
        self._nv = model.nv

    def __call__(self, q: Array, dt: float, last: Array | float | None) -> tuple[Array, Array]:
        """Return the lowest and highest velocities (…, nv) for a step from q (…, nq).

        `last` are the velocities before it, None for rest.
        """
        low = np.full((*q.shape[:-1], self._nv), -np.inf)
        high = np.full((*q.shape[:-1], self._nv), np.inf)
        if self.limits.position:
            below, above = self._room(q)
            low[..., self._velocities] = -below * (self.limits.share / dt)
            high[..., self._velocities] = above * (self.limits.share / dt)
            a = self.acceleration[self._velocities]
            if np.isfinite(a).any():
                high[..., self._velocities] = np.minimum(
                    high[..., self._velocities], _braking(above, a, dt)
                )
                low[..., self._velocities] = np.maximum(
                    low[..., self._velocities], -_braking(below, a, dt)
                )
        if self.limits.acceleration is not None:
            change, last = self.acceleration * dt, 0.0 if last is None else last
            # what acceleration leaves, as far as positions permit it
            low, high = (
                np.clip(np.maximum(low, last - change), low, high),
                np.clip(np.minimum(high, last + change), low, high),
            )
        return np.clip(low, -self.fastest, self.fastest), np.clip(high, -self.fastest, self.fastest)

    def reach(self, q: Array) -> tuple[Array, Array]:
        """Return the longest steps down and up (…, nv) that limits of positions permit."""
        low = np.full((*q.shape[:-1], self._nv), -np.inf)
        high = np.full((*q.shape[:-1], self._nv), np.inf)
        if self.limits.position:
            below, above = self._room(q)
            low[..., self._velocities], high[..., self._velocities] = -below, above
        return low, high

    @property
    def ranges(self) -> tuple[Array, Array, list[int]]:
        """Ranges (nv,) of the positions of which velocities are rates, and which these are."""
        lower, upper, position = free_ranges(self._model)
        if self.limits.position:
            lower[self._velocities] = self.lower[self._positions]
            upper[self._velocities] = self.upper[self._positions]
        return lower, upper, position

    def _room(self, q: Array) -> tuple[Array, Array]:
        """Return how far positions are above their lower limits, and below their upper ones."""
        own = q[..., self._positions]
        lower, upper = self.lower[self._positions], self.upper[self._positions]
        return np.asarray(own - lower), np.asarray(upper - own)


def _braking(room: Array, a: Array, dt: float) -> Array:
    """Return the highest velocities from which joints stop before their limits; back if beyond."""
    brakes = np.isfinite(a) & np.isfinite(room)
    change, left = np.where(brakes, a, 1.0) * dt, np.where(brakes, room, 0.0)
    steps = np.floor(0.5 * (np.sqrt(1.0 + 8.0 * np.maximum(left, 0.0) / (change * dt)) - 1.0))
    found = (left / dt + change * steps * (steps + 1.0) / 2.0) / (steps + 1.0)
    return np.asarray(np.where(brakes, np.where(left < 0.0, left / dt, found), np.inf))


def speeds(limits: Limits) -> Mapping[str, float]:
    """Return the speeds that are stated by name of joint."""
    return limits.velocity if isinstance(limits.velocity, Mapping) else {}


def _fastest(model: Model, limits: Limits) -> Array:
    """Return the limits (nv,) of velocities, infinite for none."""
    found = np.full(model.nv, np.inf)
    if limits.velocity is True:
        return np.array(model.velocity_limit)
    for name, value in speeds(limits).items():
        found[model.joint(name).v_slice] = value
    return found


def _accelerations(model: Model, stated: float | Mapping[str, float] | None) -> Array:
    """Return the limits (nv,) of accelerations, infinite for none."""
    found = np.full(model.nv, np.inf)
    if isinstance(stated, Mapping):
        for name, value in stated.items():
            found[model.joint(name).v_slice] = value
    elif stated is not None:
        found[model.driven] = stated
    return found


def free_ranges(model: Model) -> tuple[Array, Array, list[int]]:
    """Return ranges (nv,) without limits, and which position each velocity is the rate of."""
    position = np.full(model.nv, -1)
    own = np.flatnonzero(model.rate_index >= 0)
    position[model.rate_index[own]] = own
    return np.full(model.nv, -np.inf), np.full(model.nv, np.inf), position.tolist()
