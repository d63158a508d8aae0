"""Limits and actuation of whole-body control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from tarsus._lib.checks import number
from tarsus._lib.differences import rate
from tarsus._lib.files import Array
from tarsus.ik.collision_avoidance import Avoid
from tarsus.ik.limits import FollowerBounds, JointBounds, Limits
from tarsus.ik.priorities import Within
from tarsus.model.actuator_map import SINGULAR, Motors
from tarsus.model.model import Model

# Limits of joints, and what tasks and links must keep to, as bounds of accelerations.
#
# A coordinate at a distance d from its limit keeps it if it comes nearer no faster than a
# critically damped spring would lead it there,
#
#     d̈ ≥ −2 k ḋ − k² d,
#
# so that it brakes in time; the same holds for joints that follow others, for errors of tasks
# within bounds and for distances of links beyond their margin (Q. Nguyen, K. Sreenath, "Exponential
# control barrier functions for enforcing high relative-degree safety-critical constraints",
# American Control Conference 2016). Speeds s keep |v| ≤ s by a ≤ k (s − v). Where limits contradict
# each other, those of accelerations hold, then those of positions.


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


# What drives a whole body: efforts on coordinates, or torques of motors behind gears and loops.
#
# Motors turn by M v and push with Mᵀ t, so that what they must do is t = (Mᵀ)⁺ τ, cluster by
# cluster; what no motor moves, the base and the null space of M, must need no effort: N τ = 0.


Stated: TypeAlias = Mapping[str, float] | Sequence[str]
"""Names of motors, or their largest torques by name [N·m, N]."""


class BodyDrives:
    """Rows of efforts: which must be zero, and which have limits."""

    def __init__(self, model: Model, effort: Array, motors: Stated | None) -> None:
        self.model = model
        self.motors: tuple[str, ...] = ()
        self._groups: list[tuple[list[int], slice]] = []
        free = effort == 0.0
        if motors is not None:
            named = Motors(list(motors), {view.name: view for view in model.joints}, model.clusters)
            self.motors = named.names
            self._groups = [(numbers, own) for numbers, _, own in named.groups]
            free = np.ones(model.nv, bool)
            for _, own in self._groups:
                free[own] = False
            effort = _limits(motors, self.motors)
            self.bounded = np.flatnonzero(np.isfinite(effort))
        else:
            self.bounded = np.flatnonzero(np.isfinite(effort) & ~free)
        self.idle = np.flatnonzero(free)
        self._nulls = sum(max(0, own.stop - own.start - len(n)) for n, own in self._groups)
        self.effort = effort[self.bounded]
        self.rows = len(self.idle) + self._nulls
        """How many rows must be zero; those with limits follow."""

    @property
    def limited(self) -> list[str]:
        """Names of what has a limit: motors, or joints with their coordinates."""
        if self.motors:
            return [self.motors[k] for k in self.bounded]
        return [
            next(j.name for j in self.model.joints if j.v_slice.start <= k < j.v_slice.stop)
            for k in self.bounded
        ]

    def of(self, q: Array, efforts: Array) -> Array:
        """Return the rows (…, rows + limits, k) of what needs `efforts` (…, nv, k)."""
        idle = efforts[..., self.idle, :]
        if not self.motors:
            return np.concatenate([idle, efforts[..., self.bounded, :]], axis=-2)
        matrix = self.model.motor_matrix(q, motors=self.motors)
        torques = np.zeros((*efforts.shape[:-2], len(self.motors), efforts.shape[-1]))
        parts = [idle]
        for numbers, own in self._groups:
            part = efforts[..., own, :]
            inverse, null = _split(matrix[..., numbers, own])
            torques[..., numbers, :] = inverse @ part
            if null.shape[-2]:
                parts.append(null @ part)
        return np.concatenate([*parts, torques[..., self.bounded, :]], axis=-2)

    def torques(self, q: Array, tau: Array) -> Array:
        """Return what motors do (…, motors) for efforts tau (…, nv)."""
        return self.model.motor_torques(q, tau, motors=self.motors)

    def given(self, q: Array, tau: Array) -> Array:
        """Return the part of efforts tau (…, nv) that drives can give, motors within limits."""
        if self.motors:
            torques, at = np.array(self.torques(q, tau)), self.bounded
            torques[..., at] = np.clip(torques[..., at], -self.effort, self.effort)
            return self.model.from_motor_torques(q, torques, motors=self.motors)
        found = tau.copy()
        found[..., self.idle] = 0.0
        return found


def _split(matrix: Array) -> tuple[Array, Array]:
    """Return (Mᵀ)⁺ (…, k, c) of a cluster, and its null space (…, c − k, c)."""
    left, sizes, right = np.linalg.svd(matrix)
    k = sizes.shape[-1]
    large = sizes > SINGULAR * sizes[..., :1]
    back = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=large)
    return (left[..., :, :k] * back[..., None, :]) @ right[..., :k, :], right[
        ..., matrix.shape[-2] :, :
    ]


def _limits(stated: Stated, names: tuple[str, ...]) -> Array:
    """Return the largest torques (motors,), infinite for those that are only named."""
    if not isinstance(stated, Mapping):
        return np.full(len(names), np.inf)
    found = np.array([number(stated[name], f"torque of motor {name!r}") for name in names])
    if (found <= 0.0).any():
        raise ValueError(f"torques of motors are {found.tolist()}, must be positive")
    return found
