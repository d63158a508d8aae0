"""Models in (q, p) form, against differences of the energy and other algorithms of the library."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from random_systems import Array

import tarsus as ts
from tarsus._lib.differences import derivative
from tarsus.model.description import KINDS, NONHOLONOMIC
from tarsus.ports import Hamiltonian, PortError, mechanical
from tarsus.spatial import TURN, bracket_matrix

HOLONOMIC = [kind for kind in KINDS if kind not in (*NONHOLONOMIC, "fixed")]

MODELS: dict[str, Callable[[], ts.Model]] = {
    "every joint": lambda: ts.robots.random_mechanism(0, springs=True),
    "every joint, armatures": lambda: ts.robots.random_mechanism(1, armature=True),
    "quadruped": ts.robots.quadruped,
    "lola": ts.robots.lola,
    "disc": ts.robots.rolling_disc,
    "four bar": ts.robots.four_bar,
    "trees": lambda: ts.robots.random_mechanism(2, 9, HOLONOMIC),
    "springs": lambda: ts.robots.random_mechanism(3, 12, HOLONOMIC, springs=True),
}


def state(model: ts.Model, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    return (
        model.random_configuration(seed),
        rng.normal(size=model.nv),
        rng.normal(size=model.nv),
    )


@pytest.mark.parametrize("name", MODELS)
def test_rates_of_momenta(name: str) -> None:
    """ṗ beside Ḣ v + H a with accelerations of the articulated-body algorithm, and the two ways."""
    model = MODELS[name]()
    system = mechanical(model)
    q, v, tau = state(model)
    x, u = system.state_of(q, v), np.zeros(system.m)
    for joint in system.ports:
        u[system.at(joint.name)] = tau[model.joint(joint.name).v_slice]
    a = model.forward_dynamics(q, v, tau + model.passive_forces(q, v))
    expected = model.mass_matrix(q) @ a + model.mass_matrix_rate(q, v) @ v
    rates = system.rates(x, u)
    structural = Hamiltonian.rates(system, x, u)
    scale = np.abs(expected).max()
    print(f"{name}: {np.abs(rates[model.nq :] - expected).max() / scale:.1e}")
    assert np.abs(rates[model.nq :] - expected).max() < 1e-10 * scale
    assert np.abs(rates - structural).max() < 1e-10 * scale
    np.testing.assert_allclose(rates[: model.nq], model.configuration_rate(q, v), atol=1e-9)
    balance = system.balance(x, u)
    assert abs(balance.residual) < 1e-10 * (abs(balance.stored) + scale)
    system.check(x)
    assert system.energy(x) == pytest.approx(
        model.kinetic_energy(q, v) + model.potential_energy(q) + model.elastic_energy(q)
    )


@pytest.mark.parametrize("name", ["trees", "springs", "quadruped", "lola"])
def test_theorem_2_17_by_differences(name: str) -> None:
    """∂H/∂φ by differences of ½ pᵀM⁻¹p + V with p held; gyroscopic forces are ad_vᵀ p by joints."""
    model = MODELS[name]()
    system = mechanical(model)
    q, v, _ = state(model, 1)
    p = model.mass_matrix(q) @ v

    def along(unit: Array) -> Array:
        def energy(step: Array) -> float:
            place = model.integrate(q, float(step) * unit)
            kinetic = 0.5 * p @ np.linalg.solve(model.mass_matrix(place), p)
            return float(kinetic + model.potential_energy(place) + model.elastic_energy(place))

        return derivative(energy)

    slope = np.array([float(along(unit)) for unit in np.eye(model.nv)])
    assert np.abs(system.slope(q, p) - slope).max() < 1e-7 * np.abs(slope).max()
    expected = np.zeros((model.nv, model.nv))
    for joint in model.joints:
        if joint.kind in TURN and joint.own_velocities:
            at = joint.v_slice
            # (ad_wᵀ p)_k = Σ p·[w, e_k]: its matrix of w
            units = np.eye(joint.nv)
            expected[at, at] = [
                [p[at] @ bracket_matrix(joint.kind, w) @ e for w in units] for e in units
            ]
    found = system.gyroscopic(q, p)
    assert np.abs(found - expected).max() < 1e-9 * np.abs(p).max()


def test_single_body_in_its_own_axes_and_in_the_world() -> None:
    """Duindam 2006, (2.85) and (2.87): world momentum changes by the wrench alone."""
    builder = ts.Builder("body", gravity=(0.0, 0.0, 0.0))
    builder.body("body", 2.0, (0.1, -0.2, 0.3), inertia=(1.0, 2.0, 2.5))
    builder.joint("free", "free", "world", "body")
    model = builder.build()
    system = mechanical(model)
    push = np.array([1.0, 0.5, -0.2, 0.1, -0.3, 0.2])  # world axes, about the origin

    def body_wrench(t: float, x: Array) -> Array:
        pose = model.frame_pose(x[:7], "body")
        R, r = pose[:3, :3], pose[:3, 3]
        return np.concatenate([R.T @ push[:3], R.T @ (push[3:] - np.cross(r, push[:3]))])

    rng = np.random.default_rng(0)
    start = system.state_of(model.random_configuration(0), rng.normal(size=6))
    motion = ts.ports.simulate(system, start, 3.0, {"free": body_wrench}, rtol=1e-11)

    def world(x: Array) -> Array:
        pose = model.frame_pose(x[:7], "body")
        linear = pose[:3, :3] @ x[7:10]
        return np.concatenate([linear, pose[:3, :3] @ x[10:] + np.cross(pose[:3, 3], linear)])

    momenta = np.array([world(x) for x in motion.x])
    assert np.abs(momenta - momenta[0] - motion.t[:, None] * push).max() < 1e-8
    assert motion.ledger.relative_residual < 1e-9


def test_ports_of_joints_and_frames() -> None:
    model = ts.robots.quadruped()
    foot = model.frame_names[-1]
    joints = list(model.joint_names[1:4])
    system = mechanical(model, joints=joints, frames=[foot])
    assert [port.domain for port in system.ports] == ["rotation"] * 3 + ["spatial"]
    q, v, _ = state(model)
    y = system.outputs(system.state_of(q, v))
    np.testing.assert_allclose(
        y[:3], [v[model.joint(name).v_slice][0] for name in joints], atol=1e-10
    )
    np.testing.assert_allclose(y[3:], model.frame_velocity(q, v, foot), atol=1e-9)
    with pytest.raises(ValueError, match="there is no joint 'nose'"):
        mechanical(model, joints=["nose"])


def test_loops_that_are_constraints_are_refused_by_name() -> None:
    with pytest.raises(PortError, match=r"'front_wheels'; use ts.ports.multipliers"):
        mechanical(ts.robots.snakeboard())


def test_a_motion_keeps_its_energy_and_its_manifold() -> None:
    model = ts.robots.random_mechanism(7, 5, HOLONOMIC)
    system = mechanical(model)
    q, v, _ = state(model)
    motion = ts.ports.simulate(system, system.state_of(q, 0.3 * v), 1.0, samples=21)
    ledger = motion.ledger
    print(ledger)
    assert ledger.relative_residual < 1e-8 and ledger.passive()
    for x in motion.x:
        np.testing.assert_allclose(system.retract(x), x, atol=1e-13)
