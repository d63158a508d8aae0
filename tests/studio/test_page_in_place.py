"""While the world changes, what is on the page stays there: no click and no typed text is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pages import eventually, until, visit

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

LINES = """add box plank -size 1 .2 .05 -t 0 0 1
add box post -size .1 .1 .6 -t 1 0 .5
add revolute hinge -a world -.5 0 1 -b plank -.5 0 0
add spring coil -a plank .4 0 0 -b world .4 0 2 -stiffness 200
chart z:post
slider stiff coil.stiffness 10 500
group both plank post"""
ALL = """[...document.querySelectorAll('button, input, select, summary, canvas')]
  .filter(each => !each.closest('.slider-list'))"""
"""All that can be clicked but sliders: unless they are held, they come anew with their numbers."""
GONE = (
    """studio.before.filter(each => !each.isConnected).map(each => each.outerHTML.slice(0, 120))"""
)


@pytest.fixture(scope="module")
def opened(chromium: Any) -> Iterator[Any]:
    """A stage that runs, and a page that shows it."""
    stage = Stage()
    stage.run(LINES)
    with open_studio(stage, port=0) as studio:
        page = visit(chromium, studio.url)
        stage.do("play")
        until(page, "studio.world.frame.playing", "a clock that runs")
        yield stage, page
        assert not page.errors
        page.context.close()


def edited(stage: Stage, page: Any, number: float) -> None:
    """Change something else, as another tab does, and wait until the page knows it."""
    assert stage.do(f"set coil -stiffness {number}").ok
    until(page, f"studio.world.scene.parts[0].fields.stiffness.value === {number}", "another edit")


@pytest.mark.parametrize(
    "selection", ["[]", "['plank']", "['coil']", "['hinge']", "['plank', 'post']"]
)
def test_no_button_and_no_field_is_made_anew(opened: Any, selection: str) -> None:
    stage, page = opened
    page.evaluate(f"studio.selectAll({selection})")
    page.evaluate(f"studio.before = {ALL}")
    for k in range(5):
        edited(stage, page, 100 + k)
    page.wait_for_timeout(500)  # numbers of where a body is are renewed meanwhile
    assert page.evaluate(GONE) == []


def test_what_is_being_typed_stays(opened: Any) -> None:
    stage, page = opened
    page.evaluate("studio.select('post')")
    for row, text in (("m", "2.5"), ("t", "0.7"), ("size", "0.1")):
        field = page.locator(f".inspector [data-row={row}] input").first
        field.focus()
        field.press("Control+a")
        field.press_sequentially(text[:2])
        edited(stage, page, 300 + len(row) + len(text))
        page.wait_for_timeout(300)
        field.press_sequentially(text[2:])
        assert field.input_value() == text
        field.press("Escape")
        field.evaluate("e => e.blur()")
    assert "post" in stage.document.names


def test_a_click_that_an_edit_interrupts_counts(opened: Any) -> None:
    stage, page = opened
    page.evaluate("studio.select('')")
    page.click("[data-tab=tree]")
    row = page.locator(".tree .row[data-name=post]").first
    box = row.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + box["height"] / 2)
    page.mouse.down()
    edited(stage, page, 77)
    assert stage.do("add damping calm -where post 0 0 0 -linear .1").ok
    until(page, "Boolean(studio.world.find('calm'))")
    page.mouse.up()
    until(page, "studio.selected === 'post'", "what was clicked")
    play = page.locator(".play").bounding_box()
    page.mouse.move(play["x"] + 22, play["y"] + 22)
    page.mouse.down()
    stage.do("pause")
    until(page, "!studio.world.frame.playing", "another tab that pauses")
    page.mouse.up()
    eventually(page, lambda: stage.playing, "a click that plays")
