"""Tasks as the core has them: rows that it evaluates, and rows that it is given.

The core evaluates the rows of all tasks of this package but loops and postures of quaternion
coordinates. The rows of those, and of users' own tasks, are evaluated by their methods `error`,
`jacobian`, `feedforward` and `drift`, and handed over state by state as numbers of their target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus._lib.files import Array
from tarsus.ik.points import CentreOfMass, FrameOrigin, PartCentre, Point
from tarsus.ik.tasks.frames import FrameTask, LookAtTask, OrientationTask
from tarsus.ik.tasks.momentum import AngularMomentumTask, CentroidalMomentumTask, MomentumTask
from tarsus.ik.tasks.points import (
    ComTask,
    DirectedTask,
    LineTask,
    PartComTask,
    PlaneTask,
    PointTask,
    PositionTask,
)
from tarsus.ik.tasks.posture import CouplingTask, PostureTask
from tarsus.ik.tasks.task import AimedTask, Task
from tarsus.model import Model
from tarsus.spatial import skew

Statement = tuple[str, list[int], list[float]]
"""Of one kind of rows: its name, indices and numbers, as the core reads them."""


def evaluated(task: Task) -> bool:
    """Whether the core evaluates the rows of a task itself."""
    return type(task) in _STATED and not (isinstance(task, PostureTask) and task.on_groups)


class CoreTasks:
    """Tasks as the core has them; `given` says whose rows it does not evaluate."""

    def __init__(
        self,
        model: Model,
        tasks: Sequence[Task],
        given: Callable[[Task], bool] = lambda task: not evaluated(task),
    ) -> None:
        self.model, self.tasks = model, tuple(tasks)
        self.given = tuple(task for task in tasks if given(task))
        self.centres: list[list[int]] = []
        self.stated: list[Statement] = []
        for task in tasks:
            if task in self.given:
                self.stated.append(("given", [task.size], []))
            else:
                self.stated += _STATED[type(task)](self, task)
        self.core = _core.TaskSet(model, self.stated, self.centres)
        none = [(-1, np.zeros(0))] * len(self.tasks)
        self._packed: dict[Callable[[Task], Array], list[tuple[int, Array]]] = {
            _target: list(none),
            _target_rate: list(none),
        }

    def targets(self, lead: tuple[int, ...], q: Array | None = None) -> Array | None:
        """Return the targets (states, numbers) of states with leading dimensions, or one row.

        Those of given tasks are their rows at the states q (*lead, nq). None where there are more
        targets than states, or not as many; `Solver.finite` tells then.
        """
        rows = {} if q is None else {id(task): given_rows(task, q) for task in self.given}
        return self._together(_target, lead, rows)

    def target_rates(
        self, lead: tuple[int, ...], q: Array | None = None, v: Array | None = None
    ) -> Array | None:
        """Return how fast these numbers change, alike, while states move with v (*lead, nv)."""
        if q is None or v is None:
            return self._together(_target_rate, lead, {})
        rows = {id(task): given_rates(task, q, v) for task in self.given}
        return self._together(_target_rate, lead, rows)

    def _together(
        self, pack: Callable[[Task], Array], lead: tuple[int, ...], given: dict[int, Array]
    ) -> Array | None:
        """Return what is packed of each task, side by side; None where it does not fit."""
        own_numbers = self._packed[pack]
        for k, task in enumerate(self.tasks):
            if id(task) in given:
                own_numbers[k] = -1, given[id(task)]
            elif own_numbers[k][0] != task.aimed:
                own_numbers[k] = task.aimed, pack(task)
        packed = [numbers for _, numbers in own_numbers]
        most = max((numbers.ndim for numbers in packed), default=1)
        if most == 1:
            return np.concatenate(packed)[None] if packed else np.zeros((1, 0))
        if most > 1 + len(lead):
            return None
        found, last = np.empty((*lead, self.core.targets)), 0
        try:
            for numbers in packed:
                first, last = last, last + numbers.shape[-1]
                found[..., first:last] = numbers
        except ValueError:
            return None
        return found.reshape(prod(lead), self.core.targets)

    def point_rows(self, point: Point, origin: Point | None, axes: str | None) -> Statement:
        """Return the rows of a point, seen from an origin in the axes of a frame."""
        (frame, centre), (other, from_centre) = self._place(point), self._place(origin)
        offset = point.offset if isinstance(point, FrameOrigin) else None
        numbers = [0.0, 0.0, 0.0] if offset is None else [float(x) for x in offset]
        return "point", [frame, other, self.frame(axes), centre, from_centre], numbers

    def frame(self, name: str | None) -> int:
        """Return the number of a frame, −1 for the world."""
        return -1 if name is None else self.model.frame(name).index

    def _place(self, point: Point | None) -> tuple[int, int]:
        """Return the frame and the centre of mass that a point is, −1 for none."""
        if point is None:
            return -1, -1
        if isinstance(point, FrameOrigin):
            return self.frame(point.frame), -1
        if isinstance(point, PartCentre):
            bodies = [body.index for body in point.bodies]
        else:
            assert isinstance(point, CentreOfMass)
            bodies = [body.index for body in self.model.bodies]
        if bodies not in self.centres:
            self.centres.append(bodies)
        return -1, self.centres.index(bodies)


def known(model: Model, tasks: Sequence[Task]) -> bool:
    """Whether the core evaluates all these tasks of a machine, wherever that is."""
    if model.constraints or any(cluster.closure.count("function") for cluster in model.clusters):
        return False
    return bool(tasks) and all(evaluated(task) for task in tasks)


def given_rows(task: Task, q: Array) -> Array:
    """Return the rows of a task at q as the core reads them: e, what targets add, J (…, numbers).

    Rows without weight are zero.
    """
    shape = task.size, task.model.nv
    parts = [
        _sized(task.error(q), shape[:1], task, "error"),
        _sized(task.feedforward(q), shape[:1], task, "feedforward"),
        _sized(task.jacobian(q), shape, task, "jacobian"),
    ]
    if not (task.weight > 0.0).all():
        counts = task.weight > 0.0
        parts = [
            np.where(counts if k < 2 else counts[:, None], p, 0.0) for k, p in enumerate(parts)
        ]
    parts[2] = parts[2].reshape(*parts[2].shape[:-2], shape[0] * shape[1])
    return _joined(parts)


def given_rates(task: Task, q: Array, v: Array) -> Array:
    """Return rates of these numbers of which J v less what targets add changes by the drift."""
    drift = _sized(task.drift(q, v), (task.size,), task, "drift")
    drift = np.where(task.weight > 0.0, drift, 0.0)
    return _joined([np.zeros(task.size), -drift, np.zeros(task.size * task.model.nv)])


def _sized(values: ArrayLike, own: tuple[int, ...], task: Task, name: str) -> Array:
    """Return what a method of a task returned, (…, *own)."""
    found = np.asarray(values)
    if found.shape[found.ndim - len(own) :] != own:
        sizes = ", ".join(map(str, own))
        raise ValueError(
            f"{name} of task {task.name!r} has shape {found.shape}, must be (…, {sizes})"
        )
    return found


def _point(core: CoreTasks, task: PointTask) -> list[Statement]:
    return [core.point_rows(task.led, task.origin, task.seen_in)]


def _frame(core: CoreTasks, task: FrameTask) -> list[Statement]:
    at = FrameOrigin(task.model, task.frame)
    other = None if task.relative_to is None else FrameOrigin(task.model, task.relative_to)
    return [core.point_rows(at, other, task.relative_to), *_turn(core, task)]


def _turn(core: CoreTasks, task: FrameTask | OrientationTask) -> list[Statement]:
    return [("turn", [core.frame(task.frame), core.frame(task.relative_to)], [])]


def _look(core: CoreTasks, task: LookAtTask) -> list[Statement]:
    return [("look", [core.frame(task.frame)], task.basis.ravel().tolist())]


def _directed(core: CoreTasks, task: DirectedTask) -> list[Statement]:
    _, indices, offset = core.point_rows(task.led, None, None)
    return [("across", [indices[0], indices[3], task.size], offset)]


def _momentum(core: CoreTasks, task: MomentumTask) -> list[Statement]:
    return [("momentum", list(task.rows), [])]


def _coupling(core: CoreTasks, task: CouplingTask) -> list[Statement]:
    return [("sum", [*task.positions, *task.velocities], list(task.ratios.values()))]


def _posture(core: CoreTasks, task: PostureTask) -> list[Statement]:
    return [("posture", [*task.positions, *task.velocities.tolist()], [])]


_STATED: dict[type[Task], Callable[[CoreTasks, Any], list[Statement]]] = {
    PositionTask: _point,
    ComTask: _point,
    PartComTask: _point,
    FrameTask: _frame,
    OrientationTask: _turn,
    LookAtTask: _look,
    PlaneTask: _directed,
    LineTask: _directed,
    AngularMomentumTask: _momentum,
    CentroidalMomentumTask: _momentum,
    CouplingTask: _coupling,
    PostureTask: _posture,
}
"""How each kind of task is stated; what is derived from one is a task of its own."""


def _target(task: Task) -> Array:
    """Return a task's target (…, numbers) as the core reads it, mostly with its velocity."""
    return _NUMBERS[type(task)][0](task)


