"""Tasks that come and go without jumps.

When the set of tasks changes, so does the law from states to velocities, at once. The difference δ
between the last velocity and the first one of the new law is kept and fades,

    v = v_new + N δ exp(−t/τ),

in the null space N of the tasks that were there before and still are: they do not notice
(after Schwienbacher 2013, section 5.1, where velocities in null spaces are scaled). What would go
beyond a bound fades faster.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.ik.levels import Level
from tarsus.ik.qp import Bounds

OVER = 1e-3
"""What is left of a jump when it is forgotten."""


class Blend:
    """What is left of the last change of tasks."""

    def __init__(self, time: float) -> None:
        self.time = time
        self._last: Array | None = None
        self._jump: Array | None = None
        self._age = 0.0
        self._changed = False
        self._new: set[str] = set()

    @property
    def active(self) -> bool:
        """Whether tasks have just changed, or something is left of such a change."""
        return self._changed or self._jump is not None

    def go_on(self, v: Array) -> None:
        """Take note of velocities (…, nv) of a step without a change."""
        self._last = v

    def reset(self) -> None:
        """Forget all: the next step begins a new motion."""
        self._last = self._jump = None
        self._changed, self._new = False, set()

    def change(self, added: str | None = None) -> None:
        """Take note that a task comes (by name) or goes."""
        self._changed = self._last is not None
        if added is not None and self._changed:
            self._new.add(added)

    def __call__(self, v: Array, levels: list[Level], bounds: Bounds | None, dt: float) -> Array:
        """Return velocities (…, nv) that go over from those before to v."""
        if self._changed and self._last is not None and self._last.shape == v.shape:
            self._jump, self._age = self._last - v, 0.0
        self._changed = False
        if self._jump is not None and self._jump.shape == v.shape:
            share = float(np.exp(-self._age / self.time)) if self.time > 0.0 else 0.0
            self._age += dt
            if share < OVER:
                self._jump, self._new = None, set()
            else:
                v = _within(v, share * self._kept(self._jump, levels), bounds)
        self._last = v
        return v

    def _kept(self, jump: Array, levels: list[Level]) -> Array:
        """Return the part of a jump (…, nv) that tasks which were there before do not notice."""
        rows = []
        for level in levels:
            first = 0
            for task, own in zip(level.tasks, level.rows, strict=True):
                if task.name not in self._new and level is levels[0]:
                    rows.append(level.jacobian[..., first : first + len(own), :])
                first += len(own)
        if not rows:
            return jump
        stacked = np.concatenate(rows, axis=-2)
        along = np.linalg.pinv(stacked, rcond=1e-6) @ (stacked @ jump[..., None])
        return np.asarray(jump - along[..., 0])


def _within(v: Array, extra: Array, bounds: Bounds | None) -> Array:
    """Return v + extra, of which so much is taken that all bounds hold."""
    if bounds is None:
        return np.asarray(v + extra)
    room = np.where(extra > 0.0, bounds.high - v, bounds.low - v)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(extra != 0.0, np.maximum(room / extra, 0.0), 1.0)
    share = np.minimum(1.0, shares.min(axis=-1, initial=1.0))
    return np.asarray(v + share[..., None] * extra)
