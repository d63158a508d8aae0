"""Rows and searches of the core, beside the tasks in NumPy; how often poses of arms are found."""

from __future__ import annotations

import pickle
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from cluster_cases import case
from ik_arms import seven_joints
from machines import FLAVOURS
from numpy_steps import numpy_step
from task_cases import distance, every_task

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.geometry import Distances, SweptSphere, Volumes
from tarsus.ik import (
    AngularMomentumTask,
    Avoid,
    Comfort,
    ComTask,
    CouplingTask,
    FrameTask,
    Limits,
    PositionTask,
    PostureTask,
    Search,
)
from tarsus.ik.core_tasks import CoreTasks, known
from tarsus.ik.tasks.task import AimedTask
from tarsus.robots.trees import random_rotation
from tarsus.spatial import pose


def some_tasks(model: ts.Model, rng: np.random.Generator, states: int) -> list[ts.ik.Task]:
    """Return every kind that the core knows, some with targets that move, one for each state."""
    plain = [
        view.name
        for view in model.joints
        if view.own_velocities and (model.rate_index[view.q_slice] >= 0).all()
    ]
    posture = PostureTask(model.random_configuration(rng), joints=plain[:4]) if plain else None
    singles = any((joint.nq, joint.nv) == (1, 1) for joint in model.joints)
    found: list[ts.ik.Task] = []
    for task in every_task(model, rng):
        if isinstance(task, PostureTask) or not known(model, [task]):
            continue
        if isinstance(task, CouplingTask) and not singles:
            continue
        if isinstance(task, AimedTask) and rng.random() < 0.5:
            task.target_velocity = rng.normal(size=(states, task.velocity_size))
        found.append(task)
    turns = np.stack([random_rotation(rng) for _ in range(states)])
    each = FrameTask(model.frame_names[-1], pose(rng.normal(size=(states, 3)), turns))
    return [task.bind(model) for task in (*found, each, posture) if task is not None]


def broad(values: Array, states: int, own: int) -> Array:
    return np.broadcast_to(values, (states, *values.shape[values.ndim - own :]))


@pytest.mark.parametrize("flavour", ["trees", *FLAVOURS])
def test_rows_are_those_of_the_tasks(flavour: str) -> None:
    worst, looked = 0.0, 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        tree = flavour == "trees"
        model = ts.robots.random_mechanism(rng, 18) if tree else case(flavour, seed).model
        tasks = some_tasks(model, rng, 5)
        if not known(model, tasks):
            assert model.constraints or "function" in str(model.clusters)
            continue
        q = model.random_configuration(rng, 5)
        core = CoreTasks(model, tasks)
        targets = core.targets((5,))
        assert targets is not None
        error, feedforward, jacobian = core.core.evaluate(q, targets)
        row = 0
        for task in tasks:
            own = slice(row, row := row + task.size)
            expected = broad(task.error(q), 5, 1)
            # at half a turn two errors are right
            length = np.linalg.norm(expected[:, -3:], axis=-1)
            sure = np.abs(length - np.pi) > 1e-3
            apart = (
                distance(error[sure, own], expected[sure]),
                distance(feedforward[sure, own], broad(task.feedforward(q), 5, 1)[sure]),
                distance(jacobian[sure, own], broad(task.jacobian(q), 5, 2)[sure]),
            )
            assert max(apart) < 1e-11, f"{task!r}: {apart}"
            worst = max(worst, *apart)
        looked += 1
        assert row == error.shape[-1]
        alone = core.core.evaluate(q[2:3], targets[2:3])
        for one, many in zip(alone, (error, feedforward, jacobian), strict=True):
            assert np.array_equal(one[0], many[2])  # one state and a lane: the same bits
    print(flavour, looked, f"{worst:.1e}")
    assert looked or flavour in ("constraints", "everything")


def robot(name: str) -> ts.Model:
    files = [file for file in metadata.files("example-robot-data") or () if file.name == name]
    return ts.load(Path(str(files[0].locate())), base="fixed")


