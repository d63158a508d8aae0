"""Branches of gaits: bifurcations that others published, periods that double, maps of basins."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import pytest

import tarsus as ts


def test_the_simplest_walker_becomes_unstable_where_garcia_found_it() -> None:
    walker = ts.gait.walkers.simplest_walker()
    branch = ts.gait.continuation(walker, "slope", to=0.03, until="flip")
    (flip,) = branch.of("flip")
    assert flip.value == pytest.approx(0.0151, abs=5e-5)
    nearest = np.abs(flip.gait.multipliers + 1.0).min()
    print(branch, f"a multiplier is {nearest:.1e} from −1")
    # rounding grows with the inverse square of the feet's mass: with 1e-6 of the hip's a multiplier
    # is known to 2e-6 and the flip to 1e-8, with 1e-3 both are known to ten digits
    assert nearest < 1e-5
    assert branch.stable[:-1].all()
    flips = []
    for step in (0.02, 0.013):
        heavy = ts.gait.walkers.simplest_walker(foot_mass=1e-3)
        (flip,) = ts.gait.continuation(heavy, "slope", to=0.03, until="flip", step=step).of("flip")
        assert np.abs(flip.gait.multipliers + 1.0).min() < 1e-10
        flips.append(flip.value)
    assert flips[0] == pytest.approx(flips[1], abs=1e-12)


def test_the_long_and_the_short_gait_meet_at_a_fold() -> None:
    """With more and more damping between the legs both gaits become one, and there is none."""
    walker = ts.gait.walkers.compass()
    branch = ts.gait.continuation(walker, "damping", to=2.0, scale=0.2)
    (fold,) = branch.of("fold")
    print(branch)
    assert np.abs(fold.gait.multipliers - 1.0).min() < 1e-5
    # the branch goes round it, to the other gait
    after = branch.values[np.argmax(branch.values) :]
    assert (np.diff(after) < 0).all()
    assert "no such walker: joint 'hip': damping is negative" in branch.ended
    assert branch.values[-1] < 1e-5
    assert branch.cycle(-1).speed == pytest.approx(0.907868, abs=1e-4)


def test_periods_double_towards_chaos() -> None:
    """Goswami et al. 1998 see the first doubling near 4.4°; Feigenbaum's ratio is 4.669…"""
    walker = ts.gait.walkers.compass(5.0, 10.0, math.radians(4.2), 9.81)
    found = ts.gait.doublings(walker, "slope", to=math.radians(5.3), doubled=2)
    degrees = np.degrees(found.values)
    print(degrees, found.ratios)
    np.testing.assert_allclose(degrees, [4.390898, 4.914057, 5.012438], atol=2e-6)
    assert [branch.steps for branch in found.branches] == [1, 2, 4]
    for branch in found.branches:
        assert np.abs(branch.of("flip")[0].gait.multipliers + 1.0).min() < 1e-6
    # beside the flip walkers come to what the branch has
    last = found.branches[1].cycle(len(found.branches[1]) // 2)
    assert last.stable
    walked = last.walker.steps(last.q[0] + 1e-4, last.v[0], 60)
    assert np.abs(walked.q - last.q[0]).max() < 1e-5


def test_numbers_by_differences_and_by_flows_lead_to_the_same_flip() -> None:
    shipped = ts.gait.walkers.compass()
    machine = ts.gait.Walker.from_model(
        ts.robots.compass(gravity=9.8),
        ["left_foot", "right_foot"],
        stance="line",
        slope=shipped.slope,
        start=shipped.start,
    )
    flips = [
        ts.gait.continuation(walker, "slope", to=0.08, until="flip").of("flip")[0].value
        for walker in (shipped, machine)
    ]
    print(flips)
    assert flips[0] == pytest.approx(flips[1], abs=1e-8)


def test_branches_end_with_a_reason() -> None:
    walker = ts.gait.walkers.compass()
    whole = ts.gait.continuation(walker, "slope", to=0.06)
    assert whole.ended == "slope has reached 0.06"
    assert whole.values[-1] == pytest.approx(0.06, abs=1e-14)
    assert ts.gait.continuation(walker, "slope", to=0.06, most=2).ended == "after 2 gaits"
    with pytest.raises(KeyError, match="slop"):
        ts.gait.continuation(walker, "slop", to=0.06)
    with pytest.raises(KeyError, match="kind of bifurcation"):
        ts.gait.continuation(walker, "slope", to=0.06, kinds=("kink",))


def test_an_end_that_is_not_met_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Newton's method finds no gait at the value, the branch ends beyond, and says so."""
    module = importlib.import_module("tarsus.gait.continuation")
    solved = module.corrected

    def fails_at_values(system: Any, guess: Any, way: np.ndarray, tolerance: float) -> Any:
        between = not way[:-1].any() and guess.value > 0.055
        return (None, 0) if between else solved(system, guess, way, tolerance)

    monkeypatch.setattr(module, "corrected", fails_at_values)
    branch = ts.gait.continuation(ts.gait.walkers.compass(), "slope", to=0.06)
    assert branch.values[-1] > 0.06
    assert branch.ended.startswith("slope has reached 0.06, where no gait was found")
    assert f"{branch.values[-1]:.8g}" in branch.ended


def test_a_basin_knows_who_walks() -> None:
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    over = {"lean": np.linspace(0.2, 0.4, 9), "lean rate": np.linspace(-1.4, -0.8, 7)}
    found = ts.gait.basin(gait, over, steps=15)
    assert found.survived.shape == (9, 7)
    assert 0.05 < found.survived.mean() < 0.6
    for i, j in ((4, 3), (0, 0), (8, 6), (5, 2)):
        lean, rate = over["lean"][i], over["lean rate"][j]
        start = np.array([lean, -2 * lean]), np.array([rate, gait.v[0, 1]])
        alone = gait.walker.steps(*start, 15, rtol=1e-8, atol=1e-9)
        assert (alone.ended == "had as many events as it may have") == found.survived[i, j]
    threaded = ts.gait.basin(gait, over, steps=15, workers=2)
    np.testing.assert_array_equal(found.fell, threaded.fell)
    np.testing.assert_array_equal(found.distance, threaded.distance)
    with pytest.raises(KeyError, match="number of the section"):
        ts.gait.basin(gait, {"knee": [0.0]})
    with pytest.raises(ValueError, match="over is empty"):
        ts.gait.basin(gait, {})
