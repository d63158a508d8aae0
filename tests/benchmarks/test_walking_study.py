"""The study of walking measures what it promises; no time is asserted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tarsus_lab.bench import Plan

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import targets
import walking


def test_results_have_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "STEPS", 1)
    monkeypatch.setattr(walking, "BATCH_STEPS", 1)
    results = walking.measure_walking(Plan(batch=2, rounds=1, seconds=1e-6))
    json.dumps(results, allow_nan=False)
    assert [row["model"] for row in results["alone"]] == list(walking.ROBOTS)
    assert [row["walkers"] for row in (*results["alone"], *results["batch"])] == [1, 1, 2]
    assert not any(row["fell"] for row in (*results["alone"], *results["batch"]))
    wanted = [each for each in targets.TARGETS if each in walking.WALKING_TARGETS]
    assert [len(each.values({"walking": results})) for each in wanted] == [1, 1]
