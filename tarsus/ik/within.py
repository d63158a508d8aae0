"""Goals that are inequalities: what tasks measure stays between bounds.

With the error e of a task and its jacobian J, rows of the programme keep low ≤ e ≤ high,

    −k (e − low) ≤ J v − r ≤ k (high − e),        k = min(rate, 1/dt),

so that e comes no nearer to a bound than it gets there in time, but for the second order of a
step, and comes back where it is beyond (as distances do, see `tarsus.ik.avoid`).
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.ik.arguments import positive
from tarsus.ik.tasks.task import Task
from tarsus.model import Model
from tarsus.model.checks import reals


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
