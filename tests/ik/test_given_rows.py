"""Rows that the core is given, of users' tasks, loops and inequalities, beside steps in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from cluster_cases import case
from ik_arms import seven_joints
from machines import FLAVOURS
from numpy_steps import numpy_step
from task_cases import every_task

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.ik import (
    ComTask,
    CustomTask,
    FrameTask,
    LineTask,
    MomentumTracking,
    PlaneTask,
    PositionTask,
    PostureTask,
    Solver,
    Within,
)
from tarsus.ik.core_tasks import CoreTasks, evaluated
from tarsus.ik.results import WORDS


class OwnFrame(FrameTask):
    """A user's task, whose rows the core does not evaluate."""


class OwnPosture(PostureTask):
    """A user's posture, which is no diagonal task of the core."""


def apart(found: Array, expected: Array) -> float:
    """Return the largest difference, by the largest number if that is above 1."""
    assert found.shape == expected.shape
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return float(np.abs(found - expected).max(initial=0.0)) / size


def compared(solver: Solver, beside: Solver, q: Array, steps: int, dt: float = 0.02) -> float:
    """Return how far steps are from those in NumPy at most; what they tell must be the same."""
    worst = 0.0
    for _ in range(steps):
        expected, found = numpy_step(beside, q, dt), solver.step(q, dt)
        told = [WORDS[k] for k in np.unique(np.asarray(expected.code))]
        assert np.array_equal(expected.code, found.code), told
        worst = max(worst, apart(found.v, expected.v), apart(found.q, expected.q))
        for name, missing in expected.missing.items():
            assert apart(found.missing[name], missing) < 1e-5
        beside._last = found.v.copy()
        q = found.q
    return worst


@pytest.mark.parametrize("flavour", ["trees", *FLAVOURS])
def test_steps_of_any_task_are_those_of_numpy(flavour: str) -> None:
    """Couplings by functions, loops as constraints, tasks of users, goals that are inequalities."""
    given = loops = functions = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        tree = flavour == "trees"
        model = ts.robots.random_mechanism(rng, 12) if tree else case(flavour, seed).model
        q = model.random_configuration(rng, 4)
        every = every_task(model, rng)
        if flavour in ("loops", "everything"):  # loops cannot follow its differences everywhere
            every = [task for task in every if not isinstance(task, CustomTask)]
        chosen = rng.permutation(np.array(every, object))[:5]
        tasks = [task for task in chosen.tolist() if isinstance(task, ts.ik.Task)]
        for task in tasks:
            task.weight, task.gain, task.level = rng.uniform(0.1, 2.0), 2.0, int(rng.integers(2))
        keep = PlaneTask(model.frame_names[-1], rng.normal(size=3), rng.normal(size=3), name="half")
        error = keep.bind(model).error(q)

        one, beside, alone, again = (
            Solver(
                model,
                tasks,
                within=[Within(keep, lower=float(error.min()) - 0.01)],
                regularisation=1e-3,
                calm=0.1,
                blend=0.0,
            )
            for _ in range(4)
        )
        worst = compared(one, beside, q, 3)
        print(flavour, seed, f"{worst:.1e}")
        assert worst < 1e-6
        assert np.abs(alone.step(q[1], 0.02).v - again.step(q, 0.02).v[1]).max() < 1e-9
        given += sum(not evaluated(task) for task in tasks)
        loops += len(one.loops)
        functions += any(cluster.closure.count("function") for cluster in model.clusters)
    assert given > 0 or flavour in ("loops", "everything")
    assert loops > 0 or flavour not in ("constraints", "everything")
    assert functions > 0 or flavour != "forms"


def robots() -> dict[str, Callable[[], tuple[ts.Model, Array]]]:
    """Return robots that stand, and Lola with its loops, each with a configuration."""

    def panda() -> tuple[ts.Model, Array]:
        pytest.importorskip("pinocchio")
        from whole_bodies import file_of

        model = ts.load(file_of("panda_description/urdf/panda.urdf"), base="fixed")
        return model, ts.ik.middle(model)

    def standing(name: str) -> tuple[ts.Model, Array]:
        pytest.importorskip("pinocchio")
        import whole_bodies

        body = getattr(whole_bodies, name)()
        return body.model, body.q

    def lola() -> tuple[ts.Model, Array]:
        model = ts.robots.lola(2)
        return model, model.neutral()

    return {
        "panda": panda,
        "talos": lambda: standing("talos"),
        "g1": lambda: standing("g1"),
        "cassie": lambda: standing("cassie"),
        "lola": lola,
    }


