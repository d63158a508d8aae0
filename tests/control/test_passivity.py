"""Slotine and Li's law: one pass is the formula, its reference is exact, its energy falls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from closed_loop import MECHANISMS, Trajectory, driven_everywhere, motion, state, step
from oracle import Array

import tarsus as ts
from tarsus._lib.differences import derivative
from tarsus.control import PassivityControl
from tarsus.model.description import FACTORIZATIONS


def positive(rng: np.random.Generator, n: int) -> Array:
    """Return a random matrix that is positive definite."""
    root = rng.normal(size=(n, n))
    return np.asarray(root @ root.T + np.eye(n))


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_single_pass_is_the_formula(name: str, factorization: Any) -> None:
    m = MECHANISMS[name]()
    rng = np.random.default_rng(0)
    gains = 3.0, positive(rng, m.nv)
    control = PassivityControl(m, *gains, factorization=factorization, **driven_everywhere(m))
    q, v = state(m, 1, 5)
    wanted = (*state(m, 2, 5), rng.normal(size=(5, m.nv)))
    v_r, a_r = control.reference_motion(0.0, q, v, wanted)
    C = m.coriolis_matrix(q, v, factorization)
    formula = (m.mass_matrix(q) @ a_r[..., None] + C @ v_r[..., None])[..., 0]
    formula = formula + m.gravity_forces(q) - (v - v_r) @ control.kd
    error = np.abs(control(0.0, q, v, wanted) - formula).max() / np.abs(formula).max()
    print(f"{name}, {factorization}: {error:.1e}")
    assert error < 1e-12


@pytest.mark.parametrize("name", MECHANISMS)
def test_reference_acceleration_is_the_rate_of_the_reference_velocity(name: str) -> None:
    m = MECHANISMS[name]()
    q, v = state(m, 4)
    wanted = Trajectory(m, m.integrate(q, 0.2 * np.ones(m.nv)), 0.2)
    bandwidth = positive(np.random.default_rng(3), m.nv)
    control = PassivityControl(m, bandwidth, 1.0, wanted, **driven_everywhere(m))
    t0 = 0.7

    def reference(t: float) -> Array:
        return control.reference_motion(t0 + t, m.integrate(q, t * v), v)[0]

    _, a_r = control.reference_motion(t0, q, v)
    expected = derivative(lambda t: reference(float(t)), 1e-4)
    error = np.abs(a_r - expected).max() / max(1.0, np.abs(expected).max())
    print(f"{name}: {error:.1e}")
    assert error < 1e-8


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_energy_never_rises_and_the_error_fades(name: str, factorization: Any) -> None:
    m = MECHANISMS[name]()
    rng = np.random.default_rng(5)
    q0 = m.random_configuration(6)
    wanted = Trajectory(m, q0, 0.15, 3.0)
    start = m.integrate(q0, 0.25 * rng.normal(size=m.nv)), 0.5 * rng.normal(size=m.nv)
    gains, options = (6.0, 6.0 * np.diagonal(m.mass_matrix(q0))), driven_everywhere(m)
    control = PassivityControl(m, *gains, wanted, factorization=factorization, **options)
    energies, errors = [], []
    for t, q, v in motion(m, *start, control, 2.5, 5e-3):
        energies.append(float(control.lyapunov(t, q, v)))
        errors.append(float(np.abs(m.difference(wanted(t)[0], q)).max()))
    rise = float(np.diff(energies).max()) / energies[0]
    print(f"{name}, {factorization}: V {energies[0]:.1e} to {energies[-1]:.1e} J, rise {rise:.1e}")
    print(f"  error {errors[0]:.2f} to {errors[-1]:.1e}")
    assert rise < 0.0
    assert energies[-1] < 1e-4 * energies[0]
    assert errors[-1] < 2e-2 * errors[0]


@pytest.mark.parametrize("name", MECHANISMS)
def test_power_of_the_energy_is_that_of_the_damping(name: str) -> None:
    m = MECHANISMS[name]()
    rng = np.random.default_rng(7)
    q, v = state(m, 8)
    wanted = Trajectory(m, m.integrate(q, 0.2 * np.ones(m.nv)), 0.3)
    kd = 0.1 * positive(rng, m.nv)
    control = PassivityControl(m, 2.0, kd, wanted, **driven_everywhere(m))

    def energy(t: float) -> float:
        return float(control.lyapunov(t, *step(m, q, v, 0.0, t, control)))

    s = control.sliding_velocity(0.0, q, v)
    power, expected = derivative(lambda t: energy(float(t)), 1e-4), -s @ kd @ s
    print(f"{name}: V̇ {power:.8f}, −sᵀ K_D s {expected:.8f} W")
    assert abs(power - expected) < 1e-6 * max(1.0, abs(expected))


def test_energy_rises_with_a_matrix_that_only_has_the_right_forces() -> None:
    """(C v) vᵀ / vᵀ v gives the same C v, but is not half of Ḣ up to a skew part."""
    m = MECHANISMS["rotor_chain"]()
    start = np.array([0.8, -0.6, 0.5, -0.9]), np.array([2.0, 3.0, -3.0, 2.0])
    control = PassivityControl(m, 4.0, 2.0, Trajectory(m, np.zeros(4), 0.5, 2.5))

    def right(t: float, q: Array, v: Array) -> Array:
        return control(t, q, v)

    def wrong(t: float, q: Array, v: Array) -> Array:
        v_r, a_r = control.reference_motion(t, q, v)
        C = np.outer(m.bias_forces(q, v) - m.gravity_forces(q), v) / (v @ v)
        forces = m.mass_matrix(q) @ a_r + C @ v_r + m.gravity_forces(q)
        return np.asarray(forces - (v - v_r) @ control.kd)

    for law in (right, wrong):
        states = motion(m, *start, law, 0.2, 4e-3)
        energies = [float(control.lyapunov(t, q, v)) for t, q, v in states]
        rise = float(np.diff(energies).max())
        print(f"{law.__name__}: largest rise in a step {rise:.1e} J of {energies[0]:.0f} J")
        assert (rise > 0.1) if law is wrong else (rise < 0.0)


@pytest.mark.parametrize("name", ["spatial_arm", "free"])
def test_error_decays_exactly_where_the_sliding_velocity_is_zero(name: str) -> None:
    """q̇ = v_r leads back along e(t) = exp(−Λ t) e(0), while the target turns and moves."""
    m = MECHANISMS[name]()
    rate = 1.7
    q0 = m.random_configuration(9)
    wanted = Trajectory(m, q0, 0.8, 4.0)
    control = PassivityControl(m, rate, 0.0, wanted, **driven_everywhere(m))
    q = m.integrate(q0, np.random.default_rng(10).normal(size=m.nv) * 0.7)
    start, h, n = m.difference(q0, q), 2e-3, 500
    for i in range(n):  # the rule of four slopes for q̇ = v_r(t, q)

        def slope(t: float, q: Array) -> Array:
            return control.reference_motion(t, q, np.zeros(m.nv))[0]

        t = i * h
        v1 = slope(t, q)
        q2 = m.integrate(q, h / 2 * v1)
        v2 = slope(t + h / 2, q2)
        v3 = slope(t + h / 2, m.integrate(q, h / 2 * v2))
        v4 = slope(t + h, m.integrate(q2, h * v3 - h / 2 * v1))
        q = m.integrate(q, h / 12 * (3 * v1 + 2 * v2 + 2 * v3 - v4))
        q = m.integrate(q, h / 12 * (-v1 + 2 * v2 + 2 * v3 + 3 * v4))
    found, expected = m.difference(wanted(n * h)[0], q), start * np.exp(-rate * n * h)
    error = float(np.abs(found - expected).max())
    print(f"{name}: {error:.1e} beside {np.abs(expected).max():.2f}")
    assert error < 1e-8


def test_batches_are_loops() -> None:
    m = MECHANISMS["spatial_arm"]()
    control = PassivityControl(m, 2.0, 3.0, **driven_everywhere(m))
    (q, v), (q_d, v_d) = state(m, 11, 2, 3), state(m, 12, 3)
    a_d = np.ones(m.nv)
    together = control(0.0, q, v, (q_d, v_d, a_d))
    assert together.shape == (2, 3, m.nv)
    for i in range(2):
        for j in range(3):
            one = control(0.0, q[i, j], v[i, j], (q_d[j], v_d[j], a_d))
            np.testing.assert_allclose(together[i, j], one, rtol=1e-12, atol=1e-12)
    assert np.shape(control.lyapunov(0.0, q, v, (q_d, v_d))) == (2, 3)
    assert isinstance(control.lyapunov(0.0, q[0, 0], v[0, 0], (q_d[0], v_d[0])), float)


def test_a_target_at_rest_needs_no_velocity() -> None:
    m = MECHANISMS["rotor_chain"]()
    control = PassivityControl(m, 2.0, 3.0)
    q, v = state(m, 13)
    zero = np.zeros(m.nv)
    given = control(0.0, q, v, (q, zero, zero))
    np.testing.assert_array_equal(control(0.0, q, v, q), given)
    # at the target the law holds the mechanism against gravity
    np.testing.assert_allclose(control(0.0, q, zero, q), m.gravity_forces(q), atol=1e-12)


def test_mistakes() -> None:
    m = ts.robots.chain(3)
    with pytest.raises(TypeError, match="model is of type str"):
        PassivityControl("chain", 1.0, 1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"bandwidth has shape \(2,\), must be \(\) or \(3,\)"):
        PassivityControl(m, [1.0, 2.0], 1.0)
    with pytest.raises(ValueError, match=r"bandwidth has shape \(2, 3\), must be .* or \(3, 3\)"):
        PassivityControl(m, np.ones((2, 3)), 1.0)
    with pytest.raises(ValueError, match="kd is not symmetric"):
        PassivityControl(m, 1.0, np.eye(3) + np.eye(3, k=1))
    with pytest.raises(ValueError, match="kd is not positive definite"):
        PassivityControl(m, 1.0, np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(ValueError, match="kd is negative"):
        PassivityControl(m, 1.0, -1.0)
    with pytest.raises(ValueError, match="factorization"):
        PassivityControl(m, 1.0, 1.0, factorization="coriolis")  # type: ignore[arg-type]
    control, zero = PassivityControl(m, 1.0, 1.0), np.zeros(3)
    with pytest.raises(
        ValueError, match=r"velocity of reference has shape \(4,\), must be \(…, 3\)"
    ):
        control(0.0, zero, zero, (zero, np.zeros(4)))
    with pytest.raises(ValueError, match="what reference adds has entries that are not finite"):
        control(0.0, zero, zero, (zero, zero, [0.0, np.nan, 0.0]))
    with pytest.raises(ValueError, match=r"reference has shape \(2,\), must be \(…, 3\)"):
        control(0.0, zero, zero, np.zeros(2))


def test_joints_that_roll_and_loops_that_are_constraints_are_refused() -> None:
    with pytest.raises(ts.ModelError, match=r"joint 'contact' rolls or skates"):
        PassivityControl(ts.robots.rolling_disc(), 1.0, 1.0)
    description = ts.robots.four_bar().description
    loops = [replace(loop, constraint=True, independent=None) for loop in description.loops]
    with pytest.raises(ts.ModelError, match="these loops of 'four_bar' are constraints: 'pin'"):
        PassivityControl(ts.Model(replace(description, loops=loops)), 1.0, 1.0)
