"""Take studio.png and studio_build.png: `python docs/images/draw_studio.py` (needs Chromium)."""

from __future__ import annotations

import shutil
from pathlib import Path

from tarsus import studio

HERE = Path(__file__).parent
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or ""
ARGUMENTS = (
    *("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader"),
    *("--enable-unsafe-swiftshader", "--disable-background-networking", "--no-first-run"),
)
FOUR_BAR = """
add rod crank -length .3 -radius .02 -t 0 0 .65
add rod coupler -length .9 -radius .02 -t .5 0 1.0
add rod rocker -length .75 -radius .02 -t 1.0 0 .9
add revolute A -a world -.15 0 .6 -b crank -.15 0 0 -axis 0 1 0
add revolute B -a crank .15 0 0 -b coupler -.45 0 0 -axis 0 1 0
add revolute D -a world .75 0 .6 -b rocker -.375 0 0 -axis 0 1 0
add revolute C -a coupler .45 0 0 -b rocker .375 0 0 -axis 0 1 0
add spring coil -a world .2 0 1.6 -b coupler 0 0 0 -stiffness 60
chart energy:kinetic energy:gravity energy:residual
advance 400
"""


def main() -> None:
    """Take both pictures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        for name, script in (
            ("studio", "open quadruped\nadvance 6000"),
            ("studio_build", FOUR_BAR),
        ):
            stage = studio.Stage()
            stage.run(script.strip())
            with studio.open(stage, port=0) as served:
                page = browser.new_page(viewport={"width": 1366, "height": 768})
                page.goto(served.url)
                page.wait_for_timeout(6000)
                page.screenshot(path=HERE / f"{name}.png")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
