"""Where velocities are rates of coordinates, the symbols are those of the mass matrix's slopes.

Γ_ijk = ½ (∂H_ij/∂q_k + ∂H_ik/∂q_j − ∂H_jk/∂q_i), with ∂H from complex positions of a dense H:
S. F. Echeandia, "Rigid-Body Dynamics Algorithms for Physically Interactive Robots", University of
Notre Dame 2020, equation 2.14 and section 3.2.2.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from analytic import UPPER, along
from connection import Connection
from coriolis_cases import distance
from maker import Machine
from oracle import Array

import tarsus as ts
from tarsus.model.description import FACTORIZATIONS

ONE = ("revolute", "prismatic", "screw")
COORDINATES = (*ONE, "cylindrical", "universal", "spherical_zyx", "translation")
"""Kinds of joints whose velocities are the rates of their coordinates."""
GROUPS = ("trees", "all coordinates", "gears", "couplings", "forms", "linkages")


@dataclass(frozen=True)
class Curved:
    """A model, a state, and what the oracle says of its mass matrix's slopes."""

    name: str
    model: ts.Model
    q: Array
    v: Array
    slopes: Array  # ∂H_ij/∂q_k (nv, nv, nv)

    @property
    def symbols(self) -> Array:
        d = self.slopes
        return 0.5 * (d + np.swapaxes(d, 1, 2) - np.moveaxis(d, 2, 0))


def curved(name: str, model: ts.Model, q: Array) -> Curved:
    own, x = Connection.of(model), model.joint_positions(q)
    step = own.bodies.rate(x, own.coupling_matrix(x).T)
    reach = own.reach_along(step)
    slopes = UPPER.slope(own.maps(along(x, step)(reach * UPPER.points)).mass) / reach
    v = np.random.default_rng(model.nv).normal(size=model.nv)
    return Curved(name, model, q, v, np.moveaxis(slopes, 0, -1))


def random_tree(seed: int) -> ts.Model:
    """A tree of 1 to 8 joints with one coordinate each, and now and then of 30."""
    n = 30 if seed % 25 == 0 else 1 + seed % 8
    return ts.robots.random_mechanism(seed, n, ONE, armature=seed % 2 == 0)


def random_machine(seed: int, what: str) -> ts.Model:
    rng = np.random.default_rng(seed)
    tree = ts.robots.random_mechanism(rng, 3 + seed % 6, COORDINATES, armature=True)
    made = Machine(rng, tree.description)
    made.link("revolute", "world")
    for _ in range(3):
        {"gears": made.gear, "couplings": made.coupling, "forms": made.form}[what]()
    return made.builder.build()


def models(group: str) -> Iterator[tuple[str, ts.Model]]:
    if group == "trees":
        yield from ((f"tree {seed}", random_tree(seed)) for seed in range(200))
    elif group == "all coordinates":
        for seed in range(20):
            yield f"{seed}", ts.robots.random_mechanism(seed, 7, COORDINATES)
    elif group == "linkages":
        for robot in (ts.robots.four_bar, ts.robots.slider_crank, ts.robots.spatial_four_bar):
            yield robot.__name__, robot()
        yield "four_bar_chain", ts.robots.four_bar_chain(4)
    else:
        yield from ((f"{group} {seed}", random_machine(seed, group)) for seed in range(20))


@functools.cache
def members(group: str) -> tuple[Curved, ...]:
    rng = np.random.default_rng(0)
    found = []
    for name, model in models(group):
        near = model.integrate(model.neutral(), 0.1 * rng.normal(size=model.nv))
        q = near if group == "linkages" else model.random_configuration(rng)
        found.append(curved(name, model, q))
    return tuple(found)


def check(
    what: str, group: str, residual: Callable[[Curved], float], tolerance: float = 1e-12
) -> None:
    """Print the largest residual of a group; where joints follow others allow ten times as much."""
    found = {c.name: residual(c) for c in members(group)}
    worst = max(found, key=found.__getitem__)
    print(f"{what}: {found[worst]:.1e} ({worst}, {len(found)} {group})")
    assert found[worst] < tolerance * (1.0 if group in ("trees", "all coordinates") else 10.0)


each_group = pytest.mark.parametrize("group", GROUPS)


@each_group
def test_christoffel_symbols_by_their_definition(group: str) -> None:
    check("Γ", group, lambda c: distance(c.model.christoffel_symbols(c.q), c.symbols))


@each_group
def test_coriolis_matrix_by_the_definition_of_the_symbols(group: str) -> None:
    def residual(c: Curved) -> float:
        return distance(c.model.coriolis_matrix(c.q, c.v), c.symbols @ c.v)

    check("C = Γ v", group, residual)


