"""Poses: configurations in which tasks have no error, by steps of Levenberg and Marquardt.

The steps d make ½ |J d + e|² + ½ λ |d|² smallest. With λ proportional to the error itself they are
short far away and Newton's near the target, also where the target is out of reach or the machine
singular (S. Chan, P. Lawrence, "General inverse kinematics with the error damped pseudoinverse",
ICRA 1988; T. Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg–Marquardt
method", IEEE Transactions on Robotics 27, 2011). Joints whose next step would leave their range are
held at its end. It ends by one of four tests (Schwienbacher 2013, table 4.1): enough iterations, a
small error, small progress, a small gradient; then it begins anew at random while starts are left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.ik.arguments import configurations, positive
from tarsus.ik.damped import Damping, damped
from tarsus.ik.levels import levels_at
from tarsus.ik.limits import middle
from tarsus.ik.moves import move
from tarsus.ik.results import Solution
from tarsus.ik.status import ITERATIONS, LIMITED, NOT_FINITE, OPEN_LOOP, SOLVED, STALLED
from tarsus.ik.tasks.task import Task
from tarsus.model.checks import count

if TYPE_CHECKING:
    from tarsus.ik.solver import Solver

FLOOR = 1e-12
"""Of λ: where there are more joints than rows the matrix is singular without it."""

LONGEST = 1.0
"""No joint goes further in one step [rad, m]."""

PATIENCE = 8
"""After so many steps without progress a search ends."""


@dataclass(frozen=True)
class Search:
    """How a pose is searched for, and when the search ends.

    `tolerance` [m, rad] is how large errors of level 0 may be; a start is given up after
    `iterations` steps, or if for some steps the error fell by less than the part `progress`, or if
    the gradient is below `gradient` times the error. `starts` is how often it is tried, first from
    q, then from random configurations drawn with `seed`. `refinements` are steps for levels after
    the first. `method`: "lm" or "newton".
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
        count(self.iterations, "iterations")
        count(self.starts, "starts")
        count(self.seed, "seed", 0)
        count(self.refinements, "refinements", 0)
        if self.method not in ("lm", "newton"):
            raise ValueError(f"method is {self.method!r}, must be 'lm' or 'newton'")


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

    def solve(self, q: ArrayLike | None) -> Solution:
        """Return the solutions from starts q (…, nq)."""
        start = middle(self.model) if q is None else configurations(self.model, q)
        self._finite = finite = self.solver.finite(start)
        at = np.where(finite[..., None], start, self.model.neutral())
        rng = np.random.default_rng(self.search.seed)
        q_best, error, code, iterations = self._try(at, finite)
        starts = np.ones(finite.shape, np.int64)
        for _ in range(self.search.starts - 1):
            again = finite & (code != SOLVED)
            if not again.any():
                break
            fresh = self.model.random_configuration(rng, finite.shape)
            place, distance, end, steps = self._try(np.where(again[..., None], fresh, at), again)
            better = again & ((distance < error) | (end == SOLVED))
            q_best = np.where(better[..., None], place, q_best)
            error, code = np.where(better, distance, error), np.where(better, end, code)
            iterations, starts = iterations + np.where(again, steps, 0), starts + again
        if len(self._tasks) < len(self._every) and self.search.refinements:
            q_best = self._refine(q_best, code == SOLVED)
            error = self._error(q_best)
        errors = {task.name: task.error(q_best) for task in self.solver.tasks if task.holonomic}
        error = np.where(finite, error, np.nan)
        code = np.where(finite, code, NOT_FINITE)
        q_best = np.where(finite[..., None], q_best, start)
        return Solution(q_best, code, error, iterations, starts, errors)

    def _try(
        self, q: Array, wanted: NDArray[np.bool_]
    ) -> tuple[Array, Array, NDArray[np.int64], NDArray[np.int64]]:
        """Return the best places, their errors, codes and iterations, from one start a state."""
        best, least = q, np.full(wanted.shape, np.inf)
        code = np.where(wanted, ITERATIONS, SOLVED)
        iterations, idle = np.zeros(wanted.shape, np.int64), np.zeros(wanted.shape, np.int64)
        for _ in range(self.search.iterations):
            error = self._error(q)
            progress = error < (1.0 - self.search.progress) * least
            going = code == ITERATIONS
            better = going & (error < least)
            best, least = np.where(better[..., None], q, best), np.where(better, error, least)
            code = np.where(going & (error < self.search.tolerance), SOLVED, code)
            idle = np.where(progress, 0, idle + 1)
            step, held, flat = self._step(q)
            stuck = (code == ITERATIONS) & ((idle > PATIENCE) | flat)
            code = np.where(stuck, np.where(held.any(axis=-1), LIMITED, STALLED), code)
            going = code == ITERATIONS
            if not going.any():
                break
            iterations += going
            q, _, moved = move(self.model, q, step * going[..., None], 1.0, code)
            code = np.where(moved == OPEN_LOOP, OPEN_LOOP, code)
        return best, np.where(np.isfinite(least), least, self._error(best)), code, iterations

    def _step(self, q: Array) -> tuple[Array, NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the next steps (…, nv), what is held at its limit, and where the slope is flat."""
        jacobian, error = self._rows(q)
        gradient = (error[..., None, :] @ jacobian)[..., 0, :]
        low, high = self.solver.reach(q)
        held = ((low >= 0.0) & (gradient > 0.0)) | ((high <= 0.0) & (gradient < 0.0))
        jacobian = np.where(held[..., None, :], 0.0, jacobian)
        gradient = np.where(held, 0.0, gradient)
        square = (error * error).sum(axis=-1)
        damping = 0.5 * square * (self.search.method == "lm")
        matrix = np.swapaxes(jacobian, -1, -2) @ jacobian
        matrix += (damping + FLOOR)[..., None, None] * np.eye(self.model.nv)
        step = -np.linalg.solve(matrix, gradient[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, initial=0.0)
        step *= (LONGEST / np.maximum(longest, LONGEST))[..., None]
        slope = np.linalg.norm(gradient, axis=-1)
        flat = slope <= self.search.gradient * np.sqrt(square)
        return np.clip(step, low, high), held, flat

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
            step = np.clip(step, *self.solver.reach(q))
            place = move(self.model, q, step, 1.0, np.zeros(going.shape, np.int64))[0]
            place, _, code, _ = self._try(place, going)
            found = self._cost(lower, place)
            going = going & (code == SOLVED) & (found < (1.0 - self.search.progress) * cost)
            q = np.where(going[..., None], place, q)
            cost = np.where(going, found, cost)
        return q

    @staticmethod
    def _cost(tasks: list[Task], q: Array) -> Array:
        costs = [(task.weight * task.error(q) ** 2).sum(axis=-1) for task in tasks]
        return np.asarray(sum(costs))


def _counted(task: Task, q: Array) -> Array:
    return np.asarray(task.error(q)[..., task.weight > 0.0])
