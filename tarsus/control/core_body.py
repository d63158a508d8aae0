"""Whole-body control in one call of the core: the programme of `body_programme.py`, state by state.

The core knows tasks that inverse kinematics has there, but not frames that look, and drives on
coordinates; loops that are constraints, motors behind gears and what shall stay apart are for
NumPy. Statements are handed over when they have changed.
"""

from __future__ import annotations

from math import prod
from operator import is_not

import numpy as np
from numpy.typing import NDArray

from tarsus import _core
from tarsus.arrays import Array
from tarsus.control.body_contact import Contact
from tarsus.control.body_programme import HOLDING, YIELDING, BodyProgramme
from tarsus.ik.core_tasks import CoreTasks, known
from tarsus.ik.limits import free_ranges
from tarsus.ik.programme import QPSolution
from tarsus.ik.tasks import LookAtTask


class CoreBody:
    """The programmes of a machine, solved in the core."""

    def __init__(self, programme: BodyProgramme) -> None:
        self.programme = programme
        self._stated: list[int] | None = None
        self._edges: list[Array] = []

    @staticmethod
    def knows(programme: BodyProgramme) -> bool:
        """Whether the core knows all that a programme has."""
        plain = not programme.drives.motors and programme.limits.plain
        looks = any(isinstance(task, LookAtTask) for task in programme.tasks)
        return plain and not looks and known(programme.model, programme.tasks)

    def solve(
        self, q: Array, v: Array, loads: Array, start: NDArray[np.int8] | None, threads: int = 1
    ) -> tuple[QPSolution, Array, Array] | None:
        """Return solutions, efforts (…, nv) and how far contacts slip (…).

        None where targets do not fit the states.
        """
        own = self.programme
        stated = [task.stated for task in own.tasks]
        edges = [contact.edges for contact in own.contacts]
        if stated != self._stated or any(map(is_not, edges, self._edges)):
            self._make()
            # the arrays themselves: an address may be that of another one later
            self._stated, self._edges = stated, edges
        lead = q.shape[:-1]
        targets, rates = self._tasks.targets(lead), self._tasks.target_rates(lead)
        if targets is None or rates is None:
            return None
        if len(targets) != len(rates):
            targets, rates = np.broadcast_arrays(targets, rates)
        at, speed, load = (
            np.ascontiguousarray(each).reshape(prod(lead), each.shape[-1]) for each in (q, v, loads)
        )
        x, tau, slack, told, held, ends = self._core.solve(
            at, speed, targets, rates, load, start, threads
        )
        code, worst, passes = ends.reshape(3, *lead).astype(np.int64)
        slip, missed = told.reshape(2, *lead)
        found = QPSolution(
            x.reshape(*lead, x.shape[-1]),
            slack.reshape(*lead, slack.shape[-1]),
            NONE,
            NONE,
            NONE,
            held.reshape(*lead, x.shape[-1] + slack.shape[-1]),
            code,
            passes,
            worst,
            missed,
        )
        return found, tau.reshape(*lead, tau.shape[-1]), slip

    def _make(self) -> None:
        own, model = self.programme, self.programme.model
        tasks = sorted(own.tasks, key=lambda task: task.level)
        self._tasks = CoreTasks(model, tasks)
        gains = [
            own.usual if task.gain is None or not (task.holonomic or task.gain > 0.0) else task.gain
            for task in tasks
        ]
        sizes = [task.size for task in tasks]
        levels = sorted({task.level for task in tasks})
        joints = own.limits.joints
        lower, upper, position = free_ranges(model) if joints is None else joints.ranges
        free = np.full(model.nv, np.inf)
        twists = [("twist", [model.frame(c.frame).index], c.centre.tolist()) for c in own.contacts]
        self._core = _core.BodyController(
            model,
            [*self._tasks.stated, *twists],
            self._tasks.centres,
            [_contact(contact, own.weight) for contact in own.contacts],
            weight=np.concatenate([task.weight for task in tasks]),
            gain=np.repeat(gains, sizes),
            momentum=np.repeat([not task.holonomic for task in tasks], sizes).tolist(),
            levels=[sum(t.size for t in tasks if t.level == level) for level in levels],
            damping=own.damping[: model.nv],
            lower=lower,
            upper=upper,
            position=position,
            fastest=free if joints is None else joints.fastest,
            acceleration=free if joints is None else joints.acceleration,
            idle=own.drives.idle.tolist(),
            driven=own.drives.bounded.tolist(),
            effort=own.drives.effort,
            numbers=[
                float(own.damping[-1]),
                own.usual,
                own.limits.approach,
                own.weight,
                HOLDING,
                YIELDING,
            ],
            springs=own.springs,
            rubs=own.rubs,
        )


NONE = np.zeros(0)
"""Multipliers, which the core keeps to itself."""


def _contact(contact: Contact, weight: float) -> tuple[list[float], ...]:
    """Return a contact as the core reads it."""
    most = 3.0 if contact.force is None else contact.force / weight
    return (
        contact.levers.ravel().tolist(),
        contact.turns.ravel().tolist(),
        contact.edges.T.ravel().tolist(),
        contact.normal.tolist(),
        [contact.torsion, contact.damping, most],
    )
