"""Friction cones: the coefficient is that which holds or brakes, and forces lean within it."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from pages import until, visit

import tarsus as ts
from tarsus.studio import Stage, messages
from tarsus.studio.force_readout import cones
from tarsus.studio.server import open_studio


def on_slope(friction: float, slope: float, own: float | None = None) -> Stage:
    """Return a box on a slope; the shape may state a friction of its own."""
    builder = ts.Builder("box")
    builder.body("box", 2.0, inertia=(0.01, 0.02, 0.02))
    builder.joint("box", "free", "world", "box")
    for role in ("visual", "collision"):
        builder.shape("box", "box", (0.4, 0.3, 0.1), role=role, friction=own)
    stage = Stage(builder.build())
    height, w, y = 0.05 / np.cos(slope) + 1e-4, np.cos(slope / 2), np.sin(slope / 2)
    stage.run(
        f"set box -t 0 0 1\nset ground -friction {friction} -slope {slope}\n"
        f"set box -t 0 0 {height} -E {w} 0 {y} 0\nadvance 400"
    )
    return stage


def test_what_holds_on_a_slope_leans_as_much_as_the_slope() -> None:
    stage = on_slope(0.8, 0.3)
    found = cones(stage.machine)
    assert len(found) == 4 and {cone.contact.state for cone in found} == {"stick"}
    axes = sum(cone.axis for cone in found)
    across = sum(cone.contact.force for cone in found) - axes
    lean = float(np.linalg.norm(across) / np.linalg.norm(axes))
    print(lean, np.tan(0.3), [cone.share for cone in found])
    assert lean == pytest.approx(np.tan(0.3), rel=1e-6)
    assert all(cone.coefficient == 0.8 and 0.0 <= cone.share <= 1.0 + 1e-6 for cone in found)


@pytest.mark.parametrize("own", [None, 0.15, 0.6])
def test_what_slides_is_braked_by_the_coefficient_of_the_cone(own: float | None) -> None:
    """The acceleration is g (sin α − μ cos α), with μ the lesser of both surfaces."""
    stage = on_slope(0.25, 0.5, own)
    found = cones(stage.machine)
    assert found and {cone.contact.state for cone in found} == {"slip"}
    assert [cone.share for cone in found] == pytest.approx([1.0] * len(found), rel=1e-6)
    before = np.linalg.norm(stage.machine.v[:3])
    stage.do("advance 100")
    rate = (np.linalg.norm(stage.machine.v[:3]) - before) / 0.1
    mu = (np.sin(0.5) - rate / 9.81) / np.cos(0.5)
    print(mu, found[0].coefficient)
    assert found[0].coefficient == pytest.approx(mu, rel=1e-3) and mu == pytest.approx(
        min(0.25, own or 1.0), rel=1e-3
    )


def test_frames_have_cones_as_high_as_the_normal_force() -> None:
    stage = on_slope(0.8, 0.3)
    stage.do("show cones on")
    data = messages.frame(stage, 1.0)
    (size,) = struct.unpack("<I", data[:4])
    header = json.loads(data[4 : 4 + size])
    rows = np.frombuffer(data[4 + size :], "<f4")[12 * header["bodies"] :].reshape(-1, 6)
    drawn = [(arrow, row) for arrow, row in zip(header["arrows"], rows, strict=False)]
    high = [row[3:] for arrow, row in drawn if arrow["kind"] == "cone"]
    normal = np.array([np.sin(0.3), 0.0, np.cos(0.3)])
    assert len(high) == 4
    np.testing.assert_allclose(sum(high), 2 * 9.81 * np.cos(0.3) * normal, rtol=1e-4, atol=1e-4)


def test_the_page_draws_cones_and_tells_how_far_forces_lean(chromium: Any) -> None:
    stage = on_slope(0.8, 0.3)
    stage.do("show cones on")
    with open_studio(stage, port=0) as studio:
        page = visit(chromium, studio.url)
        until(page, "studio.scene.arrows.list.some(each => each.kind === 'cone')", "a cone")
        labels = page.evaluate("studio.scene.arrows.list.map(each => each.label)")
        assert all("stick" in each and "% of friction 0.8" in each for each in labels)
        # a force ends in the rim of its cone: both are drawn to one scale
        tips = page.evaluate(
            """(() => {
              const of = kind => studio.scene.arrows.list.filter(each => each.kind === kind)
              return of("cone").map((cone, k) => [cone.vector, of("force")[k].vector])
            })()"""
        )
        for cone, force in np.array(tips):
            high = np.linalg.norm(cone)
            assert force @ cone / high == pytest.approx(high, rel=1e-3)
            assert np.linalg.norm(force - cone) <= 0.8 * high * (1 + 1e-3)
        page.click("[data-key='show cones']")
        until(page, "studio.scene.arrows.list.every(each => each.kind !== 'cone')", "no cone")
        assert not page.errors
        page.context.close()
