"""Errors of a machine from measurements: least squares, outliers, and the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, flag, number
from tarsus._lib.files import Array
from tarsus.estimation import plots
from tarsus.estimation.calibration.encoders import Encoders
from tarsus.estimation.calibration.experiment import Experiment
from tarsus.estimation.calibration.measures import Measure
from tarsus.estimation.calibration.poses import from_slopes, natural_scales
from tarsus.estimation.least_squares import LeastSquares
from tarsus.estimation.observability import CUT, TOLD, Estimates, Observability, chi_square
from tarsus.model.model import Model

EXACT = 1e-6
"""Residuals below this share of the stated deviations are rounding, and no measure of noise."""


@dataclass(frozen=True, eq=False)
class Point:
    """Errors, and residuals of unit deviation (n, rows) with slopes there, measure by measure.

    `residuals` (rows,) and `slopes` (rows, parameters) are all of them, weighted.
    """

    values: Array
    residuals_of: list[Array]
    slopes_of: list[Array]
    weights: Sequence[Array]
    gap: ClassVar[float] = 0.0

    @property
    def norms(self) -> list[Array]:
        """Norms (n,) of the residuals of each measure."""
        return [np.sqrt((r**2).sum(axis=1)) for r in self.residuals_of]

    @cached_property
    def residuals(self) -> Array:
        pairs = zip(self.weights, self.residuals_of, strict=True)
        return np.concatenate([(np.sqrt(w)[:, None] * r).ravel() for w, r in pairs])

    @cached_property
    def slopes(self) -> Array:
        pairs = zip(self.weights, self.slopes_of, strict=True)
        columns = len(self.values)
        rows = [(np.sqrt(w)[:, None, None] * s).reshape(-1, columns) for w, s in pairs]
        return np.concatenate(rows)


@dataclass(frozen=True, eq=False)
class Fit:
    """Least squares of one experiment."""

    experiment: Experiment
    readings: Array
    measured: list[Array]
    scales: Array
    cut: float

    @cached_property
    def problem(self) -> LeastSquares:
        """The least squares of the errors, without bounds."""
        names, bounds = self.experiment.names, np.full(len(self.scales), np.inf)
        return LeastSquares(names, self.scales, -bounds, bounds, self.cut, rounding=EXACT)

    def at(self, errors: Array, weights: Sequence[Array]) -> Point:
        """Return residuals and slopes at given errors."""
        whitened = self.experiment.linearised(self.readings, self.measured, errors).whitened()
        return Point(errors, *whitened, weights)

    def solve(self, point: Point, weights: Sequence[Array]) -> Point:
        """Return the point with the least weighted squares, from a given one on."""

        def move(_: Point, errors: Array, __: float) -> Point:
            return self.at(errors, weights)

        start: Point = replace(point, weights=weights)
        found, trouble = self.problem.solve(start, move)
        if trouble:
            raise ArithmeticError(
                f"identify: {trouble}; the condition is {self.seen(found).condition:.3g}. The "
                "machine cannot be closed with such errors, or they are too large for least squares"
            )
        return found

    def seen(self, point: Point) -> Observability:
        """Return what the weighted measurements tell."""
        return from_slopes(self.experiment, point.slopes, self.scales, self.cut)


# Measurements that noise does not explain. Those far off count less at first (P. J. Huber, "Robust
# Statistics", Wiley 1981), with what is far measured by the median of all; when it is clear which
# they are, the rest is fitted without them.

ROUNDS = 20
HUBER = 0.95
"""Share of good measurements that count in full."""


def without_outliers(fit: Fit, point: Point, level: float) -> Point:
    """Return the point whose weights are 0 for outliers, and for what was not measured before."""
    there = point.weights
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
            return point
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
        point = replace(point, weights=weights)
        point = fit.at(point.values + fit.problem.step(point), weights)
    return point


def _scale(norms: Sequence[Array], there: Sequence[Array], rows: Sequence[int]) -> float:
    """Return how many times larger than stated residuals are, by the median of their squares."""
    squares = [
        d[t > 0.0] ** 2 / chi_square(0.5, m) for d, t, m in zip(norms, there, rows, strict=True)
    ]
    return max(float(np.sqrt(np.median(np.concatenate(squares)))), EXACT)


@dataclass(frozen=True)
class Outlier:
    """A measurement that noise does not explain: `times` as far off as one deviation."""

    pose: int
    measure: Measure
    times: float

    def __str__(self) -> str:
        return f"pose {self.pose}, {self.measure.title}: {self.times:.3g} σ"


@dataclass(frozen=True, eq=False)
class Identified(Estimates):
    """Errors of an experiment's parameters (parameters,), and what is left of the residuals.

    `before` and `after` are residuals of each measure (n, rows) without and with the errors, those
    of `outliers` included, which had no say, and NaN where nothing was measured.
    """

    experiment: Experiment
    before: list[Array]
    after: list[Array]
    outliers: tuple[Outlier, ...]

    @property
    def errors(self) -> Array:
        """The errors (parameters,): `values`."""
        return self.values

    @cached_property
    def model(self) -> Model:
        """The machine with its places of joints and frames corrected."""
        return self.experiment.widened.corrected(self.errors[self.experiment._placed])

    @cached_property
    def encoders(self) -> Encoders:
        """The encoders of the corrected machine, with corrected offsets and gains."""
        return self.experiment.corrected_encoders(self.errors, self.model)

    def residuals(self, readings: ArrayLike, values: Sequence[Array]) -> list[Array]:
        """Return residuals (n, rows) of each measure on other poses, to validate the errors."""
        return self.experiment.residuals(readings, values, self.errors)

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
    point = fit.solve(fit.at(np.zeros(len(experiment.names)), there), there)
    if robust and _freedom(fit, point) > 0:
        point = without_outliers(fit, point, level)
    return _result(fit, point, there)


def _freedom(fit: Fit, point: Point) -> int:
    """Return how many rows there are more than combinations of parameters that they tell."""
    measures = fit.experiment.measures
    rows = sum(m.rows * int(w.sum()) for m, w in zip(measures, point.weights, strict=True))
    return rows - fit.seen(point).rank


def _result(fit: Fit, point: Point, there: Sequence[Array]) -> Identified:
    experiment, kept, seen = fit.experiment, point.weights, fit.seen(point)
    freedom = _freedom(fit, point)
    squares = float(point.residuals @ point.residuals)
    spread = float(np.sqrt(squares / freedom)) if freedom > 0 else float("nan")
    outliers = [
        Outlier(int(pose), measure, float(d[pose] / spread))
        for measure, d, t, k in zip(experiment.measures, point.norms, there, kept, strict=True)
        for pose in np.flatnonzero(t > k)
    ]
    zero = np.zeros(len(point.values))

    def residuals(errors: Array) -> list[Array]:
        of = experiment.residuals(fit.readings, fit.measured, errors)
        return [np.where(t[:, None] > 0.0, r, np.nan) for t, r in zip(there, of, strict=True)]

    return Identified(
        names=experiment.names,
        stated=zero,
        values=point.values,
        observability=seen,
        spread=spread,
        freedom=freedom,
        bounded=(),
        trouble="",
        experiment=experiment,
        before=residuals(zero),
        after=residuals(point.values),
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
    if any(each.any() for each in missing):
        # what is not measured has no weight, but must be a value that can be computed with
        for value, own, gone in zip(given, experiment.predict(readings), missing, strict=True):
            value[gone] = own[gone]
    return given, [np.where(each, 0.0, 1.0) for each in missing]
