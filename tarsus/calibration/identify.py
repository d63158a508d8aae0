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
SMALL = 1e-10
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
    errors = fit.solve(np.zeros(len(experiment.names)), weights)
    if robust:
        errors, weights = _without_outliers(fit, errors, weights, level)
    return _result(fit, errors, weights)


@dataclass(frozen=True)
class _Fit:
    """Least squares of one experiment."""

    experiment: Experiment
    readings: Array
    values: list[Array]
    scales: Array
    cut: float

    def solve(self, errors: Array, weights: Sequence[Array]) -> Array:
        """Return errors with the least weighted squares, from given ones on."""
        cost = self._cost(errors, weights)
        for _ in range(MOST_STEPS):
            step = self.step(errors, weights)
            size = float(np.abs(step / self.scales).max())
            for _ in range(HALVINGS):
                trial = self._cost(errors + step, weights)
                if trial <= cost * (1.0 + 1e-12) or size <= SMALL:
                    break
                step = 0.5 * step
            else:
                return errors  # no step helps: this is the least that rounding lets find
            errors, cost = errors + step, trial
            if size <= SMALL:
                return errors
        raise ArithmeticError(
            f"identify: after {MOST_STEPS} steps errors still change by {size:.3g} of their "
            f"natural sizes; the condition is {self.seen(errors, weights).condition:.3g}"
        )

    def blocks(self, errors: Array) -> list[Array]:
        """Return the norms (n,) of whitened residuals of each measure."""
        whitened = self._linearised(errors)[0]
        return [np.sqrt((r**2).sum(axis=1)) for r in whitened]

    def seen(self, errors: Array, weights: Sequence[Array]) -> Observability:
        """Return what the weighted measurements tell."""
        return from_slopes(
            self.experiment, self._stacked(errors, weights)[1], self.scales, self.cut
        )

    def step(self, errors: Array, weights: Sequence[Array]) -> Array:
        """Return a step of Gauss and Newton, of least norm."""
        residuals, slopes = self._stacked(errors, weights)
        u, s, rows = np.linalg.svd(slopes * self.scales, full_matrices=False)
        used = s > self.cut * s.max(initial=0.0)
        if not used.any():
            raise ArithmeticError("nothing that is measured depends on the parameters")
        return np.asarray(-self.scales * (rows[used].T @ ((u[:, used].T @ residuals) / s[used])))

    def _cost(self, errors: Array, weights: Sequence[Array]) -> float:
        try:
            norms = self.blocks(errors)
        except ArithmeticError:  # such errors that a loop does not close: too long a step
            return np.inf
        return float(sum((w * d**2).sum() for w, d in zip(weights, norms, strict=True)))

    def _linearised(self, errors: Array) -> tuple[list[Array], list[Array]]:
        return self.experiment.linearised(self.readings, self.values, errors).whitened()

    def _stacked(self, errors: Array, weights: Sequence[Array]) -> tuple[Array, Array]:
        residuals, slopes = self._linearised(errors)
        roots = [np.sqrt(w)[:, None] for w in weights]
        stacked = [(w * r).ravel() for w, r in zip(roots, residuals, strict=True)]
        columns = [
            (w[..., None] * s).reshape(-1, s.shape[-1]) for w, s in zip(roots, slopes, strict=True)
        ]
        return np.concatenate(stacked), np.concatenate(columns)


def _without_outliers(
    fit: _Fit, errors: Array, weights: list[Array], level: float
) -> tuple[Array, list[Array]]:
    """Return errors and weights, 0 for outliers and 1 for all others."""
    rows = [measure.rows for measure in fit.experiment.measures]
    knees = [np.sqrt(stats.chi2.ppf(HUBER, m)) for m in rows]
    for _ in range(ROUNDS):
        norms = fit.blocks(errors)
        scale = _scale(norms, rows)
        before = weights
        weights = [
            np.minimum(1.0, k * scale / np.maximum(d, 1e-300))
            for d, k in zip(norms, knees, strict=True)
        ]
        if max(np.abs(a - b).max() for a, b in zip(weights, before, strict=True)) < 0.02:
            break
        errors = errors + fit.step(errors, weights)
    count = sum(map(len, weights))
    bounds = [np.sqrt(stats.chi2.ppf(1.0 - level / count, m)) for m in rows]
    kept = weights
    for _ in range(ROUNDS):
        norms = fit.blocks(errors)
        scale = _scale(norms, rows)
        now = [(d <= b * scale).astype(float) for d, b in zip(norms, bounds, strict=True)]
        if all(np.array_equal(a, b) for a, b in zip(now, kept, strict=True)):
            break
        kept = now
        errors = fit.solve(errors, kept)
    return errors, kept


def _scale(norms: Sequence[Array], rows: Sequence[int]) -> float:
    """Return how many times larger than stated residuals are, by the median of their squares."""
    squares = [d**2 / stats.chi2.median(m) for d, m in zip(norms, rows, strict=True)]
    return max(float(np.sqrt(np.median(np.concatenate(squares)))), 1e-12)


def _result(fit: _Fit, errors: Array, weights: list[Array]) -> Identified:
    experiment, seen = fit.experiment, fit.seen(errors, weights)
    norms = fit.blocks(errors)
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
        for e in (np.zeros(len(errors)), errors)
    )
    return Identified(
        experiment=experiment,
        errors=errors,
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
