"""`ts.ik.Solver`: from what frames shall do to how joints move.

s = ts.ik.Solver(m, tasks=[ts.ik.FrameTask("hand", target), ts.ik.PostureTask()])
s.solve(q)          a configuration that is there
s.step(q, dt)       one step of a control loop
s.track(times, {"hand": targets})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.ik.arguments import configurations, positive, weights
from tarsus.ik.bounded import bounded
from tarsus.ik.damped import Damping, damped
from tarsus.ik.levels import Level, check_gains, levels_at
from tarsus.ik.limits import Limits, limits_of
from tarsus.ik.moves import move
from tarsus.ik.one_solve import Diagonal, one_solve
from tarsus.ik.pose import Pose, Search
from tarsus.ik.results import Solution, Step, Track
from tarsus.ik.status import LIMITED, NOT_FINITE, SINGULAR, SOLVED
from tarsus.ik.tasks import Task
from tarsus.ik.tasks.loops import LoopTask
from tarsus.ik.track import track
from tarsus.ik.transpose import transposed
from tarsus.model import Model
from tarsus.model.checks import expect, find, suggestion

Method: TypeAlias = Literal["dls", "rate", "transpose"]

SINGULAR_BELOW = 1e-2
"""Singular values of level 0 below which a step that misses something is called singular."""

MISSES = 1e-6
"""How far J v may be from what is asked for, by its size, in a step that is called solved."""


class Solver:
    """Inverse kinematics of `model`: velocities, poses and motions in which `tasks` are done.

    `limits` is True for the positions and velocities that the model permits, False for none, or
    `Limits`. `weight` (nv,), or a number, is how much velocities cost; it also reconciles metres
    and radians. `damping` keeps velocities finite where the machine is singular.

    `method`: "dls" is damped least squares level by level; "rate" the weighted pseudo-inverse in
    the one-solve form, exact until it is singular, with all tasks of level 0 and the posture of
    others in its null space; "transpose" follows gradients.
    """

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        *,
        limits: Limits | bool | None = True,
        method: Method = "dls",
        weight: ArrayLike = 1.0,
        damping: Damping | None = None,
    ) -> None:
        expect(model, Model, "model")
        if method not in get_args(Method):
            raise ValueError(f"method is {method!r}{suggestion(method, get_args(Method))}")
        self.model = model
        self.method: Method = method
        self.damping = Damping() if damping is None else damping
        self.bounds = limits_of(model, limits)
        self._weight = weights(weight, model.nv, "weight")
        if not (self._weight > 0.0).all():
            raise ValueError(f"weight is {self._weight.tolist()}, must be positive")
        self._tasks: dict[str, Task] = {}
        self.loops = [LoopTask().bind(model)] if model.constraints else []
        self._last: Array | None = None
        for task in tasks:
            self.add(task)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks, in the order in which they were added."""
        return tuple(self._tasks.values())

    def __getitem__(self, name: str) -> Task:
        """Return the task `name`."""
        return find(self._tasks, name, "task")

    def add(self, task: Task) -> Task:
        """Add a task from now on, and return it."""
        if not isinstance(task, Task):
            raise TypeError(f"a task is of type {type(task).__name__}, must be a tarsus.ik.Task")
        if task.name in self._tasks:
            raise ValueError(f"there is a task {task.name!r} already; give this one another name")
        self._tasks[task.name] = task.bind(self.model)
        return task

    def remove(self, task: Task | str) -> None:
        """Leave out a task from now on."""
        name = task if isinstance(task, str) else task.name
        self[name]
        del self._tasks[name]

    def reset(self) -> None:
        """Forget the last velocity: the next step begins a new motion."""
        self._last = None

    def step(self, q: ArrayLike, dt: float) -> Step:
        """Return the step of `dt` [s] from configurations (…, nq) that does the tasks best."""
        period = positive(dt, "dt")
        stated = configurations(self.model, q)
        tasks = [*self.loops, *self._tasks.values()]
        check_gains(tasks, period)
        finite = self.finite(stated)
        at = np.where(finite[..., None], stated, self.model.neutral())
        with np.errstate(invalid="ignore"):
            levels = levels_at(tasks, at, period)
        levels = [_defined(level, finite) for level in levels]
        last = (
            self._last if self._last is not None and self._last.shape[:-1] == finite.shape else None
        )
        bounds = None if self.bounds is None else self.bounds(at, period, last)
        v, code = self._velocity(levels, np.zeros((*finite.shape, self.model.nv)), bounds)
        v[~finite], code[~finite] = 0.0, NOT_FINITE
        reached, v, code = move(self.model, at, v, period, code)
        self._last = v
        reached = np.where(finite[..., None], reached, stated)
        return Step(reached, v, code, _missing(levels, v))

    def solve(self, q: ArrayLike | None = None, *, search: Search | None = None) -> Solution:
        """Return configurations in which the tasks of level 0 have no error, from starts q (…, nq).

        Without q the start is the middle of the joints' ranges. `search` says how long and how
        often it is tried.
        """
        return Pose(self, Search() if search is None else search).solve(q)

    def track(
        self,
        times: ArrayLike,
        targets: Mapping[str, ArrayLike],
        q: ArrayLike | None = None,
    ) -> Track:
        """Return the motion along targets by name of task, (N, …) each, at `times` (N,) [s].

        It begins in the pose that `solve` finds for the first targets from q.
        """
        return track(self, times, targets, q)

    def finite(self, q: Array) -> NDArray[np.bool_]:
        """Return which states (…) have numbers, and targets that are numbers."""
        finite = np.isfinite(q).all(axis=-1)
        for task in self._tasks.values():
            finite = finite & task.target_is_finite
        return np.asarray(np.broadcast_to(finite, np.broadcast_shapes(finite.shape, q.shape[:-1])))

    def reach(self, q: Array) -> tuple[Array, Array]:
        """Return the longest steps down and up (…, nv) that limits of positions permit."""
        if self.bounds is None:
            free = np.full((*q.shape[:-1], self.model.nv), np.inf)
            return -free, free
        return self.bounds.reach(q)

    def _velocity(
        self, levels: list[Level], wish: Array, bounds: tuple[Array, Array] | None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return velocities (…, nv) and codes (…)."""
        if not levels:
            return wish, np.full(wish.shape[:-1], SOLVED)

        def solved(own: list[Level], weight: Array, goal: Array) -> tuple[Array, Array]:
            if self.method == "transpose":
                return transposed(own[0], weight), np.ones(goal.shape[:-1])
            if self.method == "rate" and len(own) == 1:
                return one_solve(own[0].jacobian, own[0].rate, Diagonal(weight), goal)
            return damped(own, weight, goal, self.damping)

        v, smallest = bounded(solved, levels, self._weight, wish, bounds)
        return v, _code(levels[0], v, smallest, bounds)


def _defined(level: Level, finite: NDArray[np.bool_]) -> Level:
    """Return the level, with rows that ask for nothing where a state is not finite."""
    if finite.all():
        return level
    rate = np.where(finite[..., None], level.rate, 0.0)
    jacobian = np.where(finite[..., None, None], level.jacobian, 0.0)
    return Level(level.tasks, jacobian, rate, level.weight, level.rows)


def _code(
    level: Level, v: Array, smallest: Array, bounds: tuple[Array, Array] | None
) -> NDArray[np.int64]:
    """Return how a step ended (…): whether the first level misses something, and why."""
    apart = np.abs((level.jacobian @ v[..., None])[..., 0] - level.rate).max(axis=-1, initial=0.0)
    misses = apart > MISSES * (1.0 + np.abs(level.rate).max(axis=-1, initial=0.0))
    code = np.where(misses & (smallest < SINGULAR_BELOW), SINGULAR, SOLVED)
    if bounds is not None:
        at_bound = ((v <= bounds[0]) | (v >= bounds[1])).any(axis=-1)
        code = np.where(misses & at_bound, LIMITED, code)
    return code


def _missing(levels: list[Level], v: Array) -> dict[str, Array]:
    """Return by task how far J v is from what was asked for (…, size)."""
    found = {}
    for level in levels:
        apart = (level.jacobian @ v[..., None])[..., 0] - level.rate
        first = 0
        for task, own in zip(level.tasks, level.rows, strict=True):
            whole = np.zeros((*apart.shape[:-1], task.size))
            whole[..., own] = apart[..., first : first + len(own)]
            found[task.name] = whole
            first += len(own)
    return found
