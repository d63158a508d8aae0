"""Steps of one state or many in one call of the core: rows, limits, programme, next configuration.

Statements and targets are handed over when they have changed; rows that the core does not evaluate
(of users' tasks, loops that are constraints, and goals that are inequalities) with each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus._lib.files import Array
from tarsus.ik.core_tasks import CoreTasks
from tarsus.ik.limits import Constraints, free_ranges
from tarsus.ik.methods import calm_rows
from tarsus.ik.priorities import check_gains
from tarsus.ik.results import CONTRADICTORY, ITERATIONS, LIMITED, NOT_FINITE, SINGULAR, SOLVED, Rows
from tarsus.ik.tasks.posture import LoopTask
from tarsus.ik.tasks.task import Task
from tarsus.model import Model

CODES = np.array([SOLVED, CONTRADICTORY, ITERATIONS, NOT_FINITE, LIMITED, SINGULAR])
"""Of the ends of steps in the core, in their order."""

ENDS = CODES.tolist()
"""The same for one state, whose code is a plain number."""

LOST = 3
"""The end of a step in the core of a state with numbers that are not finite."""

NO_PLACE = 6
"""The end of a step in the core where volumes have no finite places."""

NO_LIMITS = (None, None, None)
"""Where a solver has no goals that are inequalities."""

OPEN = 8
"""What is added to the end where a loop cannot follow."""


Given: TypeAlias = tuple[Array | None, Array | None, Array | None]
"""Rows of limits (states, rows nv), and what they may be at least and at most (states, rows)."""

Found: TypeAlias = tuple[Array, Array, Array, NDArray[np.int64] | int, NDArray[np.bool_] | bool]
"""Configurations, velocities, what rows miss, codes, and where loops cannot follow."""


class CoreSteps:
    """The steps of a solver by quadratic programmes."""

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        limits: Constraints,
        damping: Array,
        calm: float,
    ) -> None:
        self.model = model
        self._limits, self._damping, self._calm = limits, damping, calm
        self._order(tasks)
        self._stated: list[int] | None = None
        self._dt = 0.0

    def _order(self, tasks: Sequence[Task]) -> None:
        """Take tasks in the order of their levels, as the core does."""
        self.tasks = sorted(tasks, key=lambda task: task.level)
        self._core = CoreTasks(self.model, self.tasks)
        self.rows = Rows.of(self.tasks)
        self._aimed: tuple[list[int], tuple[int, ...], Array | None] = ([-1], (), None)

    def step(self, q: Array, dt: float, last: Array | None, wish: Array | None) -> Found | None:
        """Return what the core finds; None where there are more targets than states.

        `last` are the velocities before the step, `wish` what they would be without tasks. For one
        state (nq,) without leading dimensions, for others with one.
        """
        changed = [task.stated for task in self.tasks] != self._stated
        if changed or dt != self._dt:
            check_gains(self.tasks, dt)
            self._dt = dt
        if changed:
            levels = [task.level for task in self.tasks]
            if levels != sorted(levels):
                self._order(self.tasks)
            self._stepper = self._make()
            self._stated = [task.stated for task in self.tasks]
        lead = q.shape[:-1]
        own, given = q, self._core.given or self._limits.within
        if given and not (fine := _finite(q)).all():
            own = np.where(fine[..., None], q, self.model.neutral())
        targets = self._targets(lead, own)
        if targets is None:
            return None
        at = _flat(q, 1) if lead else q
        before, free = self._rows(last), self._rows(wish)
        limits = self._given_limits(own, dt) if given else NO_LIMITS
        try:
            if limits is NO_LIMITS:
                found = self._stepper.step(at, targets, dt, before, free)
            else:
                found = self._stepper.step(at, targets, dt, before, free, *limits)
        except ValueError:
            rows = _flat(at, 1)
            fine = _finite(rows) & _finite(targets) & (True if free is None else _finite(free))
            fine = fine & (True if limits[0] is None else _finite(limits[0]))
            if fine.all():
                raise
            found = self._step_some(fine, rows, targets, dt, before, free, limits)
            if not lead:
                found = tuple(each[0] for each in found)
        reached, v, missing, code = found
        avoid = self._limits.avoid
        if avoid is not None and np.any(code % OPEN == NO_PLACE):
            avoid.distances.nearest(own, gradient=True)  # tells why there are no places
            raise ArithmeticError("what shall stay apart has no finite places")
        if not lead:
            return reached, v, missing, ENDS[code % OPEN], bool(code >= OPEN)
        return (
            reached.reshape(q.shape),
            v.reshape(*lead, self.model.nv),
            missing.reshape(*lead, missing.shape[-1]),
            CODES[code % OPEN].reshape(lead),
            (code >= OPEN).reshape(lead),
        )

    def _targets(self, lead: tuple[int, ...], q: Array) -> Array | None:
        """Return the targets of states with leading dimensions, packed when they have changed."""
        if self._core.given:
            with np.errstate(invalid="ignore"):
                return self._core.targets(lead, q)
        aimed = [task.aimed for task in self.tasks]
        if (aimed, lead) != self._aimed[:2]:
            self._aimed = aimed, lead, self._core.targets(lead)
        return self._aimed[2]

    def _given_limits(self, q: Array, dt: float) -> Given:
        """Return the rows of goals that are inequalities, for steps of dt from q (…, nq).

        Those of states without finite ones are not finite.
        """
        if not self._limits.within:
            return NO_LIMITS
        with np.errstate(invalid="ignore"):
            parts = [each.rows(q, dt) for each in self._limits.within]
        rows = np.concatenate([part.rows for part in parts], axis=-2)
        low = np.concatenate([part.low for part in parts], axis=-1)
        high = np.concatenate([part.high for part in parts], axis=-1)
        lost = np.isnan(low).any(axis=-1) | np.isnan(high).any(axis=-1)
        if lost.any():
            rows = np.where(lost[..., None, None], np.nan, rows)
        return (
            _flat(rows, 2),
            _flat(low, 1),
            _flat(high, 1),
        )

    def _step_some(
        self,
        fine: NDArray[np.bool_],
        rows: Array,
        targets: Array,
        dt: float,
        last: Array | None,
        wish: Array | None,
        limits: Given,
    ) -> tuple[Any, ...]:
        """Return the steps of states that are fine; the others stay, each told by its code."""
        neutral, rest = self.model.neutral(), np.broadcast_to(fine[:, None], (len(rows), 1))
        none = 0.0, -np.inf, np.inf
        kept = [
            None if each is None else np.where(rest, each, free)
            for each, free in zip(limits, none, strict=True)
        ]
        reached, v, missing, code = self._stepper.step(
            np.where(rest, rows, neutral),
            np.where(rest, targets, 0.0),
            dt,
            last,
            None if wish is None else np.where(rest, wish, 0.0),
            *kept,
        )
        code = np.where(rest[:, 0], code, LOST).astype(np.int32)
        still = np.where(rest, v, 0.0), np.where(rest, missing, 0.0)
        return np.where(rest, reached, rows), *still, code

    def _rows(self, v: Array | None) -> Array | None:
        """Return velocities (…, nv) as rows."""
        return None if v is None else _flat(v, 1)

    def _make(self) -> _core.TaskStepper:
        levels = sorted({task.level for task in self.tasks}) or [0]
        sizes = [sum(task.size for task in self.tasks if task.level == k) for k in levels]
        gains = [np.full(t.size, -1.0 if t.gain is None else t.gain) for t in self.tasks]
        joints, followers = self._limits.joints, self._limits.followers
        lower, upper, position = free_ranges(self.model) if joints is None else joints.ranges
        free, avoid = np.full(self.model.nv, np.inf), self._limits.avoid
        return _core.TaskStepper(
            self._core.core,
            weight=np.concatenate([np.zeros(0), *(task.weight for task in self.tasks)]),
            gain=np.concatenate([np.zeros(0), *gains]),
            levels=sizes,
            damping=self._damping,
            calm=np.concatenate([np.zeros(0), *calm_rows(self.tasks, self._calm)]),
            lower=lower,
            upper=upper,
            position=position,
            fastest=free if joints is None else joints.fastest,
            acceleration=free if joints is None else joints.acceleration,
            share=1.0 if joints is None else joints.limits.share,
            followers=[] if followers is None else followers.limits_of_each,
            pairs=None if avoid is None else avoid.distances.core,
            margin=0.0 if avoid is None else avoid.margin,
            approach=0.0 if avoid is None else avoid.rate,
            loop_rows=sum(task.size for task in self.tasks if isinstance(task, LoopTask)),
            given_limits=sum(each.task.size for each in self._limits.within),
        )


def _flat(numbers: Array, own: int) -> Array:
    """Return numbers of states (…, n), or with two own dimensions (…, m, n), as a row for each."""
    lead, size = numbers.shape[:-own], numbers.shape[-own:]
    return np.ascontiguousarray(numbers).reshape(prod(lead), prod(size))


def _finite(rows: Array) -> NDArray[np.bool_]:
    """Return which rows have only finite numbers."""
    return np.asarray(np.isfinite(rows).all(axis=-1))
