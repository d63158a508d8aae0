"""Tasks as rows of levels: what velocities are asked for, J v = r, and how much each row counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.ik.tasks.task import Task


@dataclass(frozen=True)
class Level:
    """The rows of all tasks of one level at states (…)."""

    tasks: tuple[Task, ...]
    jacobian: Array
    """J (…, rows, nv)."""
    rate: Array
    """What J v shall be (…, rows)."""
    weight: Array
    """How much each row counts (rows,), all of them positive."""
    rows: tuple[NDArray[np.intp], ...]
    """Which rows of each task are there: those that count."""


def check_gains(tasks: Sequence[Task], dt: float) -> None:
    """Raise if a gain is so high that steps of dt overshoot more and more: above 2/dt."""
    for task in tasks:
        if task.gain is not None and task.gain * dt > 2.0:
            message = f"gain of task {task.name!r} is {task.gain} 1/s: steps of {dt} s would "
            raise ValueError(f"{message}overshoot more and more, it must be at most {2.0 / dt:g}")


def levels_at(tasks: Sequence[Task], q: Array, dt: float) -> list[Level]:
    """Return the levels of `tasks` at states q (…, nq), first ones first."""
    numbers = sorted({task.level for task in tasks})
    return [_level([task for task in tasks if task.level == k], q, dt) for k in numbers]


def smallest_singular_value(level: Level) -> Array:
    """Return the smallest singular value (…) of the rows of a level, each by its weight."""
    rows = np.sqrt(level.weight)[:, None] * level.jacobian
    if 0 in rows.shape[-2:]:
        return np.full(rows.shape[:-2], np.inf)
    return np.asarray(np.linalg.svd(rows, compute_uv=False)[..., -1])


def _level(tasks: list[Task], q: Array, dt: float) -> Level:
    def asked(task: Task) -> tuple[Array, Array]:
        gain = 1.0 / dt if task.gain is None else task.gain
        return task.jacobian(q), task.feedforward(q) - gain * task.error(q)

    return level_of(tasks, q.shape[:-1], asked)


def level_of(
    tasks: list[Task], lead: tuple[int, ...], asked: Callable[[Task], tuple[Array, Array]]
) -> Level:
    """Return the rows that count of tasks of one level, each `asked` for its J and what J v is."""
    jacobians, rates, rows = [], [], []
    for task in tasks:
        own = np.flatnonzero(task.weight > 0.0)
        jacobian, rate = asked(task)
        jacobians.append(_spread(jacobian[..., own, :], lead, 2))
        rates.append(_spread(rate[..., own], lead, 1))
        rows.append(own)
    weight = np.concatenate([task.weight[own] for task, own in zip(tasks, rows, strict=True)])
    return Level(
        tuple(tasks),
        np.concatenate(jacobians, axis=-2),
        np.concatenate(rates, axis=-1),
        weight,
        tuple(rows),
    )


def _spread(values: Array, lead: tuple[int, ...], own: int) -> Array:
    """Return `values` for all states."""
    return np.broadcast_to(values, (*lead, *values.shape[values.ndim - own :]))
