"""Tasks that the core knows: their rows for one state or many, and searches for poses in lanes.

The core knows poses, positions and orientations of frames in the world, and postures of joints
whose coordinates simply add up, on machines whose loops are all in clusters and whose couplings are
closed forms. All other tasks are evaluated here, in NumPy; the rows are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus import _core
from tarsus.arrays import Array
from tarsus.ik.tasks import FrameTask, OrientationTask, PositionTask, PostureTask, Task
from tarsus.model import Model

Statement = tuple[int, bool, bool, Sequence[int], Sequence[int]]


class CoreTasks:
    """Tasks as the core has them."""

    def __init__(self, model: Model, tasks: Sequence[Task]) -> None:
        self.model, self.tasks = model, tuple(tasks)
        stated = (_statement(model, task) for task in tasks)
        self.core = _core.TaskSet(model, [each for each in stated if each is not None])

    def targets(self, lead: tuple[int, ...]) -> Array | None:
        """Return the targets (states, numbers) of states with leading dimensions, or one row.

        None where there are more targets than states, or not as many; `Solver.finite` tells then.
        """
        packed = [_target(task) for task in self.tasks]
        try:
            own = np.broadcast_shapes(*(each.shape[:-1] for each in packed))
            fits = not own or np.broadcast_shapes(own, lead) == lead
        except ValueError:
            fits = False
        if not fits:
            return None
        shape = lead if own else ()
        wide = [np.broadcast_to(each, (*shape, each.shape[-1])) for each in packed]
        return np.ascontiguousarray(np.concatenate(wide, axis=-1)).reshape(-1, self.core.targets)


def known(model: Model, tasks: Sequence[Task]) -> bool:
    """Whether the core knows all these tasks of a machine."""
    if model.constraints or any(cluster.closure.count("function") for cluster in model.clusters):
        return False
    return bool(tasks) and all(_statement(model, task) is not None for task in tasks)


def _statement(model: Model, task: Task) -> Statement | None:
    """Return a task as the core reads it, or None if it does not know it."""
    if type(task) is FrameTask and task.relative_to is None:
        return model.frame(task.frame).index, True, True, (), ()
    if type(task) is OrientationTask and task.relative_to is None:
        return model.frame(task.frame).index, False, True, (), ()
    if type(task) is PositionTask and task.offset is None and task.relative_to is None:
        world = task.axes in (None, "world")
        return (model.frame(task.frame).index, True, False, (), ()) if world else None
    if type(task) is PostureTask:
        velocities = task.velocities
        places = {int(v): int(q) for q, v in enumerate(model.rate_index) if v >= 0}
        if all(int(v) in places for v in velocities):
            return -1, False, False, [places[int(v)] for v in velocities], velocities.tolist()
    return None


def _target(task: Task) -> Array:
    """Return a task's target (…, numbers) as the core reads it."""
    if isinstance(task, FrameTask):
        rotation, position = task.target[..., :3, :3], task.target[..., :3, 3]
    elif isinstance(task, OrientationTask):
        rotation, position = task.target, np.zeros(3)
    elif isinstance(task, PositionTask):
        rotation, position = np.eye(3), task.target
    else:
        assert isinstance(task, PostureTask)
        return np.asarray(task.target[..., task.positions])
    lead = np.broadcast_shapes(rotation.shape[:-2], position.shape[:-1])
    columns = np.swapaxes(np.broadcast_to(rotation, (*lead, 3, 3)), -1, -2)
    return np.concatenate(
        [columns.reshape(*lead, 9), np.broadcast_to(position, (*lead, 3))], axis=-1
    )
