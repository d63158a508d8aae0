"""Feet that stand on spots of the state, against equations of dense NumPy and differences."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from springy_legs import sprung

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.robots.quadrupeds import standing

FEET = ["front_left_tip", "hind_right_tip"]
"""Two of the quadruped's."""


def planted() -> tuple[ts.Planted, Array, Array]:
    """Return the quadruped on two feet, somewhere, and rates that its feet do not allow."""
    model = ts.robots.quadruped()
    rng = np.random.default_rng(3)
    m = ts.Planted(model, FEET)
    q = standing(model)
    q[7:] += 0.1 * rng.normal(size=model.nq - 7)
    q[:2] += rng.normal(size=2)
    return m, q, rng.normal(size=model.nv)


def rows_of(model: ts.Model, q: Array) -> Array:
    """Return how the feet move with rates (6, nv), in axes of the world."""
    return np.concatenate([model.frame_jacobian(q, f, "local_world_aligned")[:3] for f in FEET])


def test_impacts_are_those_of_dense_equations() -> None:
    """H (v⁺ − v) = Jᵀ λ, J v⁺ = 0, solved as one system."""
    m, q, v = planted()
    model = m.original
    inertia, rows = np.asarray(model.mass_matrix(q)), rows_of(model, q)
    whole = np.block([[inertia, -rows.T], [rows, np.zeros((6, 6))]])
    wanted = np.linalg.solve(whole, np.concatenate([inertia @ v, np.zeros(6)]))
    there, after, impulses = m.strike(q, v)
    np.testing.assert_allclose(after[: model.nv], wanted[: model.nv], atol=1e-10)
    np.testing.assert_allclose(impulses.ravel(), wanted[model.nv :], rtol=1e-9, atol=1e-9)
    assert (after[model.nv :] == 0.0).all()
    for k, foot in enumerate(FEET):
        np.testing.assert_allclose(
            there[model.nq + 3 * k :][:3], model.frame_pose(q, foot)[:3, 3], atol=1e-14
        )


