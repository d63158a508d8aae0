"""Steps by accelerations: errors fade as a damped oscillator's, velocities have no jumps."""

from __future__ import annotations

import numpy as np
import pytest
from ik_arms import seven_joints

import tarsus as ts
from tarsus.ik import AngularMomentumTask, FrameTask, Limits, PositionTask, PostureTask, Solver
from tarsus.spatial import rotation_between, rotation_from_vector, vector_from_rotation

BENT = np.array([0.3, -0.5, 0.4, 0.9, -0.2, 0.6, 0.1])


def test_drifts_are_those_of_the_model() -> None:
    model, rng = seven_joints(), np.random.default_rng(0)
    q, v = model.random_configuration(rng), rng.normal(size=7)
    task = PositionTask("hand", np.zeros(3)).bind(model)
    expected = model.frame_acceleration(q, v, np.zeros(7), "hand", "local_world_aligned")[:3]
    assert np.abs(task.drift(q, v) - expected).max() < 1e-9


@pytest.mark.parametrize("method", ["qp", "rate"])
def test_errors_fade_critically_damped(method: str) -> None:
    """From rest e(t) = e₀ (1 + k t) exp(−k t)."""
    model, dt, k = seven_joints(limits=False), 1e-3, 8.0
    target = model.frame_pose(BENT, "hand")
    target[:3, 3] += [0.02, -0.01, 0.015]
    solver = Solver(model, [FrameTask("hand", target, gain=k)], limits=False, method=method)  # type: ignore[arg-type]
    q, v = BENT, np.zeros(7)
    start = solver.tasks[0].error(q)[:3]
    worst = 0.0
    for step in range(600):
        t = step * dt
        expected = start * (1.0 + k * t) * np.exp(-k * t)
        worst = max(worst, float(np.abs(solver.tasks[0].error(q)[:3] - expected).max()))
        found = solver.accelerate(q, v, dt)
        assert np.abs(found.v - v).max() < 0.02  # no jump
        q, v = found.q, found.v
    print(method, f"beside the formula {worst:.1e}")
    assert worst < 5e-5  # steps of first order in the acceleration


def test_momenta_come_to_their_targets() -> None:
    """h falls short by half as much in each step: ḣ = −(h − r) / (2 dt)."""
    model, dt = ts.robots.quadruped(), 0.01
    q, v = model.neutral(), np.zeros(model.nv)
    solver = Solver(model, [AngularMomentumTask([0.5], axes="z")], limits=False)
    short = []
    for _ in range(20):
        step = solver.accelerate(q, v, dt)
        q, v = step.q, step.v
        short.append(0.5 - float(model.centroidal_momentum(q, v)[5]))
    print("short of the target by", short)
    assert abs(short[0] - 0.25) < 1e-6
    assert abs(short[-1]) < 1e-4


@pytest.mark.parametrize("told", [False, True])
def test_targets_that_accelerate_are_followed_with_a_lag(told: bool) -> None:
    """It is a/k² for a target that accelerates with a, once the beginning has faded; 0 if told."""
    model, dt, k, a = seven_joints(limits=False), 2e-3, 10.0, np.array([0.1, 0.0, -0.05])
    hand = PositionTask("hand", gain=k)
    solver = Solver(model, [hand], limits=False)
    start, q, v = model.frame_pose(BENT, "hand")[:3, 3], BENT, np.zeros(7)
    for t in np.arange(0.0, 1.2, dt):
        hand.target, hand.target_velocity = start + a * t**2 / 2.0, a * t
        hand.target_acceleration = a if told else None
        step = solver.accelerate(q, v, dt)
        q, v = step.q, step.v
    hand.target = start + a * (t + dt) ** 2 / 2.0
    lag = np.zeros(3) if told else -a / k**2
    print("lag", hand.error(q), "expected", lag)
    assert np.abs(hand.error(q) - lag).max() < 1e-5


def test_limits_hold_and_wrong_input_is_named() -> None:
    model = seven_joints()
    fast = PostureTask(np.full(7, 2.5), level=0, gain=20.0)
    solver = Solver(model, [fast], limits=Limits(acceleration=30.0))
    q, v = BENT, np.zeros(7)
    for _ in range(400):
        step = solver.accelerate(q, v, 5e-3)
        assert (np.abs(step.v) <= 3.0 + 1e-9).all()
        assert (np.abs(step.v - v) <= 30.0 * 5e-3 + 1e-9).all()
        q, v = step.q, step.v
    assert np.abs(q - 2.5).max() < 0.05
    many = solver.accelerate(np.stack([q, BENT]), np.zeros((2, 7)), 5e-3)
    assert many.v.shape == (2, 7)
    with pytest.raises(ValueError, match="v has shape"):
        solver.accelerate(q, v[:3], 0.01)
    with pytest.raises(ValueError, match="must be finite"):
        solver.accelerate(q, np.full(7, np.nan), 0.01)


def test_half_way_between_rotations() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        start, turn = rotation_from_vector(rng.normal(size=3)), rng.normal(size=3)
        end = start @ rotation_from_vector(turn)
        half = rotation_between(start, end, 0.5)
        assert np.abs(vector_from_rotation(start.T @ half) - turn / 2.0).max() < 1e-12
    several = rotation_between(start, end, np.linspace(0.0, 1.0, 5))
    assert np.abs(several[-1] - end).max() < 1e-12
    assert ts.spatial.rotation_between(start, start, 0.3).shape == (3, 3)
