"""Out of what may not be: from poses that do the tasks, but in which links are too near.

From there steps d of the quadratic programme make ½ |J d + e|² + ½ λ |d|² smallest, as the search
before did, now with all that must be kept as rows: distances come back to their margin, joints that
follow others to their ranges, goals to their bounds, and the tasks move what these leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.ik.constraints import Constraints
from tarsus.ik.levels import level_of
from tarsus.ik.moves import move
from tarsus.ik.qp import Bounds, programme
from tarsus.ik.tasks.task import Task
from tarsus.model import Model

if TYPE_CHECKING:
    from tarsus.ik.pose import Search

LONGEST = 0.2
"""No joint goes further in one step [rad, m]: distances are straight lines only near by."""

FLOOR = 1e-9
"""Of λ, where errors have vanished."""

PATIENCE = 8
"""After so many steps in which what is missed most fell by less than a tenth it is given up."""


class Push:
    """Steps out of collision, of states (k, nq) of one machine."""

    def __init__(
        self, model: Model, tasks: Sequence[Task], kept: Constraints, search: Search
    ) -> None:
        self.model, self.tasks, self.kept, self.search = model, list(tasks), kept, search

    def run(self, q: Array) -> tuple[Array, NDArray[np.bool_], NDArray[np.int64]]:
        """Return where states (k, nq) end, whether nothing is missed there, and steps (k,)."""
        states = len(q)
        least, idle = np.full(states, np.inf), np.zeros(states, np.int64)
        steps, going = np.zeros(states, np.int64), np.ones(states, bool)
        done = np.zeros(states, bool)
        for _ in range(self.search.iterations):
            missed = self._missed(q)
            done |= going & (missed < self.search.tolerance)
            idle = np.where(missed < 0.9 * least, 0, idle + 1)
            least = np.minimum(missed, least)
            going &= ~done & (idle <= PATIENCE)
            if not going.any():
                break
            step = np.where(going[:, None], self._step(q), 0.0)
            q, _, _ = move(self.model, q, step, 1.0, np.zeros(states, np.int64))
            steps += going
        return q, done, steps

    def _missed(self, q: Array) -> Array:
        """Return the largest of all errors (k,), of tasks and of what must be kept."""
        errors = [
            np.abs(task.error(q)[..., task.weight > 0.0]).max(axis=-1, initial=0.0)
            for task in self.tasks
        ]
        return np.asarray(np.maximum.reduce([*errors, self.kept.beyond(q), self.kept.too_near(q)]))

    def _step(self, q: Array) -> Array:
        """Return the next steps (k, nv)."""

        def asked(task: Task) -> tuple[Array, Array]:
            scale = np.broadcast_to(task.lengths, (task.size,))
            return scale[:, None] * task.jacobian(q), -scale * task.error(q)

        level = level_of(self.tasks, q.shape[:-1], asked)
        square = (level.weight * level.rate**2).sum(axis=-1)
        damping = np.repeat((0.5 * square + FLOOR)[:, None], self.model.nv, axis=1)
        bounds = self.kept.at(q, 1.0, None)
        free = Bounds.free(self.model.nv) if bounds is None else bounds
        near = Bounds(
            np.clip(free.low, -LONGEST, LONGEST),
            np.clip(free.high, -LONGEST, LONGEST),
            free.rows,
            free.rows_low,
            free.rows_high,
        )
        return programme([level], damping, np.zeros((len(q), self.model.nv)), near, None).v
