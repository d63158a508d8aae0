"""What a whole body follows: targets of tasks by name, with their motions, and loads of contacts.

A setpoint by name becomes three rows of numbers, as all setpoints are: all targets and loads, all
velocities, all accelerations. What it does not name is no number there, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.control.arguments import vectors
from tarsus.control.body_contact import Contact
from tarsus.control.reference import Setpoint, parts_of
from tarsus.ik.tasks import PostureTask, Task
from tarsus.ik.tasks.aimed import AimedTask
from tarsus.model.checks import reals, suggestion


class BodyTargets:
    """The targets of tasks and the loads of contacts of one controller."""

    def __init__(self, tasks: Sequence[Task], contacts: Sequence[Contact]) -> None:
        self.contacts = tuple(contacts)
        self.aimed = [task for task in tasks if isinstance(task, AimedTask | PostureTask)]
        self.loads = np.ones(len(self.contacts))
        names = [task.name for task in tasks] + [contact.name for contact in contacts]
        twice = [name for k, name in enumerate(names) if name in names[:k]]
        if twice:
            raise ValueError(f"two tasks or contacts have the name {twice[0]!r}")
        self._names = names

    def setpoint(self, value: Any) -> Setpoint:
        """Return targets by name as a setpoint; None leaves all as it is."""
        if value is None:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        if isinstance(value, tuple):
            return value  # one that was made before
        if not isinstance(value, Mapping):
            raise TypeError(f"reference is {value!r}, must be targets by name, or return them")
        for name in value:
            if name not in self._names:
                raise ValueError(f"reference names {name!r}{suggestion(name, self._names)}")
        parts = [self._parts(task, value) for task in self.aimed]
        loads = [
            _load(value[contact.name], contact.name)
            if contact.name in value
            else np.full(1, np.nan)
            for contact in self.contacts
        ]
        places, velocities, faster = zip(*parts, strict=True) if parts else ((), (), ())
        return _joined([*places, *loads]), _joined(velocities), _joined(faster)

    def _parts(self, task: AimedTask | PostureTask, value: Mapping[str, Any]) -> Setpoint:
        """Return target (…, numbers), velocity and acceleration of a task, NaN if not named."""
        shape, size = _sizes(task)
        if task.name not in value:
            return (
                np.full(int(np.prod(shape)), np.nan),
                np.full(size, np.nan),
                np.full(size, np.nan),
            )
        place, velocity, acceleration = parts_of(value[task.name], len(shape))
        what = f"target of task {task.name!r}"
        flat = reals(place, what)
        if flat.shape[flat.ndim - len(shape) :] != shape or not np.isfinite(flat).all():
            sizes = ", ".join(map(str, shape))
            raise ValueError(f"{what} has shape {flat.shape}, must be (…, {sizes}) and finite")
        return (
            flat.reshape(*flat.shape[: flat.ndim - len(shape)], -1),
            vectors(velocity, size, f"the velocity of the {what}"),
            vectors(acceleration, size, f"the acceleration of the {what}"),
        )

    def aim(self, setpoint: Setpoint) -> None:
        """Give the tasks their targets and the contacts their loads."""
        places, velocities, faster = setpoint
        if not places.size:
            return
        place = motion = 0
        for task in self.aimed:
            shape, size = _sizes(task)
            count = int(np.prod(shape))
            own, moves = places[..., place : place + count], slice(motion, motion + size)
            if not np.isnan(own.flat[0]):
                task.target = own.reshape(*own.shape[:-1], *shape)
                task.target_velocity = velocities[..., moves]
                task.target_acceleration = faster[..., moves]
            place, motion = place + count, motion + size
        loads = places[..., place:]
        self.loads = np.where(np.isnan(loads), self.loads, loads)


def _sizes(task: AimedTask | PostureTask) -> tuple[tuple[int, ...], int]:
    """Return the shape of a task's target, and how many numbers its velocity has."""
    if isinstance(task, PostureTask):
        return (task.model.nq,), task.model.nv
    return task.target_shape, task.velocity_size


def _load(value: Any, name: str) -> Array:
    """Return loads (…, 1) of a contact, from 0 to 1."""
    found = np.asarray(value, np.float64)
    if not ((found >= 0.0) & (found <= 1.0)).all():
        raise ValueError(f"load of {name!r} is {value!r}, must be from 0 (open) to 1")
    return found[..., None]


def _joined(parts: Sequence[Array]) -> Array:
    """Return numbers of all parts side by side (…, size)."""
    if not parts:
        return np.zeros(0)
    lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(p, (*lead, p.shape[-1])) for p in parts], axis=-1)
