"""A studio in a browser without a window, for tests of the page."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PATIENCE = 180.0
"""How long a page may take to do what it shall [s]: machines of tests are slow and busy."""


def visit(browser: Any, url: str, width: int = 1366, height: int = 768, **settings: Any) -> Any:
    """Return a page of the studio that has seen its world; `errors` of it are its complaints."""
    context = browser.new_context(viewport={"width": width, "height": height}, **settings)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(url)
    until(
        page,
        "Boolean(window.studio && studio.world.frame.revision === studio.world.scene.revision)",
    )
    return page


def until(page: Any, expression: str, what: str = "") -> Any:
    """Wait until an expression of the page is true, and return it.

    The page forbids to evaluate text as code, which the waiting of Playwright does.
    """
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = page.evaluate(expression)
        if found:
            return found
        page.wait_for_timeout(50)
    raise AssertionError(f"{what or expression} never became true; errors: {page.errors}")


def eventually(page: Any, holds: Callable[[], Any], what: str) -> Any:
    """Wait until something on the side of Python holds, and return it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := holds():
            return found
        page.wait_for_timeout(50)
    raise AssertionError(f"{what} never became true; errors: {page.errors}")


def place(page: Any, point: tuple[float, float, float]) -> tuple[float, float]:
    """Return where a point of the world is on the page [pixels]."""
    x, y = page.evaluate(f"studio.picture.project({[float(x) for x in point]})")
    return float(x), float(y)


def click_at(page: Any, point: tuple[float, float, float]) -> None:
    """Move to a point of the world, and click there."""
    x, y = place(page, point)
    page.mouse.move(x, y)
    page.mouse.click(x, y)


def still(page: Any) -> None:
    """Wait until the camera has come to rest."""
    until(page, STILL, "the camera at rest")


SEEN = "Boolean(window.studio && studio.world.frame.revision === studio.world.scene.revision)"
STILL = """(() => {
  const { now, goal } = studio.scene.camera
  return Math.abs(now.azimuth - goal.azimuth) + Math.abs(now.elevation - goal.elevation)
    + Math.abs(Math.log(now.distance / goal.distance))
    + Math.hypot(...now.target.map((x, i) => x - goal.target[i])) < 2e-3
})()"""
