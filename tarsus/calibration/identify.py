"""Errors of a machine from measurements: weighted least squares, with outliers found and left out.

Gauss-Newton steps on residuals of unit deviation, by the SVD of their slopes: combinations that
nothing tells stay at zero. With `robust` measurements far off count less (P. J. Huber, "Robust
Statistics", Wiley 1981), until those that no noise explains are known; then they are left out, and
what remains is fitted as if they had never been taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from tarsus.arrays import Array
from tarsus.calibration.experiment import Experiment
from tarsus.calibration.identified import Identified, Outlier
from tarsus.calibration.observability import CUT, Observability, from_slopes, natural_scales
from tarsus.model.checks import expect, flag, number

MOST_STEPS, HALVINGS, ROUNDS = 50, 12, 20
SMALL = 1e-12
"""Steps below this share of a natural size end the search."""
HUBER = 0.95
"""Share of good measurements that count in full."""


def identify(
    experiment: Experiment,
    readings: ArrayLike,
    values: ArrayLike | Sequence[ArrayLike],
    *,
    robust: bool = True,
    level: float = 0.01,
    cut: float = CUT,
) -> Identified:
    """Return the errors that explain what was measured at readings (n, joints), and how well.

    `values` are what was measured, a list with an array for each measure, or the array of the
    only one. With `robust` measurements that noise explains with a probability below `level`, all
    together, are left out and told. Singular values below `cut`, relative to the largest, count as
    zero.
    """
    expect(experiment, Experiment, "experiment")
    flag(robust, "robust")
    for name, value in (("level", level), ("cut", cut)):
        if not 0.0 < number(value, name) < 1.0:
            raise ValueError(f"{name} is {value}, must be between 0 and 1")
    read = experiment.encoders.checked(readings)
    if read.ndim != 2 or not len(read):
        raise ValueError(f"readings has shape {read.shape}, must be (n, joints), n ≥ 1")
    measured = _measured(experiment, values, len(read))
    fit = _Fit(experiment, read, measured, natural_scales(experiment, read), cut)
    weights = [np.ones(len(read)) for _ in experiment.measures]
    point = fit.solve(fit.at(np.zeros(len(experiment.names))), weights)
    if robust:
        point, weights = _without_outliers(fit, point, weights, level)
    return _result(fit, point, weights)


@dataclass(frozen=True)
class _Point:
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
class _Fit:
    """Least squares of one experiment."""

    experiment: Experiment
    readings: Array
    values: list[Array]
    scales: Array
    cut: float

    def at(self, errors: Array) -> _Point:
        """Return residuals and slopes at given errors."""
        whitened = self.experiment.linearised(self.readings, self.values, errors).whitened()
        return _Point(errors, *whitened)

    def solve(self, point: _Point, weights: Sequence[Array]) -> _Point:
        """Return the point with the least weighted squares, from a given one on."""
        for _ in range(MOST_STEPS):
            step = self.step(point, weights)
            if float(np.abs(step / self.scales).max()) <= SMALL:
                return point
            better = self._line(point, step, weights)
            if better is None:
                return point  # no step helps: this is the least that rounding lets find
            point = better
        size = float(np.abs(step / self.scales).max())
        raise ArithmeticError(
            f"identify: after {MOST_STEPS} steps errors still change by {size:.3g} of their "
            f"natural sizes; the condition is {self.seen(point, weights).condition:.3g}"
        )

    def _line(self, point: _Point, step: Array, weights: Sequence[Array]) -> _Point | None:
        """Return the point after the longest of step, step/2, … that helps."""
        for k in range(HALVINGS):
            try:
                trial = self.at(point.errors + 0.5**k * step)
            except ArithmeticError:  # such errors that a loop does not close: too long a step
                continue
            if trial.cost(weights) < point.cost(weights):
                return trial
        return None

    def step(self, point: _Point, weights: Sequence[Array]) -> Array:
        """Return a step of Gauss and Newton, of least norm."""
        residuals, slopes = point.stacked(weights)
        u, s, rows = np.linalg.svd(slopes * self.scales, full_matrices=False)
        used = s > self.cut * s.max(initial=0.0)
        if not used.any():
            raise ArithmeticError("nothing that is measured depends on the parameters")
        return np.asarray(-self.scales * (rows[used].T @ ((u[:, used].T @ residuals) / s[used])))

    def seen(self, point: _Point, weights: Sequence[Array]) -> Observability:
        """Return what the weighted measurements tell."""
        return from_slopes(self.experiment, point.stacked(weights)[1], self.scales, self.cut)


def _without_outliers(
    fit: _Fit, point: _Point, weights: list[Array], level: float
) -> tuple[_Point, list[Array]]:
    """Return the point and weights, 0 for outliers and 1 for all others."""
    rows = [measure.rows for measure in fit.experiment.measures]
    knees = [np.sqrt(stats.chi2.ppf(HUBER, m)) for m in rows]
    for _ in range(ROUNDS):
        norms = point.norms
        scale = _scale(norms, rows)
        before = weights
        weights = [
            np.minimum(1.0, k * scale / np.maximum(d, 1e-300))
            for d, k in zip(norms, knees, strict=True)
        ]
        if max(np.abs(a - b).max() for a, b in zip(weights, before, strict=True)) < 0.02:
            break
        point = fit.at(point.errors + fit.step(point, weights))
    count = sum(map(len, weights))
    bounds = [np.sqrt(stats.chi2.ppf(1.0 - level / count, m)) for m in rows]
    kept = weights
    for _ in range(ROUNDS):
        norms = point.norms
        scale = _scale(norms, rows)
        now = [(d <= b * scale).astype(float) for d, b in zip(norms, bounds, strict=True)]
        if all(np.array_equal(a, b) for a, b in zip(now, kept, strict=True)):
            break
        kept = now
        point = fit.solve(point, kept)
    return point, kept


def _scale(norms: Sequence[Array], rows: Sequence[int]) -> float:
    """Return how many times larger than stated residuals are, by the median of their squares."""
    squares = [d**2 / stats.chi2.median(m) for d, m in zip(norms, rows, strict=True)]
    return max(float(np.sqrt(np.median(np.concatenate(squares)))), 1e-12)


def _result(fit: _Fit, point: _Point, weights: list[Array]) -> Identified:
    experiment, seen = fit.experiment, fit.seen(point, weights)
    norms = point.norms
    rows = sum(m.rows * w.sum() for m, w in zip(experiment.measures, weights, strict=True))
    freedom = round(rows) - seen.rank
    squares = sum(float((w * d**2).sum()) for w, d in zip(weights, norms, strict=True))
    spread = float(np.sqrt(squares / freedom)) if freedom > 0 else float("nan")
    outliers = [
        Outlier(int(pose), measure, float(d[pose] / spread))
        for measure, d, w in zip(experiment.measures, norms, weights, strict=True)
        for pose in np.flatnonzero(w == 0.0)
    ]
    before, after = (
        experiment.linearised(fit.readings, fit.values, e).residuals
        for e in (np.zeros(len(point.errors)), point.errors)
    )
    return Identified(
        experiment=experiment,
        errors=point.errors,
        spread=spread,
        freedom=freedom,
        observability=seen,
        before=before,
        after=after,
        outliers=tuple(outliers),
    )


def _measured(
    experiment: Experiment, values: ArrayLike | Sequence[ArrayLike], count: int
) -> list[Array]:
    measures = experiment.measures
    if len(measures) == 1 and not (isinstance(values, list | tuple) and len(values) == 1):
        return [measures[0].values(values, count)]  # type: ignore[arg-type]
    if not isinstance(values, list | tuple) or len(values) != len(measures):
        titles = ", ".join(measure.title for measure in measures)
        raise ValueError(f"values must be a list with an array for each of: {titles}")
    return [m.values(value, count) for m, value in zip(measures, values, strict=True)]
