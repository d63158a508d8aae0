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


def a_fit(kind: type[Fit]) -> tuple[Fit, list[Array]]:
    """Return least squares of a linkage with errors, and weights of what was measured."""
    experiment, rng = linkage(), np.random.default_rng(0)
    readings, errors = some_readings(experiment, rng, 20), some_errors(experiment, rng)
    values = experiment.predict(readings, errors)
    fit = kind(experiment, readings, values, natural_scales(experiment, readings), CUT)
    return fit, [np.ones(20) for _ in experiment.measures]


class Opens(Fit):
    """A machine whose loops close for no errors but none."""

    def at(self, errors: Array) -> Point:
        if np.abs(errors).max() > 0.0:
            raise ArithmeticError("a loop does not close")
        return super().at(errors)


class Backwards(Fit):
    """Slopes of the wrong sign: every step leads away."""

    def at(self, errors: Array) -> Point:
        point = super().at(errors)
        return replace(point, slopes=[-slope for slope in point.slopes])


@pytest.mark.parametrize("kind", [Opens, Backwards])
def test_steps_that_do_not_help_are_told(kind: type[Fit]) -> None:
    fit, weights = a_fit(kind)
    start = fit.at(np.zeros(len(fit.scales)))
    with pytest.raises(ArithmeticError, match=r"no part of a step of .* helps, although residuals"):
        fit.solve(start, weights)


def test_the_end_by_rounding_is_an_end() -> None:
    fit, weights = a_fit(Fit)
    found = fit.solve(fit.at(np.zeros(len(fit.scales))), weights)
    assert found.cost(weights) < 1e-12


class Turns(Fit):
    """Noise, but the first measurement is out whenever it counted, and in when it did not."""

    def at(self, errors: Array) -> Point:
        point, rng = super().at(errors), np.random.default_rng(1)
        return replace(point, residuals=[rng.normal(size=r.shape) for r in point.residuals])

    def step(self, point: Point, weights: Sequence[Array]) -> Array:
        return np.zeros(len(self.scales))

    def solve(self, point: Point, weights: Sequence[Array]) -> Point:
        first = point.residuals[0].copy()
        first[0] = 1e3 if weights[0][0] else 0.0
        return replace(point, residuals=[first, *point.residuals[1:]])


def test_outliers_that_come_and_go_are_told() -> None:
    fit, weights = a_fit(Turns)
    start = fit.at(np.zeros(len(fit.scales)))
    with pytest.raises(ArithmeticError, match=r"20 rounds.*position of pen in poses \[0"):
        without_outliers(fit, start, weights, 0.01)
