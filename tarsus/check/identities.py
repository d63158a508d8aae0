"""Identities that hold for every mechanism and every state.

Each function returns the largest relative residual over a batch of states. Residuals are
relative to the largest term of the same state, and those of accelerations are weighed with
the mass matrix, as forces: a long chain amplifies every rounding error in an acceleration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from tarsus._lib.differences import derivative, rate, steps
from tarsus._lib.files import Array
from tarsus.check.coriolis import CORIOLIS
from tarsus.check.states import (
    CLOSURES,
    DIFFERENCES,
    EXACT,
    Identity,
    States,
    permitted,
    relative,
    steps_lead_back,
    times,
)
from tarsus.model import Model

Reference: TypeAlias = Literal["local", "world", "local_world_aligned"]
REFERENCES: tuple[Reference, ...] = ("local", "world", "local_world_aligned")


def weighed(model: Model, q: Array, left: Array, right: Array, tau: Array, bias: Array) -> float:
    """Return the difference of accelerations as forces, relative to the forces that act."""
    error = times(model.mass_matrix(q), left - right)
    return relative(error, np.zeros_like(error), tau, bias)


def three_methods(s: States) -> float:
    """Forward dynamics by articulated bodies, by sparse and by dense factors."""
    m = s.model
    bias = m.bias_forces(s.q, s.v)
    articulated = m.forward_dynamics(s.q, s.v, s.tau)
    sparse = m.forward_dynamics(s.q, s.v, s.tau, method="sparse")
    dense = m.forward_dynamics(s.q, s.v, s.tau, method="dense")
    others = (sparse, dense)
    forces = m.inverse_dynamics(s.q, s.v, articulated)  # those of constraints, too
    return max(weighed(m, s.q, articulated, other, forces, bias) for other in others)


def inverse_of_forward(s: States) -> float:
    """The forces of the accelerations that forces cause are those forces.

    What is left besides must be forces of constraints, which do no work on permitted motions.
    """
    m = s.model
    a = m.forward_dynamics(s.q, s.v, s.tau)
    tau = m.inverse_dynamics(s.q, s.v, a)
    error = tau - s.tau
    if m.constraints:
        error = permitted(m, s.q, error)
    return relative(error, np.zeros_like(error), tau, m.bias_forces(s.q, s.v))


def equation_of_motion(s: States) -> float:
    """Inverse dynamics against mass matrix and bias."""
    m = s.model
    bias = m.bias_forces(s.q, s.v)
    inertial = times(m.mass_matrix(s.q), s.a)
    return relative(m.inverse_dynamics(s.q, s.v, s.a), inertial + bias, inertial, bias)


def symmetric(s: States) -> float:
    """The mass matrix and its transpose."""
    mass = s.model.mass_matrix(s.q)
    return relative(mass, mass.swapaxes(-1, -2))


def positive(s: States) -> float:
    """How far the mass matrix is from being positive definite, 0 if it is."""
    try:
        np.linalg.cholesky(s.model.mass_matrix(s.q))
    except np.linalg.LinAlgError:
        return 1.0
    return 0.0


def inverse_matrix(s: States) -> float:
    """The product of the mass matrix and its inverse, relative to the sizes of both."""
    mass, inverse = s.model.mass_matrix(s.q), s.model.inverse_mass_matrix(s.q)
    product = mass @ inverse
    size = np.abs(mass) @ np.abs(inverse)
    return relative(product, np.broadcast_to(np.eye(s.model.nv), product.shape), size)


def kinetic(s: States) -> float:
    """Kinetic energy against the mass matrix."""
    energy = np.asarray(s.model.kinetic_energy(s.q, s.v))
    return relative(energy, 0.5 * (s.v * times(s.model.mass_matrix(s.q), s.v)).sum(axis=-1))


def gravity_gradient(s: States) -> float:
    """Gravity forces against differences of the potential energy, one coordinate at a time."""
    m, s = s.model, s.first(4)
    gradient = rate(m, s.q[:, None, :], np.eye(m.nv), m.potential_energy)
    weight = np.full(len(s.q), m.total_mass * np.linalg.norm(m.gravity))  # one metre high [J]
    return relative(m.gravity_forces(s.q), gradient, weight, np.asarray(m.potential_energy(s.q)))


def power(s: States) -> float:
    """The rate of the energy against the power of the forces: checks Coriolis forces too."""
    m = s.model
    tau = m.inverse_dynamics(s.q, s.v, s.a)

    def energy(time: Array) -> Array:
        q, v = m.integrate(s.q, time[:, None] * s.v), s.v + time[:, None] * s.a
        return np.asarray(m.kinetic_energy(q, v) + m.potential_energy(q))

    change = derivative(energy, steps(m, s.q, s.v))
    return relative(change, (tau * s.v).sum(axis=-1), tau * s.v, energy(np.zeros(len(s.q))))


def pose_rate(s: States) -> float:
    """Velocity of frames against differences of their poses."""
    m = s.model

    def residual(frame: str) -> float:
        poses = rate(m, s.q, s.v, lambda q: m.frame_pose(q, frame))
        velocity = m.frame_velocity(s.q, s.v, frame, "local_world_aligned")
        spin = np.cross(velocity[:, None, 3:], m.frame_pose(s.q, frame)[:, :3, :3].swapaxes(1, 2))
        expected = np.concatenate([spin, velocity[:, None, :3]], axis=1).swapaxes(1, 2)
        return relative(poses[:, :3, :], expected, m.frame_pose(s.q, frame))

    return max(map(residual, s.frames()))


def jacobian(s: States) -> float:
    """Velocity of frames against the Jacobian."""
    m = s.model

    def residual(frame: str, reference: Reference) -> float:
        matrix = m.frame_jacobian(s.q, frame, reference)
        velocity = m.frame_velocity(s.q, s.v, frame, reference)
        # what constraints hold still has a velocity of zero
        return relative(times(matrix, s.v), velocity, times(np.abs(matrix), np.abs(s.v)))

    return max(residual(f, r) for f in s.frames() for r in REFERENCES)


def jacobian_rate(s: States) -> float:
    """The Jacobian's rate against differences."""
    m, s = s.model, s.first(8)

    def residual(frame: str, reference: Reference) -> float:
        expected = rate(m, s.q, s.v, lambda q: m.frame_jacobian(q, frame, reference))
        actual = m.frame_jacobian_rate(s.q, s.v, frame, reference)
        return relative(actual, expected, m.frame_jacobian(s.q, frame, reference))

    return max(residual(f, r) for f in s.frames(4) for r in REFERENCES)


