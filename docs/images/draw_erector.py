"""Draw the films of docs/erector/scenes.md: `python docs/images/draw_erector.py [name …]`.

Films are animated WebP, a third of the size of GIFs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import tarsus as ts
from tarsus.geometry import Profile
from tarsus.scenes import Scene
from tarsus.scenes.car import stunt
from tarsus.view.renderer import Renderer
from tarsus.view.stage import Stage

WIDTH, HEIGHT = 300, 200


@dataclass(frozen=True)
class Film:
    """A run, how fast it is shown, from where, and what rises above the middle [pixels]."""

    run: Callable[[], ts.Trajectory]
    fps: float
    speed: float = 1.0
    camera: dict[str, Any] = field(default_factory=dict)
    lines: Sequence[tuple[Any, Any]] = ()
    above: int = 0


def strings(scene: Scene) -> list[tuple[Any, Any]]:
    kinds = (ts.forces.Rubber, ts.forces.String)
    return [(part.a, part.b) for part in scene.forces if isinstance(part, kinds)]


def bumpy() -> Profile:
    """Return a road with bumps of a centimetre."""
    x = np.arange(0.0, 8.0, 0.05)
    z = 0.01 * np.maximum(0.0, np.sin(7.0 * x)) ** 2
    return Profile(np.stack([x, z], axis=1), friction=0.4, restitution=0.3)


TENSEGRITY, CANS, SOFT = (
    ts.scenes.tensegrity(),
    ts.scenes.cans(),
    ts.scenes.elastic_lola(50.0, 0.5),
)
BARS = ts.scenes.three_bars().but(integrator="dormand_prince")

FILMS = {
    "tensegrity": Film(
        lambda: TENSEGRITY.run(duration=3.0, every=5),
        fps=12,
        camera={"zoom": 1.0},
        lines=strings(TENSEGRITY),
    ),
    "three_bars": Film(lambda: BARS.run(duration=120.0), 9, 30.0, {"elevation": 60, "zoom": 0.8}),
    "four_bars": Film(
        lambda: ts.scenes.four_bars("tip").run(duration=25.0), 10, 7.0, {"elevation": 60}
    ),
    "car": Film(lambda: stunt(duration=9.0), 10, 1.5, {"zoom": 0.5, "elevation": 25}),
    "cans": Film(
        lambda: CANS.but(ground=bumpy()).run(duration=2.0, every=10),
        10,
        0.5,
        {"zoom": 1.3, "azimuth": -70, "elevation": 12},
        lines=strings(CANS),
    ),
    "hanging_chain": Film(
        lambda: ts.scenes.hanging_chain().run(duration=4.0, every=5),
        10,
        1.0,
        {"zoom": 1.3, "azimuth": -80, "elevation": 8},
    ),
    "gyroscope": Film(
        lambda: ts.scenes.gyroscope().run(duration=2.6), 12, camera={"zoom": 1.1, "elevation": 25}
    ),
    "cat": Film(ts.scenes.cat().run, 10, 0.15, {"zoom": 0.9, "elevation": 10}),
    "pendulum_wave": Film(
        lambda: ts.scenes.pendulum_wave(12, 12.0, 10).run(every=5),
        5,
        camera={"zoom": 1.4, "azimuth": -35, "elevation": 15},
        above=90,
    ),
    "elastic_lola": Film(
        lambda: SOFT.run(duration=2.0, every=5), 12, 0.6, {"zoom": 1.5, "azimuth": -50}
    ),
}


def draw(name: str, folder: Path) -> Path:
    """Run a scene, write its film, and return the file."""
    film = FILMS[name]
    stage = Stage(film.run(), lines=film.lines, fps=film.fps, speed=film.speed)
    renderer = Renderer(stage, width=WIDTH, height=HEIGHT + film.above, **film.camera)
    pictures = [Image.fromarray(renderer.picture(k)) for k in range(len(stage.times))]
    pictures = [each.crop((0, film.above, *each.size)) for each in pictures]
    file = folder / f"erector_{name}.webp"
    settings = {"duration": round(1000 / film.fps), "loop": 0, "quality": 30, "method": 6}
    pictures[0].save(file, save_all=True, append_images=pictures[1:], **settings)
    return file


if __name__ == "__main__":
    for name in sys.argv[1:] or FILMS:
        file = draw(name, Path(__file__).parent)
        print(f"{file.name}: {file.stat().st_size / 1e3:.0f} kB")
