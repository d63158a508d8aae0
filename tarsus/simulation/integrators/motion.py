"""A motion without contacts as rates of change: accelerations, and the powers of its ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from tarsus import _core
from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.simulation.energy import FIXED

Effort: TypeAlias = Callable[[float, Array, Array], Array] | Array
"""(t, q, v) → efforts (…, nv), within their limits; or such efforts, held."""


class SmoothMotion:
    """Motion of a model under efforts, springs, damping and dry friction of its joints."""

    def __init__(self, model: Model, *, friction: bool = True, threads: int = 1) -> None:
        self.model = model
        self.friction = friction
        self.batch: Mapping[str, Any] = {} if threads == 1 else {"threads": threads}
        """What calls of the model are given; without it one state takes the short way."""
        n = model.joints[-1].velocity_slice.stop if model.joints else 0
        self._damping, self._dry = np.zeros(n), np.zeros(n)
        for joint in model.joints:
            self._damping[joint.velocity_slice] = joint.damping
            self._dry[joint.velocity_slice] = joint.friction
        self._passive = bool(
            self._damping.any()
            or self._dry.any()
            or any(np.any(joint.stiffness) for joint in model.joints)
        )

    def rates(self, t: float, q: Array, v: Array, effort: Effort) -> tuple[Array, Array]:
        """Return accelerations (…, nv) and the powers of efforts, damping, friction (…, 3 nv)."""
        if not np.isfinite(v).all():
            raise ArithmeticError("the velocities are not finite any more")
        tau = effort if isinstance(effort, np.ndarray) else effort(t, q, v)
        if not self._passive:
            nothing = np.zeros((*v.shape[:-1], 2 * self.model.nv))
            a = self.model.forward_dynamics(q, v, tau, **self.batch)
            return np.asarray(a), np.concatenate([tau * v, nothing], axis=-1)
        damping, dry = self._braking(q, v)
        passive = self.model.passive_forces(q, v, **self.batch)
        passive = passive - (0.0 if self.friction else dry)
        a = self.model.forward_dynamics(q, v, tau + passive, **self.batch)
        dry = dry if self.friction else 0.0 * dry
        return np.asarray(a), np.concatenate([tau * v, damping * v, dry * v], axis=-1)

    def split(self, y: Array) -> tuple[Array, Array, Array]:
        """Return q, v and works of y = (q, v, works)."""
        q, v, work = np.split(y, np.cumsum([self.model.nq, self.model.nv]))
        return q, v, work

    def on_group(self, y: Array) -> tuple[Array, Array, Array]:
        """Return q, v and works of y with unit quaternions and closed loops.

        Loops outside the clusters are closed in the metric of the mass matrix.
        """
        q, v, work = self.split(y)
        return *_core.project_state(self.model, q, v), work

    def rates_of(self, effort: Effort) -> Callable[[float, Array], Array]:
        """Return the rate of y = (q, v, works) of one state, as a function of t and y."""

        def rates(t: float, y: Array) -> Array:
            q, v, _ = self.split(y)
            a, power = self.rates(t, q, v, effort)
            return np.concatenate([np.asarray(self.model.configuration_rate(q, v)), a, power])

        return rates

    def ledger(self, q: Array, v: Array, work: Array) -> Array:
        """Return rows of the ledger (…, T, n) for states (…, T) and their works (…, T, 3 nv)."""
        m, batch = self.model, self.batch
        stored = [
            m.kinetic_energy(q, v, **batch),
            m.potential_energy(q, **batch),
            m.elastic_energy(q, **batch),
        ]
        zeros = np.zeros(q.shape[:-1])
        fixed = np.stack([*map(np.asarray, stored), *[zeros] * (FIXED - 3)], axis=-1)
        bodies = np.zeros((*q.shape[:-1], m.n_bodies))
        return np.concatenate([fixed, work, bodies], axis=-1)

    def _braking(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return generalised forces of damping and of dry friction (…, nv)."""
        w = np.asarray(self.model.joint_velocities(q, v, **self.batch))
        forces = np.stack([-self._damping * w, -self._dry * np.sign(w)], axis=-2)
        if len(self._damping) > self.model.nv:
            forces = forces @ self.model.coupling_matrix(q, **self.batch)
        return forces[..., 0, :], forces[..., 1, :]
