"""Films of runs as animated WebP, which every browser plays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import tarsus as ts
from tarsus.view.frame_sequence import Stage
from tarsus.view.renderer import Renderer

WIDTH, HEIGHT = 600, 375
SPACING = 1.7
"""Distance between the robots of a batch in its film [m]."""
Progress = Callable[[str], None]


def write_film(
    run: ts.Trajectory, file: Path, progress: Progress, camera: dict[str, Any], **settings: Any
) -> None:
    """Write the film of a run, or of all robots of a batch on a grid, with settings of Stage.

    What a `height` of the camera adds is cut off below, for models above their first joint.
    """
    stage = Stage(run[0] if run.batch else run, **settings)
    if run.batch:
        place_on_grid(stage, run)
    renderer = Renderer(stage, **{"width": WIDTH, "height": HEIGHT, **camera})
    pictures = []
    for k in range(len(stage.times)):
        progress(f"drawing {k / len(stage.times):4.0%}")
        pictures.append(Image.fromarray(renderer.picture(k)[:HEIGHT]))
    save = {"duration": round(1000 / settings["fps"]), "loop": 0, "quality": 55, "method": 3}
    pictures[0].save(file, save_all=True, append_images=pictures[1:], **save)


def place_on_grid(stage: Stage, run: ts.Trajectory) -> None:
    """Add all robots of a batch to the stage of its first robot, side by side."""
    robots, bodies = run.batch, run.model.n_bodies
    grid = SPACING * np.stack(np.divmod(np.arange(robots), round(np.sqrt(1.6 * robots)))[::-1], -1)
    poses = run.model.forward_kinematics(run.q[:, stage.samples])
    poses[..., :2, 3] += (grid - grid.mean(axis=0))[:, None, None, :]
    stage.poses = poses.swapaxes(0, 1).reshape(len(stage.times), robots * bodies, 4, 4)
    surfaces = [(k, surface) for k in range(robots) for surface in stage.surfaces]
    stage.surfaces = [replace(each, body=each.body + bodies * k) for k, each in surfaces]
    stage.size = float(np.ptp(grid[:, 0])) / 2
