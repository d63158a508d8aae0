"""Limits of joints that follow others, by gears, couplings or loops: rows of velocities.

A joint with the velocity w = G v, its row of the coupling matrix, keeps its range in a step of dt
if (lower − x)/dt ≤ G v ≤ (upper − x)/dt, and its speed if |G v| ≤ w_max. Rotors of motors are such
joints: a gear with ratio N lets a joint go N times slower than its motor may turn.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.ik.limits import Limits, speeds
from tarsus.model import Model
from tarsus.model.kinds import NONHOLONOMIC, QUASI_VELOCITIES


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