@pytest.mark.parametrize(
    ("name", "frame"), [("panda.urdf", "panda_link8"), ("xarm7.urdf", "link7")]
)
def test_poses_of_arms_with_seven_joints(name: str, frame: str) -> None:
    model, count = robot(name), 4000
    there = model.frame_pose(model.random_configuration(1, count), frame)
    solver = ts.ik.Solver(model, [FrameTask(frame, there)])
    start = np.tile(ts.ik.middle(model), (count, 1))
    once = solver.solve(start, search=Search(starts=1))
    often = solver.solve(start, search=Search(starts=40))
    shares = np.mean(once.success), np.mean(often.success)
    print(name, shares, once.iterations.mean(), often.starts.max())
    assert shares[0] >= 0.9
    assert shares[1] >= 0.999
    found = np.asarray(often.success)
    apart = model.frame_pose(often.q[found], frame) - there[found]
    assert np.abs(apart).max() < 3e-8  # tolerance 1e-8, turns over a unit length
    assert (often.q >= model.lower).all()
    assert (often.q <= model.upper).all()


def test_searches_do_not_depend_on_neighbours_or_threads() -> None:
    model = robot("panda.urdf")
    there = model.frame_pose(model.random_configuration(2, 37), "panda_link8")
    start = np.tile(ts.ik.middle(model), (37, 1))

    def found(states: slice, threads: int) -> tuple[Array, Array]:
        task = FrameTask("panda_link8", there[states])
        solution = ts.ik.Solver(model, [task], threads=threads).solve(
            start[states], search=Search(starts=20)
        )
        return solution.q, solution.iterations

    whole, steps = found(slice(None), 1)
    several, same = found(slice(None), 3)
    assert np.array_equal(whole, several)
    assert np.array_equal(steps, same)
    part, _ = found(slice(20, 23), 1)
    assert np.array_equal(whole[20:23], part)


def test_the_core_and_numpy_take_the_same_steps() -> None:
    model = robot("panda.urdf")
    there = model.frame_pose(model.random_configuration(3, 40), "panda_link8")
    start = np.tile(ts.ik.middle(model), (40, 1))
    core = ts.ik.Solver(model, [FrameTask("panda_link8", there)])

    class Own(FrameTask):
        """A task that the core does not know."""

    seen = ts.ik.Solver(model, [Own("panda_link8", there)])
    for method in ("lm", "newton"):
        search = Search(starts=1, method=method)  # type: ignore[arg-type]
        one, two = core.solve(start, search=search), seen.solve(start, search=search)
        both = np.asarray(one.success) & np.asarray(two.success)
        assert both.sum() > (30 if method == "lm" else 10)
        assert (one.iterations == two.iterations)[both].mean() > 0.9
        close = np.abs(one.q - two.q)[both].max(axis=-1) < 1e-5
        assert close.mean() > 0.9


def test_steps_of_the_core_are_those_of_numpy() -> None:
    model = seven_joints()
    rng = np.random.default_rng(4)
    q = model.random_configuration(rng, 6) * 0.8
    there = model.frame_pose(q + 0.1 * rng.normal(size=q.shape), "hand")
    for level, gain in ((0, 5.0), (1, None)):
        tasks = [FrameTask("hand", there), PostureTask(weight=1e-2, level=level, gain=gain)]
        solver = ts.ik.Solver(model, tasks)
        found = solver.step(q, 0.02)
        assert solver._in_core
        beside = numpy_step(solver, q, 0.02)
        assert np.abs(found.v - beside.v).max() < 1e-8
        assert np.abs(found.q - beside.q).max() < 1e-10
        assert np.array_equal(found.code, beside.code)
        for name, missing in beside.missing.items():
            assert np.abs(found.missing[name] - missing).max() < 1e-7
        one = ts.ik.Solver(model, [FrameTask("hand", there[2]), tasks[1]]).step(q[2], 0.02)
        assert np.abs(one.v - found.v[2]).max() < 1e-12
    # one state with several targets has several answers; a target that moves is followed
    assert ts.ik.Solver(model, [FrameTask("hand", there)]).step(q[0], 0.02).v.shape == (6, 7)
    task = FrameTask("hand", model.frame_pose(q[0], "hand"))
    solver = ts.ik.Solver(model, [task], limits=False)
    assert np.abs(solver.step(q[0], 0.02).v).max() < 1e-9
    task.target_velocity = np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
    moving = model.frame_velocity(q[0], solver.step(q[0], 0.02).v, "hand", "local_world_aligned")
    assert np.abs(moving - task.target_velocity).max() < 1e-4


