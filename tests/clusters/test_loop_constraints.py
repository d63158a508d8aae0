"""Loops as constraints: the same accelerations as in clusters, redundant rows, and drift."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from cluster_cases import METHODS, Case, case, check, distance
from four_bars import four_bar
from oracle import Array
from projection import Projection

import tarsus as ts


def as_constraints(model: ts.Model) -> ts.Model:
    """Return the mechanism with all of its loops as constraints."""
    description = model.description
    loops = [
        dataclasses.replace(loop, constraint=True, independent=None) for loop in description.loops
    ]
    return ts.Model(dataclasses.replace(description, loops=loops))


def spread(c: ts.Model, other: ts.Model, q: Array, v: Array, tau: Array) -> tuple[Array, ...]:
    """Return a state of a model with clusters in the layout of one with constraints."""
    x, w = c.joint_positions(q), c.joint_velocities(q, v)
    found = np.zeros(other.nq), np.zeros(other.nv), np.zeros(other.nv)
    for joint in c.joints:
        same = other.joint(joint.name)
        if same.dependent != "coupling":
            found[0][same.q_slice] = x[joint.position_slice]
            found[1][same.v_slice] = w[joint.velocity_slice]
            found[2][same.v_slice][list(joint.own_velocities)] = tau[joint.v_slice]
    return found


def by_name(model: ts.Model, w: Array) -> Array:
    """Return the joints' accelerations in the order of their names."""
    return np.concatenate(
        [w[model.joint(name).velocity_slice] for name in sorted(model.joint_names)]
    )


def test_clusters_and_constraints_give_the_same_accelerations() -> None:
    def residual(c: Case) -> float:
        other = as_constraints(c.model)
        assert len(other.constraints) == len(c.own.loops) and not c.model.constraints
        q, v, tau = spread(c.model, other, c.q, c.v, c.tau)
        a = c.model.forward_dynamics(c.q, c.v, c.tau)
        expected = by_name(c.model, c.model.joint_accelerations(c.q, c.v, a))
        found = []
        for method in METHODS:
            a = other.forward_dynamics(q, v, tau, method=method)
            found.append(by_name(other, other.joint_accelerations(q, v, a)))
        return max(distance(w, expected) for w in found)

    check("constraints", residual, 1e-8, ["loops"])


def test_constraint_jacobians_span_what_the_loops_forbid() -> None:
    def residual(c: Case) -> float:
        expected, bias = c.own.constraint_rows(c.x, c.v)
        found = c.model.constraint_jacobian(c.q)
        assert found.shape == expected.shape and len(found) == sum(
            k.rows for k in c.model.constraints
        )
        both = [j.T @ np.linalg.pinv(j.T, rcond=1e-10) for j in (found, expected)]
        a = c.model.forward_dynamics(c.q, c.v, c.tau, c.external)
        return max(distance(*both), distance(expected @ a, -bias) if len(bias) else 0.0)

    check("constraint Jacobian", residual, 1e-8, ["constraints", "everything"])


@pytest.mark.parametrize("kind", ["revolute", "point_on_line", "spherical"])
def test_redundant_constraints(kind: str) -> None:
    cluster, model = four_bar(kind), four_bar(kind, constraint=True)
    assert [constraint.name for constraint in model.constraints] == ["pin"]
    assert model.nv == 3 and "constraint" in model.constraints[0].reason
    q = cluster.neutral()
    state = spread(cluster, model, q, np.array([3.0]), np.array([0.7]))
    expected = cluster.forward_dynamics(q, [3.0], [0.7])
    expected = by_name(cluster, cluster.joint_accelerations(q, [3.0], expected))
    for method in METHODS:
        found = by_name(model, model.forward_dynamics(*state, method=method))
        print(f"{kind}, {method}: {distance(found, expected):.1e}")
        assert distance(found, expected) < 1e-10
    own = Projection.of(model)
    assert distance(own.forward_dynamics(*state), model.forward_dynamics(*state)) < 1e-10


def test_loops_through_a_free_base_become_constraints() -> None:
    """A chain between two free bodies, by itself and on demand."""
    builder = ts.Builder("two flyers")
    for name in ("a", "b"):
        builder.body(name, 1.0, inertia=(0.1, 0.1, 0.1))
        builder.joint(f"{name}_flight", "free", "world", name)
    builder.close_loop("spherical", "a", (0.5, 0.0, 0.0), "b", (-0.5, 0.0, 0.0), name="hook")
    model = builder.build()
    (hook,) = model.constraints
    assert hook.name == "hook" and "free joint" in hook.reason and hook.rows == 3
    q = model.neutral()
    q[7] = 1.0
    a = model.forward_dynamics(q, np.zeros(12), np.zeros(12))
    np.testing.assert_allclose(a, np.tile([0, 0, -9.81, 0, 0, 0], 2), atol=1e-12)


def test_a_pin_as_a_constraint_follows_the_cluster() -> None:
    """Twenty seconds of Runge–Kutta with multipliers, corrected by nothing: a small drift."""
    cluster, model = four_bar("point_on_line"), four_bar("point_on_line", constraint=True)
    q, v, _ = spread(cluster, model, cluster.neutral(), np.array([4.0]), np.zeros(1))
    still, dt = np.zeros(3), 2e-3

    def energy(q: Array, v: Array) -> float:
        return float(model.kinetic_energy(q, v) + model.potential_energy(q))

    before = energy(q, v)
    for _ in range(round(20.0 / dt)):
        k1 = model.forward_dynamics(q, v, still)
        k2 = model.forward_dynamics(q + 0.5 * dt * v, v2 := v + 0.5 * dt * k1, still)
        k3 = model.forward_dynamics(q + 0.5 * dt * v2, v3 := v + 0.5 * dt * k2, still)
        k4 = model.forward_dynamics(q + dt * v3, v4 := v + dt * k3, still)
        q = q + dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
        v = v + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    gap, drift = np.abs(model.loop_gaps(q)).max(), abs(energy(q, v) - before)
    moving = np.abs(model.constraint_jacobian(q) @ v).max()
    print(f"gap {gap:.1e} m, at {moving:.1e} m/s, energy {drift:.1e} J")
    assert 1e-13 < gap < 1e-4 and moving < 1e-5 and drift < 1e-4


def test_models_without_constraints_have_an_empty_jacobian() -> None:
    c = case("gears", 0)
    assert c.model.constraints == ()
    assert c.model.constraint_jacobian(c.q).shape == (0, c.model.nv)
