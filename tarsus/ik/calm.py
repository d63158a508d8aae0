"""A price on velocities that errors raise: targets out of reach are approached calmly.

Where a machine is stretched towards a target that it cannot reach, J v = r asks for any velocity
along the direction in which J is singular, and steps go to and fro. What they leave out is how J
turns: the second derivative of ½ Σ w e² is Jᵀ w J + Σ w e ∇²e, and the last term is at most as
large as the errors times a length. With

    ε + calm ‖w e‖

as the price of velocities, in the metric W, steps fall short of that bound where `calm` [m] is as
large as the reach of the machine, and come to rest. It vanishes with the errors, as fast as they
do: targets within reach are approached as before (J. Fan, Y. Yuan, "On the quadratic convergence
of the Levenberg–Marquardt method without nonsingularity assumption", Computing 74, 2005; with the
square of the error T. Sugihara, IEEE Transactions on Robotics 27, 2011).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.ik.tasks.task import Task


def calm_rows(tasks: Sequence[Task], calm: float) -> list[Array]:
    """Return how much the error of each row (size,) of each task counts: those that come first."""
    first = min((task.level for task in tasks), default=0)
    return [calm * task.weight * float(task.level == first) for task in tasks]


def calm_price(tasks: Sequence[Task], q: Array, calm: float) -> Array:
    """Return calm ‖w e‖ (…) at states q (…, nq)."""
    square = np.zeros(q.shape[:-1])
    for task, row in zip(tasks, calm_rows(tasks, calm), strict=True):
        if row.any():
            square = square + ((row * task.error(q)) ** 2).sum(axis=-1)
    return np.asarray(np.sqrt(square))