def crowded(model: ts.Model, size: float) -> Distances:
    """Return distances of all links of a machine from each other, and from two things beside."""
    link = SweptSphere([[0.0, 0.0, 0.0], [0.0, 0.0, size]], 0.25 * size)
    things = [SweptSphere([[0.3, 0.2, 0.5]], 0.1), SweptSphere([[-0.3, 0.0, 0.2]], 0.1)]
    links = {body: [link] for body in model.body_names}
    return Distances(model, Volumes({**links, "world": things}), activation=1.5 * size)


@pytest.mark.parametrize("name", ["arm", "lola", "gears"])
def test_limits_of_the_core_are_those_of_numpy(name: str) -> None:
    """Distances, accelerations, followers, wishes: step by step, and the same bits in a batch."""
    rng = np.random.default_rng(7)
    model = {"arm": seven_joints, "lola": lambda: ts.robots.lola(2)}.get(
        name, lambda: case("gears", 3).model
    )()
    singles = [view.name for view in model.joints if view.nv == 1 and view.own_velocities]
    start = np.asarray(model.integrate(model.neutral(), 0.2 * rng.normal(size=(3, model.nv))))
    goal = np.asarray(model.integrate(start, 0.3 * rng.normal(size=(3, model.nv))))
    near = crowded(model, 0.2 if name == "arm" else 0.03)
    tip = model.frame_names[-1]
    place = model.frame_pose(goal, tip)[..., :3, 3]

    def solver(k: int | None = None) -> ts.ik.Solver:
        tasks = [
            PositionTask(tip, place if k is None else place[k], gain=5.0),
            ComTask(weight=0.1, gain=2.0),
            AngularMomentumTask(weight=1e-2, level=1),
            PostureTask(joints=singles, weight=1e-2, gain=1.0, level=1),
        ]
        return ts.ik.Solver(
            model,
            tasks,
            limits=Limits(acceleration=dict.fromkeys(singles[:3], 5.0)),
            avoid=Avoid(near, margin=0.005, rate=5.0),
            costs=[Comfort(comfort=0.5)],
            regularisation=1e-4,
        )

    many, single, beside = solver(), [solver(k) for k in range(3)], solver()
    q, held, worst = start, 0, 0.0
    for _ in range(25):
        expected = numpy_step(beside, q, 0.02)
        found = many.step(q, 0.02)
        assert many._in_core
        assert np.array_equal(expected.code, found.code)
        worst = max(worst, float(np.abs(found.v - expected.v).max()))
        for k, one in enumerate(single):
            assert np.array_equal(one.step(q[k], 0.02).v, found.v[k])
        held += int(np.isfinite(near.distance(q)).sum())
        beside._last = found.v
        q = found.q
    print(model.name, held, f"{worst:.1e}")
    assert worst < 1e-6  # eps · weight/damping, twice: levels keep what those before reached
    assert held > 10


def test_steps_of_large_batches_are_those_of_single_states() -> None:
    model = seven_joints()
    rng = np.random.default_rng(5)
    q = model.random_configuration(rng, 600) * 0.8
    there = model.frame_pose(q + 0.1 * rng.normal(size=q.shape), "hand")
    many = ts.ik.Solver(model, [FrameTask("hand", there)]).step(q, 0.02)
    for k in (0, 255, 256, 599):
        one = ts.ik.Solver(model, [FrameTask("hand", there[k])]).step(q[k], 0.02)
        assert np.array_equal(one.v, many.v[k])  # the same bits
        assert np.array_equal(one.q, many.q[k])


