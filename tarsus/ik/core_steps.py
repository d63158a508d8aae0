"""Steps of one state or many in one call of the core: rows, limits, programme, next configuration.

It is the same step as in NumPy, for tasks that the core knows. Statements and targets are handed
over when they have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus.arrays import Array
from tarsus.ik.calm import calm_rows
from tarsus.ik.constraints import Constraints
from tarsus.ik.core_tasks import CoreTasks
from tarsus.ik.levels import check_gains
from tarsus.ik.limits import free_ranges
from tarsus.ik.results import Rows
from tarsus.ik.status import (
    CONTRADICTORY,
    ITERATIONS,
    LIMITED,
    NOT_FINITE,
    OPEN_LOOP,
    SINGULAR,
    SOLVED,
)
from tarsus.ik.tasks import Task
from tarsus.model import Model

CODES = np.array([SOLVED, CONTRADICTORY, ITERATIONS, NOT_FINITE, LIMITED, SINGULAR, OPEN_LOOP])
"""Of the ends of steps in the core, in their order."""

NO_PLACE = len(CODES)
"""The end of a step in the core where volumes have no finite places."""

ENDS = CODES.tolist()
"""The same for one state, whose code is a plain number."""


Found: TypeAlias = tuple[Array, Array, Array, NDArray[np.int64] | int]
"""Configurations, velocities, what rows miss, and codes."""


class CoreSteps:
    """The steps of a solver whose tasks the core knows."""

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        limits: Constraints,
        damping: Array,
        calm: float,
    ) -> None:
        self.model = model
        self.tasks = sorted(tasks, key=lambda task: task.level)
        self._core = CoreTasks(model, self.tasks)
        self._limits, self._damping, self._calm = limits, damping, calm
        self._stated: list[int] = []
        self._aimed: list[int] = []
        self._dt = 0.0
        self._lead: tuple[int, ...] = ()
        self.rows = Rows.of(self.tasks)

    def step(self, q: Array, dt: float, last: Array | None, wish: Array | None) -> Found | None:
        """Return configurations, velocities, what rows miss and codes; None if it is too much.

        `last` are the velocities before the step, `wish` what they would be without tasks. For one
        state (nq,) without leading dimensions, for others with one.
        """
        changed = (stated := [task.stated for task in self.tasks]) != self._stated
        if changed or dt != self._dt:
            check_gains(self.tasks, dt)
            self._dt = dt
        if changed:
            levels = [task.level for task in self.tasks]
            self._knows = levels == sorted(levels)
            self._stepper = self._make()
            self._stated = stated
        lead = q.shape[:-1]
        if (aimed := [task.aimed for task in self.tasks]) != self._aimed or lead != self._lead:
            self._targets = self._core.targets(lead)
            self._aimed, self._lead = aimed, lead
        if self._targets is None or not self._knows:
            return None
        rows = q[None] if not lead else np.ascontiguousarray(q).reshape(-1, self.model.nq)
        before, free = self._rows(last), self._rows(wish)
        try:
            reached, v, missing, code = self._stepper.step(rows, self._targets, dt, before, free)
        except ValueError:
            if np.isfinite(rows).all() and np.isfinite(self._targets).all():
                raise
            return None  # what is not finite is told state by state
        if self._limits.avoid is not None and (code == NO_PLACE).any():
            return None  # why there are no places is told with the distances
        if not lead:
            return reached[0], v[0], missing[0], ENDS[code[0]]
        return (
            reached.reshape(q.shape),
            v.reshape(*lead, self.model.nv),
            missing.reshape(*lead, missing.shape[-1]),
            CODES[code].reshape(lead),
        )

    def _rows(self, v: Array | None) -> Array | None:
        """Return velocities (…, nv) as rows."""
        return None if v is None else np.ascontiguousarray(v).reshape(-1, self.model.nv)

    def _make(self) -> _core.TaskStepper:
        levels = sorted({task.level for task in self.tasks})
        sizes = [sum(task.size for task in self.tasks if task.level == k) for k in levels]
        gains = [np.full(t.size, -1.0 if t.gain is None else t.gain) for t in self.tasks]
        joints, followers = self._limits.joints, self._limits.followers
        lower, upper, position = free_ranges(self.model) if joints is None else joints.ranges
        free, avoid = np.full(self.model.nv, np.inf), self._limits.avoid
        return _core.TaskStepper(
            self._core.core,
            weight=np.concatenate([task.weight for task in self.tasks]),
            gain=np.concatenate(gains),
            levels=sizes,
            damping=self._damping,
            calm=np.concatenate(calm_rows(self.tasks, self._calm)),
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
        )
