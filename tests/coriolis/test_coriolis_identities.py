"""Identities of the Coriolis matrix and the Christoffel symbols on 166 random mechanisms.

S. F. Echeandia, "Rigid-Body Dynamics Algorithms for Physically Interactive Robots", University of
Notre Dame 2020, sections 2.4 and 3.2; P. M. Wensing and J.-J. Slotine, "Coriolis Factorizations
and their Connections to Riemannian Geometry", 2023.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from coriolis_cases import Case, check, distance, machine, tree
from slopes import along_q

from tarsus.model.description import FACTORIZATIONS

each_factorization = pytest.mark.parametrize("factorization", FACTORIZATIONS)


@each_factorization
def test_times_velocity_is_the_bias_without_gravity(factorization: Any) -> None:
    def residual(c: Case) -> float:
        expected = c.model.bias_forces(c.q, c.v) - c.model.gravity_forces(c.q)
        return distance(c.model.coriolis_matrix(c.q, c.v, factorization) @ c.v, expected)

    check(f"C v, {factorization}", residual)


@each_factorization
def test_symmetric_part_is_the_rate_of_the_mass_matrix(factorization: Any) -> None:
    def residual(c: Case) -> float:
        matrix = c.model.coriolis_matrix(c.q, c.v, factorization)
        return distance(matrix + matrix.T, c.model.mass_matrix_rate(c.q, c.v))

    check(f"Ḣ = C + Cᵀ, {factorization}", residual)


def test_mean_of_two_factorisations_is_the_connection() -> None:
    def residual(c: Case) -> float:
        mean, force, momentum = (c.model.coriolis_matrix(c.q, c.v, f) for f in FACTORIZATIONS)
        return distance(0.5 * (force + momentum), mean)

    check("½ (force + momentum)", residual)


@pytest.mark.parametrize("c", [tree(0), machine("gears", 0), machine("loops", 0)], ids=str)
def test_factorisations_differ(c: Case) -> None:
    mean, force, momentum = (c.model.coriolis_matrix(c.q, c.v, f) for f in FACTORIZATIONS)
    apart = min(distance(force, mean), distance(momentum, mean), distance(force, momentum))
    print(f"{c.name}: {apart:.1e}")
    assert apart > 1e-3


def test_contracted_christoffel_symbols_are_the_coriolis_matrix() -> None:
    def residual(c: Case) -> float:
        return distance(c.model.christoffel_symbols(c.q) @ c.v, c.model.coriolis_matrix(c.q, c.v))

    check("C = Γ v", residual)


def test_christoffel_symbols_are_coriolis_matrices_of_unit_velocities() -> None:
    def residual(c: Case) -> float:
        slices = c.model.coriolis_matrix(c.q, np.eye(c.model.nv))
        return distance(c.model.christoffel_symbols(c.q), np.moveaxis(slices, 0, -1))

    check("Γ[:, :, k] = C(e_k)", residual)


def test_mass_matrix_derivatives_times_velocity_are_its_rate() -> None:
    def residual(c: Case) -> float:
        found = c.model.mass_matrix_derivatives(c.q) @ c.v
        return distance(found, c.model.mass_matrix_rate(c.q, c.v))

    check("∂H/∂q v", residual)


def test_mass_matrix_derivatives_against_differences() -> None:
    def residual(c: Case) -> float:
        expected = along_q(c.model, c.q, c.model.mass_matrix)
        return distance(c.model.mass_matrix_derivatives(c.q), expected)

    check("∂H/∂q", residual, 1e-9, every=3)


def test_packed_symbols_are_all_that_are_not_zero() -> None:
    def residual(c: Case) -> float:
        unpacked = np.zeros((c.model.nv,) * 3)
        unpacked[tuple(c.model.christoffel_indices.T)] = c.model.christoffel_symbols_packed(c.q)
        return distance(unpacked, c.model.christoffel_symbols(c.q))

    check("packed Γ", residual)


def test_symbols_of_the_second_kind() -> None:
    def residual(c: Case) -> float:
        gamma = c.model.christoffel_symbols(c.q)
        second = c.model.christoffel_symbols_second_kind(c.q)
        return distance(np.einsum("il,ljk->ijk", c.model.mass_matrix(c.q), second), gamma)

    check("H Γ² = Γ", residual, 1e-10)


def test_polarised_inverse_dynamics() -> None:
    """Bias is quadratic in v, so second differences of any size are exact."""

    def residual(c: Case) -> float:
        m, u = c.model, c.reference[0]
        both, one, other = (m.bias_forces(c.q, v) for v in (c.v + u, c.v, u))
        gamma = m.christoffel_symbols(c.q)
        expected = (gamma @ c.v) @ u + (gamma @ u) @ c.v
        return distance(both - one - other + m.gravity_forces(c.q), expected)

    check("Γ(u, v) + Γ(v, u)", residual)


def test_momentum() -> None:
    def residual(c: Case) -> float:
        expected = c.model.mass_matrix(c.q) @ c.v
        return distance(c.model.generalized_momentum(c.q, c.v), expected)

    check("H v", residual)


def test_transpose_times_velocity_is_the_same_for_all() -> None:
    def residual(c: Case) -> float:
        found = c.model.coriolis_transpose_forces(c.q, c.v)
        matrices = [c.model.coriolis_matrix(c.q, c.v, f) for f in FACTORIZATIONS]
        return max(distance(found, matrix.T @ c.v) for matrix in matrices)

    check("Cᵀ v", residual)


@each_factorization
def test_passive_inverse_dynamics(factorization: Any) -> None:
    def residual(c: Case) -> float:
        m, (v_r, a_r) = c.model, c.reference
        matrix = m.coriolis_matrix(c.q, c.v, factorization)
        expected = m.mass_matrix(c.q) @ a_r + matrix @ v_r + m.gravity_forces(c.q)
        found = m.passive_inverse_dynamics(c.q, c.v, v_r, a_r, factorization)
        usual = m.passive_inverse_dynamics(c.q, c.v, c.v, a_r, factorization)
        return max(distance(found, expected), distance(usual, m.inverse_dynamics(c.q, c.v, a_r)))

    check(f"H a_r + C v_r + g, {factorization}", residual)


def test_the_matrix_is_linear_in_the_velocity() -> None:
    def residual(c: Case) -> float:
        u = c.reference[0]
        sum_of_two = [
            c.model.coriolis_matrix(c.q, c.v, f) - 2.0 * c.model.coriolis_matrix(c.q, u, f)
            for f in FACTORIZATIONS
        ]
        found = [c.model.coriolis_matrix(c.q, c.v - 2.0 * u, f) for f in FACTORIZATIONS]
        return distance(np.array(found), np.array(sum_of_two))

    check("C(v − 2 u)", residual)
