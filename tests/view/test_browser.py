"""In headless Chromium: the page that plays a run, and the viewer, draw and have no errors."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from made_up_runs import made_up_run
from waiting import wait_for

from tarsus.view import view
from tarsus.view.animation import animate

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium")


SOFTWARE = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")


def command(folder: Path, *options: str) -> list[str]:
    """Return how Chromium is called without a window, with its own folder."""
    plain = ("--headless", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=640,480")
    return [CHROMIUM, *plain, *SOFTWARE, f"--user-data-dir={folder / 'profile'}", *options]


def browse(address: str, folder: Path, *options: str) -> str:
    """Open a page for two seconds of its own time and return its text."""
    limits = ("--virtual-time-budget=2000", "--enable-logging=stderr")
    result = subprocess.run(
        command(folder, *limits, *options, address),
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    errors = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    assert not any("Error" in line for line in errors), errors
    return result.stdout


@contextlib.contextmanager
def opened(address: str, folder: Path) -> Iterator[None]:
    """Keep a page open in the meantime."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command(folder, "--remote-debugging-port=0", address), stdout=quiet, stderr=quiet
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "run.html"
    animate(made_up_run(), file, fps=20)
    return file


def test_the_page_plays(page: Path) -> None:
    text = browse(page.as_uri(), page.parent, "--dump-dom")
    assert "<b>hopper</b>" in text
    clock = re.search(r"<output[^>]*>([\d.]+) s</output>", text)
    assert clock is not None, text[-2000:]
    print(f"the clock shows {clock[1]} s")
    assert 'max="20"' in text


def test_the_page_shows_the_robot_on_tiles(page: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    shot = page.with_suffix(".png")
    browse(page.as_uri(), page.parent, f"--screenshot={shot}")
    with image.open(shot) as picture:
        pixels = np.asarray(picture.convert("RGB"), int)
    middle = pixels[80:400]
    robot = ((middle[..., 2] - middle[..., 0]) > 20).mean()
    tiles = (np.abs(middle - [222, 224, 227]).max(axis=-1) < 6).mean()
    print(f"{100 * robot:.1f} % robot, {100 * tiles:.1f} % dark tiles")
    assert robot > 0.005
    assert tiles > 0.02


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_viewer_lets_its_own_page_in(tmp_path: Path) -> None:
    """The page asks for the scene at the path from which it came, with the token."""
    pytest.importorskip("viser")
    with view(made_up_run(), port=18760) as viewer, opened(viewer.url, tmp_path):
        assert wait_for(lambda: bool(viewer.server.get_clients()), seconds=300.0)
