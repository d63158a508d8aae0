"""Film studio.webp: a four-bar is built, runs, and is dragged (needs Chromium, takes minutes).

Steps of the machine and pictures of the page take turns, so that the film is as even on a slow
computer as on a fast one.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from draw_studio import ARGUMENTS, CHROMIUM, FOUR_BAR
from PIL import Image

from tarsus import studio

HERE = Path(__file__).parent
SIZE = {"width": 1366, "height": 768}
SHOWN = (960, 540)
RATE = 12
"""Pictures a second."""
STEPS = 1000 // RATE
"""Steps of a millisecond between two pictures."""


def played(page: Any, stage: studio.Stage) -> Iterator[int]:
    """Build, let run, drag and let go; yield how long to look at what is there [pictures]."""

    def say(line: str) -> None:
        answer = page.evaluate("line => studio.run(line)", line)
        assert answer["ok"], (line, answer)

    def run(pictures: int) -> Iterator[int]:
        for _ in range(pictures):
            with stage.lock:
                stage.advance(STEPS)
            yield 1

    for line in FOUR_BAR.strip().splitlines()[:-1]:
        say(line)
        yield 5
    yield from run(2 * RATE)
    say("grab coupler .1 0 0 -to .5 0 1.1")
    for k in range(3 * RATE):
        angle = 2.0 * math.pi * k / (2.0 * RATE)
        say(f"drag {0.6 + 0.5 * math.sin(angle):.3f} 0 {1.0 + 0.35 * math.cos(angle):.3f}")
        yield from run(1)
    say("release")
    yield from run(2 * RATE)
    yield RATE


def film(page: Any, stage: studio.Stage) -> list[Image.Image]:
    """Return the pictures."""
    pictures: list[Image.Image] = []
    for count in played(page, stage):
        page.wait_for_timeout(600)
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        pictures.extend([shot.resize(SHOWN, Image.Resampling.LANCZOS)] * count)
    return pictures


def main() -> None:
    """Film, and write."""
    from playwright.sync_api import sync_playwright

    stage = studio.Stage()
    with studio.open(stage, port=0) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        page = browser.new_page(viewport=SIZE)
        page.goto(served.url)
        page.wait_for_timeout(4000)
        first, *rest = film(page, stage)
        browser.close()
    settings = {"duration": 1000 // RATE, "loop": 0, "quality": 55, "method": 6}
    first.save(HERE / "studio.webp", save_all=True, append_images=rest, **settings)


if __name__ == "__main__":
    main()