def _target_rate(task: Task) -> Array:
    """Return how fast the numbers of a target change: its velocity, and its acceleration."""
    return _NUMBERS[type(task)][1](task)


def _place(task: AimedTask) -> Array:
    return _joined([task.target, _or_rest(task.target_velocity, task)])


def _place_rate(task: AimedTask) -> Array:
    motions = task.target_velocity, task.target_acceleration
    return _joined([_or_rest(motion, task) for motion in motions])


def _frame_numbers(task: FrameTask) -> Array:
    target, velocity = task.target, _or_rest(task.target_velocity, task)
    return _joined([target[..., :3, 3], velocity[..., :3], _columns(target), velocity[..., 3:]])


def _frame_rate(task: FrameTask) -> Array:
    velocity = _or_rest(task.target_velocity, task)
    faster = _or_rest(task.target_acceleration, task)
    turning = _turning(velocity[..., 3:], task.target)
    return _joined([velocity[..., :3], faster[..., :3], turning, faster[..., 3:]])


def _turn_numbers(task: OrientationTask) -> Array:
    return _joined([_columns(task.target), _or_rest(task.target_velocity, task)])


def _turn_rate(task: OrientationTask) -> Array:
    turning = _turning(_or_rest(task.target_velocity, task), task.target)
    return _joined([turning, _or_rest(task.target_acceleration, task)])


