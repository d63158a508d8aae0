"""Goals of planes and lines, and goals that are inequalities."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from ik_arms import seven_joints

import tarsus as ts
from tarsus.ik import LineTask, PlaneTask, PositionTask, PostureTask, Solver, Within
from tarsus.spatial import rotation_from_vector


def test_errors_are_distances() -> None:
    """Of a point from a plane along its normal, and from a line by the angle to it."""
    m, rng = seven_joints(), np.random.default_rng(1)
    q = m.random_configuration(rng, 20)
    place, direction = rng.normal(size=(2, 3))
    at = m.frame_pose(q, "hand")[:, :3, 3]
    plane = PlaneTask("hand", place, direction).bind(m)
    length = np.linalg.norm(direction)
    assert np.abs(plane.error(q)[:, 0] - (at - place) @ direction / length).max() < 1e-14
    line = LineTask("hand", place, direction).bind(m)
    area = np.linalg.norm(np.cross(at - place, direction), axis=1)
    assert np.abs(np.linalg.norm(line.error(q), axis=1) - area / length).max() < 1e-14


def test_poses_on_a_plane_and_on_a_line() -> None:
    m = seven_joints()
    q = m.random_configuration(2, 10)
    place = m.frame_pose(m.random_configuration(3), "hand")[:3, 3]
    for task in (PlaneTask("hand", place, (1, 2, 3)), LineTask("hand", place, (1, -2, 0.5))):
        found = Solver(m, [task]).solve(q)
        away = m.frame_pose(found.q, "hand")[:, :3, 3] - place
        print(type(task).__name__, found.status)
        assert found.success.all()
        if isinstance(task, PlaneTask):
            assert np.abs(away @ (1, 2, 3)).max() < 1e-7
        else:
            assert np.abs(np.cross(away, (1, -2, 0.5))).max() < 1e-7


def test_what_moving_planes_ask_for() -> None:
    """With J v = feedforward the error stays while the plane or line moves."""
    m, rng = seven_joints(), np.random.default_rng(4)
    q, v = m.random_configuration(rng), rng.normal(size=m.nv)
    place, direction, speed = rng.normal(size=(3, 3))
    for kind in (PlaneTask, LineTask):
        task = kind("hand", place, direction).bind(m)
        task.target_velocity = speed
        found = task.jacobian(q) @ v - task.feedforward(q)
        h = 1e-6
        ends = []
        for time in (-h, h):
            task.target = np.stack([place + time * speed, direction])
            ends.append(task.error(m.integrate(q, time * v)))
        assert np.abs((ends[1] - ends[0]) / (2 * h) - found).max() < 1e-8


def test_a_half_space_holds_while_a_hand_is_led_through_it() -> None:
    m = seven_joints()
    q = np.array([0.1, 0.5, -0.2, -1.2, 0.3, 0.8, 0.1])[: m.nq]
    at = m.frame_pose(q, "hand")[:3, 3]
    wall = at + [0.0, 0.0, 0.02]
    hand = PositionTask("hand", at + [0.05, 0.0, 0.10], gain=5.0)
    keep = Within(PlaneTask("hand", wall, (0, 0, -1)), lower=0.0)
    solver = Solver(m, [hand, PostureTask(q)], within=[keep])
    heights = []
    for _ in range(400):
        q = solver.step(q, 0.01).q
        heights.append(m.frame_pose(q, "hand")[2, 3] - wall[2])
    there = m.frame_pose(q, "hand")[:3, 3]
    print(f"highest {max(heights):.1e} m over the wall, ends at {there - at}")
    assert max(heights) < 1e-4 and abs(heights[-1]) < 1e-6
    # along the wall the hand gets where it shall
    assert abs(there[0] - at[0] - 0.05) < 1e-6 and abs(there[1] - at[1]) < 1e-6


def test_what_is_beyond_comes_back() -> None:
    m = seven_joints()
    q = m.random_configuration(5)
    at = m.frame_pose(q, "hand")[:3, 3]
    keep = Within(LineTask("hand", at + [0.1, 0.0, 0.0], (0, 1, 0)), -0.01, 0.01).bind(m)
    solver = Solver(m, [PostureTask(q)], within=[keep], limits=False)
    assert keep.beyond(q) > 0.05
    for _ in range(200):
        q = solver.step(q, 0.02).q
    assert keep.beyond(q) < 1e-6


def test_steps_are_those_of_scipy() -> None:
    """One step with rows of a plane, against a programme of another solver."""
    m, rng = seven_joints(), np.random.default_rng(6)
    active = 0
    for _ in range(10):
        q = m.random_configuration(rng)
        at = m.frame_pose(q, "hand")[:3, 3]
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        goal = at + 0.1 * rng.normal(size=3)
        hand = PositionTask("hand", goal, gain=1.0)
        keep = Within(PlaneTask("hand", at - 0.01 * normal, normal), lower=0.0, rate=2.0)
        v = Solver(m, [hand], within=[keep], limits=False, regularisation=1e-3).step(q, 0.01).v
        jacobian = m.frame_jacobian(q, "hand", "local_world_aligned")[:3]

        def cost(x: np.ndarray, j: np.ndarray = jacobian, way: np.ndarray = goal - at) -> float:
            return float(((j @ x - way) ** 2).sum() + 1e-3 * x @ x)

        row = normal @ jacobian
        found = scipy.optimize.minimize(
            cost,
            np.zeros(m.nv),
            method="SLSQP",
            constraints={"type": "ineq", "fun": lambda x, row=row: row @ x + 0.02},
            options={"ftol": 1e-15, "maxiter": 500},
        )
        active += abs(row @ v + 0.02) < 1e-9
        assert row @ v >= -0.02 - 1e-9
        assert cost(v) <= found.fun + 1e-9
    print(f"the row is active in {active} of 10")
    assert 0 < active < 10


def test_solve_counts_what_is_within() -> None:
    """Poses that reach a target behind a wall do not count; those before it do."""
    m = seven_joints()
    q = m.random_configuration(7)
    at = m.frame_pose(q, "hand")[:3, 3]
    for height, status in ((-0.01, "solved"), (0.01, "limited")):
        wall = PlaneTask("hand", at + [0.0, 0.0, height], (0, 0, 1))
        found = Solver(m, [PositionTask("hand", at)], within=[Within(wall, lower=0.0)]).solve()
        assert found.status == status


def test_batches_and_what_is_wrong() -> None:
    m = seven_joints()
    q = m.random_configuration(8, (2, 3))
    turned = rotation_from_vector(np.array([0.1, 0.2, 0.3]))
    keep = Within(PlaneTask("hand", (0, 0, 0.3), turned[2]), lower=0.0)
    hand = PositionTask("hand", (0.3, 0.1, 0.2))
    many = Solver(m, [hand], within=[keep]).step(q, 0.01)
    for i in np.ndindex(2, 3):
        alone = Solver(m, [hand], within=[keep]).step(q[i], 0.01)
        assert np.array_equal(alone.v, many.v[i])
    keep.task.target = np.full((2, 3), np.nan)  # type: ignore[attr-defined]
    lost = Solver(m, [hand], within=[keep]).step(q, 0.01)
    assert set(lost.status.flat) == {"not finite"} and not lost.v.any()
    with pytest.raises(ValueError, match="direction"):
        PlaneTask("hand", (0, 0, 0), (0, 0, 0))
    with pytest.raises(ValueError, match="needs method='qp'"):
        Solver(m, [hand], within=[keep], method="dls")
    with pytest.raises(TypeError, match="within"):
        Solver(m, [hand], within=keep)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="above upper"):
        Solver(m, [hand], within=[Within(PlaneTask("hand", (0, 0, 0), (0, 0, 1)), 1.0, 0.0)])
    with pytest.raises(ValueError, match="lower"):
        Solver(m, [hand], within=[Within(PlaneTask("hand", (0, 0, 0), (0, 0, 1)), [0.0, 1.0])])
    with pytest.raises(ValueError, match="no error"):
        Within(ts.ik.AngularMomentumTask(), 0.0)
