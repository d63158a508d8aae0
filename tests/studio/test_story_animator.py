"""The animator: cans on wires fly to a car, which follows a path of time, and trail behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pages import click_at, eventually, still, until, visit
from stories import say, take

from tarsus.studio import Stage
from tarsus.studio.assembly import flying
from tarsus.studio.server import open_studio

CAR = "add box car -size .8 .4 .2 -t 0 0 .25 -m 20"


@pytest.fixture
def street(chromium: Any) -> Any:
    """A stage with a car, and a page of it."""
    stage = Stage()
    stage.run(CAR)
    with open_studio(stage, port=0) as studio:
        page = visit(chromium, studio.url)
        yield stage, page
        page.context.close()


def instance(stage: Stage, page: Any) -> None:
    """Make a wire and a can by lines, and one more of each with the keys of a copy."""
    say(page, "add rod wire1 -length .4 -radius .012 -touches off -t -.9 0 .5")
    say(page, "add wheel can1 -radius .07 -width .14 -t -1.6 0 .3 -m .3")
    say(page, "duplicate wire1 wire2 -t 0 .6 .1")
    say(page, "duplicate can1 can2 -t 0 .6 .1")
    page.locator("#picture").focus()
    page.keyboard.press("f")
    still(page)
    assert len(stage.machine.bodies()) == 5


def join_by_clicks(
    stage: Stage, page: Any, a: tuple[str, list[float]], b: tuple[str, list[float]]
) -> None:
    """Take a ball joint from the palette and click its two points."""
    count = len(stage.document.names)
    take(page, "Joints", "spherical")
    for body, at in (a, b):
        with stage.lock:
            point = stage.machine.pose(body) @ [*at, 1.0]
        click_at(page, tuple(point[:3]))
    eventually(page, lambda: len(stage.document.names) > count, f"a joint from {a[0]} to {b[0]}")


def test_an_animator_ties_cans_to_a_car(street: Any) -> None:
    stage, page = street
    instance(stage, page)
    join_by_clicks(stage, page, ("wire1", [-0.2, 0, 0]), ("can1", [0, 0, 0]))
    page.click(".play")
    say(page, "add nail lead -where car 0 0 0")
    say(page, "add orientation upright -where car 0 0 0")
    say(page, "add spherical hook1 -a car -.4 .1 0 -b wire1 .2 0 0")
    say(page, "add spherical hook2 -a car -.4 -.1 0 -b wire2 .2 0 0")
    say(page, "add spherical ring2 -a wire2 -.2 0 0 -b can2 0 0 0")
    eventually(page, lambda: not flying(stage.document), "parts that have come together")
    # the machine has become a tree: a car, and two strings of two ball joints
    assert stage.machine.model.nv == 6 + 4 * 3
    drive(stage, page)
    assert not page.errors


def drive(stage: Stage, page: Any) -> None:
    """Bind the place of the car to time by the form; the cans trail, and stay on their wires."""
    start = round(stage.t, 3)
    page.click("[data-tab=sliders]")
    page.fill("#bind-target", "lead.target")
    page.fill("#bind-expression", f".8*(t-{start}), .1*sin(t), .25")
    page.press("#bind-expression", "Enter")
    eventually(page, lambda: "lead.target" in stage.document.bindings, "a binding")
    began = stage.t
    eventually(page, lambda: stage.t > began + 1.0, "a second")
    page.click(".play")
    until(page, "!studio.world.frame.playing", "a pause")
    car = stage.machine.pose("car")[:3, 3]
    assert car[0] == pytest.approx(0.8 * (stage.t - start), abs=0.01)
    for name in ("can1", "can2"):
        can = stage.machine.pose(name)[:3, 3]
        assert np.linalg.norm(can - car) < 0.4 + 0.45 + 0.15  # the wire, and where it is hooked
        assert can[0] < car[0] and can[2] > 0.05  # behind, and on the road
