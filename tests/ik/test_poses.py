"""Poses: from starts to targets, how often they are found, and how it ends when they are not."""

from __future__ import annotations

import numpy as np
import pytest
from ik_arms import planar_arm, seven_joints

import tarsus as ts
from tarsus.ik import Search


@pytest.mark.parametrize("method", ["lm", "newton"])
def test_poses_are_found(method: str) -> None:
    model, rng = seven_joints(), np.random.default_rng(0)
    targets = model.frame_pose(model.random_configuration(rng, 200), "hand")
    task = ts.ik.FrameTask("hand", targets)
    solver = ts.ik.Solver(model, [task])
    start = np.zeros((200, model.nq)) + 0.3
    once = solver.solve(start, search=Search(starts=1, method=method))  # type: ignore[arg-type]
    often = solver.solve(start, search=Search(method=method))  # type: ignore[arg-type]
    print(method, once.success.mean(), often.success.mean(), often.starts.max())
    assert once.success.mean() > (0.8 if method == "lm" else 0.5)
    assert often.success.all()
    assert (often.error < 1e-8).all()
    # the oracle: where the hand is, by the model itself
    apart = model.frame_pose(often.q, "hand") - targets
    assert np.abs(apart).max() < 1e-7
    assert (often.q >= model.lower).all()
    assert (often.q <= model.upper).all()


def test_a_posture_takes_what_the_hand_leaves() -> None:
    model = seven_joints()
    q = np.array([0.3, -0.5, 0.4, 0.9, -0.2, 0.6, 0.1])
    like = np.array([0.0, -0.4, 0.0, 1.0, 0.0, 0.5, 0.0])
    hand = ts.ik.FrameTask("hand", model.frame_pose(q, "hand"))
    found = ts.ik.Solver(model, [hand, ts.ik.PostureTask(like)]).solve(q)
    assert found.success
    assert np.linalg.norm(found.q - like) < np.linalg.norm(q - like)
    # along the null space nothing is nearer to the posture
    null = np.linalg.svd(hand.jacobian(found.q))[2][6]
    assert abs(null @ (found.q - like)) < 0.02 * np.linalg.norm(found.q - like)


def test_out_of_reach_ends_where_it_is_nearest() -> None:
    model = planar_arm()
    task = ts.ik.PositionTask("tip", [3.0, 0.0, 0.0])
    found = ts.ik.Solver(model, [task]).solve([0.2, -0.3, 0.4, 0.1], search=Search(starts=3))
    assert found.status in ("stalled", "iterations")
    assert abs(found.error - (3.0 - 1.6)) < 1e-3
    assert not found.success


def test_limits_that_are_in_the_way_are_told() -> None:
    e = ts.Editor(planar_arm(1))
    e.change("joint", "joint_0", lower=-1.0, upper=1.0)
    model = e.build()
    task = ts.ik.PositionTask("tip", [0.0, 0.4, 0.0])
    found = ts.ik.Solver(model, [task]).solve([0.0], search=Search(starts=2))
    assert found.status == "limited"
    assert found.q[0] == 1.0


def test_solutions_do_not_depend_on_what_is_beside_them() -> None:
    model, rng = seven_joints(), np.random.default_rng(1)
    targets = model.frame_pose(model.random_configuration(rng, 8), "hand")
    start = model.random_configuration(rng, 8)
    many = ts.ik.Solver(model, [ts.ik.FrameTask("hand", targets)]).solve(
        start, search=Search(starts=1)
    )
    for k in range(8):
        one = ts.ik.Solver(model, [ts.ik.FrameTask("hand", targets[k])]).solve(
            start[k], search=Search(starts=1)
        )
        assert one.status == many.status[k]
        assert np.abs(one.q - many.q[k]).max() < 1e-6


def test_motions_follow_targets() -> None:
    model = seven_joints()
    q = np.array([0.3, -0.5, 0.4, 0.9, -0.2, 0.6, 0.1])
    times = np.linspace(0.0, 1.0, 101)
    targets = np.broadcast_to(model.frame_pose(q, "hand"), (101, 4, 4)).copy()
    targets[:, 0, 3] += 0.1 * np.sin(np.pi * times)
    solver = ts.ik.Solver(model, [ts.ik.FrameTask("hand"), ts.ik.PostureTask(q)])
    motion = solver.track(times, {"hand": targets}, q)
    assert motion.q.shape == (101, 7)
    assert motion.success.all()
    assert np.abs(motion.errors["hand"]).max() < 2e-4  # second order of a step
    assert np.abs(motion.q[1:] - motion.q[:-1] - 0.01 * motion.v[:-1]).max() < 1e-12
    several = solver.track(times[:5], {"hand": targets[:5]}, np.stack([q, q + 0.01]))
    assert several.q.shape == (2, 5, 7)
    for wrong, message in (({"foot": targets}, "no task 'foot'"), ({"hand": targets[:3]}, "101")):
        with pytest.raises(ValueError, match=message):
            solver.track(times, wrong, q)
    with pytest.raises(ValueError, match="times must rise"):
        solver.track(times[::-1], {"hand": targets}, q)


@pytest.mark.parametrize("in_core", [True, False])
def test_starts_out_of_range_end_within_it(in_core: bool) -> None:
    """Also where the start is the pose that is asked for: it is none that joints may have."""
    model = seven_joints()
    start = np.array([0.3, -0.5, 0.4, 3.0, -0.2, 0.6, 0.1])  # the fourth may go to 2.6
    hand = ts.ik.FrameTask("hand", model.frame_pose(start, "hand"))
    task = hand if in_core else ts.ik.CustomTask(hand.bind(model).error, hand.jacobian)
    found = ts.ik.Solver(model, [task]).solve(np.stack([start, 0.1 * start]))
    assert (found.q >= model.lower).all()
    assert (found.q <= model.upper).all()
    assert ts.ik.Solver(model, [hand], limits=False).solve(start).iterations == 0


def test_targets_and_states_that_do_not_fit_are_told() -> None:
    model = seven_joints()
    hand = ts.ik.FrameTask("hand", np.tile(np.eye(4), (5, 1, 1)))
    solver = ts.ik.Solver(model, [hand])
    for call in (solver.solve, lambda q: solver.step(q, 0.01)):
        with pytest.raises(ValueError, match=r"task 'hand' has \(5,\) targets.*\(3,\) states"):
            call(np.zeros((3, model.nq)))
    with pytest.raises(TypeError, match="tasks is the task 'hand' alone"):
        ts.ik.Solver(model, hand)  # type: ignore[arg-type]
    for costs in (ts.ik.Comfort(), ["comfort"]):
        with pytest.raises(TypeError, match=r"costs is .* must be a list of costs"):
            ts.ik.Solver(model, [hand], costs=costs)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="damping is of type float"):
        ts.ik.Solver(model, [hand], method="dls", damping=0.1)  # type: ignore[arg-type]
    assert repr(solver) == "<tarsus.ik.Solver of 'seven joints', method 'qp': tasks hand>"
