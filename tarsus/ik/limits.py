"""Joint limits and other constraints of inverse kinematics; dependent joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import flag, number, positive
from tarsus._lib.files import Array
from tarsus.ik.methods import Bounds
from tarsus.ik.priorities import Within
from tarsus.model.description import NONHOLONOMIC, QUASI_VELOCITIES
from tarsus.model.model import Model

if TYPE_CHECKING:
    from tarsus.ik.collision_avoidance import Avoid


# All that velocities must keep to: limits of joints and followers, distances, bounds of goals.


class Constraints:
    """What of a machine's limits, distances and goals holds; evaluated at states."""

    def __init__(
        self,
        model: Model,
        limits: Limits | bool | None,
        avoid: Avoid | None,
        within: Sequence[Within] = (),
    ) -> None:
        stated = _stated(limits)
        self.joints = None if stated is None else JointBounds(model, stated)
        followers = None if stated is None else FollowerBounds(model, stated)
        self.followers = followers if followers is not None and followers.count else None
        self.avoid = avoid
        self.within = tuple(each.bind(model) for each in within)
        self._model, self._nv = model, model.nv

    @property
    def remembers(self) -> bool:
        """Whether the bounds depend on the velocities of the last step."""
        return self.joints is not None and self.joints.limits.acceleration is not None

    def at(self, q: Array, dt: float, last: Array | None) -> Bounds | None:
        """Return the bounds for a step of dt from q (…, nq), with velocities `last` before it."""
        if self.joints is None and self.avoid is None and not self.within:
            return None
        shape = (*q.shape[:-1], self._nv)
        if self.joints is None:
            low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
        else:
            low, high = self.joints(q, dt, last)
        rows = [np.zeros((*q.shape[:-1], 0, self._nv))]
        least, most = [np.zeros((*q.shape[:-1], 0))], [np.zeros((*q.shape[:-1], 0))]
        if self.followers is not None:
            row, lowest, highest = self.followers(q, dt)
            rows.append(row)
            least.append(lowest)
            most.append(highest)
        if self.avoid is not None:
            row, lowest = self.avoid.rows(q, dt)
            rows.append(row)
            least.append(lowest)
            most.append(np.full_like(lowest, np.inf))
        for each in self.within:
            row, lowest, highest = each.rows(q, dt)
            rows.append(row)
            least.append(lowest)
            most.append(highest)
        parts = (np.concatenate(each, axis=-1) for each in (least, most))
        return Bounds(low, high, np.concatenate(rows, axis=-2), *parts)

    def of_states(self, lead: tuple[int, ...], rows: NDArray[np.intp]) -> Constraints:
        """Return those of some `rows` of states with leading dimensions `lead`, in a line."""
        found = copy(self)
        found.within = tuple(each.of_states(lead, rows) for each in self.within)
        return found

    def of_places(self) -> Constraints:
        """Return what of them is a matter of places, for steps of one second: not how fast."""
        found = copy(self)
        if self.joints is not None:
            still = replace(self.joints.limits, velocity=False, acceleration=None, share=1.0)
            limited = Constraints(self._model, still, None)
            found.joints, found.followers = limited.joints, limited.followers
        if self.avoid is not None:
            found.avoid = replace(self.avoid, rate=1.0)
        return found

    def too_near(self, q: Array) -> Array:
        """Return by how much (…) links are nearer than they may be at most [m]."""
        if self.avoid is None:
            return np.zeros(q.shape[:-1])
        least = self.avoid.distances.distance(q).min(axis=-1, initial=np.inf)
        return np.asarray(np.maximum(self.avoid.margin - least, 0.0))

    def reach(self, q: Array) -> tuple[Array, Array]:
        """Return the longest steps down and up (…, nv) that limits of positions permit."""
        if self.joints is None:
            free = np.full((*q.shape[:-1], self._nv), np.inf)
            return -free, free
        return self.joints.reach(q)

    def beyond(self, q: Array) -> Array:
        """Return how far (…) joints, those that follow, too, and goals are beyond their bounds."""
        low, high = self.reach(q)
        own = np.asarray(np.maximum(low, -high).max(axis=-1, initial=0.0))
        others = [] if self.followers is None else [self.followers.beyond(q)]
        others += [each.beyond(q) for each in self.within]
        return np.asarray(np.maximum.reduce(np.broadcast_arrays(own, *others)))


