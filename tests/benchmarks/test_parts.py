"""The study of parts measures what it promises; no time is asserted."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tarsus_lab.bench import Plan

import tarsus as ts

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import gears
import part_table
import parts
import run
import targets

SIZES = parts.Sizes(bodies=5, pins=3, others=(0, 2), changes=2, seconds=0.2)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return parts.measure_parts(Plan(batch=1, rounds=2, seconds=1e-6), SIZES)


def test_results_have_all_rows(results: dict[str, Any]) -> None:
    json.dumps(results, allow_nan=False)
    assert len(results["dragged"]) == len(results["equivalents"]) == 2
    assert len(results["sticks"]) == 2
    assert len(results["changes"]) == 2 * 8


def test_the_hand_drags_both_kits_alike() -> None:
    ends = []
    tree = ts.assemble(parts.kit(SIZES, joined=True))
    loose = parts.kit(SIZES, joined=False)
    for model, q in ((loose, loose.neutral()), (tree.model, tree.q)):
        sim = ts.Simulation(model, dt=1e-3)
        sim.reset(q)
        if model is loose:
            for k in range(SIZES.pins):
                sim.add(ts.constraint.PointToPoint(*parts.pin(k)))
        hand = sim.add(ts.constraint.Grab("body0", stiffness=500.0, damping=20.0))
        drag = parts.Drag(sim, hand)
        for _ in range(20):
            drag()
        ends.append(np.asarray(model.frame_pose(sim.q, "body3"))[:3, 3])
    print(ends)
    assert np.linalg.norm(ends[0] - [3.0, 0.0, 0.0]) > 1e-3
    np.testing.assert_allclose(*ends, atol=1e-3)


def test_pairs_of_equivalents_move_alike() -> None:
    part, own = parts.sprung()
    for sim in (part, own):
        sim.step(steps=100)
    np.testing.assert_allclose(part.q, own.q, atol=1e-3)
    part, own = parts.nailed()
    assert part.model.nv == own.model.nv + 3
    part.step(steps=100)
    origin = np.asarray(part.model.frame_pose(part.q, "link0"))[:3, 3]
    print(origin)
    assert np.abs(origin).max() < 1e-6


def test_stiff_gears_are_true_and_stay_where_mujoco_has_them(results: dict[str, Any]) -> None:
    assert gears.residual(gears.FRICTION) < 1e-3
    found = results["gears"]
    if "stable" in found:
        assert found["apart"] < 1e-4
        assert found["stable"]["discrete"] == SIZES.seconds
        # what makes them stiff: who is explicit in springs cannot follow
        assert found["stable"]["implicitfast"] < SIZES.seconds


def test_targets_are_judged(results: dict[str, Any]) -> None:
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(run.judged({"parts": results}))
    text = console.export_text()
    found = [target for target in targets.TARGETS if target.values({"parts": results})]
    assert len(found) >= 3
    for target in found:
        assert target.what in text
        assert target.smallest is not None and target.smallest({"parts": results})


def test_table_of_the_benchmark_page(results: dict[str, Any]) -> None:
    lines = part_table.part_table(results)
    print("\n".join(lines))
    assert all(line.count("|") == 3 for line in lines)
    assert len(lines) >= 9
