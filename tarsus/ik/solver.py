"""`ts.ik.Solver`: from what frames shall do to how joints move.

s = ts.ik.Solver(m, tasks=[ts.ik.FrameTask("hand", target), ts.ik.PostureTask()])
s.solve(q)          a configuration that is there
s.step(q, dt)       one step of a control loop
s.track(times, {"hand": targets})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import (
    batch,
    count,
    expect,
    find,
    number,
    positive,
    suggestion,
    weights,
)
from tarsus._lib.files import Array
from tarsus._lib.qp import QPSolution
from tarsus.geometry.distances import Distances
from tarsus.ik.collision_avoidance import Avoid, Repulsion, avoid_of
from tarsus.ik.core_steps import CoreSteps, Found
from tarsus.ik.costs import Cost, MomentumWeight
from tarsus.ik.limits import Constraints, Limits
from tarsus.ik.methods import (
    Bounds,
    Damping,
    Diagonal,
    InverseWeight,
    bounded,
    codes,
    damped,
    one_solve,
    programme,
    transposed,
)
from tarsus.ik.pose import Pose, Search
from tarsus.ik.priorities import (
    STIFFEST,
    Level,
    Within,
    acceleration_levels,
    check_gains,
    levels_at,
)
from tarsus.ik.results import NOT_FINITE, Solution, Step, Track
from tarsus.ik.step_verdict import Blend, code_of, defined, missing_of
from tarsus.ik.tasks.posture import LoopTask
from tarsus.ik.tasks.task import Task
from tarsus.ik.track import move, track
from tarsus.model import Model

Method: TypeAlias = Literal["qp", "dls", "rate", "transpose"]


class Solver:
    """Inverse kinematics of `model`: velocities, poses and motions in which `tasks` are done.

    `limits` is True for the positions and velocities that the model permits, False for none, or
    `Limits`. `avoid` is what shall stay apart: `Avoid`, or `ts.geometry.Distances`. `within` are
    goals that are inequalities: half-spaces, channels. `costs` are made smaller where tasks leave
    velocities free. `weight` (nv,), or a number, is how much velocities cost; it also reconciles
    metres and radians; with `MomentumWeight` momentum costs. `blend` [s] is how long it takes until
    tasks that come or go have changed the motion. `threads` share batches of poses.

    `method`: "qp" keeps all limits while it does the tasks as well as they permit, level by level;
    `regularisation` is what a velocity costs beside them, and `calm` [m] how much more it costs by
    errors of tasks that come first: with the reach of the machine, steps towards targets out of
    reach come to rest. The others know only bounds of joints:
    "dls" is damped least squares, level by level, "rate" the weighted pseudo-inverse in the
    one-solve form, exact until it is singular (for tasks of one level; for more it is "dls"),
    "transpose" follows gradients. With these, what shall stay apart is pushed apart in the null
    space of the tasks.
    """

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        *,
        limits: Limits | bool | None = True,
        avoid: Avoid | Distances | None = None,
        within: Sequence[Within] = (),
        costs: Sequence[Cost] = (),
        method: Method = "qp",
        weight: ArrayLike | MomentumWeight = 1.0,
        regularisation: float = 1e-6,
        calm: float = 0.0,
        damping: Damping | None = None,
        blend: float = 0.1,
        threads: int = 1,
    ) -> None:
        expect(model, Model, "model")
        if method not in get_args(Method):
            raise ValueError(f"method is {method!r}{suggestion(method, get_args(Method))}")
        self.model = model
        self.method: Method = method
        self.damping = Damping() if damping is None else damping
        expect(self.damping, Damping, "damping")
        self.avoid = stated = avoid_of(model, avoid)
        if isinstance(within, Within) or not all(isinstance(each, Within) for each in within):
            raise TypeError(f"within is {within!r}, must be a list of tarsus.ik.Within")
        if within and method != "qp":
            raise ValueError(f"within needs method='qp', but method is {method!r}")
        self.constraints = Constraints(model, limits, stated if method == "qp" else None, within)
        self._low = weight if isinstance(weight, MomentumWeight) else None
        if self._low is not None and method != "rate":
            raise ValueError(f"a MomentumWeight needs method='rate', but method is {method!r}")
        stated_weight = 1.0 if isinstance(weight, MomentumWeight) else weight
        self._weight = weights(stated_weight, model.nv, "weight")
        if not (self._weight > 0.0).all():
            raise ValueError(f"weight is {self._weight.tolist()}, must be positive")
        self._regularisation = positive(regularisation, "regularisation") * self._weight
        if number(calm, "calm") < 0.0:
            raise ValueError(f"calm is {calm}, must not be negative")
        if calm and method != "qp":
            raise ValueError(f"calm needs method='qp', but method is {method!r}; see damping")
        self._calm = float(calm) / float(regularisation)
        self._tasks: dict[str, Task] = {}
        self.loops = [LoopTask().bind(model)] if model.constraints else []
        if isinstance(costs, Cost) or not all(isinstance(cost, Cost) for cost in costs):
            raise TypeError(f"costs is {costs!r}, must be a list of costs, as tarsus.ik.Comfort()")
        self._costs = [cost.bind(model) for cost in costs]
        self._reacting = [cost for cost in self._costs if cost.reacts]
        if stated is not None and method != "qp":
            self._costs.append(Repulsion(stated).bind(model))
        if number(blend, "blend") < 0.0:
            raise ValueError(f"blend is {blend}, must not be negative")
        self._blend = Blend(blend)
        count(threads, "threads", 1, 1024)
        self.threads = threads
        self._last: Array | None = None
        self._start: QPSolution | None = None
        self._in_core: CoreSteps | None = None
        if isinstance(tasks, Task):
            raise TypeError(f"tasks is the task {tasks.name!r} alone, must be a list of tasks")
        for task in tasks:
            self.add(task)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is kept of a solver in a copy or a file: not the core's own."""
        return {**self.__dict__, "_in_core": None}

    def __repr__(self) -> str:
        names = ", ".join(self._tasks) or "none"
        return f"<tarsus.ik.Solver of {self.model.name!r}, method {self.method!r}: tasks {names}>"

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks, in the order in which they were added."""
        return tuple(self._tasks.values())

    def __getitem__(self, name: str) -> Task:
        """Return the task `name`."""
        return find(self._tasks, name, "task")

    def add(self, task: Task) -> Task:
        """Add a task from now on, and return it; a motion goes over to it without a jump."""
        if not isinstance(task, Task):
            raise TypeError(f"a task is of type {type(task).__name__}, must be a tarsus.ik.Task")
        if task.name in self._tasks:
            raise ValueError(f"there is a task {task.name!r} already; give this one another name")
        self._tasks[task.name] = task.bind(self.model)
        self._in_core = None
        self._blend.change(added=task.name)
        return task

    def remove(self, task: Task | str) -> None:
        """Leave out a task from now on; a motion goes on without a jump."""
        name = task if isinstance(task, str) else task.name
        self[name]
        del self._tasks[name]
        self._in_core = None
        self._blend.change()

    def reset(self) -> None:
        """Forget the last velocity: the next step begins a new motion, from rest."""
        self._last = self._start = self._in_core = None
        self._blend.reset()

    def step(self, q: ArrayLike, dt: float) -> Step:
        """Return the step of `dt` [s] from configurations (…, nq) that does the tasks best."""
        period = positive(dt, "dt")
        stated = batch(q, (self.model.nq,), "q", finite=False)
        if self.method != "qp":
            return self._step(stated, period)
        if self._in_core is None:
            self._in_core = CoreSteps(
                self.model,
                [*self.loops, *self.tasks],
                self.constraints,
                self._regularisation,
                self._calm,
            )
        found = self._by_programme(self._in_core, stated, period)
        if found is None:  # one state, and targets of several
            lead = self.finite(stated).shape
            stated = np.broadcast_to(stated, (*lead, self.model.nq))
            found = self._by_programme(self._in_core, stated, period)
            assert found is not None
        return self._told(self._in_core, found, stated, period)

    def _by_programme(self, core: CoreSteps, q: Array, dt: float) -> Found | None:
        """Return what the core finds, None where there are more targets than states."""
        last, wish = self._before(q), self._aside(q)
        found = core.step(q, dt, last, wish)
        for cost in self._reacting:
            if found is None or wish is None:
                break
            at = self._fine(q)
            answer = cost.reaction(at, found[1])
            wish = wish - self._inverse_weight(at)(answer[..., None])[..., 0]
            found = core.step(q, dt, last, wish)
        return found

    def _before(self, q: Array) -> Array | None:
        """Return the velocities (…, nv) of the last step, if limits ask for them."""
        if not self.constraints.remembers or self._last is None:
            return None
        return self._last if self._last.shape[:-1] == q.shape[:-1] else None

    def _aside(self, q: Array) -> Array | None:
        """Return what velocities (…, nv) would be without tasks, if something costs."""
        if not self._costs:
            return None
        at = self._fine(q)
        return self._wish(at, self._inverse_weight(at))

    def _fine(self, q: Array) -> Array:
        """Return configurations, neutral where they have numbers that are not finite."""
        return np.where(np.isfinite(q).all(axis=-1, keepdims=True), q, self.model.neutral())

    def _told(self, core: CoreSteps, found: Found, q: Array, dt: float) -> Step:
        """Return a step of the core; where loops cannot follow it is shorter."""
        reached, v, missing, code, opened = found
        rows = core.rows
        if self._blend.active:
            finite = np.broadcast_to(self.finite(q), q.shape[:-1])
            at = np.where(finite[..., None], q, self.model.neutral())
            bounds = self.constraints.at(at, dt, self._before(at))
            levels = self._levels(at, finite, dt)
            return self._blended(q, at, finite, levels, bounds, v, code, dt)
        if opened is not False and np.any(opened):
            at = self._fine(q)
            there, v, code = move(self.model, at, v, dt, np.asarray(code))
            reached = np.where(np.isfinite(q).all(axis=-1, keepdims=True), there, q)
            rows, missing = missing_of(levels_at([*self.loops, *self.tasks], at, dt), v)
        self._last = v.copy()  # what users do to a result is not felt by the next step
        self._blend.go_on(self._last)
        return Step(reached, v, code, rows, missing)

    def _step(self, stated: Array, period: float) -> Step:
        """Return the step by a method that is no programme."""
        check_gains([*self.loops, *self.tasks], period)
        finite = self.finite(stated)
        at = np.where(finite[..., None], stated, self.model.neutral())
        levels = self._levels(at, finite, period)
        bounds = self.constraints.at(at, period, self._before(at))
        inverse = self._inverse_weight(at)
        wish = self._wish(at, inverse)
        for cost in self._reacting:
            v = self._velocity(levels, wish, bounds, inverse)
            wish = wish - inverse(cost.reaction(at, v)[..., None])[..., 0]
        v = self._velocity(levels, wish, bounds, inverse)
        code = code_of(levels, v, bounds)
        return self._blended(stated, at, finite, levels, bounds, v, code, period)

    def _levels(self, q: Array, finite: NDArray[np.bool_], dt: float) -> list[Level]:
        """Return the levels of all tasks at q (…, nq); where a state is not finite, of zeros."""
        with np.errstate(invalid="ignore"):
            levels = levels_at([*self.loops, *self.tasks], q, dt)
        return [defined(level, finite) for level in levels]

    def _blended(
        self,
        q: Array,
        at: Array,
        finite: NDArray[np.bool_],
        levels: list[Level],
        bounds: Bounds | None,
        v: Array,
        code: NDArray[np.int64] | int,
        dt: float,
    ) -> Step:
        """Return the step with velocities v (…, nv), to which the motion goes over.

        `at` are the configurations q (…, nq), neutral where they are not finite.
        """
        v = np.where(finite[..., None], self._blend(v, levels, bounds, dt), 0.0)
        reached, v, code = move(self.model, at, v, dt, np.where(finite, code, NOT_FINITE))
        self._last = v.copy()
        reached = np.where(finite[..., None], reached, q)
        return Step(reached, v, code, *missing_of(levels, v))

    def solve(self, q: ArrayLike | None = None, *, search: Search | None = None) -> Solution:
        """Return configurations in which the tasks of level 0 have no error, from starts q (…, nq).

        Without q the start is the middle of the joints' ranges; starts out of range begin at its
        end. `search` says how long and how often it is tried. Poses in which links are nearer than
        `avoid` permits do not count as solved.
        """
        return Pose(self, Search() if search is None else search).solve(q)

    def accelerate(self, q: ArrayLike, v: ArrayLike, dt: float) -> Step:
        """Return the step of `dt` [s] from states q (…, nq), v (…, nv) by accelerations.

        Velocities do not jump when targets do; `gain` of a task is the rate at which its error
        fades, critically damped. `limits` bound the velocities after the step; state accelerations
        in them, and joints brake before the ends of their ranges. Loops that are constraints, and
        what is in collision, are matters of `step`.
        """
        period = positive(dt, "dt")
        at = batch(q, (self.model.nq,), "q", finite=False)
        speed = batch(v, (self.model.nv,), "v", finite=False)
        if self.loops or self.constraints.avoid is not None:
            raise ValueError(
                "accelerate knows no loops that are constraints and no avoid; use step"
            )
        if not (np.isfinite(at).all() and np.isfinite(speed).all() and self.finite(at).all()):
            raise ValueError("q, v and targets must be finite")
        lead = np.broadcast_shapes(at.shape[:-1], speed.shape[:-1])
        at = np.broadcast_to(at, (*lead, self.model.nq))
        speed = np.broadcast_to(speed, (*lead, self.model.nv))
        levels = acceleration_levels(self.tasks, at, speed, STIFFEST / period)
        bounds = self.constraints.at(at, period, speed)
        if bounds is not None:
            bounds = bounds.of_accelerations(speed, period)
        inverse = self._inverse_weight(at)
        wish = self._wish(at, inverse)
        if self.method == "qp":
            found = programme(levels, self._regularisation, wish, bounds, self._start)
            self._start, a = found, found.v
            code = np.where(found.code == 0, code_of(levels, a, bounds), codes(found))
        else:
            a = self._velocity(levels, wish, bounds, inverse)
            code = code_of(levels, a, bounds)
        after = speed + a * period
        reached, _, code = move(self.model, at, 0.5 * (speed + after), period, code)
        return Step(reached, after, code, *missing_of(levels, a))

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
        for task in (*self._tasks.values(), *(each.task for each in self.constraints.within)):
            own = np.asarray(task.target_is_finite)
            try:
                finite = finite & own
            except ValueError:
                raise ValueError(
                    f"task {task.name!r} has {own.shape} targets, but q and the tasks before it"
                    f" have {finite.shape} states: one for all, or one a state"
                ) from None
        return np.asarray(np.broadcast_to(finite, np.broadcast_shapes(finite.shape, q.shape[:-1])))

    def _inverse_weight(self, q: Array) -> InverseWeight:
        """Return the inverse of the weight of velocities at q."""
        return Diagonal(self._weight) if self._low is None else self._low.inverse(self.model, q)

    def _wish(self, q: Array, inverse: InverseWeight) -> Array:
        """Return what velocities (…, nv) would be without tasks: down the gradients of costs."""
        slope = np.zeros((*q.shape[:-1], self.model.nv))
        for cost in self._costs:
            slope += cost.gradient(q)
        return np.asarray(-inverse(slope[..., None])[..., 0])

    def _velocity(
        self,
        levels: list[Level],
        wish: Array,
        bounds: Bounds | None,
        low: InverseWeight,
    ) -> Array:
        """Return velocities (…, nv), or accelerations; `low` is the inverse of the weight."""

        def solved(own: list[Level], weight: Array, goal: Array) -> Array:
            if self.method == "transpose":
                return transposed(own[0], weight)
            if self.method == "rate" and len(own) == 1:
                return one_solve(own[0].jacobian, own[0].rate, low, goal)[0]
            return damped(own, weight, goal, self.damping)[0]

        return bounded(solved, levels, self._weight, wish, bounds) if levels else wish
