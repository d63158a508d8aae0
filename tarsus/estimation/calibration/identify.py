"""Weighted least squares of an experiment, by the steps of Gauss and Newton.

Steps are those of least norm by the SVD of all slopes, in natural units: combinations of errors
that nothing tells stay where they are. A step that does not help is halved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import UnknownNameError, expect, flag, number, suggestion
from tarsus._lib.files import Array
from tarsus.estimation import plots
from tarsus.estimation.calibration.encoders import Encoders
from tarsus.estimation.calibration.experiment import Experiment
from tarsus.estimation.calibration.measures import Measure
from tarsus.estimation.calibration.poses import from_slopes, natural_scales
from tarsus.estimation.observability import CUT, TOLD, Observability, chi_square, student
from tarsus.model.model import Model

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


# Measurements that noise does not explain: found, told and left out.
#
# Those far off count less at first (P. J. Huber, "Robust Statistics", Wiley 1981), with what is far
# measured by the median of all; when it is clear which they are, the rest is fitted without them.


ROUNDS = 20
HUBER = 0.95
"""Share of good measurements that count in full."""


def without_outliers(
    fit: Fit, point: Point, there: Sequence[Array], level: float
) -> tuple[Point, list[Array]]:
    """Return the point and weights (n,) of each measure, 0 for outliers and 1 for all others.

    `there` has a 1 for what was measured and a 0 for what was not.
    """
    rows = [measure.rows for measure in fit.experiment.measures]
    point = _less_for_the_far(fit, point, there, rows)
    count = sum(float(each.sum()) for each in there)
    bounds = [np.sqrt(chi_square(1.0 - level / count, m)) for m in rows]

    def near(point: Point) -> list[Array]:
        scale = _scale(point.norms, there, rows)
        return [t * (d <= b * scale) for d, b, t in zip(point.norms, bounds, there, strict=True)]

    kept = near(point)
    for _ in range(ROUNDS):
        point = fit.solve(point, kept)
        now = near(point)
        poses = [np.flatnonzero(a != b).tolist() for a, b in zip(now, kept, strict=True)]
        if not any(poses):
            return point, kept
        kept = now
    turns = zip(fit.experiment.measures, poses, strict=True)
    named = "; ".join(f"{measure.title} in poses {own}" for measure, own in turns if own)
    raise ArithmeticError(
        f"identify: after {ROUNDS} rounds it still changes which measurements are outliers: "
        f"{named}; state another level, or robust=False"
    )


def _less_for_the_far(fit: Fit, point: Point, there: Sequence[Array], rows: Sequence[int]) -> Point:
    """Return the point where measurements count as their distance lets them, nearly.

    Rounds after it find who is out from there; this one need not be the last digit.
    """
    knees = [np.sqrt(chi_square(HUBER, m)) for m in rows]
    weights = list(there)
    for _ in range(ROUNDS):
        scale, before = _scale(point.norms, there, rows), weights
        weights = [
            t * np.minimum(1.0, k * scale / np.maximum(d, 1e-300))
            for d, k, t in zip(point.norms, knees, there, strict=True)
        ]
        if max(np.abs(a - b).max() for a, b in zip(weights, before, strict=True)) < 0.02:
            break
        point = fit.at(point.errors + fit.step(point, weights))
    return point


def _scale(norms: Sequence[Array], there: Sequence[Array], rows: Sequence[int]) -> float:
    """Return how many times larger than stated residuals are, by the median of their squares."""
    squares = [
        d[t > 0.0] ** 2 / chi_square(0.5, m) for d, t, m in zip(norms, there, rows, strict=True)
    ]
    return max(float(np.sqrt(np.median(np.concatenate(squares)))), EXACT)


# What an identification found: errors, how well they are known, and the machine without them.


@dataclass(frozen=True)
class Outlier:
    """A measurement that noise does not explain: `times` as far off as one deviation."""

    pose: int
    measure: Measure
    times: float

    def __str__(self) -> str:
        return f"pose {self.pose}, {self.measure.title}: {self.times:.3g} σ"


@dataclass(frozen=True, eq=False)
class Identified:
    """Errors of an experiment's parameters (parameters,), and what is left of the residuals.

    `spread` is how many times larger residuals are than the stated deviations (1 where those are
    right, NaN where no row is left over), with `freedom` degrees of freedom; `before` and `after`
    are residuals of each measure (n, rows) without and with the errors, those of `outliers`
    included, which had no say, and NaN where nothing was measured.
    """

    experiment: Experiment
    errors: Array
    spread: float
    freedom: int
    observability: Observability
    before: list[Array]
    after: list[Array]
    outliers: tuple[Outlier, ...]

    def __getitem__(self, name: str) -> float:
        """Return one error by name, as `found["knee.rx"]`."""
        if name not in self.names:
            raise UnknownNameError(f"there is no parameter {name!r}{suggestion(name, self.names)}")
        return float(self.errors[self.names.index(name)])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self.experiment.names

    @cached_property
    def model(self) -> Model:
        """The machine with its places of joints and frames corrected."""
        return self.experiment.widened.corrected(self.errors[self.experiment._placed])

    @cached_property
    def encoders(self) -> Encoders:
        """The encoders of the corrected machine, with corrected offsets and gains."""
        return self.experiment.corrected_encoders(self.errors, self.model)

    @property
    def covariance(self) -> Array:
        """Covariance (parameters, parameters) of the errors, scaled by what residuals show.

        Combinations that are not told have none: they stay at zero. Where no row is left to show
        anything, by the deviations that were stated.
        """
        shown = self.spread if self.freedom > 0 else 1.0
        return np.asarray(shown**2 * self.observability.covariance)

    @property
    def deviations(self) -> Array:
        """Standard deviations (parameters,), inf for parameters that are not told alone."""
        told = self.observability.shares > TOLD
        return np.where(told, np.sqrt(np.diag(self.covariance)), np.inf)

    def confidence(self, level: float = 0.95) -> Array:
        """Return half-widths (parameters,) of intervals that hold the truth with this probability.

        By Student's t; inf for parameters that are told only in combination with others.
        """
        if not 0.0 < number(level, "level") < 1.0:
            raise ValueError(f"level is {level}, must be between 0 and 1")
        if self.freedom < 1:
            return np.full(len(self.names), np.inf)
        return np.asarray(student(0.5 + 0.5 * level, self.freedom) * self.deviations)

    def residuals(self, readings: ArrayLike, values: Sequence[Array]) -> list[Array]:
        """Return residuals (n, rows) of each measure on other poses, to validate the errors."""
        return self.experiment.linearised(readings, values, self.errors).residuals

    def rms(self, k: int = 0, part: int = 0, *, after: bool = True) -> float:
        """Return the root mean square of what measure k is off, [m] or for part 1 [rad].

        Outliers do not count. This is the length of the three components, not one of them.
        """
        residuals = (self.after if after else self.before)[k]
        kept = np.isfinite(residuals[:, 0])
        measure = self.experiment.measures[k]
        kept[[o.pose for o in self.outliers if o.measure is measure]] = False
        own = residuals[kept, 3 * part : 3 * part + 3]
        return float(np.sqrt((own**2).sum(axis=1).mean()))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of residuals before and after, pose by pose; `path` writes it."""
        return plots.draw_calibration(self, path)

    def __str__(self) -> str:
        poses, told = len(self.after[0]), self.observability
        noise = f"residuals are {self.spread:.3g} of the stated deviations"
        if self.freedom < 1:
            noise = "no more rows than that: nothing tells noise from errors"
        lines = [
            f"{poses} poses, {len(self.names)} parameters, {told.rank} combinations told; {noise}"
        ]
        for k, measure in enumerate(self.experiment.measures):
            for part, unit in enumerate(measure.units(self.experiment.encoders.model)):
                old, new = (self.rms(k, part, after=after) for after in (False, True))
                lines.append(f"{measure.title}: rms {old:.3g} {unit} before, {new:.3g} after")
        width, half = max(map(len, self.names)), self.confidence()
        lines.append(f"{'parameter':{width}} {'error':>11} {'± 95 %':>10}")
        for name, error, own, share in zip(self.names, self.errors, half, told.shares, strict=True):
            how = f"{own:10.1e}" if share > TOLD else f"  {100 * share:.0f} % told"
            lines.append(f"{name:{width}} {error:+11.3e} {how}")
        lines += [f"left out: {outlier}" for outlier in self.outliers]
        lines += [f"not told: {each}" for each in told.combinations]
        return "\n".join([*lines, *map(str, told.parallel)])


