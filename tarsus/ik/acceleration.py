"""Resolved accelerations: tasks on the level of forces, for motions without jumps of velocity.

With gains K of errors and D of their rates the rows of a level ask for

    J a = −D ė − K e − J̇ v + ṙ,        ė = J v − r,

critically damped for D = 2 √K. The motion r of targets and its rate ṙ are what tasks are told of
them: one that accelerates with a, and does not say so, is followed with a lag of a/K. Momenta have
rates only, ḣ = −√K (h − r). The accelerations are found as velocities are, by a weighted
pseudo-inverse or a programme, and joints move by

    v⁺ = v + a dt,     q⁺ = q ⊕ (v + v⁺) dt/2

(J. Luh, M. Walker, R. Paul, "Resolved-acceleration control of mechanical manipulators", IEEE
Transactions on Automatic Control 25, 1980; Schwienbacher 2013, section 4.3.3).
"""

from __future__ import annotations

from collections.abc import Sequence

from tarsus.arrays import Array
from tarsus.ik.levels import Level, level_of
from tarsus.ik.tasks.task import Task

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
