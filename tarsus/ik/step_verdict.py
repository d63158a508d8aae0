"""What steps in NumPy miss, and why: limits, or a position where the machine is singular."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.ik.levels import Level, smallest_singular_value
from tarsus.ik.qp import Bounds
from tarsus.ik.results import Rows
from tarsus.ik.status import LIMITED, SINGULAR, SOLVED
from tarsus.ik.tasks.loops import LoopTask

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
