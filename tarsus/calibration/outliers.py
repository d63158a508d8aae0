"""Measurements that noise does not explain: found, told and left out.

Those far off count less at first (P. J. Huber, "Robust Statistics", Wiley 1981), with what is far
measured by the median of all; when it is clear which they are, the rest is fitted without them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus._lib.files import Array
from tarsus.calibration.least_squares import EXACT, Fit, Point
from tarsus.calibration.quantiles import chi_square

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
