"""Searches for poses lead out of collisions themselves, not only by other starts."""

from __future__ import annotations

import numpy as np
import pytest
from ik_arms import planar_arm, seven_joints

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.geometry import Distances, SweptSphere, Volumes
from tarsus.ik import Avoid, FrameTask, LineTask, PlaneTask, PositionTask, Search, Solver, Within
from tarsus.ik.pose import Pose, Tried

BALL, RADIUS, LINK = np.array([[0.45, 0.5, 0.0]]), 0.08, 0.04
AROUND = np.array([[0.3 * np.cos(k), 0.3 * np.sin(k), 0.5 + 0.1 * (k % 3)] for k in range(6)])
ONE = Search(starts=1)


def watched(model: ts.Model, links: list[str], way: Array, balls: Array = BALL) -> Avoid:
    """Return links as capsules along `way` that keep away from balls."""
    link = SweptSphere([np.zeros(3), way], LINK)
    obstacles = [SweptSphere([ball], RADIUS) for ball in balls]
    volumes = Volumes({**{name: [link] for name in links}, "world": obstacles})
    pairs = [(name, "world") for name in links]
    return Avoid(Distances(model, volumes, pairs, activation=0.2), margin=0.01)


def gap(model: ts.Model, q: Array, links: list[str], way: Array, balls: Array = BALL) -> float:
    """Return how far the nearest capsule is from a ball, by points along its axis."""
    found = []
    for name in links:
        pose = model.frame_pose(q, name)
        points = pose[:3, 3] + np.linspace(0, 1, 2001)[:, None] * (pose[:3, :3] @ way)
        found.append(np.linalg.norm(points[:, None] - balls, axis=-1).min())
    return float(min(found)) - LINK - RADIUS


def test_an_arm_comes_out_of_a_ball() -> None:
    m, links, way = planar_arm(), [f"link_{k}" for k in range(4)], np.array([0.4, 0.0, 0.0])
    through = np.array([0.4, 0.8, -1.0, -0.4])
    target = m.frame_pose(through, "tip")[:3, 3]
    avoid = watched(m, links, way)
    tip = PositionTask("tip", target)
    free = Solver(m, [tip]).solve(through, search=ONE)
    print(f"without avoid {1e3 * gap(m, free.q, links, way):.1f} mm from the ball")
    assert gap(m, free.q, links, way) < -0.02
    for method in ("qp", "dls"):
        found = Solver(m, [tip], avoid=avoid, method=method).solve(through, search=ONE)
        near = gap(m, found.q, links, way)
        print(f"{method}: {found.status}, {1e3 * near:.3f} mm, {found.iterations} steps")
        assert found.success and near > 0.01 - 1e-6
        assert np.abs(m.frame_pose(found.q, "tip")[:3, 3] - target)[:2].max() < 1e-7


def test_more_targets_are_reached_from_one_start(monkeypatch: pytest.MonkeyPatch) -> None:
    m, links, way = seven_joints(), ["link_2", "link_4", "link_6"], np.array([0.0, 0.0, 0.35])
    avoid = watched(m, links, way, AROUND)
    rng = np.random.default_rng(0)
    q = m.random_configuration(rng, 600)
    clear = q[avoid.distances.distance(q).min(axis=-1) > 0.02][:200]
    hand = FrameTask("hand", m.frame_pose(clear, "hand"))
    solver = Solver(m, [hand], avoid=avoid)
    start = m.random_configuration(rng, len(clear))
    found = solver.solve(start, search=ONE)
    for place, own in zip(found.q[found.success], hand.target[found.success], strict=True):
        assert gap(m, place, links, way, AROUND) > 0.01 - 1e-6
        assert np.abs(m.frame_pose(place, "hand") - own).max() < 1e-6

    def as_found(self: Pose, tried: Tried, wanted: object) -> Tried:
        return tried

    monkeypatch.setattr(Pose, "_pushed", as_found)
    before = solver.solve(start, search=ONE)
    free = Solver(m, [hand]).solve(start, search=ONE)
    rates = [each.success.mean() for each in (free, before, found)]
    print("reached: {:.3f} without avoid, {:.3f} by chance, {:.3f} pushed".format(*rates))
    assert rates[2] > rates[1] + 0.02 and rates[0] >= rates[2]
    assert found.success[before.success].all()


def test_goals_push_too() -> None:
    """The elbow comes above a plane while the hand stays; targets are one a state."""
    m = seven_joints()
    q = m.random_configuration(3, (2, 5))
    hand = PositionTask("hand", m.frame_pose(q, "hand")[..., :3, 3])
    elbow = PlaneTask("link_3", np.array([0.0, 0.0, 0.45]), (0, 0, 1))
    found = Solver(m, [hand], within=[Within(elbow, lower=0.0)]).solve(q, search=ONE)
    height = m.frame_pose(found.q, "link_3")[..., 2, 3]
    print(found.status, height.round(3))
    assert (height[found.success] >= 0.45 - 1e-7).all()
    below = m.frame_pose(q, "link_3")[..., 2, 3] < 0.44
    assert (found.success & below).any()
    there = m.frame_pose(found.q, "hand")[..., :3, 3]
    assert np.abs(there - hand.target)[found.success].max() < 1e-7


def test_what_cannot_be_is_told() -> None:
    """A target in the ball itself: the pose that reaches it stays, and the status is limited."""
    m, links, way = planar_arm(), [f"link_{k}" for k in range(4)], np.array([0.4, 0.0, 0.0])
    tip = PositionTask("tip", BALL[0])
    found = Solver(m, [tip], avoid=watched(m, links, way)).solve(
        np.array([0.4, 0.8, -1.0, -0.4]), search=Search(starts=3)
    )
    assert found.status == "limited" and np.isfinite(found.q).all()


def test_tasks_of_some_states() -> None:
    m = seven_joints()
    q = m.random_configuration(5, (2, 3))
    rows = np.array([1, 4])
    at = m.frame_pose(q, "hand")[..., :3, 3]
    line = LineTask("hand", at + [0, 0, 0.1], (1, 1, 0)).bind(m)
    own = line.of_states((2, 3), rows)
    assert np.array_equal(own.error(q.reshape(-1, m.nq)[rows]), line.error(q).reshape(-1, 2)[rows])
    alone = LineTask("hand", (0, 0, 0), (1, 0, 0)).bind(m)
    assert np.array_equal(alone.of_states((2, 3), rows).target, alone.target)


def test_postures_of_some_states_have_their_targets() -> None:
    m = seven_joints()
    each = np.arange(42.0).reshape(2, 3, 7)
    rows = np.array([1, 4])
    own = ts.ik.PostureTask(each).bind(m).of_states((2, 3), rows)
    assert np.array_equal(own.target, each.reshape(6, 7)[rows])
    shared = ts.ik.PostureTask(each[0, 0]).bind(m).of_states((2, 3), rows)
    assert np.array_equal(shared.target, each[0, 0])


def test_what_is_kept_in_poses_are_places() -> None:
    """Neither speeds nor accelerations nor rates of approach: those are of motions."""
    m, q = seven_joints(), np.full((1, 7), 0.2)
    slow = ts.ik.Limits(velocity=dict.fromkeys(m.joint_names, 1e-3), acceleration=1e-3)
    places = ts.ik.Solver(m, [ts.ik.PostureTask()], limits=slow).constraints.of_places()
    low, high = places.reach(q)
    found = places.at(q, 1.0, None)
    assert found is not None
    assert np.array_equal(found.low, low)
    assert np.array_equal(found.high, high)
    assert high.min() > 0.1
