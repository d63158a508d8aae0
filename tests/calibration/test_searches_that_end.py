"""Searches for errors that do not end where they should are told, not returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from calibrated import linkage, some_errors, some_readings

from tarsus._lib.files import Array
from tarsus.estimation.calibration.identify import Fit, Point, without_outliers
from tarsus.estimation.calibration.poses import natural_scales
from tarsus.estimation.observability import CUT


def a_fit(kind: type[Fit]) -> tuple[Fit, Point]:
    """Return least squares of a linkage with errors, and the point where the search begins."""
    experiment, rng = linkage(), np.random.default_rng(0)
    readings, errors = some_readings(experiment, rng, 20), some_errors(experiment, rng)
    values = experiment.predict(readings, errors)
    fit = kind(experiment, readings, values, natural_scales(experiment, readings), CUT)
    weights = [np.ones(20) for _ in experiment.measures]
    return fit, fit.at(np.zeros(len(fit.scales)), weights)


class Opens(Fit):
    """A machine whose loops close for no errors but none."""

    def at(self, errors: Array, weights: Sequence[Array]) -> Point:
        if np.abs(errors).max() > 0.0:
            raise ArithmeticError("a loop does not close")
        return super().at(errors, weights)


class Backwards(Fit):
    """Slopes of the wrong sign: every step leads away."""

    def at(self, errors: Array, weights: Sequence[Array]) -> Point:
        point = super().at(errors, weights)
        return replace(point, slopes_of=[-slope for slope in point.slopes_of])


@pytest.mark.parametrize("kind", [Opens, Backwards])
def test_steps_that_do_not_help_are_told(kind: type[Fit]) -> None:
    fit, start = a_fit(kind)
    with pytest.raises(ArithmeticError, match=r"no part of a step of .* helps, although residuals"):
        fit.solve(start, start.weights)


def test_the_end_by_rounding_is_an_end() -> None:
    fit, start = a_fit(Fit)
    found = fit.solve(start, start.weights)
    assert np.linalg.norm(found.residuals) < 1e-6


class Turns(Fit):
    """Noise, but the first measurement is out whenever it counted, and in when it did not."""

    def at(self, errors: Array, weights: Sequence[Array]) -> Point:
        point, rng = super().at(errors, weights), np.random.default_rng(1)
        noise = [rng.normal(size=r.shape) for r in point.residuals_of]
        return replace(point, residuals_of=noise)

    def solve(self, point: Point, weights: Sequence[Array]) -> Point:
        first = point.residuals_of[0].copy()
        first[0] = 1e3 if weights[0][0] else 0.0
        return replace(point, residuals_of=[first, *point.residuals_of[1:]], weights=weights)


def test_outliers_that_come_and_go_are_told() -> None:
    fit, start = a_fit(Turns)
    with pytest.raises(ArithmeticError, match=r"20 rounds.*position of pen in poses \[0"):
        without_outliers(fit, start, 0.01)
