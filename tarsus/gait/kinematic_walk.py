"""Walks in kinematics: joints from the ways of feet, centre of mass and torso, step by step.

The tasks are those of Lola (M. Schwienbacher, TU München 2013, table 4.2): soles and the centre of
mass where they are planned, soles and torso turned as planned, pelvis, toes, head and hands held.
Seen from the world instead of from the centre of mass these are the same rows in other
combinations, so they have the same solutions. What arms do beside it is one of `tarsus.gait.arms`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.arms import Arms, Still, arm_joints, arm_motion
from tarsus.gait.walk_targets import WalkTargets
from tarsus.ik import Avoid, ComTask, OrientationTask, PositionTask, PostureTask, Solver, Task
from tarsus.model import Model
from tarsus.model.checks import reals

GAIN = 50.0
"""How fast errors of tasks fade [1/s]."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A walk without forces: configurations and velocities at even times, errors of its tasks."""

    model: Model
    times: Array
    q: Array
    v: Array
    errors: dict[str, float]
    """The largest error of each task of soles, centre of mass and torso [m or rad]."""

    @property
    def period(self) -> float:
        """The time from a configuration to the next [s]."""
        return float(self.times[1] - self.times[0])

    @property
    def a(self) -> Array:
        """Accelerations (T, nv), by central differences."""
        return np.asarray(np.gradient(self.v, self.period, axis=0))

    @property
    def angular_momentum(self) -> Array:
        """Angular momentum about the centre of mass (T, 3) [N·m·s], in world axes."""
        return np.asarray(self.model.centroidal_momentum(self.q, self.v))[:, 3:]


def walk_kinematics(
    anatomy: Anatomy,
    q: ArrayLike,
    targets: WalkTargets,
    arms: Arms | None = None,
    *,
    avoid: Avoid | None = None,
    comfort: float = 1.0,
) -> Motion:
    """Return the motion along targets from q (nq,), in which the machine stands and looks along x.

    Arms are held unless stated. `avoid` pushes links apart where tasks leave joints free, and
    `comfort` [1/s] is how fast arms that are free go back to q.
    """
    start = reals(q, "q")
    way = arm_motion(anatomy, start, Still() if arms is None else arms, gain=GAIN, comfort=comfort)
    tasks = [*_tasks(anatomy, start), *way.tasks]
    solver = Solver(
        anatomy.model,
        tasks,
        method="rate",
        limits=False,
        costs=way.costs,
        weight=way.weight,
        avoid=avoid,
    )
    dt = float(targets.times[1] - targets.times[0])
    plans = _plans(anatomy, start, targets, dt)
    places, speeds, at = [], [], start
    for k in range(len(targets.times)):
        for name, (values, rates) in plans.items():
            task = _aimed(solver, name)
            task.target, task.target_velocity = values[k], rates[k]
        way.update(at)
        step = solver.step(at, dt)
        places.append(at)
        speeds.append(step.v)
        at = step.q
    q_all = np.array(places)
    errors = {}
    for name, (values, _) in plans.items():
        task = _aimed(solver, name)
        task.target = values
        errors[name] = float(np.abs(task.error(q_all)).max())
    return Motion(anatomy.model, targets.times, q_all, np.array(speeds), errors)


def _aimed(solver: Solver, name: str) -> PositionTask | OrientationTask | ComTask:
    task = solver[name]
    assert isinstance(task, (PositionTask, OrientationTask, ComTask))
    return task


def _tasks(anatomy: Anatomy, q: Array) -> list[Task]:
    """Return the tasks of the walk, without those of the arms."""
    tasks: list[Task] = [ComTask(gain=GAIN, name="com")]
    for leg in anatomy.legs:
        sole = leg.sole.placement
        tasks.append(PositionTask(leg.end, offset=sole[:3, 3], gain=GAIN, name=f"{leg.name} sole"))
        tasks.append(OrientationTask(leg.end, gain=GAIN, name=f"{leg.name} turn"))
    tasks.append(OrientationTask(anatomy.torso, gain=GAIN, name="torso"))
    held = _held(anatomy)
    if held:
        tasks.append(PostureTask(q, joints=held, level=0, gain=GAIN, name="held"))
    return tasks


def _held(anatomy: Anatomy) -> list[str]:
    """Return the joints that are neither of legs nor of arms, nor that of the base."""
    moving = {*arm_joints(anatomy), *(name for leg in anatomy.legs for name in leg.joints)}
    return [
        joint.name
        for joint in anatomy.model.joints
        if joint.own_velocities and joint.kind != "free" and joint.name not in moving
    ]


def _plans(
    anatomy: Anatomy, q: Array, targets: WalkTargets, dt: float
) -> dict[str, tuple[Array, Array]]:
    """Return by name of task its targets and their velocities at all times."""
    plans = {"com": (targets.com, _rate(targets.com, dt))}
    for k, leg in enumerate(anatomy.legs):
        places = targets.soles[:, k]
        # the task turns the body, the plan its sole
        turned = places[:, :3, :3] @ leg.sole.placement[:3, :3].T
        plans[f"{leg.name} sole"] = (places[:, :3, 3], _rate(places[:, :3, 3], dt))
        plans[f"{leg.name} turn"] = (turned, _angular_rate(turned, dt))
    torso = targets.torso @ np.asarray(anatomy.model.frame_pose(q, anatomy.torso))[:3, :3]
    plans["torso"] = (torso, _angular_rate(torso, dt))
    return plans


def _rate(values: Array, dt: float) -> Array:
    return np.asarray(np.gradient(values, dt, axis=0))


def _angular_rate(rotations: Array, dt: float) -> Array:
    """Return angular velocities (T, 3) [rad/s] in world axes."""
    skew = _rate(rotations, dt) @ np.swapaxes(rotations, -1, -2)
    return np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=-1)
