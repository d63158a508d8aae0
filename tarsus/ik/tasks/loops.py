"""The loops of a machine that are constraints: they must stay closed, whatever tasks ask."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.tasks.task import Task
from tarsus.model import Model
from tarsus.model.loops import n_rows

FIRST = -1
"""The level before those of users."""


class LoopTask(Task):
    """Keeps loops closed that are in no cluster; a knife edge has no gap, only a direction."""

    def __init__(self) -> None:
        super().__init__("loops", 1.0, None, 0)
        self._level = FIRST

    def prepare(self, model: Model) -> int:
        """Find the rows of the loops that are constraints."""
        names = {constraint.name for constraint in model.constraints}
        sizes = [(loop, n_rows(loop.kind)) for loop in model.description.loops]
        chosen = [np.full(size, loop.name in names) for loop, size in sizes]
        skates = [np.full(size, loop.kind == "knife_edge") for loop, size in sizes]
        self._chosen = np.flatnonzero(np.concatenate(chosen))
        self._slides = np.concatenate(skates)[self._chosen]
        return len(self._chosen)

    def error(self, q: ArrayLike) -> Array:
        """Return how far the loops are open (…, size) [m, or sines of angles]."""
        gaps = np.asarray(self.model.loop_gaps(q))[..., self._chosen]
        return np.asarray(np.where(self._slides, 0.0, gaps))

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the rows (…, size, nv) of the constraints."""
        return np.asarray(self.model.constraint_jacobian(q))
