"""Instruments of the page: curves that are drawn and followed, and where power flows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pages import eventually, until, visit

from tarsus.studio import Stage
from tarsus.studio.bindings import plan_of
from tarsus.studio.server import open_studio

ARM = """set ground -on off
add rod arm -length 1 -t .5 0 1
add revolute hinge -a world 0 0 1 -b arm -.5 0 0 -axis 0 1 0
set hinge -damping .4
add joint_motion drive -joint hinge -target .2"""
FLOW = "(document.querySelector('.power-flow')?.getAttribute('aria-label') ?? '')"


@pytest.fixture
def studio(chromium: Any) -> Iterator[Any]:
    stage = Stage()
    stage.run(ARM)
    with open_studio(stage, port=0) as made:
        yield made


def numbers(stage: Stage) -> list[float]:
    """Return the numbers of the curve that the drive follows: times and values in turn."""
    text = stage.document.bindings.get("drive.target", "(t, )")
    return [float(each) for each in text.split("(t, ")[1].rstrip(")").split(",") if each.strip()]


def test_a_curve_is_drawn_changed_and_undone(chromium: Any, studio: Any) -> None:
    page, stage = visit(chromium, studio.url), studio.stage
    page.click("[data-tab=sliders]")
    page.fill("#curve-target", "nobody.target")
    page.click("[data-form=curve] button")
    until(page, "document.querySelector('#curve-message').textContent.includes('nobody')")
    page.fill("#curve-target", "drive.target")
    page.click("[data-form=curve] button")
    eventually(page, lambda: numbers(stage) == [0, 0.2, 1, 0.2, 2, 0.2], "a level curve")
    canvas = page.locator(".curve")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    # a press puts a point, a pull moves it
    x, y = box["x"] + 0.55 * box["width"], box["y"] + 0.25 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 12)
    page.mouse.up()
    eventually(page, lambda: len(numbers(stage)) == 8, "a fourth point")
    drawn = numbers(stage)
    assert drawn[::2] == sorted(drawn[::2]) and max(drawn[1::2]) > 0.3
    # keys as well: up, another point, away with it
    canvas.focus()
    page.keyboard.press("ArrowUp")
    eventually(page, lambda: max(numbers(stage)[1::2]) > max(drawn[1::2]), "a point that went up")
    page.keyboard.press("Enter")
    eventually(page, lambda: len(numbers(stage)) == 10, "a fifth point")
    page.keyboard.press("Delete")
    eventually(page, lambda: len(numbers(stage)) == 8, "four points again")
    page.get_by_role("button", name="Repeat").click()
    eventually(page, lambda: "smooth_cycle" in stage.document.bindings["drive.target"], "a cycle")
    # what the page draws between points is what the machine follows
    plan = plan_of(stage.document.bindings["drive.target"])
    shown = page.evaluate(
        """import(new URL("page/curves.js", location.href).href).then(found => {
          const [curve] = found.curvesIn(studio.world.scene.bindings["drive.target"])
          return Array.from({ length: 50 }, (_, k) => found.valueAt(curve, -1 + k / 10))
        })"""
    )
    np.testing.assert_allclose(shown, [plan(-1 + k / 10) for k in range(50)], atol=1e-9)
    for _ in range(5):
        page.keyboard.press("Control+z")
    eventually(page, lambda: numbers(stage) == [0, 0.2, 1, 0.2, 2, 0.2], "the level curve again")
    page.get_by_role("button", name="Let drive.target be").click()
    eventually(page, lambda: not stage.document.bindings, "nothing bound")
    assert not page.errors
    page.context.close()


def test_the_page_tells_who_gives_power_and_who_takes_it(chromium: Any, studio: Any) -> None:
    page, stage = visit(chromium, studio.url), studio.stage
    stage.run("delete drive\nset hinge -q 0")
    page.click("[data-key=powers]")
    until(page, "studio.world.scene.shown.includes('powers')", "powers that are shown")
    assert page.get_attribute("[data-key=powers]", "aria-pressed") == "true"
    stage.do("advance 300")  # it falls
    until(page, f"{FLOW}.includes('gravity') && {FLOW}.includes('Takes: ')", "a flow")
    gives, takes = page.evaluate(FLOW).split(". Takes: ")
    assert gives.startswith("Gives: gravity") and "arm" in takes and "hinge.damping" in takes
    flow = stage.machine.meter.flow()
    assert sum(flow.ports.values()) == pytest.approx(sum(flow.bodies.values()), rel=1e-9)
    page.click("[data-key=powers]")
    until(page, "!document.querySelector('.power-flow')", "no flow")
    assert not page.errors
    page.context.close()
