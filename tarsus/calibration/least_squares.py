"""Weighted least squares of an experiment, by the steps of Gauss and Newton.

Steps are those of least norm by the SVD of all slopes, in natural units: combinations of errors
that nothing tells stay where they are. A step that does not help is halved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus._lib.files import Array
from tarsus.calibration.experiment import Experiment
from tarsus.calibration.observability import Observability
from tarsus.calibration.pose_observability import from_slopes

MOST_STEPS, HALVINGS = 50, 12
SMALL = 1e-12
"""Steps below this share of a natural size end the search."""
EXACT = 1e-6
"""Residuals below this share of the stated deviations are rounding, and no measure of noise."""


@dataclass(frozen=True)
class Point:
    """Errors, and residuals of unit deviation (n, rows) with slopes there, measure by measure."""

    errors: Array
    residuals: list[Array]
    slopes: list[Array]

    @property
    def norms(self) -> list[Array]:
        """Norms (n,) of the residuals of each measure."""
        return [np.sqrt((r**2).sum(axis=1)) for r in self.residuals]

    def cost(self, weights: Sequence[Array]) -> float:
        """Return the weighted squares."""
        return float(sum((w * d**2).sum() for w, d in zip(weights, self.norms, strict=True)))

    def stacked(self, weights: Sequence[Array]) -> tuple[Array, Array]:
        """Return all residuals (rows,) and slopes (rows, parameters), weighted."""
        roots = [np.sqrt(w)[:, None] for w in weights]
        stacked = [(w * r).ravel() for w, r in zip(roots, self.residuals, strict=True)]
        columns = [
            (w[..., None] * s).reshape(-1, s.shape[-1])
            for w, s in zip(roots, self.slopes, strict=True)
        ]
        return np.concatenate(stacked), np.concatenate(columns)


@dataclass(frozen=True)
class Fit:
    """Least squares of one experiment."""

    experiment: Experiment
    readings: Array
    values: list[Array]
    scales: Array
    cut: float

    def at(self, errors: Array) -> Point:
        """Return residuals and slopes at given errors."""
        whitened = self.experiment.linearised(self.readings, self.values, errors).whitened()
        return Point(errors, *whitened)

    def residuals(self, errors: Array) -> list[Array]:
        """Return residuals (n, rows) of each measure, in their own units."""
        return self.experiment.linearised(self.readings, self.values, errors).residuals

    def solve(self, point: Point, weights: Sequence[Array]) -> Point:
        """Return the point with the least weighted squares, from a given one on."""
        for _ in range(MOST_STEPS):
            step = self.step(point, weights)
            if float(np.abs(step / self.scales).max()) <= SMALL:
                return point
            better = self._line(point, step, weights)
            if better is None:
                self._check_end(point, step, weights)
                return point
            point = better
        size = float(np.abs(step / self.scales).max())
        raise ArithmeticError(
            f"identify: after {MOST_STEPS} steps errors still change by {size:.3g} of their "
            f"natural sizes; the condition is {self.seen(point, weights).condition:.3g}"
        )

    def _check_end(self, point: Point, step: Array, weights: Sequence[Array]) -> None:
        """Raise if no step helps although residuals should change by more than rounding."""
        residuals, slopes = point.stacked(weights)
        change = float(np.linalg.norm(slopes @ step))
        # squares fall by change², of which rounding of their sum hides a share near 1e-12
        if change > EXACT * max(1.0, float(np.linalg.norm(residuals))):
            size = float(np.abs(step / self.scales).max())
            raise ArithmeticError(
                f"identify: no part of a step of {size:.3g} of natural sizes helps, although "
                f"residuals should change by {change:.3g} stated deviations; the machine cannot "
                "be closed with such errors, or they are too large for least squares"
            )

    def _line(self, point: Point, step: Array, weights: Sequence[Array]) -> Point | None:
        """Return the point after the longest of step, step/2, … that helps."""
        for k in range(HALVINGS):
            try:
                trial = self.at(point.errors + 0.5**k * step)
            except ArithmeticError:  # such errors that a loop does not close: too long a step
                continue
            if trial.cost(weights) < point.cost(weights):
                return trial
        return None

    def step(self, point: Point, weights: Sequence[Array]) -> Array:
        """Return a step of Gauss and Newton, of least norm."""
        residuals, slopes = point.stacked(weights)
        u, s, rows = np.linalg.svd(slopes * self.scales, full_matrices=False)
        used = s > self.cut * s.max(initial=0.0)
        if not used.any():
            raise ArithmeticError("nothing that is measured depends on the parameters")
        return np.asarray(-self.scales * (rows[used].T @ ((u[:, used].T @ residuals) / s[used])))

    def seen(self, point: Point, weights: Sequence[Array]) -> Observability:
        """Return what the weighted measurements tell."""
        return from_slopes(self.experiment, point.stacked(weights)[1], self.scales, self.cut)
