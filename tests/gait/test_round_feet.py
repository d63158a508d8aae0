"""Round feet: McGeer's synthetic wheel in SciPy, exact derivatives of what rolls, and trends."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import tarsus as ts
from tarsus.gait.return_map import moved, residual, take_step


def synthetic_wheel(lean: float) -> float:
    """Return the step of the synthetic wheel, in radians of its swing leg's pendulum.

    The hub goes on at a constant speed. The swing leg, a free pendulum, leaves the ground at −lean
    as fast as it rolled, and comes down at +lean as fast as it will roll.
    """

    def missed(time: float) -> float:
        rate = -2.0 * lean / time
        found = solve_ivp(
            lambda t, y: [y[1], -math.sin(y[0])], (0.0, time), [-lean, rate], rtol=1e-11, atol=1e-13
        )
        return float(found.y[0, -1] - lean)

    return float(brentq(missed, 3.6, 4.6, xtol=1e-11))


def test_the_synthetic_wheel() -> None:
    """McGeer 1990: τ of the step is 4.058, the root of tan(τ/2) = −τ/2, for small steps."""
    assert synthetic_wheel(1e-3) == pytest.approx(4.0576, abs=1e-4)
    assert math.tan(0.5 * synthetic_wheel(1e-3)) == pytest.approx(-2.0288, abs=1e-3)
    missed = []
    for short in (0.01, 0.005):
        walker = ts.gait.walkers.round_feet(
            1.0 - short, leg_mass=1e-4, hip_mass=1.0, slope=0.02 * short**2, gravity=1.0
        )
        rate = 0.4 * math.sqrt(2.0) / 4.058
        gait = ts.gait.limit_cycle(walker, ([-0.2, -0.4], [rate, 0.0]))
        missed.append(gait.period * math.sqrt(2.0) - synthetic_wheel(-gait.q[0, 0]))
        # what rolls on level ground at any speed hardly forgets its speed
        assert gait.stable
        assert 0.999 < abs(gait.multipliers[0]) < 1.0
        assert abs(gait.energy.closure) < 1e-10
    print(f"soles that are not quite as round miss {missed} of a wheel's step")
    assert abs(missed[1]) < 0.006
    assert abs(2.0 * missed[1] - missed[0]) < 2e-4


def test_gaits_on_round_feet_are_found_without_a_guess() -> None:
    stable, unstable = ts.gait.limit_cycles(ts.gait.walkers.round_feet())
    assert stable.stable
    assert not unstable.stable
    for gait in (stable, unstable):
        assert abs(gait.energy.closure) < 1e-8
        np.testing.assert_allclose(gait.q[0, 1], 2.0 * gait.q[0, 0], atol=1e-10)
    point = ts.gait.limit_cycle(ts.gait.walkers.compass())
    assert stable.speed > point.speed
    assert abs(stable.multipliers[0]) < abs(point.multipliers[0])


def test_what_rolls_has_exact_derivatives() -> None:
    walker = ts.gait.walkers.round_feet(0.2, leg_mass=2.0, center=0.6)
    q, v = (x[None] for x in walker.start)
    exact = take_step(walker, q, v, derivatives=True).slopes
    assert exact is not None
    found, h = [], 1e-5
    for push in np.eye(4):
        ends = [take_step(walker, *moved(walker, q, v, way * h * push[None])) for way in (1, -1)]
        found.append(residual(walker, ends[1].q, ends[1].v, ends[0].q, ends[0].v)[0] / (2.0 * h))
    error = np.abs(exact[0] - np.array(found).T).max()
    print(f"exact less differences: {error:.1e}")
    assert error < 1e-6


def test_differences_of_maps_without_derivatives_are_the_derivatives() -> None:
    exact = ts.gait.walkers.round_feet()
    q, v = (np.stack([x, 1.01 * x]) for x in exact.start)
    known = take_step(exact, q, v, derivatives=True)
    found = take_step(replace(exact, exact=False), q, v, derivatives=True)
    assert known.slopes is not None
    assert known.time_slopes is not None
    np.testing.assert_allclose(found.slopes, known.slopes, atol=1e-8)  # type: ignore[arg-type]
    np.testing.assert_allclose(found.time_slopes, known.time_slopes, atol=1e-8)  # type: ignore[arg-type]


def test_bad_radii_are_named() -> None:
    with pytest.raises(ts.ModelError, match=r"radius is 1\.5 m"):
        ts.gait.walkers.round_feet(1.5)
