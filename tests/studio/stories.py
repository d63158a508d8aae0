"""What people do in stories: they type lines, fill fields, open files, and read charts."""

from __future__ import annotations

from typing import Any

from pages import eventually, until

from tarsus.studio import Stage


def say(page: Any, line: str) -> None:
    """Type a line into the console, and wait until it is done."""
    done = page.locator(".log .entry").count()
    page.fill(".prompt", line)
    page.press(".prompt", "Enter")
    until(page, f"document.querySelectorAll('.log .entry').length > {done}", line)
    told = page.locator(".log .entry").last
    assert "failed" not in (told.get_attribute("class") or ""), told.inner_text()


def fill(page: Any, row: str, value: float, k: int = 0) -> None:
    """Fill a number of the inspector."""
    box = page.locator(f".inspector [data-row={row}] input").nth(k)
    box.fill(str(value))
    box.press("Enter")


def load(page: Any, file: str) -> None:
    """Load a file by the menu."""
    page.click("#file-button")
    page.get_by_role("button", name="Load …").click()
    page.fill("#asked", file)
    page.keyboard.press("Enter")


def take(page: Any, group: str, kind: str) -> None:
    """Take something from the palette."""
    page.click(f"[data-group={group}]")
    page.click(f"[data-kind={kind}]")


def nothing_selected(page: Any) -> None:
    """Put all away with the Escape key, so that the inspector shows the world."""
    page.locator("#picture").focus()
    page.keyboard.press("Escape")
    until(page, "studio.selected === ''", "nothing selected")


def make_slider(page: Any, name: str, target: str, low: float, high: float) -> None:
    """Bind a slider by the form of the panel."""
    page.click("[data-tab=sliders]")
    for field, value in (("name", name), ("target", target), ("low", low), ("high", high)):
        page.fill(f"#slider-{field}", str(value))
    page.press("#slider-high", "Enter")
    until(page, f"Boolean(document.querySelector('[data-slider={name}]'))", name)


def chart(page: Any, quantity: str) -> None:
    """Choose a quantity for the strip chart."""
    page.fill("[aria-label='Add a quantity to the chart']", quantity)
    page.press("[aria-label='Add a quantity to the chart']", "Enter")
    until(page, f"studio.world.scene.charts.includes({quantity!r})", quantity)


def charted(stage: Stage, name: str) -> list[float]:
    """Return what a chart has shown so far."""
    with stage.lock:
        moments = list(stage.recording.moments)
    return [moment.values[name] for moment in moments if name in moment.values]


def run_for(stage: Stage, page: Any, seconds: float) -> None:
    """Press play, wait for a time of the world, and pause."""
    end = stage.t + seconds
    page.click(".play")
    eventually(page, lambda: stage.t > end, f"{seconds} s")
    page.click(".play")
    until(page, "!studio.world.frame.playing", "a pause")
