"""Golden numbers of small chains, and the body-level factorisation that is not admissible.

Chains are those of spatial_v2's `autoTree`, which S. F. Echeandia uses in "Rigid-Body Dynamics
Algorithms for Physically Interactive Robots", University of Notre Dame 2020, section 3.3. The
numbers are those of an independent prototype that differentiates a dense mass matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from connection import Connection

import tarsus as ts
from tarsus.model.description import FACTORIZATIONS

Q = np.arange(1.0, 6.0)
V = 0.1 * Q
FIRST_ROWS = {
    "christoffel": (-0.2278160897, -0.4654819348, 0.1607776946, -0.4792980443, 0.0669656702),
    "force": (-0.2278160897, -0.6993754750, 0.4528184081, -0.6859280202, 0.1506026389),
}


def five_links() -> ts.Model:
    return ts.robots.chain(5, skew=np.pi / 3)


def close_to(found: Any, expected: Any, what: str) -> None:
    residual = np.abs(np.asarray(found) - np.asarray(expected)).max()
    print(f"{what}: {residual:.1e}")
    assert residual < 1e-9


def test_two_links_in_a_plane() -> None:
    """The closed form of every textbook: h = −m l l_c sin q₂."""
    m, q = ts.robots.chain(2, skew=0.0), np.array([0.3, 0.7])
    h = -0.5 * np.sin(0.7)
    gamma = np.zeros((2, 2, 2))
    gamma[0, 0, 1] = gamma[0, 1, 0] = gamma[0, 1, 1] = h
    gamma[1, 0, 0] = -h
    assert h == pytest.approx(-0.3221088436, abs=1e-10)
    mass = [[2.434008854, 0.717004427], [0.717004427, 0.334583333]]
    close_to(m.mass_matrix(q), mass, "H")
    close_to(m.christoffel_symbols(q), gamma, "Γ")
    expected = [[0.2898979593, 0.1610544218], [0.1288435374, 0.0]]
    for factorization in FACTORIZATIONS:  # of two links there is but one
        found = m.coriolis_matrix(q, (0.4, -0.9), factorization)
        close_to(found, expected, f"C, {factorization}")


def test_mass_matrix_of_five_links() -> None:
    mass = five_links().mass_matrix(Q)
    close_to(np.trace(mass), 7.928587043, "trace of H")
    close_to(np.linalg.det(mass), 0.5753424088, "determinant of H")


@pytest.mark.parametrize("factorization", FIRST_ROWS)
def test_coriolis_matrix_of_five_links(factorization: Any) -> None:
    found = five_links().coriolis_matrix(Q, V, factorization)
    close_to(found[0], FIRST_ROWS[factorization], f"first row of C, {factorization}")


def test_christoffel_symbols_of_five_links() -> None:
    gamma = five_links().christoffel_symbols(Q)
    close_to(np.abs(gamma).max(), 1.1243589656, "largest")
    close_to(np.linalg.norm(gamma), 3.6999212101, "norm")
    close_to(gamma[0, 2, 4], 0.0357160788, "Γ₁₃₅")
    close_to(gamma[2, 0, 4], -0.0307469489, "Γ₃₁₅")
    close_to(gamma[4, 0, 2], 0.0307469489, "Γ₅₁₃")
    close_to(gamma[0, 1, 4], 0.0989084318, "Γ₁₂₅")


def test_a_factorisation_that_is_not_admissible() -> None:
    """With B = (I v)×̄* alone C v is right, but Ḣ is not C + Cᵀ: Echeandia 2020, section 3.2.1."""
    m, own = five_links(), Connection.of(five_links())
    wrong = own.spatial_coriolis_matrix(Q, V, "skew")
    right, rate = m.coriolis_matrix(Q, V), m.mass_matrix_rate(Q, V)
    print(f"C v: {np.abs((wrong - right) @ V).max():.1e}")
    assert np.abs((wrong - right) @ V).max() < 1e-12
    assert np.abs(rate - right - right.T).max() < 1e-12
    deviation = np.abs(rate - wrong - wrong.T).max()
    print(f"Ḣ − C − Cᵀ is {deviation:.3f}, C is {np.abs(wrong).max():.3f}")
    assert deviation == pytest.approx(0.735, abs=5e-4)
    assert np.abs(right).max() == pytest.approx(0.581, abs=5e-4)
