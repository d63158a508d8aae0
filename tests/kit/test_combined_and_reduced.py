"""Several machines as one move as they do alone; locked joints are those that are held."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import tarsus as ts


def state(model: ts.Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return model.random_configuration(rng), rng.normal(size=model.nv)


def plain(model: ts.Model) -> ts.Model:
    """Return a model with the usual gravity."""
    usual = ts.robots.lola().description.gravity
    return ts.Model(dataclasses.replace(model.description, gravity=usual))


@pytest.mark.parametrize("seed", range(6))
def test_machines_side_by_side_move_as_they_do_alone(seed: int) -> None:
    first, second = plain(ts.robots.random_mechanism(seed, 8)), ts.robots.lola()
    scene = ts.combine(first, second, names=("left", "right"), at=((0, 1, 0), None))
    states = [state(model, seed + k) for k, model in enumerate((first, second))]
    q, v = (ts.join_states(scene, *(each[k] for each in states)) for k in (0, 1))
    tau = [np.random.default_rng(seed).normal(size=model.nv) for model in (first, second)]
    alone = [
        model.forward_dynamics(*each, effort)
        for model, each, effort in zip((first, second), states, tau, strict=True)
    ]
    together = scene.forward_dynamics(q, v, np.concatenate(tau))
    error = np.abs(together - np.concatenate(alone)).max() / np.abs(together).max()
    print(error)
    assert error < 1e-10
    for body in first.body_names:
        moved = scene.frame_pose(q, f"left/{body}")
        wanted = first.frame_pose(states[0][0], body)
        assert np.abs(moved[:3, :3] - wanted[:3, :3]).max() < 1e-12


def test_a_tool_on_a_hand_adds_its_inertia() -> None:
    arm = ts.robots.chain(5)
    b = ts.Builder("hammer")
    b.body("head", 0.7, (0.1, 0, 0), (1e-3, 2e-3, 3e-3))
    b.joint("root", "free", "world", "head")
    b.body("pendulum", 0.2, (0, 0, -0.1), (1e-4, 1e-4, 1e-5))
    b.joint("swing", "revolute", "head", "pendulum", axis="y", position=(0.2, 0, 0))
    hammer = b.build()
    hand = arm.body_names[-1]
    at = ts.spatial.pose((0.05, 0.02, 0.1), ts.spatial.rotation_from_rpy((0.3, 0.2, 0.1)))
    armed = ts.attach(arm, hammer, hand, at=at)
    assert armed.nv == arm.nv + 1
    assert armed.total_mass == pytest.approx(arm.total_mass + hammer.total_mass)
    q = armed.random_configuration(0)
    place = arm.frame_pose(q[: arm.nq], hand) @ at
    assert np.abs(armed.frame_pose(q, "hammer/head") - place).max() < 1e-12
    # kinetic energy: that of the arm, and that of a free hammer which moves as the hand does
    v = np.random.default_rng(1).normal(size=armed.nv)
    twist = armed.frame_velocity(q, v, "hammer/head", reference="local")
    free_q, free_v = hammer.neutral(), np.concatenate([twist, v[-1:]])
    free_q[-1] = q[-1]
    alone = arm.kinetic_energy(q[: arm.nq], v[: arm.nv]) + hammer.kinetic_energy(free_q, free_v)
    assert armed.kinetic_energy(q, v) == pytest.approx(alone, rel=1e-12)
    loose = ts.detach(armed, "hammer/head")
    assert loose.nv == armed.nv + 6


@pytest.mark.parametrize("seed", range(4))
def test_locked_joints_are_those_that_are_held(seed: int) -> None:
    """The mass matrix of the reduced model is the rows and columns of what still moves."""
    model = ts.robots.lola()
    q, _ = state(model, seed)
    names = [j.name for j in model.joints if "shoulder" in j.name or "elbow" in j.name]
    chosen = [name for name in names if not model.joint(name).dependent]
    small = model.locked(chosen, q)
    gone = set(chosen)
    kept = [
        index
        for joint in model.joints
        if joint.name not in gone and joint.name in small.joint_names
        for index in range(joint.v_slice.start, joint.v_slice.stop)
    ]
    here = ts.carry(model, small, q, np.zeros(model.nv)).q
    assert small.nv == len(kept) < model.nv
    difference = small.mass_matrix(here) - model.mass_matrix(q)[np.ix_(kept, kept)]
    print(np.abs(difference).max())
    assert np.abs(difference).max() < 1e-10
    for body in ("left_hand", "torso"):
        if body in small.frame_names:
            assert np.abs(small.frame_pose(here, body) - model.frame_pose(q, body)).max() < 1e-12


def test_bodies_are_left_out_with_what_hangs_on_them() -> None:
    model = ts.robots.quadruped()
    leg = next(name for name in model.body_names if "front_left" in name)
    small = model.without([leg])
    assert small.nv < model.nv and leg not in small.frame_names
    assert not any("front_left" in name for name in small.body_names)


def test_loops_that_nothing_moves_are_left_out() -> None:
    model = ts.robots.four_bar()
    free = next(joint.name for joint in model.joints if not joint.dependent)
    still = model.locked([joint.name for joint in model.joints if joint.nv == 1])
    assert still.nv == 0 and not still.description.loops
    assert free in model.joint_names


def test_wrong_input_is_told() -> None:
    arm = ts.robots.chain(3)
    with pytest.raises(ValueError, match="two models are called"):
        ts.combine(arm, arm)
    with pytest.raises(ValueError, match="state gravity="):
        ts.combine(arm, ts.robots.random_mechanism(0, 4))
    with pytest.raises(ValueError, match="1 places for 2 models"):
        ts.combine(arm, arm, names=("a", "b"), at=[(0, 0, 0)])
    with pytest.raises(LookupError, match="no joint 'elbo'"):
        arm.locked(["elbo"])
    with pytest.raises(LookupError):
        arm.without(["nothing"])
    with pytest.raises(ts.ModelError, match="roots"):
        ts.attach(arm, ts.combine(arm, arm, names=("a", "b")), arm.body_names[-1])
