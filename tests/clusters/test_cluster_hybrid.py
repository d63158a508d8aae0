"""Hybrid dynamics of machines with gears, couplings and loops."""

from __future__ import annotations

import numpy as np
import pytest
from cluster_cases import Case, check, distance
from machines import FLAVOURS
from oracle import Array

import tarsus as ts

CLUSTERS = [name for name in FLAVOURS if "constraints" not in FLAVOURS[name]]
CONSTRAINED = [name for name in FLAVOURS if "constraints" in FLAVOURS[name]]


def some(c: Case, share: float) -> Array:
    return np.random.default_rng(c.model.nv).random(c.model.nv) < share


def test_a_dense_solve_for_the_free_part() -> None:
    def residual(c: Case) -> float:
        h, bias = c.mass_matrix, c.inverse_dynamics - c.mass_matrix @ c.a
        found = []
        for given in (some(c, 0.3), some(c, 0.7)):
            free = ~given
            expected = np.where(given, c.a, 0.0)
            rest = (c.tau - bias - h @ expected)[free]
            expected[free] = np.linalg.solve(h[np.ix_(free, free)], rest)
            a, tau = c.model.hybrid_dynamics(c.q, c.v, c.tau, c.a, c.external, prescribed=given)
            found += [distance(a, expected), distance(tau, h @ expected + bias)]
        return max(found)

    check("hybrid dynamics", residual, 1e-10, CLUSTERS, every=4)


def test_forward_and_inverse_dynamics_are_its_ends() -> None:
    def residual(c: Case) -> float:
        m, nv = c.model, c.model.nv
        states = c.q, c.v, c.tau, c.a, c.external
        a, _ = m.hybrid_dynamics(*states, prescribed=np.zeros(nv, bool))
        _, tau = m.hybrid_dynamics(*states, prescribed=np.ones(nv, bool))
        return max(
            distance(a, m.forward_dynamics(c.q, c.v, c.tau, c.external)),
            distance(tau, m.inverse_dynamics(c.q, c.v, c.a, c.external)),
        )

    check("ends of hybrid dynamics", residual, 1e-11, every=4)


def test_accelerations_of_a_forward_run_give_its_forces_back() -> None:
    def residual(c: Case) -> float:
        a = c.model.forward_dynamics(c.q, c.v, c.tau, c.external)
        given = some(c, 0.5)
        again = c.model.hybrid_dynamics(
            c.q, c.v, np.where(given, 0.0, c.tau), a, c.external, prescribed=given
        )
        return max(distance(again[0], a), distance(again[1], c.tau))

    check("forces of a forward run", residual, 1e-9, CLUSTERS, every=4)


def test_constraints_by_dense_least_squares() -> None:
    """Multipliers are unique, or not; accelerations are, and forces do what they are for."""

    def residual(c: Case) -> float:
        h, bias = c.mass_matrix, c.inverse_dynamics - c.mass_matrix @ c.a
        rows, drift = c.own.constraint_rows(c.x, c.v)
        possible = c.a - np.linalg.pinv(rows, rcond=1e-10) @ (rows @ c.a + drift)
        found = []
        for given in (some(c, 0.2), some(c, 0.6)):
            free = ~given
            expected = np.where(given, possible, 0.0)
            matrix = np.block(
                [
                    [h[np.ix_(free, free)], -rows[:, free].T],
                    [rows[:, free], np.zeros((len(rows), len(rows)))],
                ]
            )
            right = [(c.tau - bias - h @ expected)[free], -drift - rows @ expected]
            solved = np.linalg.lstsq(matrix, np.concatenate(right), rcond=1e-12)[0]
            expected[free] = solved[: free.sum()]
            a, tau = c.model.hybrid_dynamics(
                c.q, c.v, c.tau, possible, c.external, prescribed=given
            )
            forward = c.model.forward_dynamics(c.q, c.v, tau, c.external)
            found += [distance(a, expected), distance(forward, a)]
        return max(found)

    check("hybrid dynamics with constraints", residual, 1e-10, CONSTRAINED, every=2)


def four_bar(*, constraint: bool) -> ts.Model:
    """A crank of 1 m, a coupler of 3 m and a rocker of 2.5 m on pins 3 m apart."""
    b = ts.Builder("four bar")
    for name, length in (("crank", 1.0), ("coupler", 3.0), ("rocker", 2.5)):
        inertia = (1e-3, length**3 / 12, length**3 / 12)
        b.body(name, length, com=(length / 2, 0.0, 0.0), inertia=inertia)
    b.joint("a", "revolute", "world", "crank")
    b.joint("b", "revolute", "crank", "coupler", position=(1.0, 0.0, 0.0))
    b.joint("d", "revolute", "world", "rocker", position=(3.0, 0.0, 0.0))
    start = {"a": np.pi / 3, "b": 0.57596113 - np.pi / 3, "d": 1.56439322}
    frames = (3.0, 0.0, 0.0), "rocker", (2.5, 0.0, 0.0)
    b.close_loop(
        "revolute", "coupler", *frames, name="c", start=start, constraint=constraint or None
    )
    return b.build()


def test_a_contradiction_to_a_loop_is_an_error_with_its_name() -> None:
    m = four_bar(constraint=True)
    q, zero = m.neutral(), np.zeros(3)
    a, _ = m.hybrid_dynamics(q, zero, zero, [1.0, 0.0, 0.0], prescribed=["a"])
    again, tau = m.hybrid_dynamics(q, zero, zero, a, prescribed=["a", "b"])
    np.testing.assert_allclose(again, a, atol=1e-12)
    np.testing.assert_allclose(m.forward_dynamics(q, zero, tau), a, atol=1e-12)
    with pytest.raises(ArithmeticError, match=r"the prescribed accelerations .* \('c'\)"):
        m.hybrid_dynamics(q, zero, zero, a + [0.0, 0.1, 0.0], prescribed=["a", "b"])
    batch = a + np.array([[0.0, 0.0, 0.0], [0.0, 0.1, 0.0]])
    with pytest.raises(ArithmeticError, match="no motion of state 1 has"):
        m.hybrid_dynamics(q, zero, zero, batch, prescribed=["a", "b"])


def test_joints_that_follow_cannot_be_prescribed() -> None:
    m = four_bar(constraint=False)
    own = [joint.name for joint in m.joints if joint.v_slice.start < joint.v_slice.stop]
    assert len(own) == 1
    q, zero = m.neutral(), np.zeros(1)
    a, tau = m.hybrid_dynamics(q, zero, zero, [2.0], prescribed=own)
    np.testing.assert_allclose(tau, m.inverse_dynamics(q, zero, a), rtol=1e-12)
    for name in set(m.joint_names) - set(own):
        with pytest.raises(ValueError, match=f"joint '{name}' cannot be prescribed: it follows"):
            m.hybrid_dynamics(q, zero, zero, zero, prescribed=[name])
