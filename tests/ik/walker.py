"""A small humanoid that walks in kinematics only: legs, torso and arms, 24 velocities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.ik import Comfort, ComTask, OrientationTask, PositionTask, PostureTask, Solver

ARMS = tuple(f"{joint}_{side}" for side in "lr" for joint in ("shoulder_y", "shoulder_x", "elbow"))
LENGTH, PERIOD = 0.4, 0.8


def walker() -> ts.Model:
    """Return the machine, upright in its neutral configuration."""
    b = ts.Builder("walker")

    def link(name: str, parent: str, axis: str, at: Sequence[float], *body: Any) -> None:
        mass, com, inertia = body
        b.body(f"b_{name}", mass, com, np.diag(inertia))
        b.joint(name, "revolute", parent, f"b_{name}", position=at, axis=axis)

    b.body("torso", 29.0, [0.0, 0.0, 0.2], np.diag([1.2, 1.0, 0.35]))
    b.joint("root", "free", "world", "torso")
    small = (0.5, [0.0, 0.0, 0.0], [0.002] * 3)
    for side, s in (("l", 1.0), ("r", -1.0)):
        link(f"hip_z_{side}", "torso", "z", [0.0, 0.1 * s, -0.1], *small)
        link(f"hip_x_{side}", f"b_hip_z_{side}", "x", [0.0] * 3, *small)
        thigh = (6.0, [0.0, 0.0, -0.2], [0.08, 0.08, 0.02])
        link(f"hip_y_{side}", f"b_hip_x_{side}", "y", [0.0] * 3, *thigh)
        shank = (4.0, [0.0, 0.0, -0.2], [0.05, 0.05, 0.01])
        link(f"knee_{side}", f"b_hip_y_{side}", "y", [0.0, 0.0, -0.44], *shank)
        ankle = (0.3, [0.0] * 3, [0.001] * 3)
        link(f"ankle_y_{side}", f"b_knee_{side}", "y", [0.0, 0.0, -0.44], *ankle)
        foot = (1.8, [0.05, 0.0, -0.05], [0.004, 0.008, 0.008])
        link(f"ankle_x_{side}", f"b_ankle_y_{side}", "x", [0.0] * 3, *foot)
        b.frame(f"foot_{side}", f"b_ankle_x_{side}", position=[0.05, 0.0, -0.09])
        link(f"shoulder_y_{side}", "torso", "y", [0.0, 0.22 * s, 0.4], *small)
        upper = (1.5, [0.0, 0.0, -0.14], [0.01, 0.01, 0.002])
        link(f"shoulder_x_{side}", f"b_shoulder_y_{side}", "x", [0.0] * 3, *upper)
        lower = (1.5, [0.0, 0.0, -0.2], [0.008, 0.008, 0.002])
        link(f"elbow_{side}", f"b_shoulder_x_{side}", "y", [0.0, 0.0, -0.28], *lower)
    return b.build()


def standing(model: ts.Model) -> Array:
    """Return bent legs and arms, the feet on the ground below the torso."""
    q = model.neutral()
    for side in "lr":
        for name, angle in (("hip_y", -0.35), ("knee", 0.7), ("ankle_y", -0.35), ("elbow", -0.6)):
            q[model.joint(f"{name}_{side}").q_slice] = angle
    foot = model.frame_pose(q, "foot_l")[:3, 3]
    q[0], q[2] = q[0] - foot[0], q[2] - foot[2]
    return q


def plan(t: float, start: dict[str, Array]) -> dict[str, tuple[Array, Array]]:
    """Return where feet and centre of mass shall be at a time, and how fast they move."""
    k = int(t / PERIOD + 1e-9)
    phase = t / PERIOD - k
    found = {}
    for side, swings in (("l", k % 2 == 0), ("r", k % 2 == 1)):
        place, speed = start[f"foot_{side}"].copy(), np.zeros(3)
        # the foot that stands does so where it came down
        begin = max(0, k - 1) * LENGTH if swings else k * LENGTH
        if not swings:
            begin = k * LENGTH if k > 0 else 0.0
        place[0] += begin
        if swings:
            way = (k + 1) * LENGTH - begin
            s = phase**3 * (10.0 - 15.0 * phase + 6.0 * phase**2)
            ds = 30.0 * phase**2 * (1.0 - phase) ** 2 / PERIOD
            place[0] += way * s
            place[2] += 0.06 * 16.0 * phase**2 * (1.0 - phase) ** 2
            speed[0] = way * ds
            lift = 2.0 * phase * (1.0 - phase) * (1.0 - 2.0 * phase)
            speed[2] = 0.06 * 16.0 * lift / PERIOD
        found[f"foot_{side}"] = (place, speed)
    com, rate = start["com"].copy(), np.zeros(3)
    first = t < PERIOD
    com[0] += 0.2 * (t / PERIOD) ** 2 if first else 0.5 * (t - PERIOD / 2.0)
    rate[0] = 0.4 * t / PERIOD**2 if first else 0.5
    com[1] += -0.03 * np.sin(np.pi * t / PERIOD)
    rate[1] = -0.03 * np.pi / PERIOD * np.cos(np.pi * t / PERIOD)
    found["com"] = (com, rate)
    return found


def walk(
    model: ts.Model, *, dt: float = 2e-3, duration: float = 6.4, fixed: bool = False, **options: Any
) -> tuple[Array, Array, Array, float]:
    """Return times, states and velocities of a walk after two steps, and the largest task error."""
    q = standing(model)
    tasks: list[Any] = [PositionTask(f"foot_{s}", gain=50.0, name=f"foot_{s}") for s in "lr"]
    tasks += [OrientationTask(f"foot_{s}", np.eye(3), gain=50.0) for s in "lr"]
    tasks += [ComTask(gain=50.0), OrientationTask("torso", np.eye(3), gain=50.0)]
    if fixed:
        tasks.append(PostureTask(q, joints=ARMS, level=0, gain=50.0))
    comfort = np.zeros(model.nv)
    for name in ARMS:
        comfort[model.joint(name).v_slice] = 1.0
    costs = [Comfort(q, comfort=comfort, soft=0.0), *options.pop("costs", ())]
    solver = Solver(model, tasks, method="rate", costs=costs, limits=False, **options)
    start = {f"foot_{s}": model.frame_pose(q, f"foot_{s}")[:3, 3] for s in "lr"}
    start["com"] = model.center_of_mass(q)
    times, states, speeds, error = [], [], [], 0.0
    for t in np.arange(0.0, duration, dt):
        for name, (place, speed) in plan(t, start).items():
            task: Any = solver[name]
            task.target, task.target_velocity = place, speed
        step = solver.step(q, dt)
        if t >= 2.0 * PERIOD:
            times.append(t), states.append(q), speeds.append(step.v)
            error = max(error, *(np.abs(solver[n].error(q)).max() for n in start))
        q = step.q
    return np.array(times), np.array(states), np.array(speeds), float(error)
