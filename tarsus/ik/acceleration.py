"""Resolved accelerations: tasks on the level of forces, for motions without jumps of velocity.

With gains K of errors and D of their rates the rows of a level ask for

    J a = −D ė − K e − J̇ v,        ė = J v − r,

critically damped for D = 2 √K. Targets have no acceleration here: one that accelerates with a is
followed with a lag of a/K. Momenta have rates only, ḣ = −√K (h − r). The accelerations are found as
velocities are, by a weighted pseudo-inverse or a programme, and joints move by

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


def acceleration_levels(tasks: Sequence[Task], q: Array, v: Array, dt: float) -> list[Level]:
    """Return the levels of accelerations that `tasks` ask for at states q, v (…, nq), (…, nv).

    A task's gain is the rate at which its error fades, √K.
    """
    numbers = sorted({task.level for task in tasks})
    return [_level([task for task in tasks if task.level == k], q, v, dt) for k in numbers]


def _level(tasks: list[Task], q: Array, v: Array, dt: float) -> Level:
    def asked(task: Task) -> tuple[Array, Array]:
        gain = task.gain
        if gain is None or not (task.holonomic or gain > 0.0):
            gain = STIFFEST / dt
        jacobian = task.jacobian(q)
        moving = (jacobian @ v[..., None])[..., 0] - task.feedforward(q)
        # momenta have no error: their rate fades alone
        stiff = gain**2 * task.error(q) if task.holonomic else 0.0
        return jacobian, -(2.0 if task.holonomic else 1.0) * gain * moving - stiff - task.drift(
            q, v
        )

    return level_of(tasks, q.shape[:-1], asked)
