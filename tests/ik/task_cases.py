"""Every kind of task on a machine, with random targets, for tests that must hold for all."""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.ik import tasks
from tarsus.robots.trees import random_rotation
from tarsus.spatial import pose


def every_task(model: ts.Model, rng: np.random.Generator) -> list[tasks.Task]:
    """Return one of each kind, those of frames also seen from other frames."""
    frames = rng.permutation([name for name in model.frame_names if name != "world"])
    one, two, three = (str(frames[k % len(frames)]) for k in range(3))
    heavy = [body.name for body in model.bodies if body.mass > 0.0]
    singles = [joint.name for joint in model.joints if (joint.nq, joint.nv) == (1, 1)]
    target = pose(rng.normal(size=3), random_rotation(rng))
    found: list[tasks.Task] = [
        tasks.PositionTask(one, rng.normal(size=3)),
        tasks.PositionTask(two, rng.normal(size=3), offset=rng.normal(size=3), relative_to="com"),
        tasks.PositionTask(three, relative_to="com", axes=one),
        tasks.OrientationTask(one, random_rotation(rng)),
        tasks.OrientationTask(two, random_rotation(rng), relative_to=three),
        tasks.FrameTask(two, target),
        tasks.FrameTask(three, target, relative_to=one),
        tasks.LookAtTask(one, rng.normal(size=3) * 3.0, axis=rng.normal(size=3)),
        tasks.PlaneTask(two, rng.normal(size=3), rng.normal(size=3), offset=rng.normal(size=3)),
        tasks.PlaneTask("com", rng.normal(size=3), rng.normal(size=3), name="com on plane"),
        tasks.LineTask(three, rng.normal(size=3), rng.normal(size=3)),
        tasks.ComTask(rng.normal(size=3)),
        tasks.PartComTask(str(rng.choice(heavy)), relative_to="com", axes=two),
        tasks.PostureTask(model.random_configuration(rng)),
        tasks.CouplingTask({name: rng.normal() for name in singles[:3]}, rng.normal()),
        tasks.AngularMomentumTask(rng.normal(size=1), axes="z"),
        tasks.CentroidalMomentumTask(rng.normal(size=6)),
        tasks.CustomTask(lambda q: np.asarray(model.potential_energy(q))[..., None], name="height"),
    ]
    return [task.bind(model) for task in found]


def distance(found: Array, expected: Array) -> float:
    """Return the largest difference, relative to the largest number if that is above 1."""
    assert found.shape == expected.shape, f"{found.shape} is not {expected.shape}"
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return float(np.abs(found - expected).max(initial=0.0)) / scale
