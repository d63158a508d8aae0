"""Pages in headless Chromium; errors of a page fail the test."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from waiting import wait_for

LAPTOP, PHONE, SMALL = (1366, 768), (390, 844), (640, 480)


@contextlib.contextmanager
def opened(
    browser: Any, address: str, size: tuple[int, int] = SMALL, *, dark: bool = False
) -> Iterator[Any]:
    """Open a page in a fresh profile; whatever it complains about fails the test."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        has_touch=size == PHONE,
    )
    context.set_default_timeout(120_000)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    try:
        page.goto(address)
        yield page
        assert not complaints, complaints
    finally:
        context.close()


def until(page: Any, expression: str, seconds: float = 120.0) -> None:
    """Wait until an expression of JavaScript is true.

    Playwright's own waiting compiles text within the page, which the viewer's pages forbid.
    """
    assert wait_for(lambda: bool(page.evaluate(expression)), seconds), f"never: {expression}"


def pixels(page: Any) -> Any:
    """Return what is seen (height, width, 3), as integers."""
    import io

    import numpy as np

    image = pytest.importorskip("PIL.Image")
    with image.open(io.BytesIO(page.screenshot())) as picture:
        return np.asarray(picture.convert("RGB"), int)