def acceleration(s: States) -> float:
    """Acceleration of frames against the Jacobian and its rate."""
    m = s.model

    def residual(frame: str, reference: Reference) -> float:
        along = times(m.frame_jacobian(s.q, frame, reference), s.a)
        drift = times(m.frame_jacobian_rate(s.q, s.v, frame, reference), s.v)
        actual = m.frame_acceleration(s.q, s.v, s.a, frame, reference)
        return relative(actual, along + drift, along, drift)

    return max(residual(f, r) for f in s.frames() for r in REFERENCES)


def momentum(s: States) -> float:
    """Centroidal momentum against its matrix."""
    m = s.model
    return relative(times(m.centroidal_momentum_matrix(s.q), s.v), m.centroidal_momentum(s.q, s.v))


def linear_momentum(s: States) -> float:
    """The linear momentum against mass times velocity of the centre of mass."""
    m = s.model
    momentum = m.centroidal_momentum(s.q, s.v)
    velocity = rate(m, s.q, s.v, m.center_of_mass)
    return relative(momentum[:, :3], m.total_mass * velocity, momentum)


def momentum_rate(s: States) -> float:
    """The momentum matrix' rate against differences."""
    m, s = s.model, s.first(8)
    expected = rate(m, s.q, s.v, m.centroidal_momentum_matrix)
    actual = m.centroidal_momentum_matrix_rate(s.q, s.v)
    return relative(actual, expected, m.centroidal_momentum_matrix(s.q))


def step_and_back(s: States) -> float:
    """The step between two configurations leads from one to the other.

    The other one is where a motion leads: joints that roll do not get from anywhere to anywhere
    in one step, and those that turn by more than π find a shorter way.
    """
    m, other = s.model, s.model.integrate(s.q, s.step())
    reached = m.integrate(s.q, m.difference(s.q, other))
    return relative(m.forward_kinematics(reached), m.forward_kinematics(other))


def batch_and_loop(s: States) -> float:
    """The share of numbers whose bits differ between a batch, two threads and a loop."""
    m, s = s.model, s.first(13)
    calls: list[tuple[Callable[..., Array], tuple[Array, ...]]] = [
        (m.forward_kinematics, (s.q,)),
        (m.inverse_dynamics, (s.q, s.v, s.a)),
        (m.forward_dynamics, (s.q, s.v, s.tau)),
        (m.mass_matrix, (s.q,)),
        (m.coriolis_matrix, (s.q, s.v)),
        (m.centroidal_momentum_matrix, (s.q,)),
        (m.integrate, (s.q, s.step())),
    ]
    different = total = 0
    for function, arguments in calls:
        loop = np.array([function(*state) for state in zip(*arguments, strict=True)])
        for threads in (1, 2):
            batch = function(*arguments, threads=threads)
            different += int(np.count_nonzero(batch.view(np.uint64) != loop.view(np.uint64)))
            total += loop.size
    return different / max(total, 1)


IDENTITIES = (
    Identity("forward dynamics", "articulated = sparse = dense", EXACT, three_methods),
    Identity("inverse dynamics", "inverse(forward(τ)) = τ", EXACT, inverse_of_forward),
    Identity("bias forces", "inverse(a) = H a + bias", EXACT, equation_of_motion),
    Identity("mass matrix", "H = Hᵀ", EXACT, symmetric),
    Identity("", "H is positive definite", 0.0, positive),
    Identity("", "H H⁻¹ = 1", EXACT, inverse_matrix),
    Identity("kinetic energy", "T = ½ vᵀ H v", EXACT, kinetic),
    Identity("gravity forces", "g = ∂V/∂q", DIFFERENCES, gravity_gradient),
    Identity("", "d(T + V)/dt = τᵀ v", DIFFERENCES, power),
    Identity("forward kinematics", "velocity = d pose/dt", DIFFERENCES, pose_rate),
    Identity("frame jacobian", "J v = velocity", EXACT, jacobian),
    Identity("frame jacobian rate", "J̇ = dJ/dt", DIFFERENCES, jacobian_rate),
    Identity("", "J a + J̇ v = acceleration", EXACT, acceleration),
    Identity("centroidal momentum matrix", "A v = momentum", EXACT, momentum),
    Identity("", "Ȧ = dA/dt", DIFFERENCES, momentum_rate),
    Identity("center of mass", "m d com/dt = linear momentum", DIFFERENCES, linear_momentum),
    Identity("integrate", "q ⊕ (q' ⊖ q) = q'", EXACT, step_and_back, steps_lead_back),
    Identity("batches", "batch = threads = loop, bit for bit", 0.0, batch_and_loop),
    *CLOSURES,
    *CORIOLIS,
)
