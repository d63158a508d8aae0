"""Film readme.webp, three runs side by side: `python docs/images/film_readme.py` (needs Chromium).

Left: Talos walks by whole-body control. Middle: ANYmal trots onto a step of 4 cm. Right: six legs
of a Strandbeest, each with one degree of freedom and several closed loops.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from draw_studio import ARGUMENTS, CHROMIUM
from PIL import Image

import tarsus as ts

SIZE = {"width": 320, "height": 300}
RATE = 12.5
"""Frames per second."""
FRAMES = 30
HIDDEN = "header, nav, section, .hint { display: none !important }"
TIMEOUT = 300_000
"""Of a page with software rendering [ms]."""


@dataclass(frozen=True)
class Shot:
    """A run, the time at which the film starts [s], and the camera."""

    run: Callable[[], Any]
    start: float
    azimuth: float
    elevation: float
    distance: float


def talos() -> Any:
    """Return a walk of Talos."""
    return ts.walking.walk(ts.load("talos", base="free"), speed=0.5, steps=6).run


def anymal() -> Any:
    """Return a trot up steps of 4 cm."""
    ground = ts.Steps(rise=0.04, depth=0.35, count=4, start=0.45, friction=0.8)
    return ts.scenes.walk("anymal", duration=4.5).but(ground=ground).run()


def strandbeest() -> Any:
    """Return six legs whose cranks turn with different phases."""
    legs = [ts.robots.strandbeest_leg() for _ in range(6)]
    names = [f"leg_{k}" for k in range(6)]
    at = [(0.3, 0.25 * k, 1.0) for k in range(6)]
    m = ts.combine(*legs, names=names, at=at)
    q = np.concatenate(
        [leg.integrate(leg.neutral(), [k * np.pi / 3]) for k, leg in enumerate(legs)]
    )
    speed = 2 * np.pi / (FRAMES / RATE)
    drive = ts.control.ImplicitPD(
        m, kp=0.0, kd=50.0, reference=lambda t: (q, np.full(m.nv, speed)), effort=np.inf
    )
    sim = ts.Simulation(m, ground=ts.Ground(), dt=1e-3)
    return sim.run(q, np.full(m.nv, speed), duration=FRAMES / RATE, controller=drive)


SHOTS = {
    "talos": Shot(talos, 2.4, -0.75, 0.12, 2.6),
    "anymal": Shot(anymal, 1.6, -0.95, 0.2, 1.9),
    "strandbeest": Shot(strandbeest, 0.0, -1.25, 0.3, 3.1),
}


def film(browser: Any, page_file: Path, shot: Shot) -> list[Image.Image]:
    """Return the frames of a run."""
    page = browser.new_page(viewport=SIZE)
    page.set_default_timeout(TIMEOUT)
    page.goto(page_file.as_uri(), wait_until="commit")
    page.wait_for_function("window.player")
    page.add_style_tag(content=HIDDEN)
    page.evaluate(
        """([azimuth, elevation, distance, start]) => {
            const { scene } = player
            Object.assign(scene.camera.inset, { top: 0, right: 0, bottom: 0, left: 0 })
            scene.follow = true
            scene.pace.drawn = () => 1  // full resolution however slow it is
            player.seek(start)
            player.show()
            scene.frame({ jump: true })
            Object.assign(scene.camera.goal, { azimuth, elevation, distance })
            Object.assign(scene.camera.now, { azimuth, elevation, distance })
        }""",
        [shot.azimuth, shot.elevation, shot.distance, shot.start],
    )
    frames = []
    for k in range(FRAMES):
        page.evaluate(
            """time => {
                player.seek(time)
                return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))
            }""",
            shot.start + k / RATE,
        )
        frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        print(".", end="", flush=True)
    page.close()
    return frames


def main() -> None:
    """Film all runs, and write them side by side."""
    from playwright.sync_api import sync_playwright

    names = sys.argv[1:] or list(SHOTS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        strips = []
        for name in names:
            file = Path(folder) / f"{name}.html"
            SHOTS[name].run().animate(file, fps=4 * RATE)
            strips.append(film(browser, file, SHOTS[name]))
        browser.close()
    frames = [
        Image.fromarray(np.hstack([np.asarray(f) for f in row]))
        for row in zip(*strips, strict=True)
    ]
    target = Path(__file__).with_name("readme.webp")
    settings = {"duration": round(1000 / RATE), "loop": 0, "quality": 60, "method": 6}
    frames[0].save(target, save_all=True, append_images=frames[1:], **settings)
    print(f"\n{target.name}: {target.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
