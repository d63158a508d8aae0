"""A snakeboard: knife edges as constraints, in multipliers and in reduced momenta.

V. Duindam, "Port-based modeling and control for efficient bipedal walking robots", University of
Twente 2006, example 2.21: the reduced momenta alpha have a constant diagonal mass matrix and no
gyroscopic forces (theorem 2.20; the sign of the torso's torque is corrected).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from oracle import Array

import tarsus as ts

M, R, TORSO, WHEELS = 6.0, 0.2, 0.1, 0.02
"""Mass [kg], half length [m], moments of inertia of torso and of both axles [kg m²]; J = m r²."""


def snakeboard() -> ts.Model:
    """Return board, torso and two axles that turn against each other."""
    board = M * R**2 - TORSO - WHEELS - 1.0 * R**2  # both axles have 1 kg
    builder = ts.Builder("snakeboard")
    builder.body("board", 4.0, inertia=(board, board, board))
    builder.joint("ground", "planar", "world", "board")
    builder.body("torso", 1.0, inertia=(TORSO, TORSO, TORSO))
    builder.joint("psi", "revolute", "board", "torso")
    for name, x in (("front", R), ("back", -R)):
        builder.body(name, 0.5, inertia=(WHEELS / 2,) * 3)
        builder.joint(name, "revolute", "board", name, position=(x, 0.0, 0.0))
    builder.couple(["front", "back"], [[1.0], [-1.0]])
    for name in ("front", "back"):
        builder.close_loop("knife_edge", "world", (0, 0, 0), name, (0, 0, 0), name=f"{name} wheels")
    return builder.build()


def torques(t: float) -> Array:
    return np.array([0.1 * np.cos(2.0 * t), -1.2 * WHEELS * np.sin(2.0 * t)])


def slots(model: ts.Model) -> list[int]:
    """Where x, y, theta, psi and phi are in q and v."""
    ground = model.joint("ground").v_slice
    one = [model.joint(name).v_slice.start for name in ("psi", "front")]
    return [*range(ground.start, ground.stop), *one]


def in_body_axes(q: Array, velocity: Array) -> Array:
    """Return the planar joint's velocity for rates of x and y; theta is q[2]."""
    c, s = np.cos(q[2]), np.sin(q[2])
    x, y = velocity[:2]
    return np.array([c * x + s * y, c * y - s * x, *velocity[2:]])


def momenta(q: Array, v: Array) -> Array:
    """Return alpha for coordinates and body-axes velocities in the order of `slots`."""
    beta = np.sqrt(M * R**2 - TORSO * np.sin(q[4]) ** 2)
    return np.array([v[0] * beta / (R * np.cos(q[4])), TORSO * (v[2] + v[3]), WHEELS * v[4]])


def reduced_rates(t: float, q: Array, alpha: Array) -> tuple[Array, Array]:
    """Return the rates of q and alpha."""
    _, _, theta, _, phi = q
    beta = np.sqrt(M * R**2 - TORSO * np.sin(phi) ** 2)
    first, second, third = alpha[0] / beta, alpha[1] / TORSO, alpha[2] / WHEELS
    forward, turning = R * np.cos(phi) * first, np.sin(phi) * first
    qdot = [forward * np.cos(theta), forward * np.sin(theta), turning, second - turning, third]
    u = torques(t)
    return np.array(qdot), np.array([-np.sin(phi) / beta * u[0], u[0], u[1]])


def runge_kutta(rates: Callable[[float, Array], Array], t: float, state: Array, dt: float) -> Array:
    k1 = rates(t, state)
    k2 = rates(t + dt / 2, state + dt / 2 * k1)
    k3 = rates(t + dt / 2, state + dt / 2 * k2)
    k4 = rates(t + dt, state + dt * k3)
    return np.asarray(state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))


EXPECTED_Q = (-0.0301002, 0.0000914, -0.0013226, 0.1493021, 0.2738836)
EXPECTED_ALPHA = (-0.0127790, 0.0456473, 0.0048970)


def test_reduced_momenta() -> None:
    """The equations of the example by themselves give the golden numbers."""

    def rates(t: float, state: Array) -> Array:
        return np.concatenate(reduced_rates(t, state[:5], state[5:]))

    state = np.array([0.0] * 7 + [0.6 * WHEELS])
    for i in range(2000):
        state = runge_kutta(rates, i * 5e-3, state, 5e-3)
    np.testing.assert_allclose(state[:5], EXPECTED_Q, atol=1e-6)
    np.testing.assert_allclose(state[5:], EXPECTED_ALPHA, atol=1e-6)


def test_multipliers_give_the_same_motion() -> None:
    model = snakeboard()
    order = slots(model)
    assert model.nv == 5 and len(model.constraints) == 2

    def rates(t: float, state: Array) -> Array:
        q, v, tau = state[:5], state[5:], np.zeros(5)
        tau[order[3:]] = torques(t)
        return np.concatenate([model.configuration_rate(q, v), model.forward_dynamics(q, v, tau)])

    state, dt = np.zeros(10), 5e-3
    state[5 + order[4]] = 0.6
    for i in range(2000):
        state = runge_kutta(rates, i * dt, state, dt)
    q, v = state[:5][order], state[5:][order]
    slip = np.abs(model.constraint_jacobian(state[:5]) @ state[5:]).max()
    found = np.abs(q - EXPECTED_Q).max(), np.abs(momenta(q, v) - EXPECTED_ALPHA).max()
    print(f"q {found[0]:.1e}, alpha {found[1]:.1e}, slip {slip:.1e} m/s")
    assert max(found) < 1e-6 and slip < 1e-8


def test_power_of_the_torques_is_the_rate_of_energy() -> None:
    """Knife edges do no work: M̄ = 1, J_t, J_w in the momenta, and Ḣ = u · rates."""
    model = snakeboard()
    order, rng = slots(model), np.random.default_rng(0)
    for _ in range(20):
        q, alpha, u = rng.uniform(-1, 1, 5), rng.normal(size=3), rng.normal(size=2)
        qdot = reduced_rates(0.0, q, alpha)[0]
        state, v, tau = np.zeros(5), np.zeros(5), np.zeros(5)
        state[order], v[order], tau[order[3:]] = q, in_body_axes(q, qdot), u
        energy = 0.5 * (alpha**2 / [1.0, TORSO, WHEELS]).sum()
        assert abs(model.kinetic_energy(state, v) - energy) < 1e-12
        assert np.abs(model.constraint_jacobian(state) @ v).max() < 1e-13
        a = model.forward_dynamics(state, v, tau)
        power = v @ model.mass_matrix(state) @ a + v @ model.bias_forces(state, v)
        assert abs(power - u @ qdot[3:]) < 1e-10


def test_the_torso_does_not_push_straight_wheels() -> None:
    model = snakeboard()
    order = slots(model)
    q, v, tau = np.zeros(5), np.zeros(5), np.zeros(5)
    v[order[0]], tau[order[3]] = 0.7, 1.0
    a = model.forward_dynamics(q, v, tau)
    assert abs(a[order[0]]) < 1e-12 and abs(a[order[2]]) < 1e-12
    assert abs(a[order[3]] - 1.0 / TORSO) < 1e-10
