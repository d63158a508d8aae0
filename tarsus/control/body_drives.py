"""What drives a whole body: efforts on coordinates, or torques of motors behind gears and loops.

Motors turn by M v and push with Mᵀ t, so that what they must do is t = (Mᵀ)⁺ τ, cluster by cluster;
what no motor moves, the base and the null space of M, must need no effort: N τ = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.model.checks import number
from tarsus.model.motors import SINGULAR, Motors

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
