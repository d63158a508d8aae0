"""The start of searches that are given none: closed, and within all ranges where that can be."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from ik_arms import seven_joints

import tarsus as ts

CASSIES = {
    file.name: Path(str(file.locate()))
    for file in metadata.files("example-robot-data") or ()
    if file.name.endswith(".sdf")
}


def beyond(m: ts.Model, q: np.ndarray) -> float:
    """How far the joint that is farthest beyond its range is [rad, m]."""
    at, worst = m.joint_positions(q), 0.0
    for view in m.joints:
        if view.kind in ("free", "spherical"):
            continue
        own = at[view.position_slice]
        worst = max(worst, float(np.maximum(view.lower - own, own - view.upper).max(initial=0.0)))
    return worst


@pytest.mark.parametrize("name", ["cassie.sdf", "cassie_v2.sdf", "cassie_wo_gearbox_spring.sdf"])
def test_cassie_begins_within_its_ranges(name: str) -> None:
    m = ts.load(CASSIES[name])
    q = ts.ik.middle(m)
    open_by = float(np.abs(m.loop_gaps(q)).max())
    print(f"{name}: beyond {beyond(m, q):.1e}, neutral {beyond(m, m.neutral()):.2f}, {open_by:.1e}")
    assert beyond(m, m.neutral()) > 0.6
    # rows that repeat others are left out, and cassie.sdf misses them by 0.1 mm
    assert beyond(m, q) < 1e-8 and open_by < 2e-4


@pytest.mark.parametrize("name", ["cassie_reduced.sdf", "cassie_simple.sdf"])
def test_where_no_ranges_can_be_kept_loops_are_closed(name: str) -> None:
    """In these files cranks and feet cannot both be in range: loops stay open by 9 mm and more."""
    m = ts.load(CASSIES[name])
    assert np.abs(m.loop_gaps(ts.ik.middle(m))).max() < 1e-9


def test_without_loops_it_is_the_middle() -> None:
    m = seven_joints()
    assert np.abs(ts.ik.middle(m)).max() == 0.0
    b = ts.Builder("slide")
    b.body("cart", 1.0, inertia=(1, 1, 1))
    b.joint("slide", "prismatic", "world", "cart", axis="x", lower=1.0, upper=3.0)
    assert ts.ik.middle(b.build()).tolist() == [2.0]
    free = seven_joints(limits=False)
    assert np.array_equal(ts.ik.middle(free), free.neutral())
