"""Identities of derivatives, against differences along random directions, and of the regressor."""

from __future__ import annotations

import numpy as np

from tarsus.check.states import States, relative, times, transposed
from tarsus.differences import derivative, rate


def mass_matrix_derivatives(s: States) -> float:
    """Derivatives of the mass matrix against differences, along random directions."""
    s = s.few(3)
    m, (along,) = s.model, s.directions(1)
    found = times(m.mass_matrix_derivatives(s.q), along[:, None, :])
    return relative(found, rate(m, s.q, along, m.mass_matrix), m.mass_matrix(s.q))


def inverse_dynamics_derivatives(s: States) -> float:
    """Derivatives of inverse dynamics against differences, along random directions."""
    s = s.few()
    m, forces = s.model, s.model.inverse_dynamics(s.q, s.v, s.a)
    along = s.directions(3)
    expected = (
        rate(m, s.q, along[0], lambda q: m.inverse_dynamics(q, s.v, s.a)),
        derivative(lambda h: m.inverse_dynamics(s.q, s.v + h * along[1], s.a)),
        derivative(lambda h: m.inverse_dynamics(s.q, s.v, s.a + h * along[2])),
    )
    found = m.inverse_dynamics_derivatives(s.q, s.v, s.a)
    pairs = zip(found, along, expected, strict=True)
    return max(relative(times(matrix, d), e, forces) for matrix, d, e in pairs)


def forward_dynamics_derivatives(s: States) -> float:
    """Derivatives of forward dynamics against differences, weighed with the mass matrix."""
    s = s.few()
    m, mass = s.model, s.model.mass_matrix(s.q)
    along = s.directions(3)
    expected = (
        rate(m, s.q, along[0], lambda q: m.forward_dynamics(q, s.v, s.tau)),
        derivative(lambda h: m.forward_dynamics(s.q, s.v + h * along[1], s.tau)),
        derivative(lambda h: m.forward_dynamics(s.q, s.v, s.tau + h * along[2])),
    )
    found = m.forward_dynamics_derivatives(s.q, s.v, s.tau)
    terms = s.tau, times(mass, m.forward_dynamics(s.q, s.v, s.tau)), m.bias_forces(s.q, s.v)
    pairs = zip(found, along, expected, strict=True)
    return max(
        relative(times(mass, times(matrix, d)), times(mass, e), *terms) for matrix, d, e in pairs
    )


def regressor(s: States) -> float:
    """The regressor times the inertial parameters, and armatures, against inverse dynamics."""
    s = s.few()
    m = s.model
    forces = m.inverse_dynamics(s.q, s.v, s.a)
    product = m.inertial_regressor(s.q, s.v, s.a) @ m.inertial_parameters.ravel()
    armature = np.concatenate([joint.armature for joint in m.joints])
    carried = armature * m.joint_accelerations(s.q, s.v, s.a)
    return relative(product + times(transposed(m.coupling_matrix(s.q)), carried), forces)