def _stated(value: Limits | bool | None) -> Limits | None:
    """Return the limits for `limits=` of a solver: True for all that the model states."""
    if value is None or value is False:
        return None
    if value is True:
        return Limits()
    if not isinstance(value, Limits):
        raise TypeError(f"limits is {value!r}, must be True, False or tarsus.ik.Limits")
    return value


# Limits of joints as bounds of velocities: how far and how fast each may go in the next step.
#
# A joint at q with upper limit u keeps it after a step of dt if v ≤ (u − q)/dt. Velocities are
# bounded by themselves; with accelerations a also |v − v_last| ≤ a dt, and no joint may be faster
# than it can brake before its limit. Braking in n + 1 steps, with velocities v, v − a dt, …, takes
# dt ((n + 1) v − a dt n (n + 1)/2), hence
#
#     v ≤ ((u − q)/dt + a dt n (n + 1)/2) / (n + 1),     n (n + 1) a dt²/2 ≤ u − q, n largest.
#
# A joint that is beyond its limit comes back, no faster than it may move. Where bounds contradict
# each other, those of positions come first, then those of velocities.


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


# Limits of joints that follow others, by gears, couplings or loops: rows of velocities.
#
# A joint with the velocity w = G v, its row of the coupling matrix, keeps its range in a step of dt
# if (lower − x)/dt ≤ G v ≤ (upper − x)/dt, and its speed if |G v| ≤ w_max. Rotors of motors are
# such joints: a gear with ratio N lets a joint go N times slower than its motor may turn.


class FollowerBounds:
    """Rows of the joints that follow others and have limits."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self.model, self.limits = model, limits
        stated = speeds(limits)
        positions, velocities, lower, upper, fastest = [], [], [], [], []
        for view in model.joints:
            if not view.dependent or view.kind in (*QUASI_VELOCITIES, *NONHOLONOMIC):
                continue
            for k in range(view.nv):
                if k in view.own_velocities:
                    continue
                low = view.lower[k] + limits.margin if limits.position else -np.inf
                high = view.upper[k] - limits.margin if limits.position else np.inf
                speed = stated.get(view.name, view.velocity_limit[k] if limits.velocity else np.inf)
                if np.isfinite([low, high, speed]).any():
                    positions.append(view.position_slice.start + k)
                    velocities.append(view.velocity_slice.start + k)
                    lower.append(low)
                    upper.append(high)
                    fastest.append(speed)
        self.count = len(positions)
        self._positions, self._velocities = positions, velocities
        self._lower, self._upper = np.array(lower), np.array(upper)
        self._fastest = np.array(fastest)

    @property
    def limits_of_each(self) -> list[tuple[int, int, float, float, float]]:
        """Position and velocity among all joints', lower and upper end, speed, of each joint."""
        numbers = (self._lower.tolist(), self._upper.tolist(), self._fastest.tolist())
        return list(zip(self._positions, self._velocities, *numbers, strict=True))

    def __call__(self, q: Array, dt: float) -> tuple[Array, Array, Array]:
        """Return rows (…, count, nv) and what they may be at least and at most (…, count)."""
        x = self.model.joint_positions(q)[..., self._positions]
        rows = self.model.coupling_matrix(q)[..., self._velocities, :]
        low = np.clip((self._lower - x) * (self.limits.share / dt), -self._fastest, self._fastest)
        high = np.clip((self._upper - x) * (self.limits.share / dt), -self._fastest, self._fastest)
        return np.asarray(rows), low, high

    def beyond(self, q: Array) -> Array:
        """Return how far (…) the joints that follow are beyond their ranges at most."""
        x = self.model.joint_positions(q)[..., self._positions]
        apart = np.maximum(self._lower - x, x - self._upper)
        return np.asarray(np.maximum(apart, 0.0).max(axis=-1, initial=0.0))
