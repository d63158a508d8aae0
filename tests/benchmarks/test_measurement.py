"""The measurement runs and yields what is promised; no time is ever asserted."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tarsus_lab.bench import Plan, measure
from tarsus_lab.bench.measure import ALGORITHMS, Subject
from tarsus_lab.bench.tables import tables
from tarsus_lab.bench.timing import Contender, beyond_inputs_and_output, interleave, pinned

import tarsus as ts

TINY = Plan(batch=8, rounds=2, seconds=1e-6, links=(2, 4))
FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return measure({"chain(3)": ts.robots.chain(3), "dill(2)": ts.robots.dill(2)}, TINY)


def test_results_have_a_row_for_each_model_and_algorithm(results: dict[str, Any]) -> None:
    assert set(results) == {"date", "machine", "plan", "notes", "rows", "growth", "memory"}
    names = [(row["model"], row["algorithm"]) for row in results["rows"]]
    assert names == [(m, a.title) for m in ("chain(3)", "dill(2)") for a in ALGORITHMS]
    for row in results["rows"]:
        assert set(row["one"]) == set(row["per_state"]) == {"median", "min"}
        assert row["batch"] == 8
        assert (row["one_ratio"] is None) == (row["algorithm"] == "hybrid")
        assert (row["throughput_ratio"] is None) == (row["algorithm"] == "hybrid")
    assert results["growth"]["links"] == [2, 4]
    assert set(results["machine"]) >= {"processor", "instruction_set", "python", "pinocchio"}
    json.dumps(results, allow_nan=False)


def test_tables_show_all_rows(results: dict[str, Any]) -> None:
    console = Console(width=110, record=True, file=io.StringIO())
    for table in tables(results):
        console.print(table)
    text = console.export_text()
    for word in ("chain(3)", "dill(2)", "frame Jacobian", "log-log", "Pinocchio"):
        assert word in text
    assert "…" not in text


def test_without_pinocchio_its_columns_are_empty() -> None:
    row = measure({"disc": ts.robots.rolling_disc()}, TINY)["rows"][0]
    assert row["pinocchio"] is row["one_ratio"] is row["throughput_ratio"] is None


def test_contenders_compute_the_same() -> None:
    subject = Subject.make("chain", ts.robots.chain(7), 3)
    for algorithm in ALGORITHMS:
        shape = subject.output_shape(algorithm)
        buffer = np.zeros(3 * int(np.prod(shape)))
        ours = eval(subject.one(algorithm).call, subject.one(algorithm).names)
        batch = subject.batch(algorithm, 3, buffer, threads=1)
        many = eval(batch.call, batch.names)
        if algorithm.arrays > 1:
            many, ours = np.stack(many, axis=1), np.stack(ours)
        assert np.array_equal(many[0], ours)
        peer = subject.peer(algorithm)
        if algorithm.title == "hybrid":  # which they do not have
            continue
        assert peer is not None
        theirs = eval(peer.call, peer.names)
        if algorithm.title == "CRBA":
            ours, theirs = np.triu(ours), np.triu(theirs)
        if theirs is not None:
            assert np.allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def test_contenders_take_turns() -> None:
    order: list[str] = []
    contenders = [Contender(f"order.append({name!r})", {"order": order}) for name in "ab"]
    for contender in contenders:
        contender.warm_up = lambda seconds: None  # type: ignore[method-assign]
    interleave(contenders, 3, 1e-6, lambda share: None)
    assert "".join(order) == "ababab"
    assert [len(contender.samples) for contender in contenders] == [3, 3]


def test_pinning_ends() -> None:
    before = os.sched_getaffinity(0)
    with pinned(1) as worked:
        assert worked
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before


def test_memory_of_a_call_is_seen() -> None:
    extra = beyond_inputs_and_output(lambda: np.ones(4_000_000).sum())
    if extra is None:
        pytest.skip("this system does not tell")
    assert 30e6 < extra < 40e6


@pytest.fixture
def targets(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "targets", raising=False)
    import targets

    return targets


def test_targets_judge_both_ways(targets: ModuleType) -> None:
    time, throughput = targets.TARGETS[0], targets.TARGETS[1]
    assert [time.verdict(x) for x in (0.4, 0.6, 0.9)] == ["aim", "must", "missed"]
    assert [throughput.verdict(x) for x in (11, 7, 5)] == ["aim", "must", "missed"]
    assert time.worst([0.1, 0.3]) == 0.3
    assert throughput.worst([0.1, 0.3]) == 0.1


def test_verdicts_are_shown(targets: ModuleType, results: dict[str, Any]) -> None:
    import run

    console = Console(width=140, record=True, file=io.StringIO())
    console.print(run.judged(results))
    text = console.export_text()
    for target in targets.TARGETS[:3]:
        assert target.what in text


def test_targets_find_their_numbers(targets: ModuleType, results: dict[str, Any]) -> None:
    for target in targets.TARGETS[:3]:
        assert target.values(results)
