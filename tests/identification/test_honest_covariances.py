"""Stated deviations are those that estimates have, and estimates are those of SciPy."""

from __future__ import annotations

import numpy as np
from recorded import double_pendulum, lower_link, recorded
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import tarsus as ts
from tarsus.gait.walkers import compass

CASES = 100


def test_estimates_are_within_three_deviations() -> None:
    """Scaled by covariances, squares of errors of p numbers have mean p and variance 2 p."""
    true = np.array([1.3, 0.45, 0.06, 0.12])
    t, q, _ = recorded(double_pendulum(), [1.2, -0.7], [0.0, 0.0], 1.6, 0.04)
    within, squares = [], []
    for seed in range(CASES):
        rng = np.random.default_rng(seed)
        noisy = q + 2e-3 * rng.normal(size=q.shape)
        found = ts.identify(double_pendulum(), lower_link(), t, noisy, noise=2e-3)
        assert found.converged
        error = found.values - true
        within.append(np.abs(error) < 3.0 * found.deviations)
        squares.append(error @ np.linalg.solve(found.covariance, error))
    assert np.mean(within) >= 0.95
    # of the mean of as many, four deviations; covariances that are scaled by residuals widen it
    assert abs(np.mean(squares) - 4.0) < 4.0 * np.sqrt(2.0 * 4.0 / CASES) + 0.3


def test_walkers_with_strikes_are_within_three_deviations() -> None:
    true = {"leg_mass": 1.1, "slope": 0.055, "damping": 0.03}
    walker = compass(**true)
    t, q, _ = recorded(walker.phases, *walker.start, 2.2, 0.02)
    within, squares = [], []
    for seed in range(CASES):
        rng = np.random.default_rng(seed)
        noisy = q + 1e-3 * rng.normal(size=q.shape)
        found = ts.identify(compass(), list(true), t, noisy, noise=1e-3)
        assert found.converged
        error = found.values - np.array(list(true.values()))
        within.append(np.abs(error) < 3.0 * found.deviations)
        squares.append(error @ np.linalg.solve(found.covariance, error))
    assert np.mean(within) >= 0.95
    assert abs(np.mean(squares) - 3.0) < 4.0 * np.sqrt(2.0 * 3.0 / CASES) + 0.3


def test_least_squares_are_those_of_scipy() -> None:
    """θ̈ = −a sin θ − b θ̇ − c, integrated and fitted by SciPy alone."""
    mass, length = 1.4, 0.7
    b = ts.Builder("pendulum").body("bob", mass, (0.0, 0.0, -length))
    b.joint("pin", "revolute", "world", "bob", axis="y", damping=0.3, stiffness=2.0)
    t = 0.05 * np.arange(60)

    def motion(x: np.ndarray) -> np.ndarray:
        damping, stiffness, angle, rate = x
        inertia = mass * length**2

        def rates(_: float, s: np.ndarray) -> list[float]:
            pull = mass * 9.81 * length * np.sin(s[0]) + stiffness * s[0] + damping * s[1]
            return [s[1], -pull / inertia]

        found = solve_ivp(
            rates, (0.0, t[-1]), [angle, rate], "DOP853", t_eval=t, rtol=1e-11, atol=1e-12
        )
        return np.asarray(found.y[0])

    noisy = motion(np.array([0.3, 2.0, 1.0, 0.5]))
    noisy = noisy + 5e-3 * np.random.default_rng(7).normal(size=len(t))
    theirs = least_squares(
        lambda x: (motion(x) - noisy) / 5e-3,
        [0.2, 1.5, 1.0, 0.4],
        xtol=1e-13,
        ftol=1e-13,
        gtol=1e-13,
        x_scale=[0.1, 1.0, 1.0, 1.0],
    )
    wanted = {
        "damping": ts.parameters.Damping("pin"),
        "stiffness": ts.parameters.Stiffness("pin"),
    }
    ours = ts.identify(b.build(), wanted, t, noisy[:, None], noise=5e-3)
    spread = np.sqrt(2.0 * theirs.cost / (len(t) - 4))
    covariance = spread**2 * np.linalg.inv(theirs.jac.T @ theirs.jac)[:2, :2]
    assert np.abs((ours.values - theirs.x[:2]) / ours.deviations).max() < 1e-3
    assert abs(ours.spread / spread - 1.0) < 1e-7
    assert np.abs(ours.covariance / covariance - 1.0).max() < 1e-3
