"""The study of environments measures what it promises; no time is asserted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tarsus_lab.bench import Plan

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import environment_speed
import targets
from learning import LearningSizes


def test_results_have_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    few = LearningSizes(states=4, actions=2, rounds=1)
    monkeypatch.setattr(LearningSizes, "quick", classmethod(lambda cls: few))
    monkeypatch.setattr(environment_speed, "ROBOTS", ("solo12",))
    results = environment_speed.measure_environments(Plan(batch=2, rounds=1, seconds=1e-6))
    json.dumps(results, allow_nan=False)
    ours = [row for row in results["rows"] if row["what"] == environment_speed.OURS]
    assert [row["ratio"]["median"] for row in ours] == [1.0, 1.0]
    assert {row["what"] for row in results["rows"]} == {
        environment_speed.OURS,
        environment_speed.WALKS,
        environment_speed.MUJOCO,
        environment_speed.SYNC,
        environment_speed.ASYNC,
    }
    assert len(environment_speed.environment_table(results)) == 2 + 7
    wanted = [each for each in targets.TARGETS if each in environment_speed.ENVIRONMENT_TARGETS]
    assert [len(each.values({"learning": results})) for each in wanted] == [2, 1, 1]
