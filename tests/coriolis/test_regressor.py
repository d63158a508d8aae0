"""Forces are linear in masses, first and second moments: the regressor, with other bodies.

The regressor does not depend on the parameters, so that of one model times the parameters of
another with the same joints gives the forces of the other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from coriolis_cases import Case, check, distance, machine, tree
from oracle import skew
from random_parts import random_inertia

import tarsus as ts


def with_other_bodies(model: ts.Model, seed: int) -> ts.Model:
    rng = np.random.default_rng(seed)
    bodies = []
    for body in model.description.bodies:
        mass, com = float(rng.uniform(0.2, 3.0)), rng.normal(size=3) * 0.2
        bodies.append(replace(body, mass=mass, com=com, inertia=random_inertia(rng, mass)))
    return ts.Model(replace(model.description, bodies=bodies), strict=False)


def test_parameters_are_masses_and_moments_about_the_origin() -> None:
    for c in (tree(0), machine("gears", 1), machine("everything", 0)):
        found = c.model.inertial_parameters
        assert found.shape == (c.model.n_bodies, 10)
        for row, name in zip(found, c.model.body_names, strict=True):
            body = c.model.body(name)
            second = body.inertia - body.mass * skew(body.com) @ skew(body.com)
            moments = second[(0, 0, 1, 0, 1, 2), (0, 1, 1, 2, 2, 2)]
            expected = np.array([body.mass, *body.mass * body.com, *moments])
            assert distance(row, expected) < 1e-14


def test_regressor_times_parameters_are_the_forces() -> None:
    def residual(c: Case) -> float:
        m = c.model
        regressor = m.inertial_regressor(c.q, c.v, c.a)
        assert regressor.shape == (m.nv, 10 * m.n_bodies)
        found = regressor @ m.inertial_parameters.ravel() + c.armature_forces(c.v, c.a)
        return distance(found, m.inverse_dynamics(c.q, c.v, c.a))

    check("Y π", residual, every=3)


def test_regressor_with_a_reference_velocity() -> None:
    def residual(c: Case) -> float:
        m, (v_r, a_r) = c.model, c.reference
        regressor = m.inertial_regressor(c.q, c.v, a_r, v_r)
        found = regressor @ m.inertial_parameters.ravel() + c.armature_forces(v_r, a_r)
        return distance(found, m.passive_inverse_dynamics(c.q, c.v, v_r, a_r))

    check("Y π with a reference", residual, every=3)


def test_regressor_knows_nothing_of_the_parameters() -> None:
    def residual(c: Case) -> float:
        other, (v_r, a_r) = with_other_bodies(c.model, 5), c.reference
        assert other.body_names == c.model.body_names
        parameters = other.inertial_parameters.ravel()
        usual = c.model.inertial_regressor(c.q, c.v, c.a) @ parameters
        passive = c.model.inertial_regressor(c.q, c.v, a_r, v_r) @ parameters
        return max(
            distance(usual + c.armature_forces(c.v, c.a), other.inverse_dynamics(c.q, c.v, c.a)),
            distance(
                passive + c.armature_forces(v_r, a_r),
                other.passive_inverse_dynamics(c.q, c.v, v_r, a_r),
            ),
        )

    check("Y π of other bodies", residual, every=3)


def test_the_velocity_itself_as_a_reference() -> None:
    for c in (tree(2), machine("gears", 2)):
        m, parameters = c.model, c.model.inertial_parameters.ravel()
        usual = m.inertial_regressor(c.q, c.v, c.a)
        np.testing.assert_array_equal(m.inertial_regressor(c.q, c.v, c.a, v_reference=None), usual)
        same = m.inertial_regressor(c.q, c.v, c.a, c.v)
        print(f"{c.name}: {distance(same @ parameters, usual @ parameters):.1e}")
        assert distance(same @ parameters, usual @ parameters) < 1e-12


def test_parameters_of_a_point_mass() -> None:
    """A pendulum: τ = m l² a + m l g sin q, whatever the column in which m l stands."""
    builder = ts.Builder("pendulum").body("bob", 2.0, (0.0, 0.0, -0.5), (0.0, 0.0, 0.0))
    m = builder.joint("hinge", "revolute", "world", "bob", axis="y").build()
    regressor = m.inertial_regressor([0.3], [1.7], [0.9])
    expected = np.zeros(10)
    expected[1], expected[3] = 9.81 * -np.cos(0.3), -9.81 * np.sin(0.3)  # m x, m z
    expected[6] = 0.9  # I_yy
    np.testing.assert_allclose(regressor[0], expected, atol=1e-12)
    assert m.inverse_dynamics([0.3], [1.7], [0.9]) @ [1.0] == pytest.approx(
        0.5 * 0.9 + 9.81 * np.sin(0.3)
    )
