"""The survey of residuals counts every step once; no number of the solver is asserted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import motions
import residuals
from tarsus_walker import TarsusWalker
from walkers import Walker


def test_all_motions_are_in_the_survey() -> None:
    scenes = residuals.scenes_of(["bolt", "solo12"], [])
    assert len(scenes) == 8
    rows = list(residuals.survey(scenes, 8 * 20, states=5))
    json.dumps(rows, allow_nan=False)
    for row in rows:
        print(residuals.line(row))
        assert row["steps"] == 20
        assert 0 <= row["unsolved"] <= 20
        assert row["median"] <= row["of_100"] <= row["worst"]


def test_motions_are_chosen_by_name() -> None:
    names = [motion for _, motion in residuals.scenes_of(["bolt", "solo12"], ["stand", "tip"])]
    assert names == [motions.tips, motions.stands, motions.stands]


def test_residuals_are_parts_of_speeds() -> None:
    side = TarsusWalker(motions.stands(Walker("solo12"), 2))
    run = side.follow(3, ("v", "statistics"))
    found = residuals.relative_residuals(run)
    assert found.shape == (2, 3)
    if not hasattr(run.statistics, "relative_residual"):
        assert (found <= run.statistics.residual[:, 1:] / (9.81 * 2e-3) + 1e-300).all()
    assert np.isfinite(found).all()


def test_a_motion_that_stops_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise RuntimeError("it stops")

    monkeypatch.setattr(TarsusWalker, "follow", stop)
    row = residuals.row_of(motions.stands(Walker("solo12"), 1), 3)
    assert row["failure"] == "it stops"
    assert "it stops" in residuals.line(row)
