"""Least squares over segments that meet, condensed to the parameters.

Unknown are the first state, the parameters, and the states of all nodes, which segments must lead
to. Steps of nodes follow from those of the first state and of the parameters, and that of the first
state from those of the parameters (H. G. Bock, "Recent advances in parameter identification
techniques for O.D.E.", Birkhäuser 1983; J. Albersmeyer, M. Diehl, "The lifted Newton method",
SIAM Journal on Optimization 20(3), 2010): what `LeastSquares` solves is small, however many nodes
there are, and no motion is followed farther than to the next of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.estimation.identification.shooting import Nodes, Shooting, Shot
from tarsus.estimation.least_squares import LeastSquares

FROZEN = 10
"""Accepted steps after which samples near strikes stay chosen."""
SMALL_STEP = 1e-10
"""Steps below this share of natural sizes end the search: flows are no more exact."""


@dataclass(frozen=True, eq=False)
class Point:
    """Parameters (p,), nodes, and the motion that they make; `used` (N, rows) are rows that count.

    `sample_residuals` (N, rows) are samples less the motion, in deviations, NaN for none. `left`
    (n,) are those of rows that count as if segments met, `by_start` and `by_values` (n, …) slopes
    of the motion there; nodes change by `node_slopes` with the first state and the parameters, and
    by `node_shifts` so that segments meet. `residuals` and `slopes` are those as far as no first
    state explains them, and the gaps at nodes, which no step of the parameters changes.
    """

    values: Array
    nodes: Nodes
    shot: Shot
    used: NDArray[np.bool_]
    sample_residuals: Array
    left: Array
    by_start: Array
    by_values: Array
    node_slopes: Array
    node_shifts: Array
    residuals: Array
    slopes: Array
    gap: float

    @property
    def squares(self) -> float:
        """The squares of the residuals that count, in units of their deviations."""
        return float((self.sample_residuals[self.used] ** 2).sum())


@dataclass(frozen=True, eq=False)
class Search:
    """The least squares of one recording, within bounds (p,) of the parameters."""

    shooting: Shooting
    free_start: bool
    blind: float
    spacing: float
    cut: float
    lower: Array
    upper: Array

    @cached_property
    def problem(self) -> LeastSquares:
        """The least squares of the parameters."""
        family, recording = self.shooting.family, self.shooting.recording
        moved = recording.q[recording.whole]
        spread = np.linalg.norm(moved - moved.mean(axis=0)) / recording.noise.max()
        # changes of residuals by natural sizes of the parameters below this are rounding
        floor = float(self.cut * spread)
        return LeastSquares(
            *(family.names, family.scales, self.lower, self.upper, self.cut),
            floor=floor,
            rounding=floor,
            small_step=SMALL_STEP,
        )

    def at(self, values: Array, nodes: Nodes, used: NDArray[np.bool_] | None = None) -> Point:
        """Return the point with these unknowns; rows near its jumps do not count unless stated."""
        return self._condensed(values, nodes, self.shooting.shoot(values, nodes), used)

    def solve(self, point: Point) -> tuple[Point, str]:
        """Return the point of least squares from a given one on, and why it is not, if so."""
        accepted = 0

        def renew(point: Point) -> Point:
            nonlocal accepted
            accepted += 1
            used = self._used(point.sample_residuals, point.shot)
            if accepted > FROZEN or np.array_equal(used, point.used):
                return point
            return self._condensed(point.values, point.nodes, point.shot, used)

        return self.problem.solve(point, self._moved, renew)

    def _moved(self, point: Point, values: Array, share: float) -> Point:
        """Return the point with other parameters; nodes and the first state go with them."""
        step = values - point.values
        start: Array = np.zeros(point.node_shifts.shape[1])
        if self.free_start:
            left = share * point.left - point.by_values @ step
            start = np.asarray(np.linalg.lstsq(point.by_start, left, rcond=None)[0])
        moves = point.node_slopes @ np.concatenate([start, step]) + share * point.node_shifts
        nodes, nv = point.nodes, point.nodes.v.shape[1]
        q = np.asarray(point.shot.model.integrate(nodes.q, moves[:, :nv]))
        return self.at(values, Nodes(nodes.at, q, nodes.v + moves[:, nv:]), point.used)

    @property
    def _state_deviations(self) -> Array:
        recording = self.shooting.recording
        rates = recording.rate_noise if recording.v is not None else recording.noise / self.spacing
        return np.concatenate([recording.noise, rates])

    def _used(self, residuals: Array, shot: Shot) -> NDArray[np.bool_]:
        """Return rows (N, rows) that were recorded, away from jumps of the state."""
        used = np.isfinite(residuals)
        for t in shot.jumps:
            used[np.abs(self.shooting.recording.t - t) <= self.blind] = False
        return used

    def _condensed(
        self, values: Array, nodes: Nodes, shot: Shot, used: NDArray[np.bool_] | None
    ) -> Point:
        """Return the point of a motion, with rows that count beside the first state."""
        recording, deviations = self.shooting.recording, self._state_deviations
        samples = recording.residuals(shot.model, shot.q, shot.v) / recording.deviations
        used = self._used(samples, shot) if used is None else used
        steps = np.asarray(shot.model.difference(nodes.q[1:], shot.end_q))
        gaps = np.concatenate([steps, shot.end_v - nodes.v[1:]], axis=1)
        node_slopes, node_shifts = _node_steps(shot, gaps, len(values))
        states = len(deviations)
        of = np.searchsorted(nodes.at, np.arange(len(shot.q)), side="right") - 1
        by_all = shot.slopes[:, :, :states] @ node_slopes[of]
        by_all[:, :, states:] += shot.slopes[:, :, states:]
        moved = (shot.slopes[:, :, :states] @ node_shifts[of][..., None])[..., 0]
        rows = samples.shape[1]
        by_all = (by_all[:, :rows] / recording.deviations[:, None])[used]
        left = (samples - moved[:, :rows] / recording.deviations)[used]
        by_start, by_values = by_all[:, : states if self.free_start else 0], by_all[:, states:]
        basis = np.linalg.qr(by_start)[0]
        explained, missed = basis.T @ left, (gaps / deviations).ravel()
        slopes = basis @ (basis.T @ by_values) - by_values
        return Point(
            *(values, nodes, shot, used, samples, left),
            *(by_start, by_values, node_slopes, node_shifts),
            residuals=np.concatenate([left - basis @ explained, missed]),
            slopes=np.concatenate([slopes, np.zeros((missed.size, len(values)))]),
            gap=float(np.hypot(np.linalg.norm(explained), np.linalg.norm(missed))),
        )


def _node_steps(shot: Shot, gaps: Array, count: int) -> tuple[Array, Array]:
    """Return slopes of nodes by the first state and the parameters, and steps to close gaps."""
    nodes, states = len(gaps) + 1, gaps.shape[1]
    slopes, shifts = np.zeros((nodes, states, states + count)), np.zeros((nodes, states))
    slopes[0] = np.eye(states, states + count)
    for j, end in enumerate(shot.end_slopes):
        slopes[j + 1] = end[:, :states] @ slopes[j]
        slopes[j + 1, :, states:] += end[:, states:]
        shifts[j + 1] = end[:, :states] @ shifts[j] + gaps[j]
    return slopes, shifts
