"""Film studio.webp: a four-bar is built, dragged and left alone (needs Chromium, takes minutes).

Steps of the machine and pictures of the page take turns, so that the film is as even on a slow
computer as on a fast one.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

from draw_studio import ARGUMENTS, CHROMIUM, FOUR_BAR
from PIL import Image

from tarsus import studio

HERE = Path(__file__).parent
SIZE = (1180, 664)
SHOWN = (940, 529)
RATE = 12
"""Pictures a second."""
STEPS = 1000 // RATE
"""Steps of a millisecond between two pictures."""


def film(page: Any, stage: studio.Stage) -> list[Image.Image]:
    """Return the pictures."""
    pictures: list[Image.Image] = []

    def take(count: int = 1, line: str = "") -> None:
        if line:
            answer = stage.do(line)
            assert answer.ok, (line, answer.text)
        page.wait_for_timeout(700)
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        pictures.extend([shot.resize(SHOWN, Image.Resampling.LANCZOS)] * count)

    for line in FOUR_BAR.strip().splitlines()[:-1]:
        take(4, line)
    for _ in range(2 * RATE):
        take(1, f"advance {STEPS}")
    take(3, "grab coupler 0 0 0 -to .5 0 1.1")
    for k in range(3 * RATE):
        angle = 2.0 * math.pi * k / (1.5 * RATE)
        stage.do(f"drag {0.5 + 0.5 * math.sin(angle):.3f} 0 {0.9 + 0.3 * math.cos(angle):.3f}")
        take(1, f"advance {STEPS}")
    stage.do("release")
    for _ in range(2 * RATE):
        take(1, f"advance {STEPS}")
    take(RATE)
    return pictures


def main() -> None:
    """Film, and write."""
    from playwright.sync_api import sync_playwright

    stage = studio.Stage()
    with studio.open(stage, port=0) as served, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        page.goto(served.url)
        page.wait_for_timeout(4000)
        pictures = film(page, stage)
        browser.close()
    first, *rest = pictures
    first.save(
        HERE / "studio.webp",
        save_all=True,
        append_images=rest,
        duration=1000 // RATE,
        loop=0,
        quality=55,
        method=6,
    )
    for k in (10, 40, 70, 100):
        pictures[min(k, len(pictures) - 1)].save(f"/tmp/lead/film_{k}.png")


if __name__ == "__main__":
    main()
