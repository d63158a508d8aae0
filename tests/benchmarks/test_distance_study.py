"""The study of distances measures what it promises; no time is asserted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tarsus_lab.bench import Plan

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import distances
import targets


def test_results_have_all_rows() -> None:
    results = distances.measure_distances(Plan(batch=2, rounds=2, seconds=1e-6))
    json.dumps(results, allow_nan=False)
    assert [row["pairs"] for row in results["humanoid"]] == [distances.PAIRS] * 5
    assert len(results["pairs"]) == 6
    for row in results["humanoid"]:
        assert 0 < row["near"] < distances.PAIRS and row["difference"] < 1e-12
    wanted = [each for each in targets.TARGETS if "distance" in each.what]
    counts = [len(each.values({"distances": results})) for each in wanted]
    assert counts == [3, 1, 1]
