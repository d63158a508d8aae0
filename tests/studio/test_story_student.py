"""The student: rods and bands collapse, two bands are tied again, it stands, and bears a plate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import SEEN, click_at, eventually, still, until, visit
from prism import BANDS, HALF, RODS, right, wrong
from stories import chart, charted, make_slider, run_for, say, take

from tarsus.studio import Stage
from tarsus.studio.server import open_studio


@pytest.fixture
def desk(tmp_path: Path, chromium: Any) -> Any:
    """A stage with the rods and the bands as scripts, and a page of it."""
    (tmp_path / "rods.ves").write_text(RODS)
    (tmp_path / "bands.ves").write_text(BANDS)
    with open_studio(Stage(root=tmp_path), port=0) as studio:
        page = visit(chromium, studio.url)
        yield studio.stage, page
        page.context.close()


def top(stage: Stage) -> float:
    """Return how high the highest end is [m]."""
    with stage.lock:
        ends = [stage.machine.pose(f"rod{k}") @ [HALF, 0.0, 0.0, 1.0] for k in (1, 2, 3)]
    return float(max(end[2] for end in ends))


def tie_by_clicks(stage: Stage, page: Any, number: int) -> None:
    """Tie a band by pointing at two ends, and name it."""
    take(page, "Forces", "rubber")
    until(page, SEEN, "the picture of what is there now")
    still(page)
    for rod, way in ((number - 6, HALF), ((number - 6) % 3 + 1, -HALF)):
        click_at(page, tuple((stage.machine.pose(f"rod{rod}") @ [way, 0.0, 0.0, 1.0])[:3]))
    eventually(page, lambda: "rubber1" in stage.document.parts, "a band")
    say(page, f"rename rubber1 band{number}")
    say(page, f"set band{number} -stiffness 300 -rest_length .25")


@pytest.mark.parametrize(
    "steps",
    [
        3000,
        pytest.param(
            3200,
            marks=pytest.mark.xfail(
                reason="defect of the simulation: after about a quarter of all starts the rods "
                "under the plate are pulled with hundreds of newtons instead of pressed",
                strict=False,  # which starts fail depends on rounding
            ),
        ),
    ],
)
def test_a_student_learns_why_it_stands(desk: Any, steps: int) -> None:
    """The number of steps before the plate is added is fixed, because the outcome depends on it."""
    stage, page = desk
    for line in ("run rods.ves", "run bands.ves", wrong(8), wrong(9)):
        say(page, line)
    begin = top(stage)
    run_for(stage, page, 0.2)
    say(page, "advance 1300")
    assert top(stage) < 0.1 < begin  # it lies flat
    say(page, "pf")
    told = page.locator(".log .entry").last.inner_text()
    assert "band8 rod2 rod3" in told and "band9 rod3 rod1" in told
    mend(stage, page)
    say(page, f"advance {steps}")
    assert top(stage) > 0.6  # it stands on the table
    load_and_stiffen(stage, page)
    assert not page.errors


def mend(stage: Stage, page: Any) -> None:
    """Go back to the start, take the two wrong bands off, and tie them as the diagram has it."""
    page.get_by_role("button", name="Back to the start").click()
    until(page, "studio.world.frame.t === 0", "the start")
    say(page, "delete band8 band9")
    tie_by_clicks(stage, page, 8)
    ends = [str(stage.document.parts["band8"].a), str(stage.document.parts["band8"].b)]  # type: ignore[attr-defined]
    assert "rod2" in ends[0] and "rod3" in ends[1]
    say(page, right(9))


def load_and_stiffen(stage: Stage, page: Any) -> None:
    """A plate of 4 kg on top presses the rods; stiffer bands press them more."""
    chart(page, "axial:rod1")
    say(page, "advance 1000")
    alone = charted(stage, "axial:rod1")[-1]
    middle = np.mean([stage.machine.pose(f"rod{k}")[:3, 3] for k in (1, 2, 3)], axis=0)
    say(
        page, f"add plate plate -size .8 .8 .03 -m 4 -t {middle[0]} {middle[1]} {top(stage) + 0.04}"
    )
    say(page, "advance 1500")
    loaded = charted(stage, "axial:rod1")[-1]
    make_slider(page, "stiffness", "band*.stiffness", 200, 315)
    page.locator("[data-slider=stiffness]").focus()
    page.keyboard.press("End")
    eventually(page, lambda: stage.document.parts["band5"].stiffness == 315, "stiffer bands")  # type: ignore[attr-defined]
    say(page, "advance 1000")
    stiffer = charted(stage, "axial:rod1")[-1]
    print(alone, loaded, stiffer, top(stage), stage.machine.pose("plate")[2, 3])
    assert stage.machine.pose("plate")[2, 3] > 0.6  # the plate lies on it
    assert stiffer < loaded < alone < -50.0  # rods are pressed, each time more
