"""Errors of a machine from measurements, how well they are known, and what does not fit.

Least squares in units of the stated deviations; see `least_squares` and `outliers`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, flag, number
from tarsus._lib.files import Array
from tarsus.calibration.experiment import Experiment
from tarsus.calibration.identified import Identified, Outlier
from tarsus.calibration.least_squares import Fit, Point
from tarsus.calibration.observability import CUT
from tarsus.calibration.outliers import without_outliers
from tarsus.calibration.pose_observability import natural_scales


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
