"""Numbers of simulations: contact that is found, and anything else that a function makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus.estimation.identification import fit


def test_restitution_of_the_ground() -> None:
    def height(restitution: float) -> np.ndarray:
        ground = ts.Ground(restitution=restitution, rest_speed=0.0)
        scene = ts.scenes.bounce(0.5).but(ground=ground, contact="event", dt=0.02)
        return np.asarray(scene.run(duration=0.8).q[:, 2])

    found = fit(height, {"restitution": 0.62}, height(0.7))
    assert found.converged
    assert abs(found["restitution"] - 0.7) < 1e-6


def test_a_line_is_that_of_polyfit() -> None:
    x = np.linspace(0.0, 1.0, 30)
    y = 2.0 - 3.0 * x + 0.1 * np.random.default_rng(0).normal(size=30)
    y[4] = np.nan
    found = fit(lambda a, b: a * x + b, {"a": 0.0, "b": 1.0}, y, noise=0.1)
    kept = np.isfinite(y)
    line, covariance = np.polyfit(x[kept], y[kept], 1, cov=True)
    assert np.abs(found.values - line).max() < 1e-9
    assert np.abs(found.covariance - covariance).max() < 1e-9
    assert np.isnan(found.residuals[4])
    assert (
        abs(found.correlation[0, 1] - covariance[0, 1] / np.sqrt(np.prod(np.diag(covariance))))
        < 1e-9
    )


def test_what_is_not_told_is_named() -> None:
    x = np.linspace(0.0, 1.0, 30)
    found = fit(lambda a, b, c: (a + 2.0 * b) * x + c, {"a": 1.0, "b": 1.0, "c": 0.5}, 3.2 * x)
    (untold,) = found.observability.combinations
    assert set(untold.shares) == {"a", "b"}
    assert abs(found["a"] + 2.0 * found["b"] - 3.2) < 1e-9
    assert list(np.isinf(found.deviations)) == [True, True, False]
    held = fit(lambda a: a * x, {"a": 1.0}, 3.2 * x, bounds={"a": (0.0, 2.0)})
    assert held.bounded == ("a",)


@pytest.mark.parametrize("start", [4.0, 5.0])
@pytest.mark.parametrize(("function", "value"), [(np.sqrt, 0.01), (np.log, 0.05)])
def test_steps_to_where_nothing_is_finite_are_made_shorter(
    function: Any, value: float, start: float
) -> None:
    """The Gauss-Newton step goes below zero, where there are no roots and logarithms."""
    x = np.linspace(0.1, 1.0, 20)

    def simulate(a: float) -> np.ndarray:
        return x * (function(a) if a > 0.0 else np.nan)

    found = fit(simulate, {"a": start}, simulate(value))
    assert found.converged and found["a"] == pytest.approx(value, rel=1e-6)


def test_wrong_inputs_of_fits_are_named() -> None:
    x = np.linspace(0.0, 1.0, 5)
    with pytest.raises(ArithmeticError, match="residuals or their slopes are not finite"):
        fit(lambda a: a * x + np.nan, {"a": 1.0}, x)
    with pytest.raises(TypeError, match="parameters"):
        fit(lambda: x, {}, x)
    with pytest.raises(ValueError, match="simulate made"):
        fit(lambda a: a * x[:3], {"a": 1.0}, x)
    with pytest.raises(ValueError, match="noise"):
        fit(lambda a: a * x, {"a": 1.0}, x, noise=-1.0)
    with pytest.raises(ValueError, match="bounds"):
        fit(lambda a: a * x, {"a": 1.0}, x, bounds={"a": (1.0, 0.0)})
