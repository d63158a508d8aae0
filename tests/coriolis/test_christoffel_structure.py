"""Which Christoffel symbols there are: those of joints on one path, in a packed list.

S. F. Echeandia, "Rigid-Body Dynamics Algorithms for Physically Interactive Robots", University of
Notre Dame 2020, section 3.2.2: symbols of joints that are not pairwise related are zero, and
there are O(n d²) others, where d is the depth of the tree.
"""

from __future__ import annotations

import numpy as np
import pytest
from coriolis_cases import Case, check, distance, machine, tree

import tarsus as ts


def count(n: int, branching: float) -> int:
    return len(ts.robots.tree(n, branching).christoffel_indices)


def related_triples(n: int, branching: float) -> int:
    """Count the triples of joints of which each two are on one path to the root."""
    model = ts.robots.tree(n, branching)
    above = np.eye(n, dtype=bool)
    for i, name in enumerate(model.body_names):
        if (parent := model.body(name).parent) >= 0:
            above[:, i] |= above[:, parent]
    related = (above | above.T).astype(int)
    return int(np.einsum("ij,jk,ki->", related, related, related))


@pytest.mark.parametrize("n", [1, 2, 5, 16, 32])
@pytest.mark.parametrize("branching", [1.0, 2.0])
def test_related_triples_are_listed(n: int, branching: float) -> None:
    found, expected = count(n, branching), related_triples(n, branching)
    print(f"{n} links, branching {branching:g}: {found} of {n**3} triples")
    assert found == expected


@pytest.mark.parametrize(("branching", "order"), [(1.0, 3.0), (2.0, 1.7)])
def test_growth_of_the_list(branching: float, order: float) -> None:
    """Between 16 and 128 links: n³ for a chain, n log² n for a tree of two branches each."""
    few, many = count(16, branching), count(128, branching)
    slope = np.log(many / few) / np.log(128 / 16)
    print(f"branching {branching:g}: {few} and {many} symbols, order {slope:.2f}")
    assert slope < order + 0.01


def test_indices_are_distinct_and_within_range() -> None:
    for c in (tree(0), tree(1), machine("gears", 0), machine("everything", 0)):
        indices, nv = c.model.christoffel_indices, c.model.nv
        assert indices.dtype.kind == "i" and indices.shape[1] == 3
        assert indices.min() >= 0 and indices.max() < nv
        assert len(np.unique(indices, axis=0)) == len(indices)


def test_packed_symbols_of_a_batch() -> None:
    for c in (tree(3), machine("couplings", 2), machine("loops", 3)):
        q = c.model.integrate(c.q, 0.01 * np.random.default_rng(0).normal(size=(5, c.model.nv)))
        dense, packed = c.model.christoffel_symbols(q), c.model.christoffel_symbols_packed(q)
        i, j, k = c.model.christoffel_indices.T
        np.testing.assert_array_equal(packed, dense[:, i, j, k])


def test_symbols_inside_a_joint_with_several_coordinates_are_not_symmetric() -> None:
    """Γ_ijk − Γ_ikj is the mass matrix times the bracket of the joint's own motions."""
    builder = ts.Builder("ball").body("a", 1.0, (0.1, 0.2, 0.3), (0.5, 0.6, 0.7))
    builder.joint("ball", "spherical", "world", "a")
    model = builder.build()
    q, units = model.random_configuration(0), np.eye(3)
    gamma = model.christoffel_symbols(q)
    # turning first about one axis of the body, then another: [e_k, e_j] = e_k × e_j
    bracket = np.cross(units[None, :, :], units[:, None, :])  # (j, k) → e_k × e_j
    expected = np.einsum("il,jkl->ijk", model.mass_matrix(q), bracket)
    print(f"Γ_ijk − Γ_ikj: {distance(gamma - np.swapaxes(gamma, 1, 2), expected):.1e}")
    assert distance(gamma - np.swapaxes(gamma, 1, 2), expected) < 1e-14
    assert np.abs(expected).max() > 0.5


def test_symbols_of_joints_with_several_coordinates() -> None:
    """With t the outermost of three joints: Γ_abc − Γ_acb only where b and c are of one joint."""

    def residual(c: Case) -> float:
        gamma = c.model.christoffel_symbols(c.q)
        joint = np.concatenate([np.full(j.nv, i) for i, j in enumerate(c.own.tree.joints)])
        other = joint[:, None] != joint
        apart = (gamma - np.swapaxes(gamma, 1, 2))[:, other]
        return float(np.abs(apart).max()) / max(1.0, float(np.abs(gamma).max()))

    check("Γ_abc = Γ_acb across joints", residual, 1e-12, wanted=lambda c: c.name[:4] == "tree")
