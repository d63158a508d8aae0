"""Derivatives of inverse dynamics: against sums over bodies, and against differences.

S. Singh, R. P. Russell, P. M. Wensing, "Efficient Analytical Derivatives of Rigid-Body Dynamics
using Spatial Vector Algebra", IEEE RA-L 2022; J. Carpentier, N. Mansard, "Analytical Derivatives
of Rigid Body Dynamics Algorithms", RSS 2018.
"""

from __future__ import annotations

import numpy as np
from coriolis_cases import Case, check, distance, machine, tree
from slopes import along_q


def test_by_q_against_sums_over_bodies() -> None:
    """The oracle differentiates D'Alembert's principle by complex numbers, along any direction."""

    def residual(c: Case) -> float:
        direction = c.reference[:1]
        found = c.model.inverse_dynamics_derivatives(c.q, c.v, c.a, c.external).dq
        expected = c.own.slopes_of_forces(c.x, c.v, c.a, c.external, np.array(direction))
        return distance(found @ direction[0], expected[0])

    check("∂τ/∂q u", residual, 1e-10, every=7)


def test_by_q_against_differences() -> None:
    def residual(c: Case) -> float:
        m = c.model
        expected = along_q(m, c.q, lambda q: m.inverse_dynamics(q, c.v, c.a, c.external))
        found = m.inverse_dynamics_derivatives(c.q, c.v, c.a, c.external).dq
        return distance(found, expected)

    check("∂τ/∂q", residual, 1e-9)


def test_by_v() -> None:
    """Forces are quadratic in v: differences of any size are exact, and have Γ as their slopes."""

    def residual(c: Case) -> float:
        m, units = c.model, np.eye(c.model.nv)
        plus, minus = (
            m.inverse_dynamics(c.q, c.v + s * units, c.a, c.external) for s in (1.0, -1.0)
        )
        gamma = m.christoffel_symbols(c.q)
        found = m.inverse_dynamics_derivatives(c.q, c.v, c.a, c.external).dv
        return max(
            distance(found, 0.5 * (plus - minus).T),
            distance(found, gamma @ c.v + np.swapaxes(gamma, 1, 2) @ c.v),
        )

    check("∂τ/∂v", residual)


def test_by_a_is_the_mass_matrix() -> None:
    def residual(c: Case) -> float:
        found = c.model.inverse_dynamics_derivatives(c.q, c.v, c.a).da
        return distance(found, c.model.mass_matrix(c.q))

    check("∂τ/∂a", residual, 1e-12)


def test_at_rest_they_are_slopes_of_gravity() -> None:
    def residual(c: Case) -> float:
        m, rest = c.model, np.zeros(c.model.nv)
        found = m.inverse_dynamics_derivatives(c.q, rest, rest)
        expected = along_q(m, c.q, m.gravity_forces)
        return max(distance(found.dq, expected), distance(found.dv, 0.0 * found.dv))

    check("∂g/∂q", residual, 1e-9)


def test_acceleration_enters_through_the_mass_matrix() -> None:
    """∂τ/∂q for two accelerations differs by ∂H/∂q times their difference."""

    def residual(c: Case) -> float:
        m, other = c.model, c.reference[1]
        first, second = (m.inverse_dynamics_derivatives(c.q, c.v, a).dq for a in (c.a, other))
        slopes = m.mass_matrix_derivatives(c.q)
        return distance(first, second + np.einsum("ijk,j->ik", slopes, c.a - other))

    check("∂(H a)/∂q", residual)


def test_external_wrenches_stay_in_body_frames() -> None:
    def residual(c: Case) -> float:
        m = c.model
        names = m.body_names

        def pushed(q: np.ndarray) -> np.ndarray:
            jacobians = [m.frame_jacobian(q, name) for name in names]
            return np.asarray(
                sum(np.swapaxes(j, -1, -2) @ f for j, f in zip(jacobians, c.external, strict=True))
            )

        with_them = m.inverse_dynamics_derivatives(c.q, c.v, c.a, c.external)
        without = m.inverse_dynamics_derivatives(c.q, c.v, c.a)
        difference = without.dq - with_them.dq
        others = distance(with_them.dv, without.dv) + distance(with_them.da, without.da)
        return distance(difference, along_q(m, c.q, pushed)) + others

    check("∂(Jᵀ f)/∂q", residual, 1e-9, every=3)


def test_second_derivatives() -> None:
    def residual(c: Case) -> float:
        m, units, rest = c.model, np.eye(c.model.nv), np.zeros(c.model.nv)
        by_v, by_a_and_q = m.inverse_dynamics_second_derivatives(c.q)
        # first derivatives are linear in v and in a
        plain = m.inverse_dynamics_derivatives(c.q, rest, rest)
        moving = m.inverse_dynamics_derivatives(c.q, units, rest).dv
        speeding = m.inverse_dynamics_derivatives(c.q, rest, units).dq
        return max(
            distance(by_v, np.moveaxis(moving - plain[1], 0, -1)),
            distance(by_a_and_q, np.swapaxes(speeding - plain[0], 0, 1)),
        )

    check("∂²τ/∂v², ∂²τ/∂a∂q", residual)


def test_three_matrices_unpack() -> None:
    for c in (tree(0), machine("gears", 0)):
        n = c.model.nv
        for lead in ((), (4,), (2, 3), (3,), (0,)):
            q, v, a = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (c.q, c.v, c.a))
            dq, dv, da = c.model.inverse_dynamics_derivatives(q, v, a)
            assert dq.shape == dv.shape == da.shape == (*lead, n, n)
