"""Films of runs for the documentation: animated WebP, a third of the size of GIFs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

import tarsus as ts
from tarsus.view.frame_sequence import Stage
from tarsus.view.renderer import Renderer

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

    def write(self, file: Path) -> None:
        """Simulate, draw, and write the film to a file (.webp)."""
        stage = Stage(self.run(), lines=self.lines, fps=self.fps, speed=self.speed)
        renderer = Renderer(stage, width=WIDTH, height=HEIGHT + self.above, **self.camera)
        pictures = [Image.fromarray(renderer.picture(k)) for k in range(len(stage.times))]
        pictures = [each.crop((0, self.above, *each.size)) for each in pictures]
        settings = {"duration": round(1000 / self.fps), "loop": 0, "quality": 30, "method": 6}
        pictures[0].save(file, save_all=True, append_images=pictures[1:], **settings)


def write_films(films: Mapping[str, Film], names: Sequence[str], prefix: str) -> None:
    """Write the films with these names, all if there are none, beside this file."""
    for name in names or films:
        file = Path(__file__).parent / f"{prefix}_{name}.webp"
        films[name].write(file)
        print(f"{file.name}: {file.stat().st_size / 1e3:.0f} kB")
