"""Inverse kinematics on all robots of example-robot-data: a pose, a step, a batch."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import tarsus as ts
from tarsus.ik import FrameTask, PostureTask, Search, Solver

FILES = sorted(
    {
        file.name: Path(str(file.locate()))
        for file in metadata.files("example-robot-data") or ()
        if file.name.endswith(".urdf") and file.name != "ur3.urdf"  # which has no links
    }.values()
)


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_every_robot(base: str) -> None:
    found, slow = 0, []
    for file in FILES:
        model = ts.load(file, base=base)
        if not model.bodies:
            continue
        depth = {body.name: _depth(model, body.index) for body in model.bodies}
        frame = max(depth, key=lambda name: depth[name])
        q = model.random_configuration(0, 8)
        there = model.frame_pose(q, frame)
        solver = Solver(model, [FrameTask(frame, there), PostureTask()])
        start = np.broadcast_to(ts.ik.middle(model), q.shape)
        poses = solver.solve(start, search=Search(tolerance=1e-6, refinements=0))
        assert np.isfinite(poses.q).all()
        done = np.asarray(poses.success)
        apart = np.abs(model.frame_pose(poses.q[done], frame) - there[done]).max(initial=0.0)
        assert apart < 1e-5, (file.name, apart)
        step = solver.step(q, 0.01)
        assert np.isfinite(step.v).all()
        assert set(np.unique(step.status)) <= {"solved", "singular", "limited"}, file.name
        if done.mean() < 1.0:
            slow.append((file.name, float(done.mean())))
        found += 1
    print(base, found, "robots; not all poses of", slow)
    assert found >= 60
    assert len(slow) <= 6
    # PR2's file gives a joint that follows another backwards the range of that other: only their
    # ends meet, where poses are pushed to
    assert base == "fixed" or not slow


def _depth(model: ts.Model, body: int) -> int:
    depth = 0
    while body >= 0:
        body, depth = model.bodies[body].parent, depth + 1
    return depth
