"""The study of Christoffel symbols measures what it promises; no time is asserted."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tarsus_lab.bench import Plan

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import dynamics_table
import run
import symbols
import targets


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return symbols.measure_symbols(Plan(batch=1, rounds=2, seconds=1e-6), (4, 8))


def test_results_have_all_rows(results: dict[str, Any]) -> None:
    json.dumps(results, allow_nan=False)
    assert len(results["times"]) == 2 * (2 * 3 + 1)
    assert len(results["slopes"]) == 4


def test_targets_are_judged(results: dict[str, Any]) -> None:
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(run.judged({"symbols": results}))
    text = console.export_text()
    found = [target for target in targets.TARGETS if target.values({"symbols": results})]
    assert len(found) == 6
    for target in found:
        assert target.what in text
        assert target.smallest is not None
        assert target.smallest({"symbols": results})


def test_table_of_the_benchmark_page(results: dict[str, Any]) -> None:
    lines = dynamics_table.symbol_table(results)
    print("\n".join(lines))
    assert all(line.count("|") == 6 for line in lines)
    assert len(lines) == 5
