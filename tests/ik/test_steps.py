"""Steps of control loops: how errors vanish, what limits do, what is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cluster_cases import case
from ik_arms import planar_arm, seven_joints

import tarsus as ts
from tarsus.spatial import rotation_from_vector

METHODS: tuple[Any, ...] = ("dls", "rate")
BENT = np.array([0.3, -0.5, 0.4, 0.9, -0.2, 0.6, 0.1])


def test_errors_vanish_as_fast_as_the_gain_says() -> None:
    model, dt = seven_joints(), 2e-3
    near = model.frame_pose(BENT, "hand")
    near[:3, 3] += 1e-4
    for gain in (5.0, 50.0, 200.0):
        solver = ts.ik.Solver(model, [ts.ik.PositionTask("hand", near[:3, 3], gain=gain)])
        q, errors = BENT, []
        for _ in range(10):
            errors.append(np.linalg.norm(solver.tasks[0].error(q)))
            q = solver.step(q, dt).q
        ratios = np.array(errors[1:]) / errors[:-1]
        print(gain, ratios.min(), ratios.max())
        assert np.abs(ratios - (1.0 - gain * dt)).max() < 0.05 * (1.0 - gain * dt)


def test_gains_beyond_two_steps_are_refused_because_errors_grow() -> None:
    model, dt = seven_joints(limits=False), 2e-3
    place = model.frame_pose(BENT, "hand")[:3, 3] + 1e-4
    solver = ts.ik.Solver(model, [ts.ik.PositionTask("hand", place, gain=1010.0)], limits=False)
    with pytest.raises(ValueError, match=r"gain of task 'hand position' is 1010.*at most 1000"):
        solver.step(BENT, dt)
    q = BENT
    for _ in range(300):  # the same law, with steps that are longer than it was told
        q = model.integrate(q, solver.step(q, dt / 10.0).v * dt)
    assert np.linalg.norm(solver.tasks[0].error(q)) > 10.0 * np.sqrt(3) * 1e-4


def test_a_hand_turns_from_nearly_half_a_turn_away() -> None:
    model = seven_joints(limits=False)
    there = model.frame_pose(BENT, "hand")
    turn = there[:3, :3] @ rotation_from_vector(np.deg2rad(170.0) * np.array([0.6, 0.0, 0.8]))
    task = ts.ik.OrientationTask("hand", turn, gain=20.0)
    solver = ts.ik.Solver(model, [task], limits=False)
    q = BENT
    for _ in range(600):
        step = solver.step(q, 5e-3)
        q = step.q
    assert np.abs(task.error(q)).max() < 1e-6


def test_without_feedback_a_circle_drifts_with_feedback_it_does_not() -> None:
    model = seven_joints(limits=False)
    start = model.frame_pose(BENT, "hand")[:3, 3]
    drift = {}
    for gain in (0.0, 50.0):
        for dt in (4e-3, 1e-3):
            task = ts.ik.PositionTask("hand", start, gain=gain)
            solver = ts.ik.Solver(model, [task], limits=False)
            q = BENT
            for t in np.arange(0.0, 1.0, dt):
                angle = 2 * np.pi * t
                circle = 0.03 * np.array([np.cos(angle) - 1, np.sin(angle), 0.0])
                task.target = start + circle
                task.target_velocity = 0.06 * np.pi * np.array([-np.sin(angle), np.cos(angle), 0.0])
                q = solver.step(q, dt).q
            drift[gain, dt] = np.linalg.norm(model.frame_pose(q, "hand")[:3, 3] - start)
    print(drift)
    assert drift[0.0, 4e-3] > 2.0 * drift[0.0, 1e-3]
    assert drift[50.0, 4e-3] < 0.2 * drift[0.0, 4e-3]


@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_where_nothing_is_singular(method: Any) -> None:
    model = seven_joints(limits=False)
    target = model.frame_pose(BENT + 0.05, "hand")
    solver = ts.ik.Solver(model, [ts.ik.FrameTask("hand", target)], method=method, limits=False)
    step = solver.step(BENT, 0.01)
    jacobian, error = solver.tasks[0].jacobian(BENT), solver.tasks[0].error(BENT)
    assert step.success
    assert np.abs(step.v - np.linalg.pinv(jacobian) @ -error / 0.01).max() < 1e-8
    assert np.abs(step.missing["hand"]).max() < 1e-8


def test_limits_hold() -> None:
    model, rng = seven_joints(), np.random.default_rng(0)
    q = model.random_configuration(rng, 50)
    targets = model.frame_pose(model.random_configuration(rng, 50), "hand")
    solver = ts.ik.Solver(model, [ts.ik.FrameTask("hand", targets, gain=20.0)])
    for _ in range(40):
        step = solver.step(q, 0.02)
        assert (np.abs(step.v) <= 3.0 + 1e-12).all()
        q = step.q
        assert (q >= model.lower - 1e-12).all()
        assert (q <= model.upper + 1e-12).all()
    assert set(np.unique(step.status)) <= {"solved", "limited", "singular"}


def test_a_joint_beyond_its_limit_comes_back_no_faster_than_it_may() -> None:
    model = seven_joints()
    q = BENT.copy()
    q[3] = 3.0
    solver = ts.ik.Solver(model, [ts.ik.PostureTask(q, level=0)])
    step = solver.step(q, 0.01)
    assert step.v[3] == -3.0
    assert step.status == "limited"


def test_accelerations_and_braking() -> None:
    model = planar_arm(1)
    e = ts.Editor(model)
    e.change("joint", "joint_0", lower=-1.0, upper=1.0, velocity_limit=5.0)
    model = e.build()
    task = ts.ik.PostureTask([3.0], level=0)
    solver = ts.ik.Solver(model, [task], limits=ts.ik.Limits(acceleration=10.0))
    q, dt, last, speeds = np.array([-0.9]), 0.01, 0.0, []
    for _ in range(120):
        step = solver.step(q, dt)
        assert abs(step.v[0] - last) <= 10.0 * dt + 1e-9
        q, last = step.q, float(step.v[0])
        speeds.append(last)
    assert abs(q[0] - 1.0) < 1e-9
    assert q[0] <= 1.0 + 1e-12
    assert max(speeds) > 3.5  # √(2 · 10 · 1.9/2) = 4.4 m/s without steps


def test_out_of_reach_is_told_and_finite() -> None:
    model = planar_arm()
    far = ts.ik.PositionTask("tip", [5.0, 0.0, 0.0])
    solver = ts.ik.Solver(model, [far])
    q = np.zeros(4)  # stretched: no velocity leads outwards
    step = solver.step(q, 0.01)
    assert step.status == "singular"
    assert np.isfinite(step.v).all()
    assert abs(step.missing["tip position"][0] + (5.0 - 1.6) / 0.01) < 1e-6
    assert "stretched" in step.reason


def test_what_is_not_a_number_stands_still_and_is_told() -> None:
    model = seven_joints()
    q = np.stack([BENT, BENT, BENT + 0.1])
    targets = model.frame_pose(q + 0.02, "hand")
    targets[1, 0, 3] = np.nan
    q[2, 0] = np.inf
    solver = ts.ik.Solver(model, [ts.ik.FrameTask("hand", targets)])
    step = solver.step(q, 0.01)
    assert list(step.status) == ["solved", "not finite", "not finite"]
    assert np.array_equal(step.moved, [True, False, False])
    assert np.isfinite(step.v).all()
    assert (step.v[1:] == 0.0).all()
    assert np.array_equal(step.q[1:], q[1:])
    alone = ts.ik.Solver(model, [ts.ik.FrameTask("hand", targets[0])]).step(q[0], 0.01)
    assert np.abs(alone.v - step.v[0]).max() < 1e-12
    found = solver.solve(q)
    assert list(found.status[1:]) == ["not finite", "not finite"]


@pytest.mark.parametrize("flavour", ["loops", "constraints", "everything"])
def test_loops_stay_closed(flavour: str) -> None:
    for seed in range(3):
        own = case(flavour, seed)
        model, q = own.model, own.q
        frame = model.frame_names[-1]
        target = model.frame_pose(q, frame)[:3, 3] + 0.02
        solver = ts.ik.Solver(model, [ts.ik.PositionTask(frame, target, gain=10.0)], limits=False)
        before = np.abs(model.loop_gaps(q)[..., ~_skates(model)]).max(initial=0.0)
        for _ in range(20):
            step = solver.step(q, 0.01)
            q = step.q
        after = np.abs(model.loop_gaps(q)[..., ~_skates(model)]).max(initial=0.0)
        print(flavour, seed, step.status, f"gaps {before:.1e} -> {after:.1e}")
        assert after < 1e-4  # second order of a step, of loops that are constraints


def _skates(model: ts.Model) -> Any:
    sizes = [
        (loop.kind == "knife_edge", ts.model.loops.n_rows(loop.kind))
        for loop in model.description.loops
    ]
    return np.concatenate([np.full(size, skate) for skate, size in sizes] or [np.zeros(0, bool)])


def test_wrong_arguments_are_named() -> None:
    model = seven_joints()
    cases: list[tuple[str, Any]] = [
        ("no frame 'hnad'.*did you mean 'hand'", lambda: ts.ik.FrameTask("hnad").bind(model)),
        ("target of task 'hand'.*shape", lambda: ts.ik.FrameTask("hand", np.eye(3))),
        ("not orthonormal", lambda: ts.ik.FrameTask("hand", 2.0 * np.eye(4))),
        ("weight of task 'com'", lambda: ts.ik.ComTask(weight=[1.0, 2.0]).bind(model)),
        ("gain of task 'com' is -1", lambda: ts.ik.ComTask(gain=-1.0)),
        ("level of task 'com'", lambda: ts.ik.ComTask(level=-1)),
        ("method is 'qq'", lambda: ts.ik.Solver(model, [], method="qq")),  # type: ignore[arg-type]
        ("limits is 3", lambda: ts.ik.Solver(model, [], limits=3)),  # type: ignore[arg-type]
        ("dt is 0", lambda: ts.ik.Solver(model, []).step(BENT, 0.0)),
        ("q has shape", lambda: ts.ik.Solver(model, []).step(BENT[:3], 0.1)),
        ("no joint 'x'", lambda: ts.ik.PostureTask(joints="x").bind(model)),
        ("task 'com' already", lambda: ts.ik.Solver(model, [ts.ik.ComTask(), ts.ik.ComTask()])),
        ("a task is of type str", lambda: ts.ik.Solver(model, ["hand"])),  # type: ignore[list-item]
        ("axes is 'w'", lambda: ts.ik.AngularMomentumTask(axes="w")),
        ("belongs to no machine", lambda: ts.ik.ComTask().error(BENT)),
        ("margin is 9.0", lambda: ts.ik.Solver(model, [], limits=ts.ik.Limits(margin=9.0))),
    ]
    for message, call in cases:
        with pytest.raises((ValueError, TypeError), match=message):
            call()


def test_tasks_that_stay_do_not_notice_changes_with_loops_either() -> None:
    """Two tasks want opposite things of a frame; without the other, one is done at once."""
    own = case("constraints", 0)
    model, q = own.model, own.q
    assert model.constraints
    frame = model.frame_names[-1]
    place, along = model.frame_pose(q, frame)[:3, 3], [1.0, 0.0, 0.0]
    stays, goes = (
        ts.ik.PositionTask(frame, place + shift, gain=3.0, weight=along, name=name)
        for name, shift in (("stays", 0.02), ("goes", -0.02))
    )
    solver = ts.ik.Solver(model, [stays, goes], limits=False)
    missing = []
    for step in range(10):
        if step == 5:
            solver.remove(goes)
        found = solver.step(q, 0.01)
        q = found.q
        missing.append(float(np.abs(found.missing["stays"]).max()))
    print("missed", missing)
    assert min(missing[:5]) > 0.05
    assert max(missing[5:]) < 1e-5


@pytest.mark.parametrize("flavour", ["loops", "constraints"])
@pytest.mark.parametrize("seed", range(3))
def test_what_loops_do_not_permit_is_not_called_solved(flavour: str, seed: int) -> None:
    """Two contradicting goals, and one that is far out of reach."""
    own = case(flavour, seed)
    model, q = own.model, own.q
    frame = model.frame_names[-1]
    place = model.frame_pose(q, frame)[:3, 3]
    there = [
        ts.ik.PositionTask(frame, place + way, gain=3.0, name=f"{way}") for way in (5.0, -5.0, 50.0)
    ]
    both = ts.ik.Solver(model, there[:2], limits=False).step(q, 0.01)
    far = ts.ik.Solver(model, there[2:]).step(q, 0.01)
    for step, name in ((both, "5.0"), (far, "50.0")):
        print(flavour, seed, step.status, np.abs(step.missing[name]).max())
        missed = np.abs(step.missing[name]).max() > 1e-3
        assert missed == (step.status != "solved")
