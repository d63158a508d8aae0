"""A body that tumbles about its middle axis: flips at known times, momentum and energy kept.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, example 2.18. The times are those of Jacobi's elliptic functions: L. Landau,
E. Lifshitz, "Mechanics", § 37.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.special import ellipk, ellipkinc

import tarsus as ts
from tarsus import integrators

MOMENTS = np.array([1.0, 2.0, 3.0])
SPIN = np.array([0.01, 1.0, 0.01])
FIRST, BETWEEN = 10.91691, 19.55287
"""When the middle rate is zero first, and how long it takes from there to the next time [s]."""


def flips() -> tuple[float, float]:
    """Return both times by elliptic integrals."""
    double = float(MOMENTS @ SPIN**2)
    square = float(MOMENTS**2 @ SPIN**2)
    i1, i2, i3 = MOMENTS
    # M² > 2 E I₂, a motion about the axis of the largest moment: ω_y = ω_max sn(rate · t, k)
    assert square > double * i2
    k2 = (i2 - i1) * (double * i3 - square) / ((i3 - i2) * (square - double * i1))
    rate = np.sqrt((i3 - i2) * (square - double * i1) / (i1 * i2 * i3))
    amplitude = np.sqrt((double * i3 - square) / (i2 * (i3 - i2)))
    quarter = float(ellipk(k2))
    passed = float(ellipkinc(np.arcsin(SPIN[1] / amplitude), k2))
    # it has not yet passed its largest value: ω̇_y = (I₃ − I₁) ω_x ω_z / I₂ > 0 at the start
    return (2 * quarter - passed) / rate, 2 * quarter / rate


def body() -> ts.Model:
    builder = ts.Builder("body", gravity=(0.0, 0.0, 0.0)).body("body", 1.0, inertia=MOMENTS)
    return builder.joint("flight", "free", "world", "body").build()


def test_golden_times_are_those_of_elliptic_functions() -> None:
    assert flips() == (pytest.approx(FIRST, abs=1e-5), pytest.approx(BETWEEN, abs=1e-5))


def test_a_body_tumbles() -> None:
    model = body()
    v0 = np.concatenate([np.zeros(3), SPIN])
    simulation = ts.Simulation(model, dt=0.02, integrator=integrators.DormandPrince(1e-12, 1e-13))
    run = simulation.run(None, v0, duration=60.0)
    omega = run.v[:, 3:]
    slope = (MOMENTS[2] - MOMENTS[0]) * omega[:, 2] * omega[:, 0] / MOMENTS[1]
    times = CubicHermiteSpline(run.t, omega[:, 1], slope).roots(extrapolate=False)
    print(times)
    np.testing.assert_allclose(times, FIRST + BETWEEN * np.arange(3), atol=3e-5)

    rotation = model.forward_kinematics(run.q)[:, 0, :3, :3]
    momentum = (rotation @ (MOMENTS * omega)[..., None])[..., 0]
    assert np.abs(momentum - momentum[0]).max() < 1e-9
    energy = 0.5 * (MOMENTS * omega**2).sum(axis=-1)
    assert np.abs(energy - energy[0]).max() < 1e-9
    off = np.swapaxes(rotation, -1, -2) @ rotation - np.eye(3)
    assert np.abs(off).max() < 1e-12
    # it turns over and over: each axis of the body has pointed both ways
    assert (rotation[:, 1, 1].min(), rotation[:, 1, 1].max()) == pytest.approx((-1, 1), abs=0.01)
