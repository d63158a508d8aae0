"""Limits of all kinds in programmes, costs where tasks are free, tasks that come and go."""

from __future__ import annotations

import numpy as np
import pytest
from ik_arms import planar_arm, seven_joints

import tarsus as ts
from tarsus.ik import Comfort, FrameTask, Limits, Manipulability, PositionTask, PostureTask, Solver
from tarsus.spatial import rotation_from_vector

BENT = np.array([0.3, -0.5, 0.4, 0.9, -0.2, 0.6, 0.1])


def geared(ratio: float = 50.0) -> ts.Model:
    """Return an arm of two links; a motor drives the first joint, and a third joint follows."""
    b = ts.Builder("geared")
    for k in range(3):
        b.body(f"link_{k}", 1.0, [0.2, 0.0, 0.0], np.diag([0.01, 0.02, 0.02]))
    b.body("rotor", 0.1, [0.0, 0.0, 0.0], np.diag([1e-4, 1e-4, 1e-4]))
    b.joint("shoulder", "revolute", "world", "link_0", axis=[0, 0, 1])
    b.joint("elbow", "revolute", "link_0", "link_1", position=[0.4, 0, 0], axis=[0, 0, 1])
    follows = {"lower": -0.3, "upper": 0.3}
    b.joint(
        "wrist", "revolute", "link_1", "link_2", position=[0.4, 0, 0], axis=[0, 0, 1], **follows
    )
    b.gear("shoulder", ratio, "rotor")
    b.couple(["elbow", "wrist"], [[1.0], [-0.5]])
    b.frame("tip", "link_2", position=[0.4, 0.0, 0.0])
    return b.build()


def test_a_motor_limits_its_joint_by_its_ratio() -> None:
    model = geared()
    motor = model.motors[0]
    solver = Solver(
        model,
        [PositionTask("tip", [0.0, 1.1, 0.0], weight=[1.0, 1.0, 0.0])],
        limits=Limits(velocity={motor: 100.0}),
    )
    step = solver.step(np.array([0.1, 0.1]), 0.01)
    turning = model.motor_velocities(np.array([0.1, 0.1]), step.v)
    print(step.v, turning, step.status)
    assert abs(abs(turning[0]) - 100.0) < 1e-6
    assert abs(abs(step.v[0]) - 2.0) < 1e-8
    assert step.status == "limited"


def test_joints_that_follow_keep_their_ranges() -> None:
    model = geared()
    solver = Solver(model, [PostureTask([0.0, 2.0], level=0, gain=10.0)])
    q = np.array([0.0, 0.1])
    for _ in range(100):
        q = solver.step(q, 0.01).q
    assert abs(q[1] - 0.6) < 1e-6  # the wrist is at −0.3
    free = Solver(model, [PostureTask([0.0, 2.0], level=0, gain=10.0)], limits=False)
    assert abs(free.step(q, 0.01).v[1]) > 1.0
    lost = Solver(model, [PositionTask("tip", model.frame_pose([0.4, 1.5], "tip")[:3, 3])]).solve(
        np.array([0.1, 0.2]), search=ts.ik.Search(starts=3)
    )
    assert not lost.success


def test_the_programme_is_the_best_within_limits() -> None:
    """Beside SciPy's bounded least squares, in states with active velocity limits."""
    from scipy.optimize import lsq_linear

    model, rng = seven_joints(), np.random.default_rng(0)
    worst, active = 0.0, 0
    for _ in range(20):
        q = model.random_configuration(rng) * 0.8
        target = model.frame_pose(q + rng.normal(size=7) * 0.2, "hand")
        task = FrameTask("hand", target)
        step = Solver(model, [task]).step(q, 0.02)
        low, high = (
            np.maximum((model.lower - q) / 0.02, -3.0),
            np.minimum((model.upper - q) / 0.02, 3.0),
        )
        rows = np.vstack([task.bind(model).jacobian(q), 1e-3 * np.eye(7)])
        rates = np.r_[-task.error(q) / 0.02, np.zeros(7)]
        best = lsq_linear(rows, rates, (low, high), tol=1e-14, max_iter=500).x
        worst = max(worst, np.abs(step.v - best).max())
        active += int((np.abs(best) > 2.999).any())
    print(f"beside SciPy {worst:.1e}, {active} with active limits")
    assert active > 5
    assert worst < 1e-5  # what SciPy's tolerance is worth with this regularisation


def test_levels_are_strict() -> None:
    model = planar_arm()
    q = np.array([0.4, 0.5, -0.3, 0.6])
    tip = model.frame_pose(q, "tip")[:3, 3]
    first = PositionTask("tip", tip + [0.01, 0.0, 0.0], weight=[1.0, 1.0, 0.0], name="first")
    against = PositionTask(
        "tip", tip - [0.05, 0.0, 0.0], weight=[1e6, 1e6, 0.0], name="against", level=1
    )
    step = Solver(model, [first, against], limits=False).step(q, 0.1)
    assert np.abs(step.missing["first"]).max() < 1e-4
    assert np.abs(step.missing["against"]).max() > 0.1
    assert step.success


