"""Rows of tasks by priority, bounds, and transitions between task sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import positive, reals
from tarsus._lib.files import Array
from tarsus.ik.tasks.task import Task
from tarsus.model.model import Model

# Tasks as rows of levels: what velocities are asked for, J v = r, and how much each row counts.


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


# Resolved accelerations: tasks on the level of forces, for motions without jumps of velocity.
#
# With gains K of errors and D of their rates the rows of a level ask for
#
#     J a = −D ė − K e − J̇ v + ṙ,        ė = J v − r,
#
# critically damped for D = 2 √K. The motion r of targets and its rate ṙ are what tasks are told of
# them: one that accelerates with a, and does not say so, is followed with a lag of a/K. Momenta
# have rates only, ḣ = −√K (h − r). The accelerations are found as velocities are, by a weighted
# pseudo-inverse or a programme, and joints move by
#
#     v⁺ = v + a dt,     q⁺ = q ⊕ (v + v⁺) dt/2
#
# (J. Luh, M. Walker, R. Paul, "Resolved-acceleration control of mechanical manipulators", IEEE
# Transactions on Automatic Control 25, 1980; Schwienbacher 2013, section 4.3.3).


STIFFEST = 0.5
"""Where a task has no gain, errors vanish with the rate 1/(2 dt), that of √K. So do those of
momenta, which have no gain of positions."""


def acceleration_levels(tasks: Sequence[Task], q: Array, v: Array, usual: float) -> list[Level]:
    """Return the levels of accelerations that `tasks` ask for at states q, v (…, nq), (…, nv).

    A task's gain is the rate at which its error fades, √K, the `usual` one if it states none.
    """
    numbers = sorted({task.level for task in tasks})
    return [
        level_of(
            [task for task in tasks if task.level == k],
            q.shape[:-1],
            lambda task: wanted_acceleration(task, q, v, usual),
        )
        for k in numbers
    ]


def wanted_acceleration(task: Task, q: Array, v: Array, usual: float) -> tuple[Array, Array]:
    """Return J (…, size, nv) and what J a shall be (…, size) by a task at states q, v."""
    gain = task.gain
    if gain is None or not (task.holonomic or gain > 0.0):
        gain = usual
    jacobian = task.jacobian(q)
    moving = (jacobian @ v[..., None])[..., 0] - task.feedforward(q)
    # momenta have no error: their rate fades alone
    if not task.holonomic:
        return jacobian, -gain * moving - task.drift(q, v)
    return jacobian, -2.0 * gain * moving - gain**2 * task.error(q) - task.drift(q, v)


# Goals that are inequalities: what tasks measure stays between bounds.
#
# With the error e of a task and its jacobian J, rows of the programme keep low ≤ e ≤ high,
#
#     −k (e − low) ≤ J v − r ≤ k (high − e),        k = min(rate, 1/dt),
#
# so that e comes no nearer to a bound than it gets there in time, but for the second order of a
# step, and comes back where it is beyond (as distances do, see `tarsus.ik.collision_avoidance`).


class WithinRows(NamedTuple):
    """Rows (…, k, nv), and what they may be at least and at most (…, k)."""

    rows: Array
    low: Array
    high: Array


class Within:
    """Keeps the rows of `task` between `lower` and `upper`, a number or one for each row (size,).

    `Within(PlaneTask("hand", place, normal), lower=0.0)` is a half-space, `Within(LineTask(…),
    -0.01, 0.01)` a channel. They hold before all tasks; the weight, the gain and the level of
    `task` do not count here, its target and how fast that moves do. `rate` [1/s] is how fast a
    bound may be approached.
    """

    def __init__(
        self,
        task: Task,
        lower: ArrayLike = -np.inf,
        upper: ArrayLike = np.inf,
        rate: float = 10.0,
    ) -> None:
        if not isinstance(task, Task):
            raise TypeError(f"task is of type {type(task).__name__}, must be a tarsus.ik.Task")
        if not task.holonomic:
            raise ValueError(f"task {task.name!r} has no error that bounds could hold")
        self.task, self.rate = task, positive(rate, "rate")
        self._stated = reals(lower, "lower"), reals(upper, "upper")

    def bind(self, model: Model) -> Within:
        """Return these bounds, from now on of a machine."""
        size = self.task.bind(model).size
        self.lower, self.upper = (
            _bounds(value, size, name)
            for value, name in zip(self._stated, ("lower", "upper"), strict=True)
        )
        if not (self.lower <= self.upper).all():
            message = f"lower {self.lower.tolist()} of {self.task.name!r} is above upper"
            raise ValueError(f"{message} {self.upper.tolist()}")
        return self

    def of_states(self, lead: tuple[int, ...], rows: NDArray[np.intp]) -> Within:
        """Return the bounds of some `rows` of states with leading dimensions `lead`, in a line."""
        found = copy(self)
        found.task = self.task.of_states(lead, rows)
        return found

    def rows(self, q: Array, dt: float) -> WithinRows:
        """Return the rows of a step of dt [s] from q (…, nq)."""
        lead, task = q.shape[:-1], self.task
        error, moved = task.error(q), task.feedforward(q)
        rate = min(self.rate, 1.0 / dt)
        low, high = rate * (self.lower - error) + moved, rate * (self.upper - error) + moved
        jacobian = task.jacobian(q)
        return WithinRows(
            np.broadcast_to(jacobian, (*lead, *jacobian.shape[-2:])),
            np.broadcast_to(low, (*lead, task.size)),
            np.broadcast_to(high, (*lead, task.size)),
        )

    def beyond(self, q: Array) -> Array:
        """Return how far (…) the rows are beyond their bounds at most."""
        error = self.task.error(q)
        apart = np.maximum(self.lower - error, error - self.upper)
        return np.asarray(np.maximum(apart, 0.0).max(axis=-1, initial=0.0))

    def __repr__(self) -> str:
        return f"<tarsus.ik.Within of {self.task!r}>"


def _bounds(value: Array, size: int, name: str) -> Array:
    if value.shape not in ((), (size,)) or np.isnan(value).any():
        raise ValueError(f"{name} is {value.tolist()}, must be a number or ({size},), not NaN")
    return np.broadcast_to(value, (size,))