def test_accelerations_and_loads_are_those_of_dense_equations() -> None:
    m, q, v = planted()
    model = m.original
    there, rates, _ = m.strike(q, v)
    v = rates[: model.nv]
    tau = np.random.default_rng(1).normal(size=model.nv)
    tau[:6] = 0.0
    inertia, rows = np.asarray(model.mass_matrix(q)), rows_of(model, q)
    drift = np.concatenate(
        [model.frame_jacobian_rate(q, v, f, "local_world_aligned")[:3] @ v for f in FEET]
    )
    forces = tau + model.passive_forces(q, v) - model.bias_forces(q, v)
    whole = np.block([[inertia, -rows.T], [rows, np.zeros((6, 6))]])
    wanted = np.linalg.solve(whole, np.concatenate([forces, -drift]))
    given = np.concatenate([tau, np.zeros(6)])
    a = m.forward_dynamics(there, rates, given + m.passive_forces(there, rates))
    np.testing.assert_allclose(a[: model.nv], wanted[: model.nv], rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(
        m.loads(there, rates, given).ravel(), wanted[model.nv :], rtol=1e-8, atol=1e-7
    )


@pytest.mark.parametrize("kind", ["point", "flat"])
def test_feet_stay_on_their_spots_and_energy_is_kept(kind: str) -> None:
    b = ts.Builder("legs").body("trunk", 5.0, inertia=(0.1, 0.1, 0.1))
    b.joint("base", "free", "world", "trunk")
    for side, y in (("left", 0.1), ("right", -0.1)):
        b.body(f"{side}_thigh", 1.0, (0, 0, -0.2), inertia=(0.02, 0.02, 0.01))
        b.joint(f"{side}_hip", "universal", "trunk", f"{side}_thigh", position=(0, y, 0))
        b.body(f"{side}_shank", 0.5, (0, 0, -0.2), inertia=(0.01, 0.01, 0.01))
        knee = (f"{side}_knee", "revolute", f"{side}_thigh", f"{side}_shank")
        b.joint(*knee, position=(0, 0, -0.4), axis="y")
        b.body(f"{side}_sole", 0.3, inertia=(0.01, 0.01, 0.01))
        b.joint(
            f"{side}_ankle", "universal", f"{side}_shank", f"{side}_sole", position=(0, 0, -0.4)
        )
    model = b.build()
    m = ts.Planted(model, ["left_sole"], kind=kind)
    rng = np.random.default_rng(0)
    q = model.neutral()
    q[[0, 1, 2]] = 0.3, -0.2, 0.8
    if kind == "point":
        q[7:] = 0.2 * rng.normal(size=model.nq - 7)
    there, v, _ = m.strike(q, rng.normal(size=model.nv))
    flowed = ts.flow(m, there, v, duration=0.2)
    place = model.frame_pose(there[: model.nq], "left_sole")
    now = model.frame_pose(flowed.q[: model.nq], "left_sole")
    np.testing.assert_allclose(now[:3, 3], place[:3, 3], atol=1e-12)
    if kind == "flat":
        np.testing.assert_allclose(now, place, atol=1e-10)
    np.testing.assert_allclose(flowed.q[model.nq :], there[model.nq :], atol=1e-15)
    ends = ((there, v), (flowed.q, flowed.v))
    energies = [m.kinetic_energy(a, b) + m.potential_energy(a) for a, b in ends]
    assert energies[0] == pytest.approx(energies[1], abs=1e-8)
    assert not np.allclose(flowed.q[: model.nq], there[: model.nq], atol=1e-2)


def test_derivatives_know_where_feet_stand() -> None:
    """By spots too: the machine follows to another place, as differences of settled starts say."""
    model = sprung().rooted_at("left_foot", "revolute", axis=(0, -1, 0), at=np.eye(4))
    m = ts.Planted(model, ["right_foot"], axes="xz")
    q, v, _ = m.strike([0.3, 0.01, -0.6, -0.02], [-1.0, 0.3, 0.4, 0.2])
    found = ts.flow(m, q, v, duration=0.3, derivatives=True, rtol=1e-12, atol=1e-13).derivatives

    def end(step: Array) -> Array:
        start = m.settled(m.integrate(q, step[: m.nv]), v + step[m.nv :])
        flowed = ts.flow(m, *start, duration=0.3, rtol=1e-12, atol=1e-13)
        return np.concatenate([flowed.q, flowed.v])

    columns = []
    for unit in np.eye(2 * m.nv):
        h = 1e-3
        near, far = ((end(k * h * unit) - end(-k * h * unit)) / (2 * k * h) for k in (1, 2))
        columns.append((4.0 * near - far) / 3.0)
    assert np.abs(np.array(columns)[m.spots[0]]).max() > 0.1
    np.testing.assert_allclose(found, np.array(columns).T, atol=2e-6)


def test_models_on_spots_are_copied_and_settle() -> None:
    m, q, v = planted()
    copy = pickle.loads(pickle.dumps(m))
    assert copy.joint_names == m.joint_names
    there, rates, _ = m.strike(q, v)
    settled, allowed = m.settled(m.integrate(there, 0.01 * np.ones(m.nv)), rates)
    assert np.abs(m.loop_gaps(settled)).max() < 1e-12
    assert np.abs(m.constraint_jacobian(settled) @ allowed).max() < 1e-9


def test_bad_feet_are_refused() -> None:
    model = ts.robots.quadruped()
    with pytest.raises(ValueError, match="kind of foot"):
        ts.Planted(model, FEET, kind="round")
    with pytest.raises(ValueError, match="axes is 'xy'"):
        ts.Planted(model, FEET, axes="xy")
    with pytest.raises(ValueError, match="where is"):
        ts.Planted(model, "front_left_tip")
    with pytest.raises(ValueError, match="there is no frame 'paw'"):
        ts.Planted(model, ["paw"])
