"""The task space of Lola: twelve components, 28 rows, which determine all joints but the head's.

Schwienbacher 2013, table 4.2: feet seen from the centre of mass, their orientations from the torso,
centre of mass and torso in the world, centres of mass of the arms, pelvis and toes.
"""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus.ik import (
    ComTask,
    CouplingTask,
    OrientationTask,
    PartComTask,
    PositionTask,
    PostureTask,
    Search,
    Solver,
    Task,
)


def components(model: ts.Model) -> list[Task]:
    """Return the tasks of the table; joints by the words that their names have."""
    seen = {"relative_to": "com", "axes": "torso"}
    sides = ("right", "left")
    tasks: list[Task] = [
        *(PositionTask(f"{side}_sole", **seen) for side in sides),
        *(OrientationTask(f"{side}_sole", relative_to="torso") for side in sides),
        ComTask(),
        OrientationTask("torso"),
        *(PartComTask(_arm(model, side), name=f"{side} arm", **seen) for side in sides),
        *(CouplingTask({name: 1.0}) for name in ("pelvis_rotation", "pelvis_adduction")),
        *(CouplingTask({f"{side}_toe_flexion": 1.0}) for side in sides),
    ]
    return tasks


def _arm(model: ts.Model, side: str) -> str:
    """Return the body on the shoulder of a side."""
    return next(joint.child for joint in model.joints if joint.name == f"{side}_shoulder_flexion")


def test_all_tasks_together_are_square_and_lead_anywhere_near() -> None:
    model, rng = ts.robots.lola(2), np.random.default_rng(0)
    tasks = components(model)
    head = [name for name in model.joint_names if name in ("head_pan", "head_tilt")]
    solver = Solver(model, [*tasks, PostureTask(joints=head, level=0)], limits=False)
    assert sum(task.size for task in tasks) == 28
    assert model.nv == 28 + len(head)
    bent = model.neutral()
    angles = {"hip_flexion": 0.3, "knee_flexion": -0.6, "elbow_flexion": 0.8}
    for side in ("left", "right"):
        for name, angle in {**angles, "shoulder_adduction": 0.3}.items():
            bent[model.joint(f"{side}_{name}").q_slice] = angle
    rows = np.concatenate([task.jacobian(bent) for task in solver.tasks], axis=-2)
    assert rows.shape == (model.nv, model.nv)
    smallest = np.linalg.svd(rows, compute_uv=False)[-1]
    print(f"smallest singular value {smallest:.1e}")
    assert smallest > 1e-3
    # all that the tasks see of another configuration leads back to it
    goal = model.integrate(bent, 0.03 * rng.normal(size=model.nv))
    for task in solver.tasks:
        if isinstance(task, PostureTask):
            task.target = goal
        elif isinstance(task, CouplingTask):
            task.target = task.target + task.error(goal)
        elif isinstance(task, OrientationTask):
            base = np.eye(3)
            if task.relative_to is not None:
                base = model.frame_pose(goal, task.relative_to)[:3, :3]
            task.target = base.T @ model.frame_pose(goal, task.frame)[:3, :3]
        else:
            assert isinstance(task, (PositionTask, ComTask, PartComTask))
            task.target = task.place(goal)
    found = solver.solve(bent, search=Search(starts=1))
    assert found.success
    apart = np.abs(model.difference(found.q, goal)).max()
    print(f"back to {apart:.1e}")
    assert apart < 1e-6
