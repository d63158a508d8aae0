"""Films of runs as animated WebP, which every browser plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import tarsus as ts
from tarsus.view.renderer import Renderer
from tarsus.view.stage import Stage

WIDTH, HEIGHT = 600, 375
Progress = Callable[[float], None]


def write_film(
    run: ts.Trajectory,
    file: Path,
    progress: Progress,
    *,
    fps: float,
    speed: float = 1.0,
    lines: Sequence[Any] = (),
    below: int = 0,
    **camera: float,
) -> None:
    """Write the film of a run: `speed` below 1 is slow motion, `lines` are pairs of places.

    `below` [pixels] are cut off at the bottom, for models that rise above their joints.
    """
    stage = Stage(run, fps=fps, speed=speed, lines=lines)
    _write(Renderer(stage, width=WIDTH, height=HEIGHT + below, **camera), file, fps, progress)


def write_batch_film(
    run: ts.Trajectory,
    file: Path,
    progress: Progress,
    *,
    fps: float,
    speed: float = 1.0,
    spacing: float,
    **camera: float,
) -> None:
    """Write the film of all robots of a batch, drawn on a grid with a `spacing` [m]."""
    stage, robots, bodies = Stage(run[0], fps=fps, speed=speed), run.batch, run.model.n_bodies
    poses = run.model.forward_kinematics(run.q[:, stage.samples])
    columns = round(np.sqrt(1.6 * robots))
    grid = spacing * np.stack(np.divmod(np.arange(robots), columns)[::-1], axis=-1)
    poses[..., :2, 3] += (grid - grid.mean(axis=0))[:, None, None, :]
    stage.poses = poses.swapaxes(0, 1).reshape(len(stage.times), robots * bodies, 4, 4)
    stage.surfaces = [
        replace(surface, body=surface.body + bodies * k)
        for k in range(robots)
        for surface in stage.surfaces
    ]
    stage.size = float(np.ptp(grid[:, 0])) / 2
    renderer = _BatchRenderer(stage, width=WIDTH, height=HEIGHT, **camera)
    renderer.robots, renderer.trunk_triangles = robots, len(stage.surfaces[0].triangles)
    _write(renderer, file, fps, progress)


class _BatchRenderer(Renderer):
    """Draws the shadows of trunks only: those of all bodies would take most of the time."""

    robots, trunk_triangles = 1, 0

    def _draw_shadow(self, camera: Any, corners: Any) -> None:
        trunks = corners.reshape(self.robots, -1, 3, 3)[:, : self.trunk_triangles]
        super()._draw_shadow(camera, trunks.reshape(-1, 3, 3))


def _write(renderer: Renderer, file: Path, fps: float, progress: Progress) -> None:
    count = len(renderer.stage.times)
    pictures = []
    for k in range(count):
        pictures.append(Image.fromarray(renderer.picture(k)[:HEIGHT]))
        progress((k + 1) / count)
    settings = {"duration": round(1000 / fps), "loop": 0, "quality": 55, "method": 3}
    pictures[0].save(file, save_all=True, append_images=pictures[1:], **settings)
