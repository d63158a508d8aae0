"""The study of motors measures what it promises; no time is asserted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tarsus_lab.bench import Plan

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import drives
import targets


def test_results_have_all_rows() -> None:
    results = drives.measure_drives(Plan(batch=1, rounds=2, seconds=1e-6))
    json.dumps(results, allow_nan=False)
    assert [row["model"] for row in results["motors"]] == ["lola", "lola, dry friction"]
    target = next(each for each in targets.TARGETS if "20 motors" in each.what)
    assert list(target.values({"drives": results})) == ["lola"]
