"""Coriolis matrices of robots with couplings and loops, and of large clusters."""

from __future__ import annotations

import numpy as np
import pytest
from coriolis_cases import distance
from special import SPECIAL, special

import tarsus as ts
from tarsus.model.description import FACTORIZATIONS


@pytest.mark.parametrize("name", SPECIAL)
def test_against_sums_over_bodies(name: str) -> None:
    c = special(name)
    m, v_r, a_r = c.model, *c.reference
    gamma, mass = m.christoffel_symbols(c.q), m.mass_matrix(c.q)
    residuals = {
        "rate": distance(m.mass_matrix_rate(c.q, c.v), c.matrices["rate"]),
        "symbols": distance(gamma @ c.v, c.matrices["christoffel"]),
        "momentum": distance(m.generalized_momentum(c.q, c.v), mass @ c.v),
        "transpose": distance(m.coriolis_transpose_forces(c.q, c.v), c.matrices["force"].T @ c.v),
        "regressor": distance(
            m.inertial_regressor(c.q, c.v, a_r, v_r) @ m.inertial_parameters.ravel(),
            m.passive_inverse_dynamics(c.q, c.v, v_r, a_r) - c.armature_forces(v_r, a_r),
        ),
    }
    for factorization in FACTORIZATIONS:
        found = m.coriolis_matrix(c.q, c.v, factorization)
        passive = m.passive_inverse_dynamics(c.q, c.v, v_r, a_r, factorization)
        expected = mass @ a_r + c.matrices[factorization] @ v_r + m.gravity_forces(c.q)
        residuals[factorization] = distance(found, c.matrices[factorization])
        residuals[f"passive {factorization}"] = distance(passive, expected)
    worst = max(residuals, key=residuals.__getitem__)
    print(f"{name}: {residuals[worst]:.1e} ({worst})")
    assert residuals[worst] < 1e-11


def test_deep_chains_keep_their_digits() -> None:
    m, rng = ts.robots.chain(200, skew=0.3), np.random.default_rng(0)
    q, v = 0.1 * rng.normal(size=(2, m.nv))
    matrix = m.coriolis_matrix(q, v)
    residuals = (
        distance(matrix @ v + m.gravity_forces(q), m.bias_forces(q, v)),
        distance(matrix + matrix.T, m.mass_matrix_rate(q, v)),
        distance(m.coriolis_transpose_forces(q, v), matrix.T @ v),
        distance(m.generalized_momentum(q, v), m.mass_matrix(q) @ v),
    )
    print("200 links: " + ", ".join(f"{residual:.1e}" for residual in residuals))
    assert max(residuals) < 1e-11
