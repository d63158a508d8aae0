"""The study of gaits measures what it promises, beside SciPy that finds the same.

No time is asserted.
"""

from __future__ import annotations

import io
import json
import math
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tarsus_lab.bench import Plan

import tarsus as ts

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import gait_biped
import gait_table
import gait_targets
import gaits
import run
import scipy_compass
import targets

SIZES = gaits.Sizes(
    grid=6, steps=3, threads=1, doubled=1, hips=(5,), speeds=(0.8,), robots=(), rounds=1
)
ROBOT = {
    "model": "g1",
    "joints": 12,
    "seconds": {"median": 9.0, "min": 8.0},
    "success": True,
    "status": "converged",
    "period_error": 1e-10,
    "speed": 0.4,
    "cost_of_transport": 0.2,
}
"""What a search that takes long would find."""


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return gaits.measure_gaits(Plan(batch=9, rounds=2, seconds=1e-6), SIZES) | {"robots": [ROBOT]}


def test_results_have_all_rows(results: dict[str, Any]) -> None:
    json.dumps(results, allow_nan=False)
    assert set(results) == {"cycle", "doublings", "trunk", "design", "robots", "basin"}
    assert results["basin"]["states"] == 36
    assert 0 < results["basin"]["walked"] <= 3 * 36
    assert (results["doublings"]["period"], results["doublings"]["wanted"]) == (2, 2)
    assert results["doublings"]["degrees"] == pytest.approx([4.390898, 4.914057], abs=2e-6)
    assert (results["trunk"]["gaits"], results["trunk"]["missed"]) == (1, 0)
    assert (results["design"]["gaits"], results["design"]["missed"]) == (4, 0)


def test_scipy_finds_the_same_gait(results: dict[str, Any]) -> None:
    print(results["cycle"])
    assert results["cycle"]["error"] <= gaits.TOLERANCE
    assert results["cycle"]["apart"] < 1e-8
    assert results["cycle"]["multipliers_apart"] < 1e-5


def test_the_guess_is_crude() -> None:
    walker = ts.gait.walkers.compass()
    guess = np.concatenate(gaits.crude(walker))
    off = guess / np.concatenate(ts.gait.limit_cycle(walker).state) - 1.0
    np.testing.assert_allclose(np.abs(off), gaits.CRUDE, atol=1e-6)


def test_the_return_map_for_scipy_is_that_of_its_step() -> None:
    x = [0.3, -1.07, 0.7]
    _, y = scipy_compass.step([0.3, -0.6, -1.07, 0.7], 1e-10, 1e-12)
    np.testing.assert_allclose(scipy_compass.returned(x, 1e-10, 1e-12), [y[0], y[2], y[3]])
    assert y[1] == pytest.approx(-2.0 * y[0], abs=1e-10)


def test_long_calls_are_timed_by_any_clock() -> None:
    ticks = iter([0.0, 5.0, 10.0, 11.0, 20.0, 22.0])
    found, seconds = gaits.timed(lambda: "found", 3, lambda: next(ticks))
    assert (found, seconds) == ("found", {"median": 2.0, "min": 1.0})


def test_legs_of_a_robot_stand_on_both_soles() -> None:
    legs = gait_biped.Legs.of("g1")
    stance = legs.walker.phases[0].model
    assert stance.nv == 12
    left, right = (stance.frame_pose(legs.posture, f"{side}_sole") for side in ("left", "right"))
    np.testing.assert_allclose((right - left)[:3, 3], [-0.2, -0.2, 0.0], atol=1e-6)


def test_a_gait_is_periodic_or_by_how_much_not() -> None:
    gait = ts.gait.optimize(ts.gait.walkers.compass(), starts=1)
    assert gait_biped.period_error(gait) < gait_targets.PERIODIC
    # another begin of the same motion: 1 mrad off
    begin, rates = gait.state
    off = _Displaced(gait, (begin + 1e-3, rates))
    assert gait_biped.period_error(off) == pytest.approx(1e-3, rel=1e-4)  # type: ignore[arg-type]


class _Displaced:
    """A gait that says that it begins elsewhere."""

    def __init__(self, gait: ts.gait.OptimizedGait, state: Any) -> None:
        self.walker, self.duration, self.q, self.v = gait.walker, gait.duration, gait.q, gait.v
        self.state = state


def test_targets_are_judged(results: dict[str, Any]) -> None:
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(run.judged({"gaits": results}))
    text = console.export_text()
    found = [target for target in targets.TARGETS if target.values({"gaits": results})]
    assert found == list(gait_targets.GAIT_TARGETS)
    for target in found:
        assert target.what in text
        assert target.smallest is not None and target.smallest({"gaits": results})
    assert not any(target.values({}) for target in found)


def test_what_is_not_found_misses_its_target(results: dict[str, Any]) -> None:
    failed = deepcopy(results)
    failed["cycle"]["error"] = 1e-6
    failed["doublings"]["period"] = 1
    failed["trunk"]["missed"] = failed["design"]["missed"] = 1
    failed["robots"][0]["period_error"] = 1e-5
    endless = [
        target
        for target in gait_targets.GAIT_TARGETS
        if math.inf in target.values({"gaits": failed}).values()
    ]
    assert len(endless) == 5
    failed["robots"][0] |= {"period_error": 0.0, "success": False, "status": "gave up"}
    assert math.inf in gait_targets.robots(failed, "median").values()


def test_table_of_the_benchmark_page(results: dict[str, Any]) -> None:
    lines = gait_table.gait_table(results)
    print("\n".join(lines))
    assert all(line.count("|") == 3 for line in lines)
    assert len(lines) == 9
    failed = deepcopy(results)
    failed["trunk"]["missed"] = 1
    failed["robots"][0] |= {"success": False, "status": "gave up"}
    text = "\n".join(gait_table.gait_table(failed))
    assert ", 1 missed |" in text and "| gave up |" in text
