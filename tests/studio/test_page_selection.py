"""Several bodies are selected by clicks, by a box and by fingers, and edited by one line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pages import click_at, eventually, place, until, visit
from test_page_palette import LOOK, said

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

LINES = """new
add box a -size .2 .2 .2 -t -.6 0 1
add box b -size .2 .2 .2 -t 0 0 1
add box c -size .2 .2 .2 -t .6 0 1"""
A, B, C = (-0.6, 0.0, 1.0), (0.0, 0.0, 1.0), (0.6, 0.0, 1.0)


@pytest.fixture(scope="module")
def opened(chromium: Any) -> Iterator[Any]:
    """A stage, and a page that shows it."""
    with open_studio(Stage(), port=0) as studio:
        page = visit(chromium, studio.url)
        yield studio.stage, page
        assert not page.errors
        page.context.close()


@pytest.fixture
def boxes(opened: Any) -> Any:
    """A world of three boxes in a row, of which none is selected."""
    stage, page = opened
    begin(stage, page)
    return stage, page


def begin(stage: Stage, page: Any) -> None:
    stage.run(LINES)
    until(page, f"studio.world.frame.revision === {stage.revision}", "the boxes")
    page.evaluate("studio.select('')")
    page.evaluate(LOOK)


def selected(page: Any, *names: str) -> None:
    until(page, f"studio.selection.join() === '{','.join(names)}'", f"{names} selected")


def shift_click(page: Any, point: tuple[float, float, float]) -> None:
    page.keyboard.down("Shift")
    click_at(page, point)
    page.keyboard.up("Shift")


def test_clicks_with_shift_add_and_take_out(boxes: Any) -> None:
    _, page = boxes
    click_at(page, A)
    selected(page, "a")
    shift_click(page, B)
    shift_click(page, C)
    selected(page, "a", "b", "c")
    shift_click(page, B)
    selected(page, "a", "c")
    assert page.locator(".inspector .name").inner_text() == "2 selected"
    click_at(page, B)
    selected(page, "b")


def test_a_box_selects_what_is_in_it_and_all_is_coloured_and_deleted(boxes: Any) -> None:
    stage, page = boxes
    (x, y), (right, bottom) = place(page, (-0.9, 0, 1.4)), place(page, (0.3, 0, 0.6))
    page.keyboard.down("Shift")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + right) / 2, bottom, steps=3)
    page.mouse.move(right, bottom)
    page.mouse.up()
    page.keyboard.up("Shift")
    selected(page, "a", "b")
    color = page.locator(".inspector input[type=color]")
    color.evaluate("e => { e.value = '#ff0000'; e.dispatchEvent(new Event('change')) }")
    said(page, "set a b -color 1 0 0")
    red = {x.body for x in stage.document.description.shapes if x.color == (1, 0, 0, 1)}
    assert red == {"a", "b"}
    page.locator("#picture").focus()
    page.keyboard.press("Delete")
    said(page, "delete a b")
    eventually(page, lambda: {x.name for x in stage.machine.bodies()} == {"c"}, "one box left")
    page.keyboard.press("Control+z")
    eventually(page, lambda: len(stage.machine.bodies()) == 3, "all boxes again")


def test_what_is_selected_is_dragged_together(boxes: Any) -> None:
    stage, page = boxes
    click_at(page, A)
    shift_click(page, B)
    selected(page, "a", "b")
    before = {name: stage.machine.pose(name)[:3, 3].copy() for name in "abc"}
    x, y = place(page, B)
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 6):
        page.mouse.move(x, y - 10 * k)
    page.mouse.up()
    said(page, r"move a b -by( \S+){3}")
    moved = {name: stage.machine.pose(name)[:3, 3] - before[name] for name in "abc"}
    assert moved["a"] == pytest.approx(moved["b"]) and np.abs(moved["c"]).max() == 0.0
    assert moved["a"][2] > 0.05


def test_a_mass_of_several_is_typed_once(boxes: Any) -> None:
    stage, page = boxes
    page.evaluate("studio.selectAll(['a', 'c'])")
    field = page.locator(".inspector [data-row=m] input")
    field.fill("-3")
    field.press("Enter")
    message = page.locator(".inspector [data-row=m] .field-message")
    eventually(page, lambda: "positive" in message.inner_text(), "a message at the field")
    field.fill("3")
    field.press("Enter")
    said(page, "set a c -m 3")
    mass = {body.name: body.mass for body in stage.document.description.bodies}
    assert mass["a"] == mass["c"] == 3.0 != mass["b"]


def test_a_size_is_typed_while_it_runs(boxes: Any) -> None:
    stage, page = boxes
    click_at(page, C)
    selected(page, "c")
    page.evaluate("studio.run('play')")
    field = page.locator(".inspector [data-row=size] input").nth(1)
    field.fill("zero")
    field.press("Enter")
    message = page.locator(".inspector [data-row=size] .field-message")
    eventually(page, lambda: "no number" in message.inner_text(), "a message at the field")
    field.fill(".5")
    field.press("Enter")
    eventually(page, lambda: message.inner_text() == "", "no message")
    page.evaluate("studio.run('pause')")
    shape = next(x for x in stage.document.description.shapes if x.body == "c")
    assert shape.size == pytest.approx((0.2, 0.5, 0.2))
    assert stage.t > 0.0


def test_what_is_refused_is_marked_where_it_should_be(boxes: Any) -> None:
    stage, page = boxes
    stage.run(
        ["add revolute h -a world -.6 0 1 -b a 0 0 0", "add distance d -a a .1 0 0 -b b 0 0 0"]
    )
    until(page, f"studio.world.scene.revision === {stage.revision}")
    page.evaluate("studio.run('add distance e -a world 5 0 0 -b a 0 0 0 -length 1')")
    until(page, "studio.refusals.list.length === 1", "a sign")
    page.click("[data-tab=tree]")
    assert "refused" in page.locator(".tree").inner_text()
    page.evaluate("studio.run('add revolute again -a world -.6 .2 1 -b a 0 .2 0')")
    until(page, "studio.refusals.list.length === 0", "an edit that was done")
    text = page.locator(".tree")
    eventually(page, lambda: "Left out" in text.inner_text(), "a joint that is left out")
    until(page, "studio.overlay.badgeAt(...studio.picture.project([-.6, .2, 1])) === 'again'")
    page.locator(".tree .row[data-name=again]").first.click()
    selected(page, "again")
    page.click("[data-tab=inspector]")
    assert "repeats" in page.locator(".inspector .notice").inner_text()


def fingers(page: Any, kind: str, *points: tuple[float, float]) -> None:
    """Put fingers down, move them, or lift them, as a touch screen tells it."""
    touches = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]
    page.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


@pytest.fixture(scope="module")
def phone(chromium: Any) -> Iterator[Any]:
    """A stage, and a phone that shows it."""
    with open_studio(Stage(), port=0) as studio:
        page = visit(chromium, studio.url, 390, 844, has_touch=True, is_mobile=True)
        page.session = page.context.new_cdp_session(page)
        begin(studio.stage, page)
        yield studio.stage, page
        assert not page.errors
        page.context.close()


GOAL = "(({azimuth, distance, target}) => [azimuth, distance, ...target])(studio.scene.camera.goal)"


def test_one_finger_turns_and_two_zoom_and_move(phone: Any) -> None:
    _, page = phone
    azimuth, distance, *target = page.evaluate(GOAL)
    empty = (200.0, 150.0)
    fingers(page, "touchStart", empty)
    fingers(page, "touchMove", (260.0, 150.0))
    fingers(page, "touchEnd")
    turned, same, *still_there = page.evaluate(GOAL)
    assert turned != azimuth and same == distance and still_there == target
    # the first finger is on a body: both are the camera's as soon as there is a second one
    x, y = place(page, B)
    fingers(page, "touchStart", (x, y))
    fingers(page, "touchStart", (x, y), (x + 100, y))
    fingers(page, "touchMove", (x - 50, y), (x + 150, y))
    fingers(page, "touchEnd")
    after, nearer, *_ = page.evaluate(GOAL)
    assert after == turned and nearer < 0.8 * distance
    fingers(page, "touchStart", (200.0, 200.0), (300.0, 200.0))
    fingers(page, "touchMove", (200.0, 260.0), (300.0, 260.0))
    fingers(page, "touchEnd")
    last, _, *moved = page.evaluate(GOAL)
    assert last == turned and moved != target
    page.evaluate(LOOK)


def test_a_tap_selects_a_long_press_adds_and_a_finger_drags(phone: Any) -> None:
    stage, page = phone
    begin(stage, page)
    a, b = place(page, A), place(page, B)
    fingers(page, "touchStart", a)
    fingers(page, "touchEnd")
    selected(page, "a")
    fingers(page, "touchStart", b)
    selected(page, "a", "b")  # while the finger still stays there
    fingers(page, "touchEnd")
    page.wait_for_timeout(100)
    selected(page, "a", "b")
    page.evaluate("studio.select('')")
    before = stage.machine.pose("c")[:3, 3].copy()
    x, y = place(page, C)
    fingers(page, "touchStart", (x, y))
    for k in range(1, 5):
        fingers(page, "touchMove", (x, y - 15 * k))
    fingers(page, "touchEnd")
    eventually(page, lambda: stage.machine.pose("c")[2, 3] > before[2] + 0.05, "a box put higher")


def test_all_tabs_are_on_the_screen(phone: Any) -> None:
    _, page = phone
    for name in ("palette", "inspector", "charts", "tree", "sliders", "guide", "console"):
        box = page.locator(f"#sheet [data-tab={name}]").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        words = f"document.querySelector('#sheet [data-tab={name}] span')"
        assert page.evaluate(f"{words}.scrollWidth <= {words}.parentElement.clientWidth + 1")
