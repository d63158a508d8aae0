"""Parts whose targets move: they are where the plan says, at the time it says, and stop there."""

from __future__ import annotations

import numpy as np
import pytest
from movers import ARM, arm, ball
from oracle import Array

import tarsus as ts
from tarsus.simulation import Simulation
from tarsus.spatial import rotation_from_vector

BENT = 1e-8
"""What a step may be off [rad]."""


def path(t: float) -> float:
    return 0.6 + 0.4 * np.sin(8.0 * t)


@pytest.mark.parametrize("states", [None, 3])
def test_a_joint_is_where_the_plan_says(states: int | None) -> None:
    sim = Simulation(arm())
    sim.reset(ARM if states is None else np.tile(ARM, (states, 1)))
    sim.add(ts.constraint.JointMotion("joint_1")).follow(path)
    for _ in range(100):
        q, v = sim.step()
        np.testing.assert_allclose(q[..., 1], path(sim.t), atol=BENT)
    slope = (path(sim.t) - path(sim.t - 1e-3)) / 1e-3
    np.testing.assert_allclose(v[..., 1], slope, atol=BENT / 1e-3)


def test_a_body_is_where_the_plan_says() -> None:
    def pose(t: float) -> Array:
        found = np.eye(4)
        found[:3, :3] = rotation_from_vector([0.0, 0.5 * t, 2.0 * t])
        found[:3, 3] = 0.2 * np.sin(5.0 * t), 0.3 * t, 0.1 * t
        return found

    sim = Simulation(ball())
    sim.reset()
    hold = sim.add(ts.constraint.BodyMotion("ball"))
    hold.follow(pose)
    for _ in range(100):
        q, _ = sim.step()
    error = np.asarray(ball().frame_pose(q, "ball")) - pose(sim.t)
    print("off by", np.abs(error).max())
    np.testing.assert_allclose(error, 0.0, atol=(2.1 * 1.1 + 5.0) * 1e-3**2)  # (ω v + a) dt²
    hold.follow(None)
    at = sim.q
    q, v = sim.step(steps=50)
    np.testing.assert_allclose(q, at, atol=1e-5)
    np.testing.assert_allclose(v, 0.0, atol=1e-9)


def test_a_plan_that_ends_leaves_its_target_at_rest() -> None:
    sim = Simulation(arm())
    sim.reset(ARM)
    motor = sim.add(ts.constraint.JointMotion("joint_1"))
    motor.follow(lambda t: 0.6 + 0.5 * t)
    sim.step(steps=50)
    motor.follow(None)
    q, v = sim.step(steps=30)
    assert motor.target == pytest.approx(0.625, abs=1e-12)
    assert q[1] == pytest.approx(0.625, abs=1e-9) and abs(v[1]) < 1e-9
    motor.follow(lambda t: 0.6 + 0.5 * t)
    sim.step(steps=20)
    motor.follow(None)
    motor.target = 0.7
    q, v = sim.step(steps=100)
    assert q[1] == pytest.approx(0.7, abs=1e-9) and abs(v[1]) < 1e-9


def test_runs_follow_plans_too() -> None:
    sim = Simulation(arm())
    sim.add(ts.constraint.JointMotion("joint_1")).follow(path)
    run = sim.run(ARM, duration=0.2)
    np.testing.assert_allclose(run.q[:, 1], [path(t) for t in run.t], atol=BENT)
    table = np.linspace(0.0, 0.2, 5), np.linspace(0.6, 0.8, 5)
    sim.parts["joint_motion1"].follow(table)
    run = sim.run(ARM, duration=0.2)
    np.testing.assert_allclose(run.q[:, 1], 0.6 + run.t, atol=1e-9)
