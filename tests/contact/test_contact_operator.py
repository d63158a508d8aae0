"""The contact operator by test forces is J H⁻¹ Jᵀ (Ayit 2015, section 4.3), for every mechanism."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from cluster_cases import COUNTS
from cone_problem import Array
from contact_geometry import candidates
from contact_scenes import box, quadruped, random_points, robot, touchable
from contact_worlds import World
from dense_step import DenseStep
from mechanisms import cases

POSES = 100
ROBOTS = ("anymal.urdf", "solo12.urdf", "talos_reduced.urdf")


def mechanisms() -> list[tuple[World, Array]]:
    """Return random mechanisms with joints of every kind, with points on them, and a pose."""
    found = []
    for c in cases()[::3]:
        rng = np.random.default_rng(c.seed)
        world = World(c.model, **random_points(c.model, rng, 5), ground_numbers=(0.6, 0.0, 0.8, 0))
        found.append((world, c.q))
    return found


@functools.cache
def machines(flavour: str) -> list[tuple[World, Array]]:
    """Return machines with couplings, rotors and loops, with points on them, and a pose."""
    found = []
    for c in touchable(flavour, 4):
        points = random_points(c.model, np.random.default_rng(c.model.nv), 4)
        found.append((World(c.model, **points), c.q))
    return found


def compare(world: World, q: Array) -> tuple[float, float, float, float]:
    """Return errors of the rows, of the operator, of its symmetry, and its least eigenvalue."""
    core, dense = world.core(), DenseStep(world)
    which = np.arange(core.n_candidates)
    A, J = (part[0] for part in core.operator(q[None], which))
    expected = J @ np.linalg.solve(world.model.mass_matrix(q), J.T)
    scale = np.abs(expected).max(initial=1e-300)
    rows = 0.0
    for k, found in enumerate(candidates(world, world.model, q)):
        own, mine = J[3 * k : 3 * k + 3], dense.maker.contact(q, found)
        # tangents may be turned about the normal: what they measure together may not
        pairs = [(own[0], mine[0]), (own[1:].T @ own[1:], mine[1:].T @ mine[1:])]
        rows = max(rows, *(float(np.abs(a - b).max(initial=0.0)) for a, b in pairs))
    eigenvalues = np.linalg.eigvalsh(0.5 * (A + A.T)) if A.size else np.zeros(1)
    return (
        rows,
        float(np.abs(A - expected).max(initial=0.0) / scale),
        float(np.abs(A - A.T).max(initial=0.0) / scale),
        float(eigenvalues.min() / scale),
    )


def judge(what: str, results: list[tuple[float, float, float, float]]) -> None:
    """Print the worst of each kind and compare with what rounding explains."""
    rows, error, skew = (max(result[k] for result in results) for k in range(3))
    least = min(result[3] for result in results)
    print(f"{what}: rows {rows:.1e}, operator {error:.1e}, skew {skew:.1e}, least {least:.1e}")
    assert np.isfinite(results).all()
    assert rows < 1e-11 and error < 1e-11 and skew < 1e-12 and least > -1e-12


@pytest.mark.parametrize("name", ["box", "quadruped", *ROBOTS])
def test_a_hundred_poses_of_robots(name: str) -> None:
    world = {"box": box, "quadruped": quadruped}.get(name, lambda: robot(name))()
    rng = np.random.default_rng(0)
    poses = world.model.random_configuration(rng, POSES)
    poses[:, :3] = rng.normal(size=(POSES, 3))
    judge(name, [compare(world, q) for q in poses])


def test_feet_of_legs_have_inertia_in_every_direction() -> None:
    world = robot("anymal.urdf")
    for q in world.model.random_configuration(1, 20):
        A = world.core().operator(q[None], np.arange(4))[0][0]
        assert np.linalg.eigvalsh(A).min() > 1e-3


def test_every_kind_of_joint() -> None:
    judge("mechanisms", [compare(world, q) for world, q in mechanisms()])


@pytest.mark.parametrize("flavour", COUNTS)
def test_couplings_rotors_and_loops(flavour: str) -> None:
    judge(flavour, [compare(world, q) for world, q in machines(flavour)])


def test_a_choice_of_candidates_is_a_part_of_the_operator() -> None:
    world = quadruped()
    core, q = world.core(), world.model.random_configuration(3)[None]
    every = np.arange(core.n_candidates)
    full, rows = (part[0] for part in core.operator(q, every))
    chosen = np.array([7, 0, 30, 12])
    index = (3 * chosen[:, None] + np.arange(3)).ravel()
    A, J = (part[0] for part in core.operator(q, chosen))
    np.testing.assert_allclose(A, full[np.ix_(index, index)], atol=1e-11)
    np.testing.assert_array_equal(J, rows[index])


def test_masses_are_scaled() -> None:
    world = quadruped()
    scale = np.random.default_rng(0).uniform(0.5, 2.0, world.model.n_bodies)
    q = world.model.random_configuration(4)
    A, J = (part[0] for part in world.core().operator(q[None], np.arange(5), mass_scale=scale))
    H = world.but(mass_scale=scale).scaled_model().mass_matrix(q)
    np.testing.assert_allclose(A, J @ np.linalg.solve(H, J.T), rtol=1e-11, atol=1e-11)


def test_operators_of_a_batch_are_those_of_its_states() -> None:
    world = quadruped()
    core, q = world.core(), world.model.random_configuration(5, 11)
    which = np.arange(6)
    batch, singles = core.operator(q, which), [core.operator(s[None], which) for s in q]
    for k in range(2):
        assert batch[k].tobytes() == np.concatenate([single[k] for single in singles]).tobytes()
    contacts = core.contacts(q)
    assert contacts.shape == (11, core.n_candidates, 7)
    assert contacts.tobytes() == np.stack([core.contacts(s[None])[0] for s in q]).tobytes()