# Errors of a machine from measurements, how well they are known, and what does not fit.
#
# Least squares in units of the stated deviations; see `least_squares` and `outliers`.


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
    only one; NaN where it was not measured. With `robust` measurements that noise explains with a
    probability below `level`, all together, are left out and told. Singular values below `cut`,
    relative to the largest, count as zero.
    """
    expect(experiment, Experiment, "experiment")
    flag(robust, "robust")
    for name, value in (("level", level), ("cut", cut)):
        if not 0.0 < number(value, name) < 1.0:
            raise ValueError(f"{name} is {value}, must be between 0 and 1")
    read = experiment.encoders.checked(readings)
    if read.ndim != 2 or not len(read):
        raise ValueError(f"readings has shape {read.shape}, must be (n, joints), n ≥ 1")
    measured, there = _measured(experiment, values, read)
    fit = Fit(experiment, read, measured, natural_scales(experiment, read), cut)
    point = fit.solve(fit.at(np.zeros(len(experiment.names))), there)
    kept = there
    if robust and _freedom(fit, point, there) > 0:
        point, kept = without_outliers(fit, point, there, level)
    return _result(fit, point, there, kept)


def _freedom(fit: Fit, point: Point, weights: Sequence[Array]) -> int:
    """Return how many rows there are more than combinations of parameters that they tell."""
    measures = fit.experiment.measures
    rows = sum(m.rows * int(w.sum()) for m, w in zip(measures, weights, strict=True))
    return rows - fit.seen(point, weights).rank


def _result(fit: Fit, point: Point, there: Sequence[Array], kept: Sequence[Array]) -> Identified:
    experiment, freedom = fit.experiment, _freedom(fit, point, kept)
    squares = point.cost(kept)
    spread = float(np.sqrt(squares / freedom)) if freedom > 0 else float("nan")
    outliers = [
        Outlier(int(pose), measure, float(d[pose] / spread))
        for measure, d, t, k in zip(experiment.measures, point.norms, there, kept, strict=True)
        for pose in np.flatnonzero(t > k)
    ]
    before, after = (
        [
            np.where(t[:, None] > 0.0, r, np.nan)
            for t, r in zip(there, fit.residuals(errors), strict=True)
        ]
        for errors in (np.zeros(len(point.errors)), point.errors)
    )
    return Identified(
        experiment=experiment,
        errors=point.errors,
        spread=spread,
        freedom=freedom,
        observability=fit.seen(point, kept),
        before=before,
        after=after,
        outliers=tuple(outliers),
    )


def _measured(
    experiment: Experiment, values: ArrayLike | Sequence[ArrayLike], readings: Array
) -> tuple[list[Array], list[Array]]:
    """Return values of each measure, and a 1 (n,) for what was measured, a 0 for what was not."""
    measures, count = experiment.measures, len(readings)
    if len(measures) == 1 and not (isinstance(values, list | tuple) and len(values) == 1):
        given = [measures[0].values(values, count)]  # type: ignore[arg-type]
    elif not isinstance(values, list | tuple) or len(values) != len(measures):
        titles = ", ".join(measure.title for measure in measures)
        raise ValueError(f"values must be a list with an array for each of: {titles}")
    else:
        given = [m.values(value, count) for m, value in zip(measures, values, strict=True)]
    missing = [np.isnan(value.reshape(count, -1)).any(axis=1) for value in given]
    if all(each.all() for each in missing):
        raise ValueError("values has nothing that was measured: all entries are NaN")
    # what is not measured has no weight, but must be a value that can be computed with
    for value, own, gone in zip(given, experiment.predict(readings), missing, strict=True):
        value[gone] = own[gone]
    return given, [np.where(each, 0.0, 1.0) for each in missing]
