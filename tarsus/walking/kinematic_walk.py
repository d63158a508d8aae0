"""Walks of given kinematics, with balance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import count, expect, number, reals
from tarsus._lib.files import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.ik.collision_avoidance import Avoid
from tarsus.ik.solver import Solver
from tarsus.ik.tasks.frames import OrientationTask
from tarsus.ik.tasks.points import ComTask, PositionTask
from tarsus.ik.tasks.posture import PostureTask
from tarsus.ik.tasks.task import Task
from tarsus.model.model import Model
from tarsus.spatial import pose
from tarsus.walking.arms import Arms, Still, arm_joints, arm_motion
from tarsus.walking.ground_wrenches import GroundWrenches, ground_wrenches
from tarsus.walking.plans.footsteps import Footsteps, sole_rotation
from tarsus.walking.plans.swing import quintic
from tarsus.walking.plans.zmp_preview import ZmpPreview

# Walks in kinematics: joints from the ways of feet, centre of mass and torso, step by step.
#
# The tasks are those of Lola (M. Schwienbacher, TU München 2013, table 4.2): soles and the centre
# of mass where they are planned, soles and torso turned as planned, pelvis, toes, head and hands
# held. Seen from the world instead of from the centre of mass these are the same rows in other
# combinations, so they have the same solutions. What arms do beside it is one of
# `tarsus.walking.arms`.


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


# Ways of soles, centre of mass and torso for steps that are known beforehand.
#
# Each step begins with both soles on the ground, while the zero moment point goes over to the sole
# that stays; then the other one swings, by quintics, to its next place. The centre of mass follows
# by preview control at a constant height, and the torso looks to the middle of where the soles do.


BEFORE, AFTER = 0.8, 0.8
"""How long the machine stands before the first step and after the last one [s]."""


class WalkTargets(NamedTuple):
    """Ways at even times; soles are in the order left, right."""

    times: Array
    """(T,) [s]."""
    soles: Array
    """Poses of the soles (T, 2, 4, 4)."""
    com: Array
    """(T, 3) [m]."""
    torso: Array
    """How the torso is turned from where the machine looks along x (T, 3, 3)."""
    standing: NDArray[np.bool_]
    """Which soles stand (T, 2)."""
    zmp: Array
    """Where the zero moment point shall be (T, 2) [m]."""
    step: NDArray[np.int64]
    """Which step it is (T,): −1 before the first, their number after the last."""


def walk_targets(
    footsteps: Footsteps,
    height: float,
    *,
    duration: float = 0.8,
    double: float = 0.2,
    lift: float = 0.06,
    dt: float = 0.01,
) -> WalkTargets:
    """Return ways along footsteps on level ground; the centre of mass is at `height` [m].

    A step takes `duration` [s], of which the share `double` with both soles down. Soles swing
    `lift` [m] high.
    """
    expect(footsteps, Footsteps, "footsteps")
    if footsteps.yaw.ndim != 1:
        raise ValueError(f"footsteps are {footsteps.yaw.shape[:-1]} walks, must be one")
    if not number(duration, "duration") > 0.0 or not 0.0 < number(double, "double") < 1.0:
        raise ValueError(f"duration {duration} must be above 0, double {double} from 0 to 1")
    n = footsteps.steps
    samples = round((BEFORE + n * duration + AFTER) / dt) + 1
    times = np.arange(samples, dtype=np.float64) * dt
    phase = (times - BEFORE) / duration
    step = np.clip(np.floor(phase + 1e-9), -1, n).astype(np.int64)
    place, yaw, standing = _soles(footsteps, phase, double, lift)
    zmp = _zmp(footsteps, phase, double)
    sway = ZmpPreview(height, dt=dt).follow(zmp)
    com = np.column_stack([sway.com, np.full(len(times), height)])
    return WalkTargets(
        times,
        pose(place, _turned(yaw)),
        com,
        _turned(yaw.mean(axis=-1)),
        standing,
        zmp,
        step,
    )


def _turned(yaw: Array) -> Array:
    """Return rotations (…, 3, 3) about the vertical."""
    return sole_rotation(yaw, np.broadcast_to([0.0, 0.0, 1.0], (*yaw.shape, 3)))


def _soles(
    footsteps: Footsteps, phase: Array, double: float, lift: float
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return positions (T, 2, 3) and yaws (T, 2) of soles, left first, and which stand (T, 2)."""
    first = [0, 1] if footsteps.side[0] > 0 else [1, 0]
    place = np.tile(footsteps.position[first], (len(phase), 1, 1))
    yaw = np.tile(footsteps.yaw[first], (len(phase), 1))
    standing = np.ones(yaw.shape, bool)
    for k in range(footsteps.steps):
        # the foot of entry k goes to entry k + 2
        side = 0 if footsteps.side[k] > 0 else 1
        share = (phase - k - double) / (1.0 - double)
        along = quintic(share)
        place[:, side] += along[:, None] * (footsteps.position[k + 2] - footsteps.position[k])
        yaw[:, side] += along * (footsteps.yaw[k + 2] - footsteps.yaw[k])
        # up and down again without acceleration at both ends
        inside = np.clip(share, 0.0, 1.0)
        place[:, side, 2] += 64.0 * lift * (inside * (1.0 - inside)) ** 3
        standing[:, side] &= (share < 1e-9) | (share > 1.0 - 1e-9)
    return place, yaw, standing


