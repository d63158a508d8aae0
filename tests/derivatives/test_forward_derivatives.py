"""Derivatives of forward dynamics: through those of inverse dynamics, and against differences."""

from __future__ import annotations

import numpy as np
from coriolis_cases import Case, check, distance, machine, tree
from slopes import along_q, slopes


def without_constraints(c: Case) -> bool:
    return not c.model.constraints


def with_constraints(c: Case) -> bool:
    return bool(c.model.constraints)


def test_they_undo_those_of_inverse_dynamics() -> None:
    """∂a/∂q = −H⁻¹ ∂τ/∂q, ∂a/∂v = −H⁻¹ ∂τ/∂v, ∂a/∂τ = H⁻¹."""

    def residual(c: Case) -> float:
        m = c.model
        a = m.forward_dynamics(c.q, c.v, c.tau, c.external)
        forward = m.forward_dynamics_derivatives(c.q, c.v, c.tau, c.external)
        by_q, by_v, mass = m.inverse_dynamics_derivatives(c.q, c.v, a, c.external)
        inverse = m.inverse_mass_matrix(c.q)
        return max(
            distance(mass @ forward[0], -by_q),
            distance(mass @ forward[1], -by_v),
            distance(forward[2], inverse),
            distance(forward[0], -inverse @ by_q),
        )

    check("∂a/∂q, ∂a/∂v, ∂a/∂τ", residual, 1e-10, wanted=without_constraints)


def test_against_differences() -> None:
    check("∂a", from_differences, 1e-8, wanted=without_constraints)


def test_with_constraints_against_differences() -> None:
    """Loops outside clusters restrict accelerations; their multipliers move with q, v and τ."""
    check("∂a with constraints", from_differences, 1e-7, wanted=with_constraints)


def from_differences(c: Case) -> float:
    found = c.model.forward_dynamics_derivatives(c.q, c.v, c.tau, c.external)
    expected = differences_by_q(c), differences_by_v(c), differences_by_tau(c)
    return max(map(distance, found, expected))


def differences_by_q(c: Case) -> np.ndarray:
    m = c.model
    return along_q(m, c.q, lambda q: m.forward_dynamics(q, c.v, c.tau, c.external))


def differences_by_v(c: Case) -> np.ndarray:
    """Accelerations are quadratic in v: a central difference is exact."""
    m, units = c.model, np.eye(c.model.nv)
    plus, minus = (m.forward_dynamics(c.q, c.v + s * units, c.tau, c.external) for s in (1.0, -1.0))
    return np.asarray(0.5 * (plus - minus).T)


def differences_by_tau(c: Case) -> np.ndarray:
    """Accelerations are linear in τ."""
    m, units = c.model, np.eye(c.model.nv)
    plus, minus = (m.forward_dynamics(c.q, c.v, c.tau + s * units, c.external) for s in (1.0, -1.0))
    return np.asarray(0.5 * (plus - minus).T)


def test_constraints_keep_the_accelerations_consistent() -> None:
    """J ∂a/∂τ = 0: no force makes accelerations that the constraints forbid."""

    def residual(c: Case) -> float:
        by_tau = c.model.forward_dynamics_derivatives(c.q, c.v, c.tau).dtau
        jacobian = c.model.constraint_jacobian(c.q)
        return max(distance(jacobian @ by_tau, 0.0 * jacobian), distance(by_tau, by_tau.T))

    check("J ∂a/∂τ", residual, 1e-10, wanted=with_constraints)


def test_a_step_along_a_motion() -> None:
    """The rate of v̇ along a motion is ∂a/∂q v + ∂a/∂v v̇, where τ stays."""

    def residual(c: Case) -> float:
        m = c.model
        a = m.forward_dynamics(c.q, c.v, c.tau)
        by_q, by_v, _ = m.forward_dynamics_derivatives(c.q, c.v, c.tau)

        def there(s: float) -> np.ndarray:
            return m.forward_dynamics(m.integrate(c.q, s * c.v), c.v + s * a, c.tau)

        step = 1e-3 / (1.0 + np.sqrt(np.abs(a).max()))
        return distance(by_q @ c.v + by_v @ a, slopes(there, step))

    check("rate of v̇", residual, 1e-7)


def test_three_matrices_unpack() -> None:
    for c in (tree(0), machine("constraints", 0)):
        n = c.model.nv
        for lead in ((), (4,), (2, 3), (3,), (0,)):
            q, v, tau = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (c.q, c.v, c.tau))
            dq, dv, dtau = c.model.forward_dynamics_derivatives(q, v, tau)
            assert dq.shape == dv.shape == dtau.shape == (*lead, n, n)
