"""Hybrid dynamics of trees: some accelerations are given, some forces, and the rest is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import Case, check, distance
from oracle import Array

import tarsus as ts

SHARES = (0.1, 0.5, 0.9)


def mask(c: Case, share: float) -> Array:
    return np.random.default_rng(c.seed).random(c.model.nv) < share


def partitioned(h: Array, bias: Array, tau: Array, a: Array, given: Array) -> tuple[Array, Array]:
    """Return accelerations and forces by a dense solve for the coordinates that are not given."""
    free = ~given
    full = np.where(given, a, 0.0)
    rest = (tau - bias - h @ full)[free]
    full[free] = np.linalg.solve(h[np.ix_(free, free)], rest)
    return full, h @ full + bias


def test_a_dense_solve_for_the_free_part() -> None:
    def residual(c: Case) -> float:
        h = c.oracle.mass_matrix(c.q)
        bias = c.model.inverse_dynamics(c.q, c.v, np.zeros_like(c.v), c.external)
        found = []
        for share in SHARES:
            given = mask(c, share)
            a, tau = c.model.hybrid_dynamics(c.q, c.v, c.tau, c.a, c.external, prescribed=given)
            expected = partitioned(h, bias, c.tau, c.a, given)
            assert np.array_equal(a[given], c.a[given])
            assert np.array_equal(tau[~given], c.tau[~given])
            found += [distance(a, expected[0]), distance(tau, expected[1])]
        return max(found)

    check("hybrid dynamics", residual, 1e-10)


def test_forward_and_inverse_dynamics_are_its_ends() -> None:
    def residual(c: Case) -> float:
        m = c.model
        states = c.q, c.v, c.tau, c.a, c.external
        a, _ = m.hybrid_dynamics(*states, prescribed=[])
        _, tau = m.hybrid_dynamics(*states, prescribed=m.joint_names)
        forward = m.forward_dynamics(c.q, c.v, c.tau, c.external)
        inverse = m.inverse_dynamics(c.q, c.v, c.a, c.external)
        assert a.tobytes() == forward.tobytes()
        return distance(tau, inverse)

    check("ends of hybrid dynamics", residual, 1e-13)


def test_accelerations_of_a_forward_run_give_its_forces_back() -> None:
    """Prescribing what some joints do anyway changes nothing (Schröder 1990, section 5.5)."""

    def residual(c: Case) -> float:
        a = c.model.forward_dynamics(c.q, c.v, c.tau, c.external)
        found = []
        for k in (1, c.model.nv // 3, c.model.nv - 1):
            given = np.random.default_rng(k).permutation(c.model.nv) < k
            unknown = np.where(given, 0.0, c.tau)
            again = c.model.hybrid_dynamics(
                c.q, c.v, unknown, np.where(given, a, 0.0), c.external, prescribed=given
            )
            found += [distance(again[0], a), distance(again[1], c.tau)]
        return max(found)

    check("forces of a forward run", residual, 1e-10)


def test_names_are_joints_and_a_mask_is_velocities() -> None:
    m = ts.robots.random_mechanism(3, 13)
    rng = np.random.default_rng(0)
    q, (v, tau, a) = m.random_configuration(rng), rng.normal(size=(3, m.nv))
    names = m.joint_names[::3]
    given = np.zeros(m.nv, dtype=bool)
    for name in names:
        given[m.joint(name).v_slice] = True
    expected = m.hybrid_dynamics(q, v, tau, a, prescribed=given)
    ways: list[Any] = [list(names), tuple(names), [*names, names[0]], given.tolist(), given[::1]]
    for way in ways:
        found = m.hybrid_dynamics(q, v, tau, a, prescribed=way)
        assert np.array(found).tobytes() == np.array(expected).tobytes()
    strided = np.repeat(given, 2)[::2]
    found = m.hybrid_dynamics(q, v, tau, a, prescribed=strided)
    assert np.array(found).tobytes() == np.array(expected).tobytes()


def test_wrong_names_and_masks() -> None:
    m = ts.robots.chain(3)
    zero = np.zeros(3)

    def call(prescribed: Any) -> Array:
        return m.hybrid_dynamics(zero, zero, zero, zero, prescribed=prescribed)

    with pytest.raises(ts.UnknownNameError, match=r"no joint 'knee' .*valid: joint_0, joint_1"):
        call(["knee"])
    for wrong in (None, "joint_0", 1, [True], [0, 2], np.ones(3), np.ones((1, 3), bool), [[]]):
        with pytest.raises(ValueError, match=r"prescribed must be names of joints, or a mask of 3"):
            call(wrong)
    with pytest.raises((ValueError, TypeError), match="joint"):
        call(["joint_0", 1])
    with pytest.raises(TypeError, match="by position, got 6 arguments"):
        m.hybrid_dynamics(zero, zero, zero, zero, None, ["joint_0"])  # type: ignore[misc]
    with pytest.raises(ValueError, match="a must be finite: element 1"):
        m.hybrid_dynamics(zero, zero, zero, [0.0, np.inf, 0.0], prescribed=["joint_0"])


def test_a_joint_without_inertia_can_be_prescribed() -> None:
    """Nothing is divided by what a prescribed joint moves."""
    b = ts.Builder("bare")
    b.body("arm", 1.0, com=(0.5, 0.0, 0.0), inertia=(0.1, 0.1, 0.1)).body("tip", 0.0)
    b.joint("shoulder", "revolute", "world", "arm", axis=(0.0, 1.0, 0.0))
    b.joint("wrist", "revolute", "arm", "tip", position=(1.0, 0.0, 0.0))
    m = ts.Model(b.description(), strict=False)
    zero = np.zeros(2)
    with pytest.raises(ArithmeticError, match="moves no inertia"):
        m.hybrid_dynamics(zero, zero, zero, zero, prescribed=["shoulder"])
    a, tau = m.hybrid_dynamics(zero, zero, [1.0, 0.0], [0.0, 3.0], prescribed=["wrist"])
    expected = (1.0 + 0.5 * 9.81) / (0.1 + 0.25)
    np.testing.assert_allclose(a, [expected, 3.0], rtol=1e-14)
    np.testing.assert_allclose(tau, [1.0, 0.0], atol=1e-14)


def test_some_velocities_of_one_joint() -> None:
    """A free body that is turned as planned falls as it must."""
    b = ts.Builder("stone")
    b.body("stone", 2.0, inertia=(0.1, 0.2, 0.3)).joint("base", "free", "world", "stone")
    m = b.build()
    q, zero = m.neutral(), np.zeros(6)
    turned = np.arange(6) >= 3
    a, tau = m.hybrid_dynamics(q, zero, zero, [0, 0, 0, 1.0, 2.0, 3.0], prescribed=turned)
    np.testing.assert_allclose(a, [0, 0, -9.81, 1.0, 2.0, 3.0], atol=1e-14)
    np.testing.assert_allclose(tau, [0, 0, 0, 0.1, 0.4, 0.9], atol=1e-14)