def _posture_numbers(task: PostureTask) -> Array:
    return _side_by_side(task.target[..., task.positions], _moving(task.target_velocity, task))


def _posture_rate(task: PostureTask) -> Array:
    motions = task.target_velocity, task.target_acceleration
    return _side_by_side(*(_moving(motion, task) for motion in motions))


def _directed_numbers(task: DirectedTask) -> Array:
    along = task.directions
    flat = along.reshape(*along.shape[:-2], 3 * task.size)
    return _joined([flat, task.target[..., 0, :], _or_rest(task.target_velocity, task)])


def _directed_rate(task: DirectedTask) -> Array:
    motions = task.target_velocity, task.target_acceleration
    return _joined([np.zeros(3 * task.size), *(_or_rest(motion, task) for motion in motions)])


def _momentum_numbers(task: MomentumTask) -> Array:
    return task.target


def _momentum_rate(task: MomentumTask) -> Array:
    return _or_rest(task.target_velocity, task)


_NUMBERS: dict[type[Task], tuple[Callable[[Any], Array], Callable[[Any], Array]]] = {
    PositionTask: (_place, _place_rate),
    ComTask: (_place, _place_rate),
    PartComTask: (_place, _place_rate),
    FrameTask: (_frame_numbers, _frame_rate),
    OrientationTask: (_turn_numbers, _turn_rate),
    LookAtTask: (_place, _place_rate),
    PlaneTask: (_directed_numbers, _directed_rate),
    LineTask: (_directed_numbers, _directed_rate),
    AngularMomentumTask: (_momentum_numbers, _momentum_rate),
    CentroidalMomentumTask: (_momentum_numbers, _momentum_rate),
    CouplingTask: (_place, _place_rate),
    PostureTask: (_posture_numbers, _posture_rate),
}
"""How the target of each kind of task is packed, and its rate."""


def _or_rest(motion: Array | None, task: AimedTask) -> Array:
    """Return a motion of a target, zeros for None."""
    return np.zeros(task.velocity_size) if motion is None else motion


def _joined(parts: list[Array]) -> Array:
    """Return parts side by side, each for all states that one of them is for."""
    try:
        return np.concatenate(parts, axis=-1)
    except ValueError:  # some are for all states
        lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        wide = [np.broadcast_to(part, (*lead, part.shape[-1])) for part in parts]
        return np.concatenate(wide, axis=-1)


def _moving(motion: Array | None, task: PostureTask) -> Array:
    """Return a motion of the joints of a posture (…, size), zeros for None."""
    return np.zeros(task.size) if motion is None else np.asarray(motion[..., task.velocities])


def _side_by_side(places: Array, velocities: Array) -> Array:
    """Return places and velocities in turn (…, 2 size)."""
    both = np.stack(np.broadcast_arrays(places, velocities), axis=-1)
    return both.reshape(*both.shape[:-2], -1)


def _columns(pose: Array) -> Array:
    """Return the rotations of poses (…, 4, 4), or rotations (…, 3, 3), by columns (…, 9)."""
    return pose[..., :3, :3].swapaxes(-1, -2).reshape(*pose.shape[:-2], 9)


def _turning(spin: Array, pose: Array) -> Array:
    """Return how fast these columns (…, 9) change where they turn with velocities (…, 3)."""
    back = (spin @ BACKWARDS).reshape(*spin.shape, 3)
    found = pose[..., :3, :3].swapaxes(-1, -2) @ back
    return found.reshape(*found.shape[:-2], 9)


BACKWARDS = np.swapaxes(skew(np.eye(3)), -1, -2).reshape(3, 9)
"""Of each axis: the transpose of the matrix of cross products with it."""
