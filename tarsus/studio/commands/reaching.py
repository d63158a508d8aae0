"""Inverse kinematics by hand: `reach` leads a frame to a place, the clock stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.ik import FrameTask, PositionTask, Solver
from tarsus.studio.commands.command import command
from tarsus.studio.language import Line, LineError, numbers, one_of
from tarsus.studio.nearness import nearness

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage


@command("reach FRAME X Y Z")
def reach(stage: Stage, line: Line) -> str:
    """Lead a frame to a place of the world by inverse kinematics, at rest."""
    line.expect(["FRAME", "X", "Y", "Z"])
    model = stage.machine.model
    frame = one_of(line.words[0], stage.machine.frame_names, "frame")
    target = numbers(line.words[1:], "X Y Z", 3)
    if stage.playing:
        raise LineError("pause first: what moves is led by drag")
    # what floats stays where it is, unless it is led itself
    floating = [joint.child for joint in model.joints if joint.kind == "free"]
    held = [
        FrameTask(body, stage.machine.pose(body), level=1)
        for body in floating
        if model.frame(frame).body != body
    ]
    solver = Solver(model, [*held, PositionTask(frame, target, level=2)])
    found = solver.solve(stage.machine.q)
    stage.begin_at(np.asarray(found.q), np.zeros(model.nv), stage.t)
    left = float(np.linalg.norm(model.frame_pose(found.q, frame)[:3, 3] - target))
    near = f"{frame} is there" if left < 1e-6 else f"{frame} is {left:.4g} m away: out of reach"
    return f"{near}; {nearness(stage.machine)}"
