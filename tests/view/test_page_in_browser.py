"""The page that plays a run, in headless Chromium: it draws, it plays, it has no errors."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from made_up_runs import made_up_run

from tarsus.view.animation import animate

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium")


def browse(page: Path, *options: str) -> str:
    """Open a page for two seconds of its own time and return its text."""
    software = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
    result = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-dev-shm-usage", *software),
            *("--window-size=640,480", "--virtual-time-budget=2000", "--enable-logging=stderr"),
            *(f"--user-data-dir={page.parent / 'profile'}", *options, page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    errors = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    assert not any("Error" in line for line in errors), errors
    return result.stdout


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "run.html"
    animate(made_up_run(), file, fps=20)
    return file


def test_the_page_plays(page: Path) -> None:
    text = browse(page, "--dump-dom")
    assert "<b>hopper</b>" in text
    clock = re.search(r"<output[^>]*>([\d.]+) s</output>", text)
    assert clock is not None, text[-2000:]
    print(f"the clock shows {clock[1]} s")
    assert 'max="20"' in text


def test_the_page_shows_the_robot_on_tiles(page: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    shot = page.with_suffix(".png")
    browse(page, f"--screenshot={shot}")
    with image.open(shot) as picture:
        pixels = np.asarray(picture.convert("RGB"), int)
    middle = pixels[80:400]
    robot = ((middle[..., 2] - middle[..., 0]) > 20).mean()
    tiles = (np.abs(middle - [222, 224, 227]).max(axis=-1) < 6).mean()
    print(f"{100 * robot:.1f} % robot, {100 * tiles:.1f} % dark tiles")
    assert robot > 0.005
    assert tiles > 0.02
