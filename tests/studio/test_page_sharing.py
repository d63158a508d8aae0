"""Two tabs see one world; keys are enough, a phone is, too; what was is looked at again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pages import eventually, still, until, visit

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

NAMELESS = """[...document.querySelectorAll("button, input, select, canvas[tabindex]")]
  .filter(each => each.offsetParent && each.id !== "picture" && !each.textContent.trim())
  .filter(each => !each.getAttribute("aria-label") && !each.labels?.length)
  .map(each => each.outerHTML.slice(0, 120))"""
"""What can have the focus and has no name to be read aloud."""


@pytest.fixture
def studio(chromium: Any) -> Iterator[Any]:
    """A studio with an empty world."""
    with open_studio(Stage(), port=0) as made:
        yield made


def type_line(page: Any, line: str) -> None:
    page.fill(".prompt", line)
    page.press(".prompt", "Enter")


def test_two_tabs_see_one_world(chromium: Any, studio: Any) -> None:
    first, second = (visit(chromium, studio.url) for _ in range(2))
    first.evaluate("studio.run('add box plank -t 0 0 1')")
    until(second, "studio.world.scene.bodies.length === 1", "a body in the other tab")
    assert "add box plank" in second.locator(".log").text_content()
    second.evaluate("studio.run('set plank -m 2')")
    until(first, "studio.world.scene.bodies[0].mass === 2", "a mass in the first tab")
    first.evaluate("studio.run('play')")
    until(second, "studio.world.frame.playing && studio.world.frame.t > 0.05", "a clock that runs")
    second.evaluate("studio.run('pause')")
    until(first, "!studio.world.frame.playing", "a clock that rests")
    until(first, "studio.world.frame.t === studio.world.frame.end")
    assert not first.errors and not second.errors
    for page in (first, second):
        page.context.close()


def test_keys_are_enough(chromium: Any, studio: Any) -> None:
    page = visit(chromium, studio.url)
    stage = studio.stage
    page.keyboard.press("b")
    assert page.evaluate("document.activeElement.dataset.kind") == "rod"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.kind") == "box"
    page.keyboard.press("Enter")  # takes the box in hand
    until(page, "studio.tool.kind === 'box'")
    page.locator("#picture").focus()
    page.keyboard.press("Enter")  # puts it into the middle
    until(page, "studio.world.scene.bodies.length === 1", "a box")
    assert page.evaluate("studio.isResting") and page.evaluate("studio.selected") == "box1"
    page.locator("#picture").focus()
    page.keyboard.press("Control+d")
    until(page, "studio.world.scene.bodies.length === 2", "a second box")
    page.locator("#picture").focus()
    page.keyboard.press("Delete")
    until(page, "studio.world.scene.bodies.length === 1", "one box less")
    page.keyboard.press("Control+z")
    until(page, "studio.world.scene.bodies.length === 2", "the box again")
    page.keyboard.press("Space")
    eventually(page, lambda: stage.playing, "a clock that runs")
    page.keyboard.press("Space")
    eventually(page, lambda: not stage.playing, "a clock that rests")
    page.keyboard.press("?")
    assert page.locator("dialog.help").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("dialog.help").is_hidden()
    page.keyboard.press("/")
    page.keyboard.type("set box1 -m 4")
    page.keyboard.press("Enter")
    until(page, "studio.world.find('box1').item.mass === 4", "a mass that was typed")
    page.keyboard.press("ArrowUp")
    assert page.input_value(".prompt") == "set box1 -m 4"
    page.fill(".prompt", "explai")
    page.keyboard.press("Tab")
    eventually(page, lambda: page.input_value(".prompt") == "explain ", "a word gone on with")
    assert not page.errors
    page.context.close()


def test_the_focus_goes_through_all_panels(chromium: Any, studio: Any) -> None:
    page = visit(chromium, studio.url)
    page.evaluate("studio.run('add box plank -t 0 0 1')")
    until(page, "studio.world.scene.bodies.length === 1")
    seen = []
    for _ in range(90):
        page.keyboard.press("Tab")
        where = "document.activeElement.closest('header, aside, section, footer, main')?.id ?? ''"
        found = page.evaluate(where)
        if found and (not seen or seen[-1] != found):
            seen.append(found)
    order = ["stage", "top", "left", "lower", "right", "instruments", "transport"]
    assert [each for each in seen if each in order][: len(order)] == order
    assert page.evaluate(NAMELESS) == []
    page.context.close()


def test_a_phone_builds_and_plays(chromium: Any, studio: Any) -> None:
    page = visit(chromium, studio.url, 390, 844, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.tap("[data-invite=pendulum]")
    until(page, "studio.world.frame.playing", "a pendulum that swings")
    still(page)
    for name in ("charts", "tree", "inspector", "console"):
        page.locator(f"#sheet [data-tab={name}]").tap()
        assert page.locator(f"#bottom-page-{name}").is_visible()
    page.get_by_role("button", name="Put the panels away").tap()
    assert page.locator("#bottom-page-console").is_hidden()
    page.locator(".play").tap()
    eventually(page, lambda: not studio.stage.playing, "a clock that rests")
    small = """[...document.querySelectorAll("#sheet button, #transport button")].filter(each =>
      each.offsetParent && Math.min(each.offsetWidth, each.offsetHeight) < 28).length"""
    assert page.evaluate(small) == 0
    assert not page.errors
    page.context.close()


def test_the_gallery_opens_and_guides(chromium: Any, studio: Any) -> None:
    page = visit(chromium, studio.url)
    page.click("[data-invite=gallery]")
    page.click("dialog [data-scene=four_bar]")
    until(page, "studio.world.frame.playing", "a four-bar that moves")
    text = page.locator(".guide")
    until(page, "Boolean(studio.world.scene.guide)")
    answer = page.evaluate("studio.world.scene.guide.answer")
    eventually(page, lambda: text.is_visible(), "a guide")
    assert not page.locator(".question p").is_visible()
    page.click(".question summary")
    assert page.locator(".question p").inner_text() == answer
    assert not page.errors
    page.context.close()


def test_the_past_is_looked_at_and_gone_on_from(chromium: Any, studio: Any) -> None:
    page = visit(chromium, studio.url)
    stage = studio.stage
    page.evaluate("studio.run('add box plank -t 0 0 3')")
    page.evaluate("studio.run('chart z:plank')")
    page.click(".play")
    eventually(page, lambda: stage.t > 0.5, "half a second")
    page.click(".play")
    until(page, "!studio.world.frame.playing")
    end = stage.t
    page.locator(".time").focus()
    page.keyboard.press("Home")
    until(page, "studio.world.frame.t < 0.05", "the beginning")
    assert page.locator(".past").is_visible()
    page.get_by_role("button", name="Back to now").click()
    until(page, f"Math.abs(studio.world.frame.t - {end}) < 0.05", "now")
    page.evaluate("studio.run('look 0.25')")
    page.get_by_role("button", name="Go on from here").click()
    eventually(page, lambda: stage.playing, "a clock that runs")
    # a falling body is half g t² below where it began, whichever way time went
    page.evaluate("studio.run('pause')")
    until(page, "!studio.world.frame.playing")
    height = stage.machine.pose("plank")[2, 3]
    if stage.t < 0.7:
        assert height == pytest.approx(3.0 - 0.5 * 9.81 * stage.t**2, abs=0.02)
    assert not page.errors
    page.context.close()


def test_a_page_without_its_server_says_so(chromium: Any) -> None:
    with open_studio(Stage(), port=0) as made:
        page = visit(chromium, made.url)
    until(page, "document.body.classList.contains('offline')", "a page that knows it is alone")
    assert "does not answer" in page.locator("#messages").inner_text()
    assert page.evaluate("studio.connection.isOpen") is False
    page.context.close()


DRAWN = """(() => {
  const sheet = document.getElementById("overlay")
  if (!sheet.width || !sheet.height) return 0
  const { data } = sheet.getContext("2d").getImageData(0, 0, sheet.width, sheet.height)
  let count = 0
  for (let k = 3; k < data.length; k += 4) count += data[k] > 0
  return count
})()"""
"""How many pixels there are upon the picture."""


def test_the_hand_of_a_script_is_seen(chromium: Any, studio: Any) -> None:
    page = visit(chromium, studio.url)
    stage = studio.stage
    stage.run(["set ground -on off", "add box plank -t 0 0 1"])
    until(page, f"{DRAWN} === 0", "an empty sheet")
    stage.run(["grab plank .1 0 0 -to 0 0 1.5", "advance 10"])
    until(page, f"{DRAWN} > 200", "the spring of the hand")
    stage.run(["release", "advance 1"])
    until(page, f"{DRAWN} === 0", "an empty sheet again")
    assert not page.errors
    page.context.close()
