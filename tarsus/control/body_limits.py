"""Limits of joints, and what tasks and links must keep to, as bounds of accelerations.

A coordinate at a distance d from its limit keeps it if it comes nearer no faster than a critically
damped spring would lead it there,

    d̈ ≥ −2 k ḋ − k² d,

so that it brakes in time; the same holds for joints that follow others, for errors of tasks within
bounds and for distances of links beyond their margin (Q. Nguyen, K. Sreenath, "Exponential control
barrier functions for enforcing high relative-degree safety-critical constraints", American Control
Conference 2016). Speeds s keep |v| ≤ s by a ≤ k (s − v). Where limits contradict each other, those
of accelerations hold, then those of positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import rate
from tarsus.ik import Avoid, Limits, Within
from tarsus.ik.followers import FollowerBounds
from tarsus.ik.limits import JointBounds
from tarsus.model import Model


class LimitRows(NamedTuple):
    """Rows (…, k, nv) of accelerations, and what they may be at least and at most (…, k)."""

    rows: Array
    low: Array
    high: Array


class BodyLimits:
    """What accelerations may be; `approach` [1/s] is k."""

    def __init__(
        self,
        model: Model,
        limits: Limits | None,
        avoid: Avoid | None,
        within: Sequence[Within],
        approach: float,
    ) -> None:
        self.model, self.avoid, self.approach = model, avoid, approach
        self.within = tuple(each.bind(model) for each in within)
        self.joints = None if limits is None else JointBounds(model, limits)
        followers = None if limits is None else FollowerBounds(model, limits)
        self.followers = followers if followers is not None and followers.count else None

    @property
    def plain(self) -> bool:
        """Whether there are only limits of the coordinates themselves."""
        return self.avoid is None and self.followers is None and not self.within

    def bounds(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return the lowest and highest accelerations (…, nv) at states."""
        if self.joints is None:
            none = np.full(v.shape, np.inf)
            return -none, none
        low, high = _braked(*self.joints.reach(q), v, self.joints.fastest, self.approach)
        most = self.joints.acceleration
        return np.clip(low, -most, most), np.clip(high, -most, most)

    def rows(self, q: Array, v: Array) -> list[LimitRows]:
        """Return all that accelerations must keep to beside these."""
        found = [self._kept(each, q, v) for each in self.within]
        if self.followers is not None:
            found.append(self._followers(self.followers, q, v))
        if self.avoid is not None:
            found += self._apart(self.avoid, q, v)
        return found

    def _followers(self, followers: FollowerBounds, q: Array, v: Array) -> LimitRows:
        """Return rows of joints that follow others, and of motors."""
        places, velocities, lower, upper, fastest = (
            np.array(each) for each in zip(*followers.limits_of_each, strict=True)
        )
        own = velocities.astype(np.intp)
        at = np.asarray(self.model.joint_positions(q))[..., places.astype(np.intp)]
        speed = np.asarray(self.model.joint_velocities(q, v))[..., own]
        drift = self.model.joint_accelerations(q, v, np.zeros(self.model.nv))[..., own]
        low, high = _braked(lower - at, upper - at, speed, fastest, self.approach)
        rows = np.asarray(self.model.coupling_matrix(q))[..., own, :]
        return LimitRows(rows, low - drift, high - drift)

    def _kept(self, kept: Within, q: Array, v: Array) -> LimitRows:
        """Return rows of a task whose error stays between bounds."""
        task = kept.task
        rows, error, drift = task.jacobian(q), task.error(q), task.drift(q, v)
        speed = (rows @ v[..., None])[..., 0] - task.feedforward(q)
        room = kept.lower - error, kept.upper - error
        low, high = _braked(*room, speed, np.full(task.size, np.inf), kept.rate)
        lead = v.shape[:-1]
        return LimitRows(
            np.broadcast_to(rows, (*lead, *rows.shape[-2:])),
            np.broadcast_to(low - drift, (*lead, task.size)),
            np.broadcast_to(high - drift, (*lead, task.size)),
        )

    def _apart(self, avoid: Avoid, q: Array, v: Array) -> list[LimitRows]:
        """Return rows of pairs that are near in some state."""
        distances, k = avoid.distances, self.approach
        found = distances.nearest(q, gradient=True)
        assert found.gradient is not None
        near = np.isfinite(found.distance)
        some = np.flatnonzero(near.reshape(-1, near.shape[-1]).any(axis=0))
        if not some.size:
            return []

        def approaching(at: Array) -> Array:
            slope = distances.nearest(at, gradient=True).gradient
            assert slope is not None
            return np.asarray((slope[..., some, :] @ v[..., None])[..., 0])

        slope, near = found.gradient[..., some, :], near[..., some]
        gap = np.where(near, found.distance[..., some] - avoid.margin, 0.0)
        speed = (slope @ v[..., None])[..., 0]
        least = -2.0 * k * speed - k**2 * gap - rate(self.model, q, v, approaching)
        return [LimitRows(slope, np.where(near, least, -np.inf), np.full(least.shape, np.inf))]


def _braked(
    below: Array, above: Array, speed: Array, fastest: Array, k: float
) -> tuple[Array, Array]:
    """Return bounds of accelerations (…) with so much room, at speeds that have limits."""
    least, most = k**2 * below - 2.0 * k * speed, k**2 * above - 2.0 * k * speed
    low, high = k * (-fastest - speed), k * (fastest - speed)
    return np.clip(low, least, most), np.clip(high, least, most)
