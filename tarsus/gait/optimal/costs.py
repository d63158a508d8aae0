"""Costs of a gait: torque, energy, transport."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from tarsus._lib.files import Array
from tarsus.gait.optimal.collocation import Slopes
from tarsus.gait.optimal.design import Drives, cost_of_transport
from tarsus.gait.optimal.step_equations import Machine

# The integral of squared efforts as the cost of a step: ∫ τᵀ Q τ dt, a sum of squares.


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


# The cost of transport with motors that get warm, as the cost of a step.
#
# Motors of joints take P = c τ² + τ v / η [W], what is negative is lost. The search has
#
#     P⁺ = ½ (P + √(P² + ε²)),
#
# which is smooth, above max(P, 0), and by ε / 2 at most; ε is `width` for each newton of weight.
# The cost is what it adds up to over a step, by weight and way, and what a slope gives.


WIDTH = 1e-4
"""Of the smoothing [W/N]: costs at 1 m/s are too large by half of it for each joint, at most."""
COARSE = 100.0
"""How much wider it is at first."""


@dataclass(frozen=True, eq=False)
class TransportCost:
    """Energy that motors and slope spend for each unit of weight and way.

    Outputs are efforts and velocities (n, 2 nv) of each phase; then durations, weight times way,
    and the slope's share.
    """

    phases: Sequence[Drives]
    weight: float
    """By which the smoothing is wide or narrow [N]."""
    width: float = WIDTH
    weights: Array = field(default_factory=lambda: np.zeros(0))
    nodes = 4  # powers bend where they change their sign

    def at(self, weights: Array) -> TransportCost:
        """Return the cost for nodes of quadrature with these weights."""
        return replace(self, weights=weights)

    def coarse(self) -> TransportCost:
        """Return a smoother one."""
        return replace(self, width=COARSE * WIDTH)

    def outputs(self, p: int, efforts: Array, v: Array, duration: float) -> Array:
        """Return efforts and velocities (n, 2 nv)."""
        return np.concatenate([efforts, v], axis=-1)

    def output_slopes(
        self, p: int, efforts: Array, slopes: tuple[Array, Array, Array], duration: float
    ) -> tuple[Slopes, Array]:
        """Return how they change with the motion; a duration changes them by v and a only."""
        nothing = np.zeros_like(slopes[0])
        units = nothing + np.eye(nothing.shape[-1])
        pairs = zip(slopes, (nothing, units, nothing), strict=True)
        by_q, by_v, by_a = (np.concatenate(pair, axis=1) for pair in pairs)
        return (by_q, by_v, by_a), np.zeros(by_q.shape[:2])

    def totals(self, machine: Machine, durations: Array, q: Array) -> Array:
        """Return durations, weight times way [J], and the slope's share of the cost."""
        ahead = machine.ahead(q)
        given = max(math.sin(machine.walker.slope) * math.copysign(1.0, ahead), 0.0)
        return np.array([*durations, machine.weight * abs(ahead), given])

    def total_slopes(self, machine: Machine, q: Array) -> tuple[Array, Array]:
        """Return how they change with durations, and with q at the end."""
        count = len(machine.sizes)
        by_q = np.zeros((count + 2, len(q)))
        by_q[count] = math.copysign(machine.weight, machine.ahead(q)) * machine.ahead_slopes(q)
        return np.eye(count + 2, count), by_q

    def cost(self, outputs: Array) -> float:
        """Return the cost of transport with powers that are smooth."""
        parts, durations, carried, given = self._split(outputs)
        energy = sum(
            duration * float(self.weights @ self._power(p, *part)[0].sum(axis=-1))
            for p, (part, duration) in enumerate(zip(parts, durations, strict=True))
        )
        return float(energy / carried + given)

    def gradient(self, outputs: Array, slopes: Array) -> Array:
        """Return its gradient (n,)."""
        parts, durations, carried, _ = self._split(outputs)
        by, lasting, energy = [], [], 0.0
        for p, ((tau, v), duration) in enumerate(zip(parts, durations, strict=True)):
            power, by_tau, by_v = self._power(p, tau, v)
            mean = float(self.weights @ power.sum(axis=-1))
            scale = duration * self.weights[:, None] / carried
            by.append((scale * np.concatenate([by_tau, by_v], axis=-1)).ravel())
            lasting.append(mean / carried)
            energy += duration * mean
        return np.concatenate([*by, lasting, [-energy / carried**2, 1.0]]) @ slopes

    def curvature(self, outputs: Array, slopes: Array) -> Array:
        """Return that of powers by efforts and velocities (n, n), where it is not negative."""
        parts, durations, carried, _ = self._split(outputs)
        rows, begin = [], 0
        for p, ((tau, v), duration) in enumerate(zip(parts, durations, strict=True)):
            count, size = tau.shape
            scale = np.sqrt(duration * self.weights / carried)[:, None, None, None]
            of = slopes[begin : begin + 2 * tau.size].reshape(count, 2, size, -1)
            roots = scale * self._bends(p, tau, v)
            rows.append(np.einsum("njab,nbjx->najx", roots, of).reshape(2 * tau.size, -1))
            begin += 2 * tau.size
        factor = np.concatenate(rows)
        return np.asarray(factor.T @ factor)

    def unseen(self, here: tuple[Array, Array], there: tuple[Array, Array], step: Array) -> Array:
        """Return what the gradient changed (n,) beyond the curvature there."""
        change = self.gradient(*there) - self.gradient(*here)
        return np.asarray(change - self.curvature(*there) @ step)

    def measured(self, machine: Machine, parts: Sequence[Part], q: Array) -> float:
        """Return the cost of transport itself, without smoothing."""
        way = machine.ahead(q)
        return cost_of_transport(machine.walker, machine.weight, way, self.phases, parts)

    def _split(self, outputs: Array) -> tuple[list[tuple[Array, Array]], Array, float, float]:
        """Return efforts and velocities (n, nv) of phases, durations, weight times way, share."""
        parts, begin = [], 0
        for each in self.phases:
            rows = outputs[begin : begin + 2 * each.size * len(self.weights)]
            tau, v = np.split(rows.reshape(len(self.weights), -1), 2, axis=-1)
            parts.append((tau, v))
            begin += len(rows)
        *durations, carried, given = outputs[begin:].tolist()
        return parts, np.array(durations), carried, given

    def _power(self, p: int, tau: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return smooth powers (n, nv) [W], and how they change with efforts and velocities."""
        heat, share = self.phases[p].heat, self.phases[p].share
        power = heat * tau**2 + share * tau * v
        size = np.hypot(power, self.width * self.weight)
        rise = 0.5 * (1.0 + power / size)
        by_tau = rise * (2.0 * heat * tau + share * v)
        return 0.5 * (power + size), by_tau, rise * share * tau

    def _bends(self, p: int, tau: Array, v: Array) -> Array:
        """Return roots (n, nv, 2, 2) of curvatures by effort and velocity, where not negative."""
        heat, share = self.phases[p].heat, self.phases[p].share
        narrow = self.width * self.weight
        power = heat * tau**2 + share * tau * v
        size = np.hypot(power, narrow)
        rise, bend = 0.5 * (1.0 + power / size), 0.5 * narrow**2 / size**3
        way = np.stack([2.0 * heat * tau + share * v, share * tau], axis=-1)
        own = np.zeros((*tau.shape, 2, 2))
        own[..., 0, 0] = 2.0 * heat
        own[..., 0, 1] = own[..., 1, 0] = share
        whole = (
            rise[..., None, None] * own
            + bend[..., None, None] * way[..., :, None] * way[..., None, :]
        )
        sizes, vectors = np.linalg.eigh(whole)
        return np.asarray(np.sqrt(np.maximum(sizes, 0.0))[..., :, None] * vectors.swapaxes(-1, -2))


# What a search makes small: a smooth function of outputs, which are numbers of the motion.


Part = tuple[Array, Array, Array]
"""Times (n,), velocities and efforts (n, nv) of a phase at many instants."""


class Objective(Protocol):
    """A cost of outputs: those of each phase at nodes, then totals of the whole step."""

    nodes: int
    """How many nodes of quadrature there are for each function of the basis, unless stated."""

    def at(self, weights: Array) -> Objective:
        """Return the objective for nodes of quadrature with these weights."""

    def coarse(self) -> Objective:
        """Return what a search begins with."""

    def outputs(self, p: int, efforts: Array, v: Array, duration: float) -> Array:
        """Return outputs (n, rows) of a phase, by efforts and velocities (n, nv)."""

    def output_slopes(
        self, p: int, efforts: Array, slopes: tuple[Array, Array, Array], duration: float
    ) -> tuple[Slopes, Array]:
        """Return how they change (n, rows, nv) with q, v and a, and with the duration (n, rows).

        The latter is what they change while q, v and a stay.
        """

    def totals(self, machine: Machine, durations: Array, q: Array) -> Array:
        """Return outputs of the whole step, which ends at q."""

    def total_slopes(self, machine: Machine, q: Array) -> tuple[Array, Array]:
        """Return how they change with durations, and with q at the end."""

    def cost(self, outputs: Array) -> float:
        """Return the cost."""

    def gradient(self, outputs: Array, slopes: Array) -> Array:
        """Return its gradient by unknowns, which outputs change with as `slopes` (rows, n) say."""

    def curvature(self, outputs: Array, slopes: Array) -> Array:
        """Return a curvature (n, n) that is nowhere negative, of outputs that change linearly."""

    def unseen(self, here: tuple[Array, Array], there: tuple[Array, Array], step: Array) -> Array:
        """Return what the gradient changed (n,) along a step beyond the model.

        `here` and `there` are outputs and their slopes.
        """

    def measured(self, machine: Machine, parts: Sequence[Part], q: Array) -> float:
        """Return the cost itself, by many instants of each phase and where the step ends."""
