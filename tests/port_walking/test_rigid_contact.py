"""Rigid contact by hand: projections, a closet that rocks or stands, contacts that let go.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 3.3: formulas beside each other, with mass matrices and Jacobians of models.
"""

from __future__ import annotations

import numpy as np
import pytest
from impact_oracle import Array, after, impulse, kept, loss_matrix, projector

import tarsus as ts
from tarsus.scenes.contact import CASES, FEET, LEG, LIFT, LIFTED_AT, bar_model, closet_model

RNG = np.random.default_rng(3)


def random_mass(n: int) -> Array:
    root = RNG.normal(size=(n, n))
    return np.asarray(root @ root.T + 0.1 * np.eye(n))


def rows(model: ts.Model, q: Array, frame: str) -> Array:
    """Return the directions (nv, 2) of a frame along x and z."""
    return np.asarray(model.frame_jacobian(q, frame, "local_world_aligned")[[0, 2]].T)


@pytest.mark.parametrize(("n", "k"), [(3, 1), (6, 2), (10, 4)])
def test_impacts_are_projections(n: int, k: int) -> None:
    for _ in range(20):
        mass, a, p = random_mass(n), RNG.normal(size=(n, k)), RNG.normal(size=n)
        project, back = projector(mass, a), np.linalg.inv(mass)
        scale = np.linalg.cond(mass)
        np.testing.assert_allclose(project @ project, project, atol=1e-13 * scale)
        assert np.abs(a.T @ back @ project @ p).max() < 1e-13 * scale
        np.testing.assert_allclose(back @ project, (back @ project).T, atol=1e-13 * scale)
        v, new = back @ p, back @ project @ p
        np.testing.assert_allclose(after(mass, a, v), new, atol=1e-12 * scale)
        change = 0.5 * new @ mass @ new - 0.5 * v @ mass @ v
        assert change == pytest.approx(-0.5 * v @ loss_matrix(mass, a) @ v, rel=1e-9)
        assert change <= 0.0
        # rows that repeat others change nothing
        more = np.column_stack([a, a @ RNG.normal(size=(k, 2))])
        np.testing.assert_allclose(projector(mass, more) @ p, project @ p, atol=1e-11 * scale)


def test_the_projection_of_a_closet() -> None:
    """(3.64), and the speed of the left edge after the right one has struck."""
    for w, h, m, j in RNG.uniform(0.2, 2.0, (50, 4)):
        model = closet_model(w, h, m, j)
        q = np.array([0.0, h, 0.0])
        right = rows(model, q, "right_edge")
        whole = j + m * (h**2 + w**2)
        printed = np.array(
            [
                [m * h**2, m * h * w, m * -h],
                [m * h * w, m * w**2, -m * w],
                [-j * h, -j * w, j],
            ]
        )
        found = projector(model.mass_matrix(q), right)
        np.testing.assert_allclose(found, printed / whole, atol=1e-12)
        # it turns about its left edge, which is what its velocity says
        left, omega = rows(model, q, "left_edge"), -0.7
        v = omega * np.array([-h, w, 1.0])
        assert np.abs(left.T @ v).max() < 1e-13
        new = after(model.mass_matrix(q), right, v)
        up = 2 * w * (j + m * (h**2 - w**2)) / whole * abs(omega)
        assert left[:, 1] @ new == pytest.approx(up, abs=1e-12)


def test_a_closet_that_stands_has_lost_all_it_had() -> None:
    model = closet_model(1.0, 0.6)
    q = np.array([0.0, 0.6, 0.0])
    both = np.column_stack([rows(model, q, name) for name in FEET])
    assert np.linalg.matrix_rank(both) == 3  # of four directions
    v = -0.7 * np.array([-0.6, 1.0, 1.0])
    assert np.abs(after(model.mass_matrix(q), both, v)).max() < 1e-14


def test_an_arm_that_is_pulled_along_the_floor() -> None:
    """(3.53) and (3.54), where signs are lost in print: λ = (−3/4, −1/4), a = (7/5, −3/5)."""
    scene = ts.scenes.release()
    model, q = scene.model, scene.q0
    mass, a = model.mass_matrix(q), rows(model, q, "tip")
    c1, s1, c12, s12 = np.cos(q[0]), np.sin(q[0]), np.cos(q.sum()), np.sin(q.sum())
    by_hand = [[1.5 + np.cos(q[1]), 0.25 + 0.5 * np.cos(q[1])], [0.25 + 0.5 * np.cos(q[1]), 0.25]]
    np.testing.assert_allclose(mass, by_hand, atol=1e-15)
    np.testing.assert_allclose(a, [[-c1 - c12, -s1 - s12], [-c12, -s12]], atol=1e-15)
    pull = model.frame_jacobian(q, "lower_middle", "local_world_aligned")[0]
    np.testing.assert_allclose(pull, [-np.sqrt(2) / 4, np.sqrt(2) / 4], atol=1e-15)
    back = np.linalg.solve(mass, pull)
    np.testing.assert_allclose(a.T @ back, [1.4, -0.6], atol=1e-14)
    force = -np.linalg.solve(a.T @ np.linalg.solve(mass, a), a.T @ back)
    np.testing.assert_allclose(force, [-0.75, -0.25], atol=1e-14)
    # the tip is on the floor
    assert abs(model.frame_pose(q, "tip")[2, 3]) < 1e-15


@pytest.mark.parametrize(
    ("case", "stays"), [("rests", {0, 1}), ("lifts", set()), ("tips", {1}), ("turns", {0})]
)
def test_supports_of_a_bar(case: str, stays: set[int]) -> None:
    """Example 3.11, (a) to (d), by the tree of figure 3.20."""
    places, lifted_at = CASES[case]
    model = bar_model(places)
    q = np.array([0.0, LEG, 0.0])
    force = -model.gravity_forces(q)
    if lifted_at is not None:
        place = "hook" if lifted_at else "bar"
        assert model.frame_pose(q, place)[0, 3] == (LIFTED_AT if lifted_at else 0.0)
        force = force + LIFT * model.frame_jacobian(q, place, "local_world_aligned")[2]
    normals = np.column_stack([rows(model, q, name)[:, 1] for name in ("first", "second")])
    assert kept(model.mass_matrix(q), normals, force, np.zeros(2)) == stays


def test_impulses_push() -> None:
    """What strikes the floor is pushed up."""
    model = closet_model()
    q = np.array([0.0, 0.8, 0.0])
    a = rows(model, q, "right_edge")
    assert impulse(model.mass_matrix(q), a, -np.array([0.0, 1.0, 0.0]))[1] > 0.0
