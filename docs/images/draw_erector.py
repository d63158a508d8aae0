"""Draw the films of docs/erector/scenes.md: `python docs/images/draw_erector.py [name …]`.

Films are animated WebP, a third of the size of GIFs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from PIL import Image

import tarsus as ts
from tarsus.scenes import Scene
from tarsus.view.renderer import Renderer
from tarsus.view.stage import Stage

SIZE = {"width": 320, "height": 210}

# scene, options of the run, of the stage, and of the camera
FILMS: dict[str, tuple[Scene, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "gyroscope": (
        ts.scenes.gyroscope(),
        {"duration": 2.6},
        {"fps": 12},
        {"zoom": 1.1, "elevation": 25},
    ),
    "cat": (ts.scenes.cat(), {}, {"fps": 10, "speed": 0.15}, {"zoom": 0.9, "elevation": 10}),
    "pendulum_wave": (
        ts.scenes.pendulum_wave(12, 12.0, 10),
        {"every": 5},
        {"fps": 6},
        {"zoom": 1.4, "azimuth": -35, "elevation": 15, "height": 300},
    ),
    "three_bars": (
        ts.scenes.three_bars().but(integrator="dormand_prince"),
        {"duration": 120.0},
        {"fps": 10, "speed": 30},
        {"elevation": 60},
    ),
}


def draw(name: str, folder: Path) -> Path:
    """Run a scene, write its film, and return the file."""
    scene, options, timing, camera = FILMS[name]
    run = scene.run(**options)
    lines = [(part.a, part.b) for part in scene.forces if isinstance(part, ts.forces.Rubber)]
    stage = Stage(run, lines=lines, **timing)
    renderer = Renderer(stage, **{**SIZE, **camera})
    pictures = [Image.fromarray(renderer.picture(k)) for k in range(len(stage.times))]
    low = camera.get("height", SIZE["height"]) - SIZE["height"]
    pictures = [each.crop((0, low, *each.size)) for each in pictures]
    file = folder / f"erector_{name}.webp"
    settings = {"duration": round(1000 / timing["fps"]), "loop": 0, "quality": 45, "method": 6}
    pictures[0].save(file, save_all=True, append_images=pictures[1:], **settings)
    return file


if __name__ == "__main__":
    for name in sys.argv[1:] or FILMS:
        file = draw(name, Path(__file__).parent)
        print(f"{file.name}: {file.stat().st_size / 1e3:.0f} kB")