def _zmp(footsteps: Footsteps, phase: Array, double: float) -> Array:
    """Return the zero moment point (T, 2): under the sole that stays, on lines in between."""
    places = footsteps.position[:, :2]
    # between both soles at first and at last, in step k below entry k + 1
    stops = np.vstack([places[:2].mean(axis=0), places[1:-1], places[-2:].mean(axis=0)])
    moves = np.diff(stops, axis=0)
    share = np.clip((phase[:, None] - np.arange(len(moves))) / double, 0.0, 1.0)
    return np.asarray(stops[0] + share @ moves)


# Walks whose zero moment point is where it was planned, also that of the whole machine.
#
# Preview control plans with a cart on a table. The legs that swing, and the arms, move the zero
# moment point of the machine away from that of the cart; how far is known as soon as joints are.
# The same control leads the centre of mass to the difference, and joints are found again (S. Kajita
# and others, "Biped Walking Pattern Generation by using Preview Control of Zero-Moment Point", ICRA
# 2003, section 4).


ENDS = 3
"""Samples at both ends whose accelerations are not counted: differences there are one-sided."""


class BalancedWalk(NamedTuple):
    """A motion, the ways that it follows, and what the ground does for it."""

    motion: Motion
    targets: WalkTargets
    ground: GroundWrenches

    @property
    def zmp_error(self) -> float:
        """How far the zero moment point is from where it was planned, at most [m]."""
        apart = (self.ground.zmp - self.targets.zmp)[ENDS:-ENDS]
        return float(np.linalg.norm(apart, axis=-1).max())


def balanced_walk(
    anatomy: Anatomy,
    q: Array,
    targets: WalkTargets,
    arms: Arms | None = None,
    *,
    rounds: int = 2,
    avoid: Avoid | None = None,
    comfort: float = 1.0,
) -> BalancedWalk:
    """Return a walk along targets from q (nq,) whose centre of mass was led again, `rounds` times.

    Arms, `avoid` and `comfort` are those of `walk_kinematics`.
    """
    count(rounds, "rounds", 0)
    for left in range(rounds, -1, -1):
        motion = walk_kinematics(anatomy, q, targets, arms, avoid=avoid, comfort=comfort)
        ground = ground_wrenches(anatomy, motion.q, motion.v, motion.a, targets.standing)
        if left:
            targets = targets._replace(com=targets.com + _led(targets, ground.zmp))
    return BalancedWalk(motion, targets, ground)


def _led(targets: WalkTargets, zmp: Array) -> Array:
    """Return by how much (T, 3) the centre of mass shall move more, for the point as it is."""
    apart = targets.zmp - zmp
    apart[:ENDS] = apart[-ENDS:] = 0.0
    dt = float(targets.times[1] - targets.times[0])
    sway = ZmpPreview(float(targets.com[0, 2]), dt=dt).follow(apart)
    return np.column_stack([sway.com, np.zeros(len(apart))])
