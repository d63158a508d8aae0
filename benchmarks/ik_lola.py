"""The control cycle of Lola: 22 rows of tasks, collisions, momentum and a posture, new targets.

The tasks are those of Schwienbacher 2013, table 4.2, without the arms, which momentum and posture
move: feet seen from the centre of mass, their orientations from the torso, centre of mass, torso,
pelvis and toes.
"""

from __future__ import annotations

import time

import numpy as np

import tarsus as ts
from tarsus.geometry import Distances, Volumes, link_pairs
from tarsus.ik import (
    AngularMomentumTask,
    Avoid,
    ComTask,
    CouplingTask,
    OrientationTask,
    PositionTask,
    PostureTask,
    Solver,
    Task,
)

SIDES = ("right", "left")
BENT = {"hip_flexion": 0.3, "knee_flexion": -0.6, "elbow_flexion": 0.8, "shoulder_adduction": 0.3}
DT, CYCLES, GAIN = 1e-3, 1500, 50.0
APART = 0.03
"""Distances [m] of pairs that are kept apart, in the bent posture, at least."""


def measure_lola() -> dict[str, float]:
    """Return times of cycles [µs] with and without setting targets, and what the cycle has."""
    from distances import limbs

    model = ts.robots.lola(2)
    q = model.neutral()
    for side in SIDES:
        for name, angle in BENT.items():
            q[model.joint(f"{side}_{name}").q_slice] = angle
    links = {joint.child for joint in model.joints if joint.own_velocities}
    volumes = Volumes({name: own for name, own in limbs(model).items() if name in links})
    every = link_pairs(model, volumes)
    far = Distances(model, volumes, every, activation=np.inf).distance(q) > APART
    pairs = [pair for pair, apart in zip(every, far, strict=True) if apart]
    near = Distances(model, volumes, pairs, activation=0.1)
    solver = Solver(model, tasks(model, q), avoid=Avoid(near))
    whole, alone = walk(solver, q)
    return {
        "cycle [us]": float(np.median(whole)),
        "cycle, min [us]": float(np.min(whole)),
        "step alone [us]": float(np.median(alone)),
        "pairs": len(pairs),
        "rows": sum(task.size for task in solver.tasks if task.level == 0),
    }


def tasks(model: ts.Model, q: np.ndarray) -> list[Task]:
    """Return the tasks, at rest in q."""
    found: list[Task] = [
        *(PositionTask(f"{side}_sole", relative_to="com", axes="torso") for side in SIDES),
        ComTask(),
        *(OrientationTask(f"{side}_sole", relative_to="torso") for side in SIDES),
        OrientationTask("torso"),
        *(CouplingTask({name: 1.0}) for name in ("pelvis_rotation", "pelvis_adduction")),
        *(CouplingTask({f"{side}_toe_flexion": 1.0}) for side in SIDES),
    ]
    for task in found:
        task.bind(model)
        task.gain = GAIN
        if isinstance(task, (PositionTask, ComTask)):
            task.target = task.place(q)
        elif isinstance(task, OrientationTask):
            seen = np.eye(3)
            if task.relative_to is not None:
                seen = model.frame_pose(q, task.relative_to)[:3, :3]
            task.target = seen.T @ model.frame_pose(q, task.frame)[:3, :3]
    momentum = AngularMomentumTask(axes="z", weight=1e-2, level=1)
    return [*found, momentum, PostureTask(q, weight=1e-3, gain=1.0, level=1)]


def walk(solver: Solver, q: np.ndarray) -> tuple[list[float], list[float]]:
    """Return the times [µs] of cycles with new targets, and of their steps alone."""
    right, left, com = solver.tasks[:3]
    assert isinstance(right, PositionTask)
    assert isinstance(left, PositionTask)
    assert isinstance(com, ComTask)
    start = [task.target.copy() for task in (right, left, com)]
    solver.step(q, DT)
    whole, alone = [], []
    for k in range(CYCLES):
        phase = 2.0 * np.pi * DT * k
        swing = np.array([0.1 * np.sin(phase), 0.0, 0.03 * (1.0 - np.cos(2.0 * phase))])
        rate = 2 * np.pi * np.array([0.1 * np.cos(phase), 0.0, 0.06 * np.sin(2.0 * phase)])
        sway = np.array([0.02, 0.03, 0.0])
        begin = time.perf_counter()
        right.target, right.target_velocity = start[0] + swing, rate
        left.target = start[1] - [swing[0], 0.0, 0.0]
        com.target, com.target_velocity = start[2] + sway * np.sin(phase), sway * np.cos(phase)
        aimed = time.perf_counter()
        q = solver.step(q, DT).q
        done = time.perf_counter()
        whole.append(1e6 * (done - begin))
        alone.append(1e6 * (done - aimed))
    return whole, alone
