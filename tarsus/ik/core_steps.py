"""Steps of one state or many in one call of the core: rows of tasks, programme, next configuration.

It is the same step as in NumPy, for tasks that the core knows and limits of the joints' own
positions and velocities. Statements and targets are handed over when they have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus.arrays import Array
from tarsus.ik.core_tasks import CoreTasks
from tarsus.ik.levels import check_gains
from tarsus.ik.limits import JointBounds, free_ranges
from tarsus.ik.results import Rows
from tarsus.ik.status import CONTRADICTORY, ITERATIONS, LIMITED, NOT_FINITE, OPEN_LOOP, SOLVED
from tarsus.ik.tasks import Task
from tarsus.model import Model

UNCLEAR = -1
CODES = np.array([SOLVED, CONTRADICTORY, ITERATIONS, NOT_FINITE, LIMITED, UNCLEAR, OPEN_LOOP])
"""Of the ends of steps in the core, in their order; why something is missed is found out here."""

ENDS = CODES.tolist()
"""The same for one state, whose code is a plain number."""


Found: TypeAlias = tuple[Array, Array, Array, NDArray[np.int64] | int]
"""Configurations, velocities, what rows miss, and codes."""


class CoreSteps:
    """The steps of a solver whose tasks the core knows."""

    def __init__(
        self, model: Model, tasks: Sequence[Task], joints: JointBounds | None, damping: Array
    ) -> None:
        self.model = model
        self.tasks = sorted(tasks, key=lambda task: task.level)
        self._core = CoreTasks(model, self.tasks)
        self._joints, self._damping = joints, damping
        self._stated: list[int] = []
        self._aimed: list[int] = []
        self._dt = 0.0
        self._lead: tuple[int, ...] = ()
        self.rows = Rows.of(self.tasks)

    def step(self, q: Array, dt: float) -> Found | None:
        """Return configurations, velocities, what rows miss and codes; None if it is too much.

        For one state (nq,) without leading dimensions, for others with one.
        """
        changed = (stated := [task.stated for task in self.tasks]) != self._stated
        if changed or dt != self._dt:
            check_gains(self.tasks, dt)
            self._dt = dt
        if changed:
            levels = [task.level for task in self.tasks]
            moving = any(task.target_moves for task in self.tasks)
            self._knows = levels == sorted(levels) and not moving
            self._stepper = self._make()
            self._stated = stated
        lead = q.shape[:-1]
        if (aimed := [task.aimed for task in self.tasks]) != self._aimed or lead != self._lead:
            self._targets = self._core.targets(lead)
            self._aimed, self._lead = aimed, lead
        if self._targets is None or not self._knows:
            return None
        rows = q[None] if not lead else np.ascontiguousarray(q).reshape(-1, self.model.nq)
        try:
            reached, v, missing, code = self._stepper.step(rows, self._targets, dt)
        except ValueError:
            if np.isfinite(rows).all() and np.isfinite(self._targets).all():
                raise
            return None  # what is not finite is told state by state
        if not lead:
            return reached[0], v[0], missing[0], ENDS[code[0]]
        return (
            reached.reshape(q.shape),
            v.reshape(*lead, self.model.nv),
            missing.reshape(*lead, missing.shape[-1]),
            CODES[code].reshape(lead),
        )

    def _make(self) -> _core.TaskStepper:
        levels = sorted({task.level for task in self.tasks})
        sizes = [sum(task.size for task in self.tasks if task.level == k) for k in levels]
        gains = [np.full(t.size, -1.0 if t.gain is None else t.gain) for t in self.tasks]
        bounds = self._joints
        lower, upper, position = free_ranges(self.model) if bounds is None else bounds.ranges
        return _core.TaskStepper(
            self._core.core,
            weight=np.concatenate([task.weight for task in self.tasks]),
            gain=np.concatenate(gains),
            levels=sizes,
            damping=self._damping,
            lower=lower,
            upper=upper,
            position=position,
            fastest=np.full(self.model.nv, np.inf) if bounds is None else bounds.fastest,
            share=1.0 if bounds is None else bounds.limits.share,
        )
