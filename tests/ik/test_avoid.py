"""What shall stay apart stays apart: pushes in null spaces, and limits of programmes."""

from __future__ import annotations

import numpy as np
import pytest
from ik_arms import planar_arm, seven_joints

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.geometry import Distances, SweptSphere, Volumes
from tarsus.ik import Avoid, PositionTask, PostureTask, Solver
from tarsus.ik.collision_avoidance import Repulsion, repulsion

START = np.array([1.2, -0.6, -0.8, -0.5])


def watched(model: ts.Model, activation: float = 0.15) -> Distances:
    """Return the distances of all links from a ball that stands still."""
    link = SweptSphere([[0.0, 0.0, 0.0], [0.4, 0.0, 0.0]], 0.04)
    ball = SweptSphere([[0.4, 0.7, 0.0]], 0.05)
    volumes = Volumes({**{f"link_{k}": [link] for k in range(4)}, "world": [ball]})
    pairs = [(f"link_{k}", "world") for k in range(4)]
    return Distances(model, volumes, pairs, activation=activation)


def test_the_push() -> None:
    """Schwienbacher 2013, (5.10) to (5.15), at numbers of which the formula is simple."""
    d = np.array([0.0, 0.025, 0.05, 0.075, 0.1, 0.2, np.inf])
    expected = [1.0, 2 / 3, 1 / 3, 1 / 12, 0.0, 0.0, 0.0]
    assert np.abs(repulsion(d, 0.1, 1.0, 0.5) - expected).max() < 1e-15
    h = 1e-7
    for side in (-1.0, 1.0):
        near = repulsion(np.array([0.05, 0.05 + side * h]), 0.1, 1.0, 0.5)
        assert abs((near[1] - near[0]) / (side * h) + 13.3333) < 1e-3
    inside = np.array([0.0, 0.03, 0.09])
    assert np.abs(repulsion(inside, 0.1, 1.0, 0.0) - (1.0 - inside / 0.1) ** 2).max() < 1e-15
    almost = repulsion(inside, 0.1, 1.0, 1.0 - 1e-9)
    assert np.abs(almost - (1.0 - inside / 0.1)).max() < 1e-8


def moved(solver: Solver, distances: Distances, *, dt: float = 1e-3) -> tuple[float, float, Array]:
    """Return the least distance and the largest error while the tip goes along its path."""
    model = solver.model
    tip = solver.tasks[0]
    assert isinstance(tip, PositionTask)
    start = model.frame_pose(START, "tip")[:3, 3]
    q, least, error = START, np.inf, 0.0
    everything = Distances(model, distances.volumes, distances.pairs, activation=np.inf)
    for t in np.arange(0.0, 4.0, dt):
        path = [-0.25 * np.sin(np.pi * t / 2), 0.10 * np.sin(np.pi * t), 0.0]
        speed = [-0.125 * np.pi * np.cos(np.pi * t / 2), 0.1 * np.pi * np.cos(np.pi * t), 0.0]
        tip.target, tip.target_velocity = start + path, np.array(speed)
        error = max(error, float(np.abs(tip.error(q)[:2]).max()))
        q = solver.step(q, dt).q
        least = min(least, float(everything.distance(q).min()))
    return least, error, q


def test_an_arm_goes_around_a_ball_in_its_null_space() -> None:
    model = planar_arm()
    distances = watched(model)

    def solver(avoid: Avoid | None) -> Solver:
        tip = PositionTask("tip", gain=20.0, weight=[1.0, 1.0, 0.0])
        return Solver(model, [tip], limits=False, avoid=avoid, method="rate")

    without = moved(solver(None), distances, dt=2e-3)
    along = moved(solver(Avoid(distances, strength=20.0, blend=0.5)), distances, dt=1e-3)
    print("without", without[:2], "with", along[:2])
    assert abs(without[0] + 0.079) < 0.003
    assert abs(along[0] - 0.023) < 0.003
    assert max(without[1], along[1]) < 2e-4


def test_pushes_go_down_the_cost() -> None:
    """The gradient of the cost leads closer: velocities, along minus the gradient, lead apart."""
    model = planar_arm()
    distances = watched(model, activation=0.5)
    gradient = Repulsion(Avoid(distances)).bind(model).gradient(START)
    before = distances.distance(START)
    after = distances.distance(model.integrate(START, -1e-4 * gradient))
    near = np.isfinite(before)
    push = repulsion(before[near], 0.5, 1.0, 0.5)
    assert push @ (after[near] - before[near]) > 0.0


def test_a_programme_keeps_the_margin_and_gives_way() -> None:
    model = planar_arm()
    distances = watched(model)
    tip = PositionTask("tip", gain=20.0, weight=[1.0, 1.0, 0.0])
    solver = Solver(model, [tip], limits=False, avoid=Avoid(distances, margin=0.02, rate=20.0))
    least, _, _ = moved(solver, distances, dt=4e-3)
    print("least distance", least)
    assert least > 0.02 - 2e-3  # second order of a step


BENT = np.array([0.3, -0.5, 0.4, 0.9, -0.2, 0.6, 0.1])


def towards_a_ball(shift: list[float], activation: float) -> tuple[Distances, Array]:
    """Return distances of the last link from a ball beside it, and where the hand is then."""
    model = seven_joints(limits=False)
    ball = SweptSphere([model.frame_pose(BENT, "link_6")[:3, 3] + shift], 0.03)
    volumes = Volumes({"link_6": [SweptSphere([[0.0, 0.0, 0.0]], 0.03)], "world": [ball]})
    goal = model.frame_pose(BENT, "hand")[:3, 3] + shift
    return Distances(model, volumes, activation=activation), goal