def test_motions_of_batches_are_those_of_single_states() -> None:
    """Step after step, with joints at their limits and a posture behind: the same bits."""
    model = seven_joints()
    rng = np.random.default_rng(6)
    q = model.random_configuration(rng, 3) * 0.8
    there = model.frame_pose(q + 0.8 * rng.normal(size=q.shape), "hand")

    def solver(target: Array) -> ts.ik.Solver:
        return ts.ik.Solver(model, [FrameTask("hand", target), PostureTask(level=1)])

    many, single, place = solver(there), [solver(each) for each in there], q.copy()
    bounded = 0
    for _ in range(60):
        step = many.step(place, 0.02)
        for k, one in enumerate(single):
            alone = one.step(place[k], 0.02)
            assert np.array_equal(alone.v, step.v[k])
        bounded += int((step.code != 0).sum())
        place = step.q
    assert bounded > 5


def test_errors_of_the_core_are_not_hidden() -> None:
    """What is not finite is told state by state; all else goes to the user."""
    model = seven_joints()
    solver = ts.ik.Solver(model, [FrameTask("hand")])
    solver.step(np.zeros(7), 0.01)
    assert solver.step(np.full(7, np.nan), 0.01).status == "not finite"
    steps = solver._in_core
    assert steps

    class Broken:
        def step(self, *_: object) -> None:
            raise ValueError("the core does not like this")

    steps._stepper = Broken()  # type: ignore[assignment]
    with pytest.raises(ValueError, match="does not like"):
        solver.step(np.zeros(7), 0.01)


def test_periods_that_change_keep_what_the_core_was_told() -> None:
    """A stepper does not know dt; gains are looked at for each."""
    solver = ts.ik.Solver(seven_joints(), [FrameTask("hand", gain=50.0)])
    solver.step(np.zeros(7), 0.01)
    steps = solver._in_core
    assert steps
    before = steps._stepper
    solver.step(np.zeros(7), 0.02)
    assert steps._stepper is before
    for _ in range(2):
        with pytest.raises(ValueError, match="gain of task 'hand'"):
            solver.step(np.zeros(7), 0.05)
    solver["hand"].gain = 10.0
    solver.step(np.zeros(7), 0.05)
    assert steps._stepper is not before


@pytest.mark.parametrize("name", ["iterations", "starts"])
def test_counts_that_the_core_cannot_hold_are_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is 2147483648, must be at most 2147483647"):
        Search(**{name: 2**31})  # type: ignore[arg-type]


def test_rows_without_weight_bind_no_later_level() -> None:
    """A task that is switched off leaves all it had to those after it."""
    found = ts.ik.solve_qp([[1, 0, 0], [1, 1, 0]], [5, 1], weight=[0, 1], levels=[1, 1])
    assert np.abs(found.v - [0.5, 0.5, 0.0]).max() < 1e-5
    model, q = seven_joints(), np.full(7, 0.3)
    first = PositionTask("hand", [9.0, 9.0, 9.0], weight=0.0)
    there = model.frame_pose(q, "hand")[:3, 3] + [0.01, 0.02, -0.01]
    second = PositionTask("hand", there, level=1, name="second")
    solver = ts.ik.Solver(model, [first, second])
    step, beside = solver.step(q, 0.1), numpy_step(ts.ik.Solver(model, [first, second]), q, 0.1)
    assert solver._in_core
    for each in (step, beside):
        assert np.abs(each.missing["second"]).max() < 1e-4
        assert not each.missing["hand position"].any()


def test_rows_that_are_rounding_bind_no_later_level() -> None:
    """A hand that turns back what its arm turns has no row of its own, whatever its digits are."""
    row = np.array([[-5e-17, 1e-16, 1e-16], [1.0, 0.0, 0.0]])
    found = ts.ik.solve_qp(row, [0.3, -0.4], levels=[1, 1])
    assert abs(found.v[0] + 0.4) < 1e-5


