"""Rows and searches of the core, beside the tasks in NumPy; how often poses of arms are found."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from cluster_cases import case
from ik_arms import seven_joints
from machines import FLAVOURS
from task_cases import distance

import tarsus as ts
from tarsus.arrays import Array
from tarsus.ik import FrameTask, OrientationTask, PositionTask, PostureTask, Search
from tarsus.ik.core_tasks import CoreTasks, known
from tarsus.robots.random import random_rotation
from tarsus.spatial import pose


def some_tasks(model: ts.Model, rng: np.random.Generator, states: int) -> list[ts.ik.Task]:
    frames = [str(name) for name in rng.permutation(model.frame_names)][:3]
    turns = np.stack([random_rotation(rng) for _ in range(states)])
    plain = [
        view.name
        for view in model.joints
        if view.own_velocities and (model.rate_index[view.q_slice] >= 0).all()
    ]
    found: list[ts.ik.Task] = [
        FrameTask(frames[0], pose(rng.normal(size=(states, 3)), turns)),
        PositionTask(frames[1], rng.normal(size=3)),
        OrientationTask(frames[2], turns),
    ]
    if plain:
        found.append(PostureTask(model.random_configuration(rng), joints=plain[:4]))
    return [task.bind(model) for task in found]


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
        error, jacobian = core.core.evaluate(q, targets)
        expected = np.concatenate([task.error(q) for task in tasks], axis=-1)
        rows = [np.broadcast_to(task.jacobian(q), (5, task.size, model.nv)) for task in tasks]
        turned = np.abs(np.linalg.norm(expected[:, 3:6], axis=-1) - np.pi) > 1e-3
        worst = max(worst, distance(error[turned], expected[turned]))
        worst = max(worst, distance(jacobian[turned], np.concatenate(rows, axis=-2)[turned]))
        looked += 1
        one, row = core.core.evaluate(q[2:3], targets[2:3])
        assert np.array_equal(one[0], error[2])  # one state and a lane: the same bits
        assert np.array_equal(row[0], jacobian[2])
    print(flavour, looked, f"{worst:.1e}")
    assert worst < 1e-11
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
    seen = ts.ik.Solver(model, [FrameTask("panda_link8", there, relative_to="panda_link0")])
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
        beside = solver._step(q, 0.02)
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