@pytest.mark.parametrize(
    ("rate", "dt"), [(10.0, 0.01), (100.0, 0.01), (150.0, 0.01), (1000.0, 0.01), (10.0, 0.2)]
)
def test_no_rate_leads_through_the_margin(rate: float, dt: float) -> None:
    distances, goal = towards_a_ball([0.0, 0.15, -0.1], 0.3)
    avoid = Avoid(distances, margin=0.02, rate=rate)
    solver = Solver(distances.model, [PositionTask("hand", goal)], avoid=avoid, limits=False)
    q, least = BENT, np.inf
    for _ in range(60):
        q = solver.step(q, dt).q
        least = min(least, float(distances.distance(q).min()))
    print("rate", rate, "dt", dt, "least distance", least)
    assert least > 0.02


def test_tasks_that_change_do_not_lead_through_the_margin() -> None:
    distances, goal = towards_a_ball([0.0, 0.25, -0.1], 0.5)
    avoid = Avoid(distances, margin=0.02, rate=50.0)
    go = PositionTask("hand", goal, gain=20.0, name="go")
    solver = Solver(distances.model, [go], avoid=avoid, limits=False, blend=0.1)
    q, least, last, jump = BENT, np.inf, np.zeros(7), 0.0
    for _ in range(80):
        if distances.distance(q).min() < 0.15 and go in solver.tasks:
            solver.remove(go)
            solver.add(PostureTask(q, level=0, gain=1.0))
            jump = -1.0
        step = solver.step(q, 0.01)
        if jump < 0.0:
            jump = float(np.abs(step.v - last).max())
        q, last = step.q, step.v
        least = min(least, float(distances.distance(q).min()))
    print("least distance", least, "jump", jump)
    assert least > 0.02 - 1e-4
    assert 0.0 <= jump < 1e-9  # and velocities go on as they were


def test_a_motion_that_starts_in_collision_comes_out() -> None:
    model = planar_arm()
    distances = watched(model)
    rng = np.random.default_rng(0)
    all_of_them = model.random_configuration(rng, 4000)
    inside = all_of_them[distances.distance(all_of_them).min(axis=-1) < -0.02][:20]
    assert len(inside) == 20
    posture = PostureTask(np.zeros(4), level=0, weight=1e-3)
    solver = Solver(model, [posture], limits=False, avoid=Avoid(distances, margin=0.01))
    q = inside
    for _ in range(150):
        step = solver.step(q, 0.01)
        assert np.isfinite(step.v).all()
        q = step.q
    left = distances.distance(q).min(axis=-1)
    print("before", distances.distance(inside).min(), "after", left.min())
    assert (left > 0.0).all()


def test_wrong_statements_are_named() -> None:
    model = planar_arm()
    distances = watched(model)

    def pushed(apart: Distances) -> Solver:
        return Solver(model, [], avoid=apart, method="rate")

    assert Solver(model, [], avoid=watched(model, np.inf)).avoid is not None
    for message, call in (
        ("margin is 1.0", lambda: Avoid(distances, margin=1.0)),
        ("blend is 1.0", lambda: Avoid(distances, blend=1.0)),
        ("rate is 0", lambda: Avoid(distances, rate=0.0)),
        ("distances is of type int", lambda: Avoid(3)),  # type: ignore[arg-type]
        ("activation of the distances is inf", lambda: pushed(watched(model, np.inf))),
        ("avoid is 3", lambda: Solver(model, [], avoid=3)),  # type: ignore[arg-type]
        ("not of 'planar arm'", lambda: Solver(planar_arm(3), [], avoid=distances)),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            call()  # type: ignore[no-untyped-call]


def test_poses_that_are_too_near_do_not_count() -> None:
    """The start leads to its own tip through the ball; other poses lead there around it."""
    model = planar_arm()
    distances = watched(model)
    start = np.array([1.0517, 0.0, 1.2, 1.2])  # the second link ends in the ball
    tip = PositionTask("tip", model.frame_pose(start, "tip")[:3, 3])
    through = Solver(model, [tip]).solve(start)
    around = Solver(model, [tip], avoid=Avoid(distances, margin=0.02)).solve(start)
    print("through", distances.distance(through.q).min(), "around", distances.distance(around.q))
    assert through.success
    assert distances.distance(through.q).min() < 0.0
    assert around.success
    assert around.starts == 1  # pushed out of the ball
    assert distances.distance(around.q).min() >= 0.02 - 1e-8

    tip.target = [0.4, 0.7, 0.0]  # within the ball
    alone = Solver(model, [tip]).solve(start)
    inside = Solver(model, [tip], avoid=distances).solve(start)
    assert np.array_equal(inside.q, alone.q)
    assert inside.error < 1e-8
    assert inside.status == "limited"
    assert "distances" in inside.reason

    solver = Solver(model, [tip], avoid=distances)
    starts = np.random.default_rng(0).normal(size=(9, 4))
    tip.target = [0.4, 0.9, 0.0]
    many = solver.solve(starts)
    for k, each in enumerate(starts):
        assert np.array_equal(solver.solve(each).q, many.q[k])
    assert many.success.all()
