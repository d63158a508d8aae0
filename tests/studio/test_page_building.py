"""A four-bar is built by clicks, closed, run, dragged, charted, saved, loaded and undone."""

from __future__ import annotations

from typing import Any

import pytest
from pages import SEEN, click_at, eventually, place, still, until, visit

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

CORNERS = [(0.0, 0.0, 0.6), (0.0, 0.0, 1.0), (1.0, 0.0, 1.2), (1.0, 0.0, 0.6)]
"""Of the four-bar: pivots on the ground at both ends, two moving hinges between."""


def draw_rods(page: Any) -> None:
    """Draw three rods from corner to corner; ends that snap are hinged."""
    still(page)
    page.click("[data-kind=rod]")
    for k in range(3):
        before = page.evaluate("studio.world.scene.bodies.length")
        click_at(page, CORNERS[k])
        click_at(page, CORNERS[k + 1])
        until(page, f"studio.world.scene.bodies.length === {before + 1}")
        if k:
            until(page, f"studio.world.scene.joints.length === {k}")
        still(page)
    page.keyboard.press("Escape")


def hinge_to_world(page: Any, corner: tuple[float, float, float]) -> None:
    """Hinge a rod's end to the world by a click and the choice beside the hint."""
    count = page.evaluate("studio.world.scene.joints.length")
    page.click("[data-group=Joints]")
    page.click("[data-kind=revolute]")
    click_at(page, corner)
    page.get_by_role("button", name="To the world, here").click()
    until(page, f"studio.world.scene.joints.length === {count + 1}")


@pytest.fixture(scope="module")
def built(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A stage, and a page in which a four-bar was built by clicks."""
    folder = tmp_path_factory.mktemp("worlds")
    with open_studio(Stage(root=folder), port=0) as studio:
        page = visit(chromium, studio.url)
        draw_rods(page)
        for corner in (CORNERS[0], CORNERS[3]):
            hinge_to_world(page, corner)
        yield studio.stage, page
        page.context.close()


def test_clicks_make_the_mechanism(built: Any) -> None:
    stage, page = built
    model = stage.machine.model
    assert len(stage.machine.bodies()) == 3
    # Grübler for a planar four-bar: 3·3 freedoms less 2 of each of 4 hinges
    assert model.nv == 3 * 3 - 2 * 4
    length = {body.name: body.mass for body in stage.document.description.bodies}
    # masses go with lengths: the rods are .4, √(1 + .2²) and .6 m long
    assert length["rod2"] / length["rod1"] == pytest.approx(1.04**0.5 / 0.4, rel=1e-3)
    assert not page.errors


def test_the_structure_tells_loops(built: Any) -> None:
    _, page = built
    page.click("[data-tab=tree]")
    text = page.locator(".tree").inner_text()
    assert "1\ndegree of freedom" in text
    assert "rank 2 of 5 rows" in text  # the loop of a planar four-bar, five rows of a hinge


def test_run_drag_and_chart(built: Any) -> None:
    stage, page = built
    joint = next(x.name for x in stage.machine.model.joints if x.nv == 1 and x.own_velocities)
    page.fill("[aria-label='Add a quantity to the chart']", f"q:{joint}")
    page.press("[aria-label='Add a quantity to the chart']", "Enter")
    until(page, "studio.world.scene.charts.length === 1")
    page.click(".play")
    eventually(page, lambda: stage.t > 0.3, "time that goes on")
    page.click(".play")
    until(page, "!studio.world.frame.playing")
    still(page)
    before = stage.machine.pose("rod2")[:3, 3].copy()
    x, y = place(page, tuple(before))
    until(page, f"studio.picture.pick({x}, {y})?.body === 'rod2'", "a rod under the pointer")
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 11):
        page.mouse.move(x + 8 * k, y - 2 * k)
        page.wait_for_timeout(60)
    eventually(page, lambda: stage.held is not None, "a hand that holds")
    page.mouse.up()
    eventually(page, lambda: stage.held is None, "a hand that let go")
    after = stage.machine.pose("rod2")[:3, 3]
    assert abs(after - before).max() > 1e-3
    values = page.locator(".strip-figure output").first
    assert values.inner_text() not in ("", "–")
    assert "grab rod2" in page.locator(".log").inner_text()
    assert not page.errors


def test_undo_and_redo(built: Any) -> None:
    stage, page = built
    page.locator("#picture").focus()
    count = len(stage.machine.model.joints) + len(stage.document.description.loops)
    page.keyboard.press("Control+z")
    eventually(page, lambda: len(stage.undone) == 1, "an edit taken back")
    page.keyboard.press("Control+Shift+z")
    eventually(page, lambda: not stage.undone, "an edit done again")
    assert len(stage.machine.model.joints) + len(stage.document.description.loops) == count
    assert not page.errors


def test_a_reload_loses_nothing(built: Any) -> None:
    _, page = built
    names = page.evaluate("studio.world.scene.bodies.map(body => body.name)")
    page.reload()
    until(page, "Boolean(window.studio && studio.world.scene.revision >= 0)")
    assert page.evaluate("studio.world.scene.bodies.map(body => body.name)") == names
    assert not page.errors


def test_save_and_load(built: Any) -> None:
    stage, page = built
    until(page, SEEN)
    names = [body.name for body in stage.machine.bodies()]
    page.locator("#picture").focus()
    page.keyboard.press("Control+s")
    page.fill("#asked", "four_bar.json")
    page.keyboard.press("Enter")
    eventually(page, lambda: (stage.root / "four_bar.json").is_file(), "a file")
    page.click("#file-button")
    page.get_by_role("button", name="New world").click()
    page.locator("dialog .primary").click()
    until(page, "studio.world.isEmpty", "an empty world")
    assert page.locator(".welcome").is_visible()
    page.click("#file-button")
    page.get_by_role("button", name="Load …").click()
    page.fill("#asked", "four_bar.json")
    page.keyboard.press("Enter")
    until(page, "studio.world.scene.bodies.length === 3", "the four-bar again")
    assert [body.name for body in stage.machine.bodies()] == names
    assert stage.machine.model.nv == 1
    assert not page.errors
