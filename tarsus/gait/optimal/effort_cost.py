"""The integral of squared efforts as the cost of a step: ∫ τᵀ Q τ dt, a sum of squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.optimal.collocation import Slopes
from tarsus.gait.optimal.machine import Machine
from tarsus.gait.optimal.objective import Part


@dataclass(frozen=True, eq=False)
class EffortCost:
    """∫ τᵀ Q τ dt with a `metric` Q (nv, nv) for each phase; outputs are residuals."""

    metric: Sequence[Array]
    weights: Array = field(default_factory=lambda: np.zeros(0))
    nodes = 2

    @cached_property
    def _roots(self) -> list[Array]:
        return [np.asarray(np.linalg.cholesky(each).T) for each in self.metric]

    def at(self, weights: Array) -> EffortCost:
        """Return the cost for nodes of quadrature with these weights."""
        return replace(self, weights=weights)

    def coarse(self) -> EffortCost:
        """Return the same: squares are smooth."""
        return self

    def outputs(self, p: int, efforts: Array, v: Array, duration: float) -> Array:
        """Return residuals (n, nv) of a phase, whose squares add up to the integral."""
        scale = np.sqrt(duration * self.weights)[:, None]
        return np.asarray(scale * (efforts @ self._roots[p].T))

    def output_slopes(
        self, p: int, efforts: Array, slopes: tuple[Array, Array, Array], duration: float
    ) -> tuple[Slopes, Array]:
        """Return how they change with the motion, and with the duration."""
        scale = np.sqrt(duration * self.weights)
        by_q, by_v, by_a = (scale[:, None, None] * (self._roots[p] @ each) for each in slopes)
        lasting = scale[:, None] * (efforts @ self._roots[p].T) / (2.0 * duration)
        return (by_q, by_v, by_a), lasting

    def totals(self, machine: Machine, durations: Array, q: Array) -> Array:
        """Return none."""
        return np.zeros(0)

    def total_slopes(self, machine: Machine, q: Array) -> tuple[Array, Array]:
        """Return none."""
        return np.zeros((0, len(machine.sizes))), np.zeros((0, len(q)))

    def cost(self, outputs: Array) -> float:
        """Return the sum of squares."""
        return float(outputs @ outputs)

    def gradient(self, outputs: Array, slopes: Array) -> Array:
        """Return its gradient (n,)."""
        return np.asarray(2.0 * slopes.T @ outputs)

    def curvature(self, outputs: Array, slopes: Array) -> Array:
        """Return that of Gauss and Newton (n, n)."""
        return np.asarray(2.0 * slopes.T @ slopes)

    def unseen(self, here: tuple[Array, Array], there: tuple[Array, Array], step: Array) -> Array:
        """Return residuals times how their slopes changed (n,)."""
        return np.asarray(2.0 * (there[1] - here[1]).T @ there[0])

    def measured(self, machine: Machine, parts: Sequence[Part], q: Array) -> float:
        """Return the integral."""
        return sum(
            float(np.trapezoid(np.einsum("ni,ij,nj->n", tau, metric, tau), t))
            for metric, (t, _, tau) in zip(self.metric, parts, strict=True)
        )