@each_group
def test_every_factorisation_is_admissible(group: str) -> None:
    def residual(c: Curved) -> float:
        bias, gravity = c.model.bias_forces(c.q, c.v), c.model.gravity_forces(c.q)
        found = []
        for factorization in FACTORIZATIONS:
            matrix = c.model.coriolis_matrix(c.q, c.v, factorization)
            found.append(distance(matrix @ c.v + gravity, bias))
            found.append(distance(matrix + matrix.T, c.slopes @ c.v))
        return max(found)

    check("C v, Ḣ = C + Cᵀ", group, residual)


@each_group
def test_mass_matrix_derivatives(group: str) -> None:
    def residual(c: Curved) -> float:
        return distance(c.model.mass_matrix_derivatives(c.q), c.slopes)

    check("∂H/∂q", group, residual)


@each_group
def test_symbols_are_symmetric_in_the_last_two_indices(group: str) -> None:
    def residual(c: Curved) -> float:
        gamma = c.model.christoffel_symbols(c.q)
        return distance(gamma, np.swapaxes(gamma, 1, 2))

    check("Γ_ijk = Γ_ikj", group, residual)


@each_group
def test_slopes_by_velocity_are_twice_the_coriolis_matrix(group: str) -> None:
    """∂τ/∂v = 2 C and ∂²τ_i/∂v_j∂v_k = 2 Γ_ijk; differences of quadratic forms are exact."""

    def residual(c: Curved) -> float:
        units = np.eye(c.model.nv)
        plus, minus = (c.model.bias_forces(c.q, c.v + s * units) for s in (1.0, -1.0))
        slope = 0.5 * (plus - minus).T
        pairs = c.model.bias_forces(c.q, units[:, None] + units)
        singles = c.model.bias_forces(c.q, units)
        second = pairs - singles[:, None] - singles + c.model.gravity_forces(c.q)
        return max(
            distance(2.0 * c.model.coriolis_matrix(c.q, c.v), slope),
            distance(2.0 * c.model.christoffel_symbols(c.q), np.moveaxis(second, -1, 0)),
        )

    check("∂τ/∂v = 2 C, ∂²τ/∂v² = 2 Γ", group, residual, 1e-11)


def test_other_factorisations_are_others() -> None:
    """For chains in space with three links or more (Wensing and Slotine 2023)."""
    rng = np.random.default_rng(1)
    for n in (3, 5, 10):
        m = ts.robots.chain(n, skew=1.0)
        q, v = rng.normal(size=(2, n))
        own, *others = (m.coriolis_matrix(q, v, f) for f in FACTORIZATIONS)
        apart = [np.linalg.norm(other - own) / np.linalg.norm(own) for other in others]
        print(f"{n} links: {apart[0]:.2f}, {apart[1]:.2f}")
        assert min(apart) > 0.1


def ancestors(model: ts.Model) -> Array:
    """Return whether joint i is an ancestor of joint j, or the same, (n, n)."""
    above = np.eye(model.nv, dtype=bool)
    for i, name in enumerate(model.body_names):
        if (parent := model.body(name).parent) >= 0:
            above[:, i] |= above[:, parent]
    return above


def test_what_ancestors_say_of_the_symbols() -> None:
    """For i ⪯ j ⪯ k: Γ_kij = −Γ_jik and Γ_kki = 0; Γ = 0 for joints on different branches."""

    def residual(c: Curved) -> float:
        gamma, above = c.model.christoffel_symbols(c.q), ancestors(c.model)
        ordered = above[:, :, None] & above[None, :, :]  # i ⪯ j ⪯ k
        i, j, k = np.nonzero(ordered)
        first = np.abs(gamma[k, i, j] + gamma[j, i, k]).max()
        i, k = np.nonzero(above)
        second = np.abs(gamma[k, k, i]).max() + np.abs(gamma[k, i, k]).max()
        related = above | above.T
        together = related[:, :, None] & related[None, :, :] & related[:, None, :]
        assert not gamma[~together].any()  # zero by structure, to the last bit
        return float(max(first, second)) / max(1.0, float(np.abs(gamma).max()))

    check("Γ_kij = −Γ_jik, Γ_kki = 0", "trees", residual)


@pytest.mark.parametrize("branching", [1.0, 2.0])
@pytest.mark.parametrize("n", [5, 10, 15])
def test_the_three_classic_algorithms(n: int, branching: float) -> None:
    m = ts.robots.tree(n, branching, skew=np.pi / 3)
    rng = np.random.default_rng(n)
    q, v, a = rng.uniform(0.0, 2.0 * np.pi, n), rng.uniform(0.0, 10.0, n), rng.normal(size=n)
    tau = m.inverse_dynamics(q, v, a)
    residuals = (
        distance(m.forward_dynamics(q, v, tau), a),
        distance(m.mass_matrix(q) @ a + m.bias_forces(q, v), tau),
        distance(m.coriolis_matrix(q, v) @ v + m.gravity_forces(q), m.bias_forces(q, v)),
    )
    print(f"{n} links, branching {branching:g}: {', '.join(f'{r:.1e}' for r in residuals)}")
    assert max(residuals) < 1e-11