def test_states_that_are_not_finite_change_no_others() -> None:
    model, rng = seven_joints(), np.random.default_rng(8)
    q = model.random_configuration(rng, 5) * 0.5
    there = model.frame_pose(q + 0.1, "hand")
    costs = [Comfort(), ts.ik.Manipulability("hand")]
    clean = ts.ik.Solver(model, [FrameTask("hand", there)], costs=costs).step(q, 1.0)
    q[1, 2], there[3, 0, 3] = np.nan, np.inf
    found = ts.ik.Solver(model, [FrameTask("hand", there)], costs=costs).step(q, 1.0)
    assert found.status.tolist() == ["solved", "not finite", "solved", "not finite", "solved"]
    assert np.array_equal(found.v[[0, 2, 4]], clean.v[[0, 2, 4]])
    assert not found.v[[1, 3]].any()
    assert np.array_equal(found.q[1], q[1], equal_nan=True)


def test_nothing_to_keep_apart_and_no_places() -> None:
    model = seven_joints()
    alone = Distances(model, Volumes({"link_0": [SweptSphere([[0.0, 0.0, 0.0]], 0.1)]}), [])
    step = ts.ik.Solver(model, [PostureTask()], avoid=alone).step(np.full(7, 0.1), 1.0)
    assert step.success


def test_distances_of_an_equal_model_are_those_of_the_solver() -> None:
    model, other = seven_joints(), seven_joints()
    near = crowded(other, 0.2)
    q = np.full(7, 0.2)
    found = ts.ik.Solver(model, [FrameTask("hand")], avoid=near).step(q, 0.01)
    own = ts.ik.Solver(model, [FrameTask("hand")], avoid=crowded(model, 0.2)).step(q, 0.01)
    assert np.array_equal(found.v, own.v)


def test_levels_that_change_stay_in_the_core() -> None:
    model, q = seven_joints(), np.full(7, 0.2)
    solver = ts.ik.Solver(model, [FrameTask("hand"), PostureTask(level=1, weight=0.1)], blend=0.0)
    solver.step(q, 0.01)
    solver["hand"].level, solver["posture"].level = 2, 0
    found, beside = solver.step(q, 0.01), numpy_step(solver, q, 0.01)
    assert solver._in_core
    assert [task.name for task in solver._in_core.tasks] == ["posture", "hand"]
    assert np.abs(found.v - beside.v).max() < 1e-6


def test_solvers_are_copied_and_keep_to_themselves() -> None:
    model, q = seven_joints(), np.full(7, 0.2)
    limits = Limits(acceleration=1.0)
    solver = ts.ik.Solver(model, [FrameTask("hand", np.eye(4))], limits=limits)
    first = solver.step(q, 0.01)
    again = pickle.loads(pickle.dumps(solver))
    first.v[:] = 0.0  # the user's own
    assert np.array_equal(solver.step(first.q, 0.01).v, again.step(first.q, 0.01).v)


def test_loops_that_cannot_follow_tell_what_the_shorter_step_misses() -> None:
    shortened = 0
    for seed in range(8):
        model = case("loops", seed).model
        q = model.random_configuration(np.random.default_rng(seed))
        task = PositionTask(model.frame_names[-1], np.array([5.0, 5.0, 5.0]))
        solver = ts.ik.Solver(model, [task], limits=False)
        step = solver.step(q, 0.5)
        rate = task.feedforward(q) - task.error(q) / 0.5
        assert np.abs(step.missing[task.name] - (task.jacobian(q) @ step.v - rate)).max() < 1e-6
        assert solver._in_core is not None
        whole = solver._in_core.step(q, 0.5, None, None)
        assert whole is not None
        shortened += np.abs(step.v).max() < np.abs(whole[1]).max()
    assert shortened > 0
