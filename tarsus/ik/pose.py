"""Poses: configurations in which tasks have no error, by steps of Levenberg and Marquardt.

The steps d make ½ |J d + e|² + ½ λ |d|² smallest. With λ proportional to the error itself they are
short far away and Newton's near the target, also where the target is out of reach or the machine
singular (S. Chan, P. Lawrence, "General inverse kinematics with the error damped pseudoinverse",
ICRA 1988; T. Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg–Marquardt
method", IEEE Transactions on Robotics 27, 2011). Joints whose next step would leave their range are
held at its end. It ends by one of four tests (Schwienbacher 2013, table 4.1): enough iterations, a
small error, small progress, a small gradient; then it begins anew at random while starts are left.
Starts out of range begin at its end. A pose in which links are nearer than their margin does not
count: they are pushed apart from there (`push.py`), and if that does not lead out another start is
tried.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import batch, count, positive
from tarsus._lib.files import Array
from tarsus.ik.collision_avoidance import Push
from tarsus.ik.core_tasks import CoreTasks, known
from tarsus.ik.limits import free_ranges
from tarsus.ik.methods import Damping, damped
from tarsus.ik.priorities import levels_at
from tarsus.ik.results import ITERATIONS, LIMITED, NOT_FINITE, OPEN_LOOP, SOLVED, STALLED, Solution
from tarsus.ik.tasks.task import Task
from tarsus.ik.track import middle, move, open_loops

if TYPE_CHECKING:
    from tarsus.ik.solver import Solver

FLOOR = 1e-12
"""Of λ: where there are more joints than rows the matrix is singular without it."""

LONGEST = 1.0
"""No joint goes further in one step [rad, m]."""

PATIENCE = 10
"""After so many steps without progress a search ends."""


ENDS = np.array([SOLVED, LIMITED, STALLED, ITERATIONS, OPEN_LOOP])
"""Of searches in the core, in their order."""


@dataclass(frozen=True)
class Search:
    """How a pose is searched for, and when the search ends.

    `tolerance` [m, rad] is how large errors of level 0 may be; a start is given up after
    `iterations` steps, or if for some steps the sum of squares fell by less than the part
    `progress`, or if its gradient is below `gradient` times its root. `starts` is how often it is
    tried, first from q, then from random configurations drawn with `seed`, the same for all states.
    `refinements` are steps for levels after the first. `method`: "lm" or "newton".
    """

    tolerance: float = 1e-8
    iterations: int = 100
    progress: float = 1e-3
    gradient: float = 1e-9
    starts: int = 20
    seed: int = 0
    refinements: int = 20
    method: Literal["lm", "newton"] = "lm"

    def __post_init__(self) -> None:
        for name in ("tolerance", "progress", "gradient"):
            positive(getattr(self, name), name)
        count(self.iterations, "iterations", 1, 2**31 - 1)
        count(self.starts, "starts", 1, 2**31 - 1)
        count(self.seed, "seed", 0)
        count(self.refinements, "refinements", 0)
        if self.method not in ("lm", "newton"):
            raise ValueError(f"method is {self.method!r}, must be 'lm' or 'newton'")


@dataclass(frozen=True)
class Tried:
    """Where states (…) are after a search."""

    q: Array
    error: Array
    code: NDArray[np.int64]
    iterations: NDArray[np.int64]
    starts: NDArray[np.int64]

    @staticmethod
    def none(q: Array, wanted: NDArray[np.bool_]) -> Tried:
        """Return states that have not been looked at."""
        zeros = np.zeros(wanted.shape, np.int64)
        return Tried(q.copy(), np.zeros(wanted.shape), zeros.copy(), zeros.copy(), zeros.copy())

    def with_(self, other: Tried, again: NDArray[np.bool_]) -> Tried:
        """Return the better ones of states that were tried again, and the others."""
        better = again & ((other.error < self.error) | (other.code == SOLVED))
        return Tried(
            np.where(better[..., None], other.q, self.q),
            np.where(better, other.error, self.error),
            np.where(better, other.code, self.code),
            self.iterations + np.where(again, other.iterations, 0),
            self.starts + again,
        )


class Pose:
    """A search for poses of all states of a batch."""

    def __init__(self, solver: Solver, search: Search) -> None:
        self.solver, self.search, self.model = solver, search, solver.model
        every = [*solver.loops, *solver.tasks]
        first = min((task.level for task in solver.tasks), default=0)
        self._every = every
        self._tasks = [task for task in every if task.level <= first and task.holonomic]
        if not self._tasks:
            raise ValueError("there is no task that asks for a place; add one before solve")
        self._kept = copy(solver.constraints)
        self._kept.avoid = solver.avoid  # also where steps push in null spaces
        fits = known(self.model, self._tasks)
        self._core = CoreTasks(self.model, self._tasks) if fits else None

    def solve(self, q: ArrayLike | None) -> Solution:
        """Return the solutions from starts q (…, nq)."""
        start = middle(self.model) if q is None else batch(q, (self.model.nq,), "q", finite=False)
        finite = self.solver.finite(start)
        at = np.where(finite[..., None], start, self.model.neutral())
        # what cannot be closed at the start is no configuration from which to search
        opened = finite & open_loops(self.model, at)
        at = self._within(np.where(opened[..., None], self.model.neutral(), at))
        self._finite = looked = finite & ~opened
        tried = self._search(at, looked, self.search.starts)
        place, code, error = tried.q, tried.code, tried.error
        if len(self._tasks) < len(self._every) and self.search.refinements:
            place = self._refine(place, code == SOLVED)
            error = self._error(place)
        with np.errstate(over="ignore"):  # what is beyond all numbers is infinitely far
            errors = {task.name: task.error(place) for task in self.solver.tasks if task.holonomic}
        return Solution(
            np.where(looked[..., None], place, start),
            np.where(opened, OPEN_LOOP, np.where(finite, code, NOT_FINITE)),
            np.where(looked, error, np.nan),
            tried.iterations,
            tried.starts,
            {name: np.where(opened[..., None], np.nan, each) for name, each in errors.items()},
        )

    def _within(self, q: Array) -> Array:
        """Return starts (…, nq) with joints that are out of range at its end."""
        step = np.clip(0.0, *self.solver.constraints.reach(q))
        outside = (step != 0.0).any(axis=-1)
        if not outside.any():
            return q
        inside = move(self.model, q, step, 1.0, np.zeros(outside.shape, np.int64))[0]
        return np.where(outside[..., None], inside, q)

    def _keeps(self, q: Array) -> NDArray[np.bool_]:
        """Return whether joints (…) are in their ranges, and links as far apart as they shall."""
        beyond = np.maximum(self._kept.beyond(q), self._kept.too_near(q))
        return np.asarray(beyond <= self.search.tolerance)

    def _search(self, q: Array, wanted: NDArray[np.bool_], starts: int) -> Tried:
        """Return where states (…, nq) that are wanted end, each from so many starts at most."""
        core, rng = self._core, np.random.default_rng(self.search.seed)
        found = self._try(q, wanted) if core is None else self._in_core(core, q, wanted, starts)
        found = self._pushed(found, wanted)
        for _ in range(starts - 1):
            again = wanted & (found.code != SOLVED)
            if core is not None:  # it has tried, but knows neither distances nor what follows
                again &= (found.code == LIMITED) & (found.error < self.search.tolerance)
            if not again.any():
                break
            fresh = self.model.random_configuration(rng)  # the same for all states
            start = np.where(again[..., None], fresh, q)
            if core is None:
                tried = self._pushed(self._try(start, again), again)
            else:  # where none keeps to all, the pose from the first start stays
                tried = self._pushed(self._in_core(core, start, again, 1), again)
                tried = replace(tried, error=np.where(tried.code == SOLVED, tried.error, np.inf))
            found = found.with_(tried, again)
        return found

    def _pushed(self, found: Tried, wanted: NDArray[np.bool_]) -> Tried:
        """Return those that do the tasks, but keep not to all, where they do, if they get there."""
        near = wanted & (found.code == LIMITED) & (found.error < self.search.tolerance)
        rows, lead, nq = np.flatnonzero(near), near.shape, self.model.nq
        if not len(rows):
            return found
        push = Push(
            self.model,
            [task.of_states(lead, rows) for task in self._tasks],
            self._kept.of_states(lead, rows).of_places(),
            self.search,
        )
        q, done, steps = push.run(found.q.reshape(wanted.size, nq)[rows])
        place, code, count = found.q.copy(), found.code.copy(), found.iterations.copy()
        place.reshape(-1, nq)[rows[done]] = q[done]
        code.reshape(-1)[rows[done]] = SOLVED
        count.reshape(-1)[rows] += steps
        solved = replace(found, q=place, code=code, iterations=count)
        return replace(solved, error=np.where(near, self._error(place), found.error))

    def _in_core(self, core: CoreTasks, q: Array, wanted: NDArray[np.bool_], starts: int) -> Tried:
        rows = np.flatnonzero(wanted)
        lead, nq = wanted.shape, self.model.nq
        whole = np.broadcast_to(q, (*lead, nq))
        targets = core.targets(lead)
        assert targets is not None  # there is a state for each target, see `Solver.finite`
        own = targets if len(targets) == 1 else targets[rows]
        joints = self.solver.constraints.joints
        lower, upper, position = free_ranges(self.model) if joints is None else joints.ranges
        scales = [np.sqrt(task.weight) * task.lengths for task in self._tasks]
        places, told = core.core.search(
            np.ascontiguousarray(whole.reshape(wanted.size, nq)[rows]),
            own,
            scale=np.concatenate(scales),
            lower=lower,
            upper=upper,
            position=position,
            tolerance=self.search.tolerance,
            progress=self.search.progress,
            gradient=self.search.gradient,
            iterations=self.search.iterations,
            starts=starts,
            seed=self.search.seed,
            newton=self.search.method == "newton",
            threads=self.solver.threads,
        )
        found = Tried.none(whole, wanted)
        flat = (found.q.reshape(wanted.size, nq), found.error.reshape(-1), found.code.reshape(-1))
        flat[0][rows], flat[1][rows], flat[2][rows] = (
            places,
            told[:, 1],
            ENDS[told[:, 0].astype(int)],
        )
        found.iterations.reshape(-1)[rows] = told[:, 2]
        found.starts.reshape(-1)[rows] = told[:, 3]
        breaks = ~self._keeps(found.q)
        code = np.where(wanted & (found.code == SOLVED) & breaks, LIMITED, found.code)
        return replace(found, code=code)

    def _try(self, q: Array, wanted: NDArray[np.bool_]) -> Tried:
        """Return the best places, their errors, codes and iterations, from one start a state."""
        best, least = q, np.full(wanted.shape, np.inf)
        cost = np.full(wanted.shape, np.inf)
        code = np.where(wanted, ITERATIONS, SOLVED)
        iterations, idle = np.zeros(wanted.shape, np.int64), np.zeros(wanted.shape, np.int64)
        for _ in range(self.search.iterations + 1):
            error = self._error(q)
            going = code == ITERATIONS
            better = going & (error < least)
            best, least = np.where(better[..., None], q, best), np.where(better, error, least)
            done = going & (error < self.search.tolerance)
            if done.any():
                code = np.where(done, np.where(self._keeps(q), SOLVED, LIMITED), code)
            step, held, flat, square = self._step(q)
            idle = np.where(square < (1.0 - self.search.progress) * cost, 0, idle + 1)
            cost = np.minimum(cost, square)
            stuck = (code == ITERATIONS) & ((idle > PATIENCE) | flat)
            code = np.where(stuck, np.where(held.any(axis=-1), LIMITED, STALLED), code)
            going = (code == ITERATIONS) & (iterations < self.search.iterations)
            if not going.any():
                break
            iterations += going
            q, _, moved = move(self.model, q, step * going[..., None], 1.0, code)
            code = np.where(moved == OPEN_LOOP, OPEN_LOOP, code)
        error = np.where(np.isfinite(least), least, self._error(best))
        return Tried(best, error, code, iterations, wanted.astype(np.int64))

    def _step(self, q: Array) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_], Array]:
        """Return the next steps (…, nv), what is held, where it is flat, and the squares."""
        jacobian, error = self._rows(q)
        gradient = (error[..., None, :] @ jacobian)[..., 0, :]
        low, high = self.solver.constraints.reach(q)
        held = ((low >= 0.0) & (gradient > 0.0)) | ((high <= 0.0) & (gradient < 0.0))
        jacobian = np.where(held[..., None, :], 0.0, jacobian)
        gradient = np.where(held, 0.0, gradient)
        square = (error * error).sum(axis=-1)
        damping = 0.5 * square * (self.search.method == "lm")
        step = -_damped_step(jacobian, error, damping + FLOOR)
        longest = np.abs(step).max(axis=-1, initial=0.0)
        step *= (LONGEST / np.maximum(longest, LONGEST))[..., None]
        slope = np.linalg.norm(gradient, axis=-1)
        flat = slope <= self.search.gradient * np.sqrt(square)
        return np.clip(step, low, high), held, flat, square

    def _rows(self, q: Array) -> tuple[Array, Array]:
        """Return jacobian and error of the tasks of level 0, weighted, as lengths."""
        lead, jacobians, errors = q.shape[:-1], [], []
        for task in self._tasks:
            scale = np.sqrt(task.weight) * task.lengths
            error, jacobian = task.error(q), task.jacobian(q)
            lead = np.broadcast_shapes(lead, error.shape[:-1])
            errors.append(np.broadcast_to(scale * error, (*lead, task.size)))
            rows = scale[:, None] * jacobian
            jacobians.append(np.broadcast_to(rows, (*lead, *rows.shape[-2:])))
        error = np.where(self._finite[..., None], np.concatenate(errors, axis=-1), 0.0)
        jacobian = np.concatenate(jacobians, axis=-2)
        return np.where(self._finite[..., None, None], jacobian, 0.0), error

    def _error(self, q: Array) -> Array:
        """Return the largest error (…) of the rows of level 0 that count."""
        sizes = [np.abs(_counted(task, q)).max(axis=-1, initial=0.0) for task in self._tasks]
        return np.asarray(np.maximum.reduce(np.broadcast_arrays(*sizes)))

    def _refine(self, q: Array, solved: NDArray[np.bool_]) -> Array:
        """Return poses that also do the tasks of later levels, as far as level 0 permits."""
        weight = np.ones(self.model.nv)
        lower = [task for task in self._every if task.level > self._tasks[-1].level]
        lower = [task for task in lower if task.holonomic]
        cost, going = self._cost(lower, q), solved
        for _ in range(self.search.refinements):
            if not going.any():
                break
            levels = levels_at([*self._tasks, *lower], q, 1.0)
            step = damped(levels, weight, np.zeros((*going.shape, self.model.nv)), Damping())[0]
            longest = np.abs(step).max(axis=-1, initial=0.0)
            step *= (LONGEST / np.maximum(longest, LONGEST) * going)[..., None]
            step = np.clip(step, *self.solver.constraints.reach(q))
            place = move(self.model, q, step, 1.0, np.zeros(going.shape, np.int64))[0]
            tried = self._search(place, going, 1)
            place, found = tried.q, self._cost(lower, tried.q)
            going = going & (tried.code == SOLVED) & (found < (1.0 - self.search.progress) * cost)
            q = np.where(going[..., None], place, q)
            cost = np.where(going, found, cost)
        return q

    @staticmethod
    def _cost(tasks: list[Task], q: Array) -> Array:
        costs = [(task.weight * task.error(q) ** 2).sum(axis=-1) for task in tasks]
        return np.asarray(sum(costs))


def _damped_step(jacobian: Array, error: Array, damping: Array) -> Array:
    """Return d (…, nv) of least |J d − e|² + λ |d|², by the smaller one of two matrices."""
    transposed = np.swapaxes(jacobian, -1, -2)
    rows, nv = jacobian.shape[-2:]
    if rows <= nv:
        matrix = jacobian @ transposed + damping[..., None, None] * np.eye(rows)
        return np.asarray((transposed @ np.linalg.solve(matrix, error[..., None]))[..., 0])
    matrix = transposed @ jacobian + damping[..., None, None] * np.eye(nv)
    return np.asarray(np.linalg.solve(matrix, transposed @ error[..., None])[..., 0])


def _counted(task: Task, q: Array) -> Array:
    return np.asarray(task.error(q)[..., task.weight > 0.0])
