"""The Coriolis matrix and what belongs to it, against sums over bodies without any recursion.

The oracle sums Σ Jᵀ (I J̇ + B J) over all bodies, rotors included, with Jacobians in the users'
velocities and rates of Jacobians from complex numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from coriolis_cases import Case, check, distance

from tarsus.model.description import FACTORIZATIONS


def test_the_oracle_is_consistent() -> None:
    """Its two sums agree; C v, Ḣ and H are those of D'Alembert's principle."""

    def residual(c: Case) -> float:
        matrix, rate = c.own.coriolis_matrix(c.x, c.v), c.own.mass_matrix_rate(c.x, c.v)
        still = np.zeros_like(c.external)
        bias, rest = (c.own.forces(c.x, v, 0.0 * v, still) for v in (c.v, np.zeros_like(c.v)))
        return max(
            distance(c.own.spatial_coriolis_matrix(c.x, c.v, "christoffel"), matrix),
            distance(matrix @ c.v, bias - rest),
            distance(matrix + matrix.T, rate),
            distance(bias, c.model.bias_forces(c.q, c.v)),
            distance(c.own.maps(c.x).mass, c.model.mass_matrix(c.q)),
        )

    check("oracle", residual, every=7)


def test_the_sum_over_all_joints_is_projected() -> None:
    """C = Gᵀ C₀ G + Gᵀ H₀ Ġ (Wensing and Slotine 2023), where C₀, H₀ have all joints as free."""

    def residual(c: Case) -> float:
        here, rate = c.own.maps_and_rates(c.x, c.v)
        tree = c.own.tree
        w = here.g @ c.v
        projected = here.g.T @ (
            tree.coriolis_matrix(c.x, w) @ here.g + tree.mass_matrix(c.x) @ rate.g
        )
        return distance(c.model.coriolis_matrix(c.q, c.v), projected)

    check("Gᵀ C₀ G + Gᵀ H₀ Ġ", residual, every=5)


@pytest.mark.parametrize("factorization", FACTORIZATIONS)
def test_coriolis_matrix(factorization: Any) -> None:
    def residual(c: Case) -> float:
        found = c.model.coriolis_matrix(c.q, c.v, factorization)
        return distance(found, c.matrices[factorization])

    check(f"C, {factorization}", residual, every=3)


def test_mass_matrix_rate_is_the_derivative_of_the_mass_matrix() -> None:
    def residual(c: Case) -> float:
        return distance(c.model.mass_matrix_rate(c.q, c.v), c.matrices["rate"])

    check("Ḣ", residual, every=3)


def test_christoffel_symbols_along_any_direction() -> None:
    """Σ_k Γ_ijk u_k is the oracle's Coriolis matrix for a velocity u."""

    def residual(c: Case) -> float:
        u = c.reference[0]
        return distance(c.model.christoffel_symbols(c.q) @ u, c.own.coriolis_matrix(c.x, u))

    check("Γ u", residual, every=5)


def test_mass_matrix_derivatives_along_any_direction() -> None:
    def residual(c: Case) -> float:
        u = c.reference[0]
        found = c.model.mass_matrix_derivatives(c.q) @ u
        return distance(found, c.own.mass_matrix_rate(c.x, u))

    check("∂H u", residual, every=5)


def test_passive_inverse_dynamics() -> None:
    def residual(c: Case) -> float:
        v_r, a_r = c.reference
        here, rest = c.own.maps(c.x), np.zeros_like(c.v)
        gravity = c.own.forces(c.x, rest, rest, np.zeros_like(c.external))
        found = []
        for factorization in FACTORIZATIONS:
            expected = here.mass @ a_r + c.matrices[factorization] @ v_r + gravity
            tau = c.model.passive_inverse_dynamics(c.q, c.v, v_r, a_r, factorization)
            found.append(distance(tau, expected))
        return max(found)

    check("H a_r + C v_r + g", residual, every=5)
