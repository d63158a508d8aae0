"""What became of a step of inverse kinematics, and transitions between task sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.ik.methods import Bounds
from tarsus.ik.priorities import Level, smallest_singular_value
from tarsus.ik.results import LIMITED, SINGULAR, SOLVED, Rows
from tarsus.ik.tasks.posture import LoopTask

# What steps miss that the core does not judge (other methods, accelerations, transitions), and why:
# limits, or a position where the machine is singular.


SINGULAR_BELOW = 1e-2
"""Singular values of level 0 below which a step that misses something is called singular."""

MISSES = 1e-3
"""How far J v may be from what is asked for, by its size, in a step that is called solved."""


def defined(level: Level, finite: NDArray[np.bool_]) -> Level:
    """Return the level, with rows that ask for nothing where a state is not finite."""
    if finite.all():
        return level
    rate = np.where(finite[..., None], level.rate, 0.0)
    jacobian = np.where(finite[..., None, None], level.jacobian, 0.0)
    return Level(level.tasks, jacobian, rate, level.weight, level.rows)


def code_of(levels: list[Level], v: Array, bounds: Bounds | None) -> NDArray[np.int64]:
    """Return how a step ended (…): whether the first level of tasks misses something, and why."""
    code = np.full(v.shape[:-1], SOLVED)
    asked = [each for each in levels if not isinstance(each.tasks[0], LoopTask)]
    if not asked:
        return code
    level = asked[0]
    apart = np.abs((level.jacobian @ v[..., None])[..., 0] - level.rate).max(axis=-1, initial=0.0)
    misses = apart > MISSES * (1.0 + np.abs(level.rate).max(axis=-1, initial=0.0))
    if not misses.any():
        return code
    free = level if asked[0] is levels[0] else _along_loops(level, levels[0])
    code = np.where(misses & (smallest_singular_value(free) < SINGULAR_BELOW), SINGULAR, code)
    if bounds is not None:
        near = 1e-9 * (1.0 + np.abs(v))
        at_bound = ((v <= bounds.low + near) | (v >= bounds.high - near)).any(axis=-1)
        along = (bounds.rows @ v[..., None])[..., 0]
        near_row = 1e-6 * (1.0 + np.abs(along))
        at_row = (along <= bounds.rows_low + near_row) | (along >= bounds.rows_high - near_row)
        code = np.where(misses & (at_bound | at_row.any(axis=-1)), LIMITED, code)
    return code


def _along_loops(level: Level, loops: Level) -> Level:
    """Return a level as motions feel it that keep the loops closed."""
    closed = np.linalg.pinv(loops.jacobian) @ loops.jacobian
    return replace(level, jacobian=level.jacobian - level.jacobian @ closed)


def missing_of(levels: list[Level], v: Array) -> tuple[Rows, Array]:
    """Return how far J v is from what was asked for (…, rows), and whose rows these are."""
    apart = [(level.jacobian @ v[..., None])[..., 0] - level.rate for level in levels]
    pairs = ((t, own) for level in levels for t, own in zip(level.tasks, level.rows, strict=True))
    rows = Rows(tuple((task.name, task.size, own) for task, own in pairs))
    return rows, np.concatenate([np.zeros((*v.shape[:-1], 0)), *apart], axis=-1)


# Tasks that come and go without jumps.
#
# When the set of tasks changes, so does the law from states to velocities, at once. The difference
# δ between the last velocity and the first one of the new law is kept and fades,
#
#     v = v_new + N δ exp(−t/τ),
#
# in the null space N of loops and of the tasks of the first level that were there before and still
# are: they do not notice (after Schwienbacher 2013, section 5.1, where velocities in null spaces
# are scaled). Later levels do, or nothing were left to go over in: a posture has all velocities.
# What would go beyond a limit, of joints or of distances, fades faster.


OVER = 1e-3
"""What is left of a jump when it is forgotten."""


ROUNDING = 1e-12
"""Rows that take up less than this share of a velocity do not notice it."""


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
        """Return the part of a jump (…, nv) that first tasks of before do not notice."""
        rows = []
        # loops come before all levels of users
        numbers = [level.tasks[0].level for level in levels]
        first = min((number for number in numbers if number >= 0), default=0)
        for level in levels:
            row = 0
            for task, own in zip(level.tasks, level.rows, strict=True):
                if task.name not in self._new and task.level <= first:
                    rows.append(level.jacobian[..., row : row + len(own), :])
                row += len(own)
        if not rows:
            return jump
        stacked = np.concatenate(rows, axis=-2)
        along = np.linalg.pinv(stacked, rcond=1e-6) @ (stacked @ jump[..., None])
        return np.asarray(jump - along[..., 0])


def _within(v: Array, extra: Array, bounds: Bounds | None) -> Array:
    """Return v + extra, of which so much is taken that all bounds hold, and those of rows."""
    if bounds is None:
        return np.asarray(v + extra)
    along, more = ((bounds.rows @ each[..., None])[..., 0] for each in (v, extra))
    size = (np.abs(bounds.rows) @ np.abs(extra)[..., None])[..., 0]
    more = np.where(np.abs(more) > ROUNDING * size, more, 0.0)
    share = np.minimum(
        _share(v, extra, bounds.low, bounds.high),
        _share(along, more, bounds.rows_low, bounds.rows_high),
    )
    return np.asarray(v + share[..., None] * extra)


def _share(value: Array, more: Array, low: Array, high: Array) -> Array:
    """Return how much of `more` (…, n), up to all, keeps value + more within its bounds (…)."""
    room = np.where(more > 0.0, high - value, low - value)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(more != 0.0, np.maximum(room / more, 0.0), 1.0)
    return np.asarray(shares.min(axis=-1, initial=1.0))