@pytest.mark.parametrize("name", list(robots()))
@pytest.mark.parametrize("own", [False, True])
def test_steps_of_robots_are_those_of_numpy(name: str, own: bool) -> None:
    """A frame, a line, the centre of mass and a posture, as tasks of the core and of users."""
    model, stance = robots()[name]()
    rng = np.random.default_rng(1)
    q = model.integrate(np.tile(stance, (6, 1)), 0.02 * rng.normal(size=(6, model.nv)))
    tip, other = model.frame_names[-1], model.frame_names[len(model.frame_names) // 2]
    there = model.frame_pose(model.integrate(q, 0.05 * rng.normal(size=(6, model.nv))), tip)
    place = model.frame_pose(stance, other)[:3, 3]

    def solver() -> Solver:
        tasks: list[ts.ik.Task] = [
            (OwnFrame if own else FrameTask)(tip, there, gain=5.0),
            LineTask(other, place, (0.0, 0.3, 1.0), gain=3.0, weight=0.5),
            ComTask(gain=2.0, weight=0.1),
            (OwnPosture if own else PostureTask)(stance, weight=1e-2, gain=1.0),
        ]
        keep = PlaneTask(other, place - [0.0, 0.0, 0.002], (0.0, 0.0, 1.0), name="above")
        return Solver(model, tasks, within=[Within(keep, lower=0.0)], regularisation=1e-4)

    worst = compared(solver(), solver(), q, 10)
    print(name, f"{worst:.1e}")
    assert worst < 1e-6


def test_given_rows_are_those_of_the_tasks() -> None:
    model, rng = seven_joints(), np.random.default_rng(2)
    q, v = model.random_configuration(rng, 3), rng.normal(size=(3, 7))
    own = OwnFrame("hand", model.frame_pose(q, "hand")[1]).bind(model)
    own.weight = [1.0, 0.0, 1.0, 1.0, 1.0, 2.0]
    core = CoreTasks(model, [own])
    targets, rates = core.targets((3,), q), core.target_rates((3,), q, v)
    assert targets is not None and rates is not None
    error, moved, jacobian = core.core.evaluate(q, targets)
    counts = own.weight > 0.0
    assert np.array_equal(error, own.error(q) * counts)
    assert not moved.any()
    assert np.array_equal(jacobian, own.jacobian(q) * counts[:, None])
    assert np.array_equal(rates[:, 6:12], -own.drift(q, v) * counts)


def test_rows_of_a_wrong_size_are_named() -> None:
    model = seven_joints()

    class Wrong(FrameTask):
        def jacobian(self, q: Array) -> Array:  # type: ignore[override]
            return np.zeros((5, 7))

    solver = Solver(model, [Wrong("hand", np.eye(4))])
    with pytest.raises(ValueError, match=r"jacobian of task 'hand' has shape \(5, 7\), must be"):
        solver.step(np.zeros(7), 0.01)


def test_what_reacts_is_that_of_numpy() -> None:
    """Joints that answer the momentum of the others, after two steps of one period."""
    model, rng = ts.robots.quadruped(), np.random.default_rng(3)
    q = model.random_configuration(rng, 4)
    singles = [view.name for view in model.joints if view.nv == 1]

    def solver() -> Solver:
        costs = [MomentumTracking(singles[:4], damping=0.1), ts.ik.Comfort(comfort=0.5)]
        return Solver(model, [ComTask(gain=2.0)], costs=costs, regularisation=1e-3)

    assert compared(solver(), solver(), q, 3) < 1e-6
    free = Solver(model, [ComTask(gain=2.0)], costs=[ts.ik.Comfort(comfort=0.5)])
    assert apart(free.step(q, 0.02).v, solver().step(q, 0.02).v) > 1e-3


def test_states_without_numbers_change_no_others() -> None:
    """Of users' tasks and goals that are inequalities: told state by state."""
    model, rng = seven_joints(), np.random.default_rng(8)
    q = model.random_configuration(rng, 5) * 0.5
    there = model.frame_pose(q + 0.1, "hand")
    place = np.tile([0.0, 0.0, -1.0], (5, 1))

    def solver() -> Solver:
        keep = PlaneTask("hand", place, (0.0, 0.0, 1.0), name="floor")
        return Solver(model, [OwnFrame("hand", there)], within=[Within(keep, 0.0)])

    clean = solver().step(q, 1.0)
    q[1, 2], there[3, 0, 3], place[4] = np.nan, np.inf, np.nan
    found = solver().step(q, 1.0)
    assert (found.code[[1, 3, 4]] == WORDS.index("not finite")).all()
    assert np.array_equal(found.v[[0, 2]], clean.v[[0, 2]])
    assert not found.v[[1, 3, 4]].any()
    assert np.array_equal(found.q[[1, 4]], q[[1, 4]], equal_nan=True)


def test_one_state_with_targets_of_many() -> None:
    model, rng = seven_joints(), np.random.default_rng(9)
    q = 0.5 * model.random_configuration(rng)
    there = model.frame_pose(model.random_configuration(rng, 4), "hand")
    for kind in (FrameTask, OwnFrame):
        many = Solver(model, [kind("hand", there)]).step(q, 0.02)
        each = [Solver(model, [kind("hand", one)]).step(q, 0.02) for one in there]
        assert np.abs(many.v - [one.v for one in each]).max() < 1e-10
        assert many.q.shape == (4, 7)


def test_a_motion_goes_over_to_tasks_of_users() -> None:
    """With a task that comes, velocities are first those before, and later those without it."""
    model = seven_joints()
    q = np.full(7, 0.3)
    first = PositionTask("hand", model.frame_pose(q, "hand")[:3, 3] * 0.9, gain=1.0)
    solver = Solver(model, [first], blend=0.1)
    step = solver.step(q, 0.01)
    posture = OwnPosture(np.full(7, 0.1), gain=2.0)
    solver.add(posture)
    after = solver.step(step.q, 0.01)
    before = Solver(model, [first]).step(step.q, 0.01)
    bare = Solver(model, [first, posture]).step(step.q, 0.01)
    assert np.abs(after.v - before.v).max() < 0.1 * np.abs(bare.v - before.v).max()
    for _ in range(200):
        after = solver.step(after.q, 0.01)
    alone = Solver(model, [first, posture]).step(after.q, 0.01)
    again = solver.step(after.q, 0.01)
    assert np.abs(again.v - alone.v).max() < 1e-6


def sine_pair() -> ts.Model:
    """Return two pendulums; one follows the sine of the other's angle."""
    builder = ts.Builder("pair")
    for name, parent in (("a", "world"), ("b", "a")):
        builder.body(name, 1.0, (0.3, 0.0, 0.1), (0.1, 0.2, 0.15))
        builder.joint(f"joint_{name}", "revolute", parent, name, position=(0.2, 0.0, 0.0), axis="y")

    def sine(y: Array) -> tuple[Array, ...]:
        s, c = np.sin(y[0]), np.cos(y[0])
        return np.array([s]), np.array([[c]]), np.array([[[-s]]])

    builder.transmission("function", ["joint_a"], ["joint_b"], function=sine)
    return builder.build()


def test_a_batch_without_states_has_empty_steps() -> None:
    """Also of couplings by functions, whose table then has no rows."""
    model = sine_pair()
    keep = PlaneTask("b", np.zeros(3), (0.0, 0.0, 1.0), name="floor")
    for within in ([], [Within(keep, lower=0.0)]):
        step = Solver(model, [PositionTask("b", np.zeros(3))], within=within).step(
            np.zeros((0, model.nq)), 0.01
        )
        assert step.q.shape == (0, model.nq) and step.v.shape == (0, model.nv)


@pytest.mark.parametrize("lead", [(), (3,), (0,)])
def test_a_model_that_cannot_move_stays(lead: tuple[int, ...]) -> None:
    builder = ts.Builder("block")
    builder.body("block", 1.0, inertia=(1.0, 1.0, 1.0))
    model = builder.joint("weld", "fixed", "world", "block").build()
    keep = PlaneTask("block", np.zeros(3), (0.0, 0.0, 1.0), name="floor")
    solver = Solver(model, [PositionTask("block", np.zeros(3))], within=[Within(keep, lower=-1.0)])
    assert solver.step(np.zeros((*lead, 0)), 0.01).q.shape == (*lead, 0)
    assert solver.solve(np.zeros((*lead, 0))).q.shape == (*lead, 0)