def test_comfort_draws_joints_back_without_moving_the_hand() -> None:
    model = seven_joints()
    q = BENT.copy()
    q[0] = 2.5
    solver = Solver(
        model,
        [PositionTask("hand", model.frame_pose(q, "hand")[:3, 3])],
        costs=[Comfort(soft=20.0)],
    )
    start = solver.tasks[0].error(q)
    for _ in range(200):
        q = solver.step(q, 0.01).q
    assert abs(q[0]) < 2.3
    assert np.abs(solver.tasks[0].error(q) - start).max() < 1e-4
    gradient = Comfort(np.zeros(7), comfort=2.0, soft=0.0).bind(model).gradient(BENT)
    assert np.abs(gradient - 2.0 * BENT).max() < 1e-12
    beyond = BENT.copy()
    beyond[1] = 2.6  # a tenth of the range is 0.52
    soft = Comfort(np.zeros(7), comfort=0.0, soft=3.0).bind(model).gradient(beyond)
    assert np.abs(soft - 3.0 * 0.52 * np.eye(7)[1]).max() < 1e-9


def test_manipulability_rises_in_the_null_space() -> None:
    cost = Manipulability("tip", rows="position", rate=5.0)
    # in the plane one of three rows is zero: the product of the others counts
    flat = planar_arm(3)
    assert cost.bind(flat).measure(np.array([0.1, 0.2, 0.3])) == 0.0
    arm = seven_joints()
    bound = Manipulability("hand", rows="pose").bind(arm)
    jacobian = arm.frame_jacobian(BENT, "hand", "local_world_aligned")
    expected = np.prod(np.linalg.svd(jacobian, compute_uv=False))
    assert abs(bound.measure(BENT) - expected) < 1e-12
    task = PositionTask("hand", arm.frame_pose(BENT, "hand")[:3, 3])
    solver = Solver(arm, [task], costs=[Manipulability("hand", rate=20.0)])
    measure = Manipulability("hand").bind(arm).measure
    q, before = BENT, measure(BENT)
    for _ in range(60):
        q = solver.step(q, 0.02).q
    assert measure(q) > 1.05 * before
    assert np.abs(task.error(q)).max() < 1e-4


def test_tasks_come_and_go_without_jumps() -> None:
    model = seven_joints()
    hand = PositionTask("hand", model.frame_pose(BENT, "hand")[:3, 3] + [0.1, 0.0, -0.1], gain=3.0)
    there = model.frame_pose(BENT, "hand")[:3, :3] @ rotation_from_vector([0.2, -0.2, 0.1])
    turn = ts.ik.OrientationTask("hand", there, gain=3.0)
    posture = PostureTask(BENT + 0.2, gain=3.0)
    for method in ("qp", "dls"):
        jumps = {}
        for blend in (0.2, 0.0):
            solver = Solver(model, [hand, posture], method=method, blend=blend)  # type: ignore[arg-type]
            q, speeds, dt, apart = BENT, [], 2e-3, 0.0
            for k in range(600):
                if k == 100:
                    solver.add(turn)
                if k == 400:
                    solver.remove("posture")
                if k == 500:
                    solver.remove(turn)
                step = solver.step(q, dt)
                apart = max(apart, float(np.abs(step.missing["hand position"]).max()))
                q = step.q
                speeds.append(step.v)
            jumps[blend] = np.abs(np.diff(speeds, axis=0))[50:].max()
        print(method, jumps, apart)
        assert jumps[0.2] < 0.05 * jumps[0.0]
        assert apart < 1e-2  # the hand notices nothing
        assert np.abs(solver["hand position"].error(q)).max() < 0.01


@pytest.mark.parametrize("wrong", [{"margin": -1.0}, {"share": 0.0}, {"acceleration": 0.0}])
def test_wrong_limits_are_named(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits(**wrong)  # type: ignore[arg-type]


def test_limits_that_contradict_each_other_are_told() -> None:
    """A joint that follows backwards has a range that its leader cannot give it."""
    b = ts.Builder("contradiction")
    for k in range(2):
        b.body(f"link_{k}", 1.0, [0.1, 0.0, 0.0], 0.01 * np.eye(3))
    limits = {"axis": "z", "lower": 0.2, "upper": 0.5}
    b.joint("leads", "revolute", "world", "link_0", **limits)
    b.joint("follows", "revolute", "link_0", "link_1", position=[0.3, 0.0, 0.0], **limits)
    b.couple(["leads", "follows"], [[1.0], [-1.0]])
    step = Solver(b.build(), [PostureTask([0.3], level=0)]).step(np.array([0.3]), 0.01)
    assert step.status == "contradictory"
    assert "leave no motion" in step.reason
    assert np.isfinite(step.v).all()
    assert -10.0 - 1e-6 <= step.v[0] <= 20.0 + 1e-6  # its own range holds


def test_batches_of_any_shape() -> None:
    model = seven_joints()
    solver = Solver(model, [FrameTask("hand")])
    for lead in ((), (0,), (2, 3), (1,)):
        q = np.broadcast_to(BENT, (*lead, 7))
        step, pose = solver.step(q, 0.01), solver.solve(q)
        assert step.q.shape == pose.q.shape == (*lead, 7)
        assert np.shape(step.code) == np.shape(pose.code) == lead
        assert step.missing["hand"].shape == (*lead, 6)
    assert Solver(model, []).step(BENT.tolist(), 0.01).success
    with pytest.raises(ValueError, match="no task that asks for a place"):
        Solver(model, []).solve(BENT)
