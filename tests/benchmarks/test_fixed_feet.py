"""Feet that are fixed by a root and feet that are fixed by constraints: the same, and exact."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import fixed_feet

from tarsus.robots.load import example_folder

if example_folder() is None:
    pytest.skip("example-robot-data is not installed", allow_module_level=True)
MECHANISMS = {mechanism.name: mechanism for mechanism in fixed_feet.mechanisms()}


@pytest.mark.parametrize("feet", [1, 2])
@pytest.mark.parametrize("name", MECHANISMS)
def test_all_ways_are_exact(name: str, feet: int) -> None:
    mechanism = MECHANISMS[name]
    fixed = list(fixed_feet.ways(mechanism, mechanism.feet[:feet]))
    expected = ["root", "held", "planted"] if feet == 1 else ["held", "planted", "root + planted"]
    assert [each.name for each in fixed] == expected
    states = [np.concatenate(each.to_floating(each.q, each.v)) for each in fixed]
    for each, state in zip(fixed, states, strict=True):
        np.testing.assert_allclose(state, states[0], atol=1e-13)
        assert fixed_feet.error_of(mechanism, mechanism.feet[:feet], each) < 1e-12
        assert fixed_feet.drift_of(mechanism, mechanism.feet[:feet], each, 0.1) < 1e-12


def test_rows_are_those_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    walker = MECHANISMS["walker in the plane"]
    monkeypatch.setattr(fixed_feet, "mechanisms", lambda: iter([walker]))
    rows = list(fixed_feet.rows(rounds=1, long=0.01))
    assert [row[1:4] for row in rows] == [
        ["1", "root", "4"],
        ["1", "held", "6"],
        ["1", "planted", "8"],
        ["2", "held", "6"],
        ["2", "planted", "10"],
        ["2", "root + planted", "6"],
    ]
    assert all(len(row) == len(fixed_feet.HEAD) and float(row[4]) > 0.0 for row in rows)
