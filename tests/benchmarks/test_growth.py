"""The study of growth measures what it promises; no time is asserted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tarsus_lab.bench import Plan

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import growth
import targets


def test_results_have_all_rows() -> None:
    results = growth.measure_growth(Plan(batch=1, rounds=2, seconds=1e-6), (2, 4))
    json.dumps(results, allow_nan=False)
    rows = [(row["model"], row["algorithm"]) for row in results["slopes"]]
    assert rows == [(m, a) for m in ("chain", "star") for a in ("ABA", "hybrid")]
    target = next(each for each in targets.TARGETS if "10000 bodies" in each.what)
    assert list(target.values({"bodies": results})) == [f"{a} of a {m}" for m, a in rows]
