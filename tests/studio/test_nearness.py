"""How near bodies are: against closed forms, and on the page as tints, words and a handle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pages import eventually, place, still, until, visit

import tarsus as ts
from tarsus.studio import Stage
from tarsus.studio.force_readout import nearness
from tarsus.studio.server import open_studio

ARM = """
set ground -on off
add capsule upper -radius .05 -length .5 -t 0 0 1
add capsule lower -radius .05 -length .5 -t .6 0 1
add capsule hand -radius .05 -length .3 -t 1.1 0 1
add revolute elbow -a upper .3 0 0 -b lower -.3 0 0 -axis 0 1 0
add revolute wrist -a lower .3 0 0 -b hand -.2 0 0 -axis 0 1 0
add revolute shoulder -a world -.3 0 1 -b upper -.3 0 0 -axis 0 1 0
"""


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


@pytest.mark.parametrize("gap", [0.3, 0.02, -0.01])
def test_balls_are_as_far_apart_as_their_middles_less_their_radii(gap: float) -> None:
    stage = Stage()
    stage.run(f"add sphere a -radius .1 -t 0 0 1\nadd sphere b -radius .2 -t {0.3 + gap} 0 1")
    stage.run("add sphere c -radius .1 -t 0 3 1")
    found = nearness(stage.machine)
    assert found.least == pytest.approx(gap, abs=1e-12) and set(found.pair) == {"a", "b"}
    np.testing.assert_allclose(np.sort(found.points[:, 0]), np.sort([0.1, 0.1 + gap]), atol=1e-12)
    assert set(found.bodies) == {"a", "b"}
    assert ("in" in str(found).split()) == (gap < 0) and f"{abs(1e3 * gap):.3g} mm" in str(found)


def test_links_of_an_arm_are_compared_but_for_neighbours() -> None:
    """A hand that is folded back on the upper arm: the distance of two segments, by brute force."""
    stage = Stage()
    stage.run(lines(ARM))
    stage.run("set elbow -q 2.9\nset wrist -q .2")
    upper, hand = (stage.machine.pose(name) for name in ("upper", "hand"))
    along = np.linspace(-1, 1, 1501)[:, None]
    one = upper[:3, 3] + 0.25 * along * upper[:3, 0]
    two = hand[:3, 3] + 0.15 * along * hand[:3, 0]
    wanted = float(np.linalg.norm(one[:, None] - two[None], axis=-1).min()) - 0.1
    found = nearness(stage.machine)
    print(found, wanted)
    assert set(found.pair) == {"upper", "hand"} and set(found.bodies) == {"upper", "hand"}
    assert found.least == pytest.approx(wanted, abs=1e-4)


def test_reach_holds_what_floats_and_tells_the_nearest() -> None:
    stage = Stage(ts.robots.quadruped())
    torso = stage.machine.pose("torso").copy()
    x, y, z = stage.machine.pose("front_left_foot")[:3, 3]
    answer = stage.do(f"reach front_left_foot {x - 0.1} {y} {z + 0.1}")
    print(answer.text)
    assert answer.ok and "is there" in answer.text and "apart" in answer.text
    np.testing.assert_allclose(stage.machine.pose("torso"), torso, atol=1e-6)


@pytest.fixture
def studio(chromium: Any) -> Iterator[Any]:
    stage = Stage()
    stage.run(lines(ARM))
    stage.run("set elbow -q .5\nset wrist -q .3")
    with open_studio(stage, port=0) as made:
        yield made


def colors(page: Any) -> dict[str, list[float]]:
    """Return the colours in which bodies are drawn, by name."""
    return dict(
        page.evaluate(
            """studio.world.scene.bodies.map(({ name }, k) => {
              const { color } = studio.scene.parts.parts.find(part => part.body === k)
              return [name, [...color].slice(0, 3)]
            })"""
        )
    )


def test_the_page_leads_by_a_handle_and_tints_what_comes_near(chromium: Any, studio: Any) -> None:
    page = visit(chromium, studio.url)
    still(page)
    plain = colors(page)
    page.evaluate("studio.select('hand')")
    # straight from the side, so that what is drawn across the view is in reach
    page.evaluate(
        "Object.assign(studio.scene.camera.goal, { azimuth: -Math.PI / 2, elevation: 0 })"
    )
    still(page)
    start = place(page, tuple(studio.stage.machine.pose("hand")[:3, 3]))
    end = place(page, tuple(studio.stage.machine.pose("upper")[:3, 3] + [-0.05, 0, 0.12]))
    page.mouse.move(*start)
    page.mouse.down()
    for share in np.linspace(0, 1, 12):
        page.mouse.move(*(a + share * (b - a) for a, b in zip(start, end, strict=True)))
        page.wait_for_timeout(40)
    until(page, "(studio.world.frame.distances?.least ?? 1) < 0.3", "a hand near the arm")
    tinted = colors(page)
    near = page.evaluate("studio.world.frame.distances")
    assert set(near["pair"]) == {"upper", "hand"}
    assert tinted["hand"] != plain["hand"] and tinted["upper"] != plain["upper"]
    assert tinted["lower"] == plain["lower"]
    assert "mm to the next" in page.evaluate("studio.nearness.wordsOf('hand')")
    page.mouse.up()
    eventually(page, lambda: "distances" not in studio.stage.document.shown, "an end of it")
    eventually(page, lambda: colors(page) == plain, "the colours of before")
    assert any(line.startswith("reach hand") for line in studio.stage.take.lines)
    assert not page.errors
    page.context.close()


def test_too_many_pairs_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarsus.studio.force_readout.MOST_PAIRS", 2)
    stage = Stage()
    stage.run([f"add box b{k} -t {k} 0 1" for k in range(4)])
    assert str(nearness(stage.machine)) == (
        "6 pairs of bodies are too many to compare, 2 are the most"
    )
