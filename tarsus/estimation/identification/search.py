"""Least squares over segments that meet, by condensed steps of Gauss and Newton.

Unknown are the first state, the numbers, and the states of all nodes, which segments must lead to.
A step of these follows from one of the first state and of the numbers (H. G. Bock, "Recent advances
in parameter identification techniques for O.D.E.", Birkhäuser 1983): what is solved is small,
however many nodes there are, and no motion is followed farther than to the next of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.estimation.identification.shooting import Nodes, Shooting, Shot
from tarsus.estimation.observability import Observability, told_by

MOST_STEPS, HALVINGS, FROZEN = 60, 8, 10
"""Steps, halvings of one, and steps after which samples near strikes stay chosen."""
DAMPINGS = (0.0, 0.01, 0.1, 1.0)
"""Shares of the largest singular value that are tried one after the other."""
SMALL = 1e-10
"""Steps below this share of natural sizes end the search."""
SETTLED = 1e-7
"""So do steps that change residuals by a smaller share of their norm."""
IDLE = 1e-3
"""A last step that changes no number by more than this share of its deviation need not help."""


@dataclass(frozen=True, eq=False)
class Point:
    """Numbers (p,), nodes, and the motion that they make; `used` (N, rows) are rows that count."""

    values: Array
    nodes: Nodes
    shot: Shot
    residuals: Array
    used: NDArray[np.bool_]
    gaps: Array

    @property
    def squares(self) -> float:
        """The squares of the residuals that count, in units of their deviations."""
        return float((self.residuals[self.used] ** 2).sum())

    @property
    def spread(self) -> float:
        """The root mean square of the residuals that count."""
        return float(np.sqrt(self.squares / max(int(self.used.sum()), 1)))

    def merit(self, price: float) -> float:
        """Return the same with a price on the gaps at nodes."""
        return self.squares + price * float(np.linalg.norm(self.gaps))


@dataclass(frozen=True, eq=False)
class Linear:
    """Rows by the first state and by the numbers, what is left, and steps of nodes by both."""

    by_start: Array
    by_values: Array
    left: Array
    node_slopes: Array
    node_shifts: Array


@dataclass(frozen=True, eq=False)
class Search:
    """The least squares of one recording, within bounds (p,) of the numbers."""

    shooting: Shooting
    free_start: bool
    blind: float
    spacing: float
    cut: float
    lower: Array
    upper: Array

    def at(self, values: Array, nodes: Nodes, used: NDArray[np.bool_] | None = None) -> Point:
        """Return the point with these unknowns; rows near its jumps do not count unless stated."""
        recording = self.shooting.recording
        shot = self.shooting.shoot(values, nodes)
        model = shot.model
        residuals = recording.residuals(model, shot.q, shot.v) / recording.deviations
        if used is None:
            used = self._used(residuals, shot)
        steps = np.asarray(model.difference(nodes.q[1:], shot.end_q))
        gaps = np.concatenate([steps, shot.end_v - nodes.v[1:]], axis=1)
        return Point(values, nodes, shot, residuals, used, gaps / self._state_deviations)

    @property
    def _state_deviations(self) -> Array:
        recording = self.shooting.recording
        rates = recording.rate_noise if recording.v is not None else recording.noise / self.spacing
        return np.concatenate([recording.noise, rates])

    def solve(self, point: Point) -> tuple[Point, str]:
        """Return the point of least squares from a given one on, and why it is not, if so."""
        for k in range(MOST_STEPS):
            linear = self.linear(point)
            start, numbers = self._step(point, linear)
            change = self._change(point, linear, start, numbers)
            if self._is_small(point, change, start, numbers):
                return point, ""
            better = self._better(point, linear)
            if better is None and change <= max(self.floor, IDLE * point.spread):
                return point, ""
            if better is None:
                size = np.abs(numbers / self.shooting.family.scales).max()
                return point, f"no part of a step of {size:.3g} of natural sizes helps"
            point = better if k >= FROZEN else self._chosen_anew(better)
        return point, f"it still changes after {MOST_STEPS} steps"

    def _better(self, point: Point, linear: Linear) -> Point | None:
        """Return a better point, by steps of Gauss and Newton or by those of Levenberg."""
        for damping in DAMPINGS:
            better = self._line(point, linear, *self._step(point, linear, damping))
            if better is not None:
                return better
        return None

    def _chosen_anew(self, point: Point) -> Point:
        """Return the point with the rows that count by its own jumps."""
        return replace(point, used=self._used(point.residuals, point.shot))

    def _used(self, residuals: Array, shot: Shot) -> NDArray[np.bool_]:
        """Return rows (N, rows) that were recorded, away from jumps of the state."""
        used = np.isfinite(residuals)
        for t in shot.jumps:
            used[np.abs(self.shooting.recording.t - t) <= self.blind] = False
        return used

    def linear(self, point: Point) -> Linear:
        """Return rows (n, …) that count, by the first state and by the numbers."""
        shot, at = point.shot, point.nodes.at
        states, p = shot.v.shape[1] * 2, len(point.values)
        slopes, shifts = np.zeros((len(at), states, states + p)), np.zeros((len(at), states))
        slopes[0] = np.eye(states, states + p)
        gaps = point.gaps * self._state_deviations
        for j, end in enumerate(shot.end_slopes):
            slopes[j + 1] = end[:, :states] @ slopes[j]
            slopes[j + 1, :, states:] += end[:, states:]
            shifts[j + 1] = end[:, :states] @ shifts[j] + gaps[j]
        of = np.searchsorted(at, np.arange(len(shot.q)), side="right") - 1
        by_all = shot.slopes[:, :, :states] @ slopes[of]
        by_all[:, :, states:] += shot.slopes[:, :, states:]
        moved = (shot.slopes[:, :, :states] @ shifts[of][..., None])[..., 0]
        deviations, rows = self.shooting.recording.deviations, point.residuals.shape[1]
        by_all = (by_all[:, :rows] / deviations[:, None])[point.used]
        left = (point.residuals - moved[:, :rows] / deviations)[point.used]
        by_start = by_all[:, : states if self.free_start else 0]
        return Linear(by_start, by_all[:, states:], left, slopes, shifts)

    def _step(self, point: Point, linear: Linear, damping: float = 0.0) -> tuple[Array, Array]:
        """Return steps of the first state and of the numbers, which stay within their bounds."""
        free = np.ones(len(point.values), bool)
        while True:
            step = self._free_step(linear, free, damping)
            out = (point.values + step < self.lower) & (point.values <= self.lower)
            out |= (point.values + step > self.upper) & (point.values >= self.upper)
            if not (out & free).any():
                break
            free &= ~out
        step = np.clip(point.values + step, self.lower, self.upper) - point.values
        start: Array = np.zeros(linear.node_shifts.shape[1])
        if self.free_start:
            start = np.linalg.lstsq(  # type: ignore[assignment]
                linear.by_start, linear.left - linear.by_values @ step, rcond=None
            )[0]
        return start, step

    def _free_step(self, linear: Linear, free: NDArray[np.bool_], damping: float) -> Array:
        """Return the least step of the numbers that are free, shorter along what is told badly."""
        scales = np.where(free, self.shooting.family.scales, 0.0)
        slopes, left = self.beside_start(linear)
        u, s, rows = np.linalg.svd(slopes * scales, full_matrices=False)
        told = s > max(self.cut * s.max(initial=0.0), self.floor)
        along = (u[:, told].T @ left) * s[told] / (s[told] ** 2 + (damping * s.max()) ** 2)
        return np.asarray(scales * (rows[told].T @ along))

    def beside_start(self, linear: Linear) -> tuple[Array, Array]:
        """Return slopes by the numbers and what is left, as far as no first state explains them."""
        basis = np.linalg.qr(linear.by_start)[0]
        return tuple(x - basis @ (basis.T @ x) for x in (linear.by_values, linear.left))  # type: ignore[return-value]

    @property
    def floor(self) -> float:
        """Changes of residuals by natural sizes of the numbers below this are rounding."""
        recording = self.shooting.recording
        moved = recording.q[recording.whole]
        spread = np.linalg.norm(moved - moved.mean(axis=0)) / recording.noise.max()
        return float(self.cut * spread)

    def _change(self, point: Point, linear: Linear, start: Array, numbers: Array) -> float:
        """Return how much residuals and gaps change by a step, in deviations."""
        change = linear.by_values @ numbers
        if self.free_start:
            change = change + linear.by_start @ start
        return float(np.hypot(np.linalg.norm(change), np.linalg.norm(point.gaps)))

    def _is_small(self, point: Point, change: float, start: Array, numbers: Array) -> bool:
        small = np.abs(numbers / self.shooting.family.scales).max() <= SMALL
        met = np.linalg.norm(point.gaps * self._state_deviations) <= SMALL
        settled = change <= SETTLED * np.sqrt(point.squares)
        return bool(settled or (small and met and np.abs(start).max() <= SMALL))

    def _line(self, point: Point, linear: Linear, start: Array, numbers: Array) -> Point | None:
        """Return the point after the longest of step, step/2, … that helps."""
        moves = linear.node_slopes @ np.concatenate([start, numbers]) + linear.node_shifts
        nv, model = point.nodes.v.shape[1], point.shot.model
        price = self._price(point, linear, start, numbers)
        for k in range(HALVINGS):
            share = 0.5**k
            q = np.asarray(model.integrate(point.nodes.q, share * moves[:, :nv]))
            nodes = Nodes(point.nodes.at, q, point.nodes.v + share * moves[:, nv:])
            try:
                trial = self.at(point.values + share * numbers, nodes, point.used)
            except (ArithmeticError, ValueError):  # no such machine, or it does not come so far
                continue
            if trial.merit(price) < point.merit(price):
                return trial
        return None

    def _price(self, point: Point, linear: Linear, start: Array, numbers: Array) -> float:
        """Return what gaps at nodes cost: twice of what it takes in squares to close them.

        Squares may grow as gaps close; with this price a step that does both is a gain (S.-P. Han,
        "A globally convergent method for nonlinear programming", 1977).
        """
        left = linear.left - linear.by_values @ numbers
        if self.free_start:
            left = left - linear.by_start @ start
        gap = float(np.linalg.norm(point.gaps))
        return 1.0 + 2.0 * max(0.0, float(left @ left) - point.squares) / gap if gap else 1.0

    def seen(self, point: Point) -> Observability:
        """Return what the recording tells of the numbers, whatever the first state was."""
        slopes, _ = self.beside_start(self.linear(point))
        family = self.shooting.family
        return told_by(family.names, slopes, family.scales, self.cut, floor=self.floor)
