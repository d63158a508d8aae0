"""The least squares of calibration and identification, against SciPy and closed solutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.optimize import approx_fprime, least_squares, lsq_linear

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.estimation.least_squares import MAX_REJECTED, LeastSquares


@dataclass(frozen=True, eq=False)
class At:
    """Residuals of a function and their slopes at parameters."""

    values: Array
    residuals: Array
    slopes: Array
    gap: ClassVar[float] = 0.0


def problem(count: int, lower: object = -np.inf, upper: object = np.inf) -> LeastSquares:
    """Return least squares of parameters x0, x1, … of natural size one."""
    bounds = (np.broadcast_to(np.asarray(x, float), count) for x in (lower, upper))
    names = tuple(f"x{k}" for k in range(count))
    return LeastSquares(names, np.ones(count), *bounds, cut=1e-8)


def solved(
    own: LeastSquares, function: Callable[[Array], Array], start: object
) -> tuple[At, str, int]:
    """Return the solution, why it is none, and the number of evaluations."""
    calls = 0

    def at(values: Array) -> At:
        nonlocal calls
        calls += 1
        slopes = np.array([approx_fprime(values, lambda x, k=k: function(x)[k], 1e-7)
                           for k in range(len(function(values)))])  # fmt: skip
        return At(values, function(values), slopes)

    point, trouble = own.solve(at(np.array(start, float)), lambda _, values, __: at(values))
    return point, trouble, calls


def rosenbrock(x: Array) -> Array:
    return np.array([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0], 0.1 * (x[0] - 3.0)])


def test_a_curved_valley_is_that_of_scipy() -> None:
    point, trouble, _ = solved(problem(2), rosenbrock, [-1.2, 1.0])
    theirs = least_squares(rosenbrock, [-1.2, 1.0], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert not trouble
    assert np.abs(point.values - theirs.x).max() < 1e-6
    assert point.residuals @ point.residuals <= 2.0 * theirs.cost * (1.0 + 1e-10)


def test_bounds_are_met_exactly() -> None:
    rng = np.random.default_rng(0)
    matrix, right = rng.normal(size=(20, 4)), 3.0 * rng.normal(size=20)
    lower, upper = np.full(4, -0.1), np.array([0.2, 0.05, 5.0, 5.0])
    expected = lsq_linear(matrix, right, (lower, upper), tol=1e-14).x
    own = problem(4, lower, upper)
    point, trouble, _ = solved(own, lambda x: matrix @ x - right, np.zeros(4))
    assert not trouble
    assert np.abs(point.values - expected).max() < 1e-6
    active = (np.abs(expected - lower) < 1e-6) | (np.abs(expected - upper) < 1e-6)
    assert 0 < active.sum() < 4
    assert own.at_bounds(point.values) == tuple(np.array(own.names)[active])


def test_what_is_not_told_stays_where_it_is() -> None:
    """The solution of least norm from the start, as the pseudoinverse gives it."""
    rng = np.random.default_rng(1)
    matrix, right = rng.normal(size=(12, 3)) @ rng.normal(size=(3, 5)), rng.normal(size=12)
    start = rng.normal(size=5)
    own = problem(5)
    point, trouble, _ = solved(own, lambda x: matrix @ x - right, start)
    expected = start + np.linalg.pinv(matrix) @ (right - matrix @ start)
    assert not trouble
    assert np.abs(point.values - expected).max() < 1e-6
    assert own.observability(point).rank == 3


def test_fewer_residuals_than_parameters() -> None:
    point, trouble, _ = solved(problem(3), lambda x: np.array([x @ x - 1.0]), [0.5, 0.5, 0.0])
    assert not trouble
    assert abs(point.residuals[0]) < 1e-11  # the last step is below 1e-12
    assert np.abs(point.values - [np.sqrt(0.5), np.sqrt(0.5), 0.0]).max() < 1e-6


def test_steps_into_nowhere_are_shortened() -> None:
    """The first Gauss–Newton step of the logarithm leads to negative numbers."""

    def function(x: Array) -> Array:
        if x[0] <= 0.0:
            raise ValueError("no logarithm")
        return np.array([np.log(x[0]) - np.log(0.1), 0.0])

    point, trouble, _ = solved(problem(1), function, [3.0])
    assert not trouble
    assert abs(point.values[0] - 0.1) < 1e-6


def test_a_search_that_fails_everywhere_says_why() -> None:
    calls = 0

    def at(values: Array) -> At:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise ArithmeticError("the loop does not close")
        return At(values, np.ones(2), np.eye(2))

    own = problem(2)
    point, trouble = own.solve(at(np.zeros(2)), lambda _, values, __: at(values))
    assert calls == 1 + MAX_REJECTED
    assert (point.values == 0.0).all()
    assert "although residuals should change by 1.41" in trouble
    assert trouble.endswith("the last step failed: the loop does not close")


def test_fits_that_do_not_converge_warn() -> None:
    """Slopes of a function with steps say nothing about where it is least."""
    x = np.linspace(0.0, 1.0, 20)

    def stairs(a: float) -> np.ndarray:
        return x * (np.floor(a) + 0.5 * (a - np.floor(a)))

    with pytest.warns(ts.ConvergenceWarning, match="fit did not converge"):
        found = ts.identification.fit(stairs, {"a": 1.9}, 1.6 * x, noise=1e-3)
    assert not found.converged
    assert "NOT CONVERGED" in str(found)
