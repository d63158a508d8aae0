"""Actuators of models: statements, both ways, names that are followed, files, runs."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import tarsus as ts


def arm() -> ts.Builder:
    b = ts.Builder("arm")
    for k, parent in enumerate(("world", "a", "b")):
        name = "abc"[k]
        b.body(name, mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.01))
        b.joint(f"j{k}", "revolute", parent, name, axis="y", position=(0, 0, -0.4 * (k > 0)))
    b.body("rotor", mass=0.1, inertia=(1e-5, 1e-5, 2e-5))
    b.gear("j1", 50, "rotor", name="spin")
    return b


def driven() -> ts.Builder:
    b = arm()
    b.actuator("shoulder", "j0", gear=3.0, control=0.5)
    b.actuator("elbow", "spin", "position", kp=0.2, kd=0.01, force=(-1.0, 2.0))
    b.actuator("belt", {"j0": 1.0, "j2": -2.0}, "velocity", kd=0.7)
    return b


@pytest.fixture
def model() -> ts.Model:
    return driven().build()


def states(model: ts.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    q, v = 0.1 * rng.normal(size=(2, 4, 5, 3))
    return q, v, 0.2 * rng.normal(size=(4, 5, model.nu))


def test_forces_by_hand(model: ts.Model) -> None:
    q, v, u = states(model)
    tau = model.actuation(q, v, u)
    shoulder = 3.0 * np.clip(u[..., 0], -0.5, 0.5)
    elbow = np.clip(0.2 * (u[..., 1] - 50 * q[..., 1]) - 0.01 * 50 * v[..., 1], -1.0, 2.0)
    belt = 0.7 * (u[..., 2] - (v[..., 0] - 2 * v[..., 2]))
    expected = np.stack([shoulder + belt, 50 * elbow, -2 * belt], axis=-1)
    np.testing.assert_allclose(tau, expected, atol=1e-12)
    assert (model.nu, model.actuator_names) == (3, ("shoulder", "elbow", "belt"))
    assert [each.kind for each in model.actuators] == ["motor", "position", "velocity"]
    np.testing.assert_array_equal(model.actuation(q[1, 2], v[1, 2], u[1, 2]), tau[1, 2])


def test_controls_are_found_back(model: ts.Model) -> None:
    q, v, u = states(model)
    q, v, u = 0.01 * q, 0.1 * v, 0.5 * u  # within all limits
    np.testing.assert_allclose(model.controls(q, v, model.actuation(q, v, u)), u, atol=1e-9)


def test_power_is_the_same_where_loops_decide() -> None:
    plain = ts.robots.four_bar()
    names = [joint.name for joint in plain.joints if (joint.nq, joint.nv) == (1, 1)]
    e = ts.Editor(plain)
    for name in names:
        e.actuator(name, name, gear=2.0)
    model = e.build()
    q = model.random_configuration(1, 6)
    v = np.random.default_rng(2).normal(size=(6, model.nv))
    u = np.random.default_rng(4).normal(size=(6, model.nu))
    power = (model.actuation(q, v, u) * v).sum(axis=-1)
    rates = np.stack(
        [model.joint_velocities(q, v)[..., model.joint(n).velocity_slice.start] for n in names], -1
    )
    np.testing.assert_allclose(power, (2.0 * u * rates).sum(axis=-1), atol=1e-12)


def test_files_keep_actuators_and_poses(tmp_path: Path) -> None:
    b = driven().initial_configuration({"j0": 0.2})
    b.keyframe("bent", {"j1": 0.5}, {"j2": -1.0}, {"elbow": 0.3})
    model = b.build()
    for name in ("arm.yaml", "arm.json"):
        ts.save(model, tmp_path / name)
        again = ts.load(tmp_path / name)
        assert again == model
        assert again.actuators == model.actuators
    bent = model.keyframes["bent"]
    assert bent.v is not None and bent.u is not None
    assert (bent.q.tolist(), bent.v.tolist()) == ([0, 0.5, 0], [0, 0, -1])
    assert bent.u.tolist() == [0.0, 0.3, 0.0]
    assert model.initial_configuration.tolist() == [0.2, 0.0, 0.0]


def test_combined_machines_have_all_controls_and_poses() -> None:
    b = driven().initial_configuration({"j0": 0.2}).keyframe("up", {"j2": 1.0}, u={"belt": 2.0})
    one = b.build()
    two = ts.combine(one, one, names=("l", "r"), at=(None, (1, 0, 0)))
    assert two.actuator_names[3:] == ("r/shoulder", "r/elbow", "r/belt")
    assert two.initial_configuration.tolist() == [0.2, 0, 0] * 2
    assert list(two.keyframes) == ["l/up", "r/up"]
    up = two.keyframes["r/up"]
    assert up.u is not None
    assert (up.q.tolist(), up.u.tolist()) == ([0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 2])
    q, v, u = states(one)
    tau = two.actuation(*(np.concatenate([x, 0.5 * x], axis=-1) for x in (q, v, u)))
    expected = [one.actuation(x * q, x * v, x * u) for x in (1.0, 0.5)]
    np.testing.assert_allclose(tau, np.concatenate(expected, axis=-1), atol=1e-12)


def test_locked_joints_keep_what_they_did_to_others() -> None:
    b = arm().actuator("belt", {"j0": 1.0, "j2": -2.0}, "position", kp=3.0)
    b.actuator("hip", "j0").keyframe("k", {"j0": 0.1, "j2": 0.3}, u={"hip": 1.0})
    model = b.build()
    q = np.array([0.4, 0.1, 0.2])
    less = model.locked(["j0"], q)
    assert less.actuator_names == ("belt",)
    v = np.zeros(3)
    expected = model.actuation(q, v, [0.3, 0.0])[1:]
    np.testing.assert_allclose(less.actuation(q[1:], v[1:], [0.3]), expected, atol=1e-14)
    key = less.keyframes["k"]
    assert key.q.tolist() == [0.0, 0.3] and key.u is not None and key.u.tolist() == [0.0]
    assert model.without(["c"]).actuator_names == ("hip",)


def test_editors_follow_names(model: ts.Model) -> None:
    e = ts.Editor(model).keyframe("k", {"j0": 0.1}, u={"belt": 1.0})
    e.change("joint", "j0", name="hip").change("actuator", "belt", name="string")
    changed = e.build()
    assert changed.actuator("string").joints == {"hip": 1.0, "j2": -2.0}
    key = changed.keyframes["k"]
    assert key.q[0] == 0.1 and key.u is not None and key.u[2] == 1.0
    assert e.remove("actuator", "string").build().nu == 2
    assert e.cut("hip").build().actuator_names == ("elbow",)
    assert ts.Editor(model).change("actuator", "elbow", gain=(1, 0, 0)).build().nu == 3


def test_runs_and_rollouts_take_controls(model: ts.Model) -> None:
    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.stack([0.1 + 0 * q[..., 0], 0.2 - q[..., 1], v[..., 2]], axis=-1)

    sim = ts.Simulation(model)
    run = sim.run(np.zeros((3, 3)), duration=0.02, controller=ts.control.Actuated(model, law))
    for k in (1, 7, 20):
        before = run.q[:, k - 1], run.v[:, k - 1]
        np.testing.assert_array_equal(run.tau[:, k], model.actuation(*before, law(0.0, *before)))
    table = np.random.default_rng(1).normal(size=(2, 5, 3))
    rolled = ts.rollout(sim, model.neutral(), controls=table, hold=4, record=("q", "v", "tau"))
    sim.reset(np.zeros((2, 3)), controller=ts.control.Actuated(model))
    for k in range(5):
        sim.step(table[:, k], 4)
    np.testing.assert_array_equal(rolled.q[:, -1], sim.q)


def test_rollouts_of_motors_are_those_of_their_torques() -> None:
    model = arm().actuator("a", "j0", gear=4.0).actuator("b", {"j1": 1.0, "j2": 1.0}).build()
    u = np.random.default_rng(1).normal(size=(6, 8, 2))
    tau = np.stack([4 * u[..., 0], u[..., 1], u[..., 1]], axis=-1)
    by_u, by_tau = (
        ts.rollout(model, model.neutral(), **given, hold=3)
        for given in ({"controls": u}, {"torques": tau})
    )
    np.testing.assert_array_equal(by_u.q, by_tau.q)


def test_mistakes_are_named(model: ts.Model) -> None:
    b = arm()
    with pytest.raises(ts.ModelError, match=r"actuator 'x': there is no joint 'j9'.*j0"):
        b.actuator("x", "j9")
    with pytest.raises(ts.ModelError, match="kind is 'servo', must be one of motor, position"):
        b.actuator("x", "j0", "servo")
    with pytest.raises(ts.ModelError, match="kp is not for kind 'velocity', which takes kd"):
        b.actuator("x", "j0", "velocity", kp=1.0)
    with pytest.raises(ts.ModelError, match="kind 'position' needs kp"):
        b.actuator("x", "j0", "position")
    with pytest.raises(ts.ModelError, match=r"control_range is \[1.0, -1.0\], must rise"):
        b.actuator("x", "j0", control=(1, -1))
    with pytest.raises(ts.ModelError, match="all gears are zero"):
        b.actuator("x", "j0", gear=0.0)
    with pytest.raises(ts.ModelError, match="the actuator name 'x' is used twice"):
        b.actuator("x", "j0").actuator("x", "j0")
    with pytest.raises(ts.UnknownNameError, match="no joint 'k'"):
        b.initial_configuration({"k": 0.0})
    with pytest.raises(ts.ModelError, match=r"joint 'j0'.*shape"):
        b.initial_configuration({"j0": (0.0, 1.0)})
    with pytest.raises(ts.UnknownNameError, match=r"no actuator 'y'.*valid: x"):
        b.keyframe("k", {}, u={"y": 1.0})
    with pytest.raises(ValueError, match=r"u has shape \(2,\), must be \(…, 3\)"):
        model.actuation(np.zeros(3), np.zeros(3), np.zeros(2))
    plain = arm().build()
    with pytest.raises(ValueError, match="the model has no actuators"):
        plain.actuation(np.zeros(3), np.zeros(3), np.zeros(2))
    with pytest.raises(ts.ModelError, match="'arm' has no actuators"):
        ts.control.Actuated(plain)
    drive = ts.Actuator("z", {"j0": 1.0}, gain=np.zeros(3))
    dead = dataclasses.replace(plain.description, actuators=[drive])
    with pytest.raises(ArithmeticError, match="actuator 'z' has no gain there"):
        ts.Model(dead).controls(np.zeros(3), np.zeros(3), np.zeros(3))


def test_kits_and_other_roots_keep_drives() -> None:
    b = arm().actuator("hip", "j0")
    model = b.initial_configuration({"j0": 0.2, "j2": 0.3}).build()
    kit = ts.take_apart(model)
    assert kit.stayed["j0"] == "a drive acts on it"
    assert kit.model.actuator_names == ("hip",)
    again = ts.assemble(kit.model).model
    assert again.actuator_names == ("hip",)
    slides = ts.Builder("slides").body("x").body("y", mass=1.0, inertia=(1, 1, 1))
    slides.joint("jx", "prismatic", "world", "x", axis="x")
    slides.joint("jy", "prismatic", "x", "y", axis="z").actuator("push", "jx")
    with pytest.raises(ts.ModelError, match="has the actuator 'push' and cannot be let go"):
        slides.build().rooted_at("y")


def test_velocities_of_keyframes_are_of_their_root_and_told_where_it_changes() -> None:
    b = ts.Builder("two")
    for name in ("upper", "lower"):
        b.body(name, 1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("root", "free", "world", "upper")
    b.joint("knee", "revolute", "upper", "lower", axis="y", position=(0, 0, -1))
    b.keyframe("kick", {"knee": [0.3]}, {"knee": [2.0]})
    b.keyframe("stand", {"knee": [0.1]})
    rooted = b.build().rooted_at("lower")
    assert "keyframes without their velocities: kick" in rooted.warnings
    assert rooted.keyframes["kick"].v is None
