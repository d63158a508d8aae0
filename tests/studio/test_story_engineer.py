"""The engineer: an arm is hung up, settles, reaches too short, gets another site, lifts a tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import click_at, eventually, place, still, until, visit
from stories import chart, charted, fill, load, make_slider, nothing_selected, run_for, say, take

from tarsus.studio import Stage
from tarsus.studio.server import open_studio

ARM = """add rod upper -length .5 -radius .03 -t .25 0 1.2 -m 2
add rod fore -length .4 -radius .025 -t .7 0 1.2 -m 1
add revolute elbow -a upper .25 0 0 -b fore -.2 0 0 -axis 0 1 0
save arm.json"""
"""An arm of two links, which an engineer has in a file."""


@pytest.fixture
def cell(tmp_path: Path, chromium: Any) -> Any:
    """A stage with an arm in a file, and a page of it."""
    Stage(root=tmp_path).run(ARM)
    with open_studio(Stage(root=tmp_path), port=0) as studio:
        page = visit(chromium, studio.url)
        yield studio.stage, page
        page.context.close()


def hang_up(stage: Stage, page: Any) -> None:
    """Load the arm, put gravity off, nail its shoulder by a click, put gravity on."""
    load(page, "arm.json")
    until(page, "studio.world.scene.bodies.length === 2")
    still(page)
    fill(page, "gravity", 0, 2)
    eventually(page, lambda: not stage.document.description.gravity.any(), "no gravity")
    take(page, "Holds", "nail")
    click_at(page, (0.0, 0.0, 1.2))
    eventually(page, lambda: "nail1" in stage.document.parts, "a nail")
    assert stage.document.parts["nail1"].target == pytest.approx((0.0, 0.0, 1.2), abs=1e-3)  # type: ignore[attr-defined]
    nothing_selected(page)
    fill(page, "gravity", -9.81, 2)
    eventually(page, lambda: stage.document.description.gravity[2] == -9.81, "gravity")


def settle(stage: Stage, page: Any) -> None:
    """Damp the forearm by a click on it, the rest by a line, and let the arm come to rest."""
    take(page, "Forces", "damping")
    click_at(page, tuple(stage.machine.pose("fore")[:3, 3]))
    eventually(page, lambda: "damping1" in stage.document.parts, "damping")
    fill(page, "linear", 8)
    fill(page, "angular", 0.5)
    say(page, "add damping damping2 -where upper 0 0 0 -linear 8 -angular .5")
    assert stage.document.parts["damping1"].linear == 8  # type: ignore[attr-defined]
    run_for(stage, page, 0.2)
    say(page, "advance 6000")
    with stage.lock:
        assert np.abs(stage.machine.v).max() < 0.1


def drag(stage: Stage, page: Any, far: tuple[float, float]) -> None:
    """Take the hand at its end and pull it by some pixels; let it go."""
    hand = stage.machine.pose("fore") @ [0.15, 0.0, 0.0, 1.0]
    x, y = place(page, tuple(hand[:3]))
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(x + far[0] * k / 8, y + far[1] * k / 8)
        page.wait_for_timeout(60)
    eventually(page, lambda: stage.held is not None, "a hand that holds")
    page.mouse.up()
    eventually(page, lambda: stage.held is None, "a hand that let go")


def test_an_engineer_finds_a_site_for_an_arm(cell: Any) -> None:
    stage, page = cell
    hang_up(stage, page)
    settle(stage, page)
    before = stage.machine.pose("fore")[:3, 3].copy()
    drag(stage, page, (90.0, -40.0))
    assert np.linalg.norm(stage.machine.pose("fore")[:3, 3] - before) > 0.01
    search_a_site(stage, page)
    lift_a_tool(stage, page)
    assert not page.errors


def search_a_site(stage: Stage, page: Any) -> None:
    """A slider moves the nail: the shoulder follows it, with the arm on it."""
    make_slider(page, "site", "nail1.target.x", -1, 1)
    page.click(".play")
    page.locator("[data-slider=site]").focus()
    page.keyboard.press("End")
    eventually(page, lambda: stage.document.parts["nail1"].target[0] > 0.9, "a site")
    page.click(".play")
    until(page, "!studio.world.frame.playing", "a pause")
    say(page, "advance 1000")
    shoulder = stage.machine.pose("upper") @ [-0.25, 0.0, 0.0, 1.0]
    assert shoulder[:3] == pytest.approx([1.0, 0.0, 1.2], abs=1e-3)


def lift_a_tool(stage: Stage, page: Any) -> None:
    """The elbow is held, its torque is charted; a tool of 3 kg is welded to the hand."""
    say(page, "add joint_motion hold -joint elbow")
    chart(page, "torque:elbow")
    chart(page, "reaction:elbow")
    say(page, "advance 6000")
    empty = charted(stage, "reaction:elbow")[-1]
    hand = stage.machine.pose("fore") @ [0.2, 0.0, 0.0, 1.0]
    say(page, f"add box tool -size .1 .1 .1 -m 3 -t {hand[0]} {hand[1]} {hand[2]}")
    say(page, "add weld grip -a fore .2 0 0 -b tool 0 0 0")
    say(page, "advance 6000")
    loaded = charted(stage, "reaction:elbow")
    print(empty, loaded[-1], np.nanmax(loaded))
    # at rest the elbow carries what hangs below it
    assert empty == pytest.approx(1.0 * 9.81, rel=0.05)
    assert loaded[-1] == pytest.approx((1.0 + 3.0) * 9.81, rel=0.05)
    assert np.nanmax(loaded) >= loaded[-1]
    figure = page.locator(".strip-figure output").first
    eventually(page, lambda: figure.inner_text() not in ("", "–"), "a figure beside the chart")
