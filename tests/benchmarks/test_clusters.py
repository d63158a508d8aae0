"""The study of models with rotors and loops measures what it promises; no time is asserted."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, ratio

import tarsus as ts

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import closed_chains
import clusters
import dynamics_table
import run
import targets

SIZES = clusters.Sizes((2, 3), (3,), (1, 2), (8,), 5)
FIRST = next(i for i, t in enumerate(targets.TARGETS) if "with rotors" in t.what)
CLUSTER_TARGETS = targets.TARGETS[FIRST:]


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    sections: list[str] = []

    def progress(section: str, share: float) -> None:
        sections.append(section)
        assert 0.0 <= share <= 1.0

    plan = Plan(batch=8, rounds=2, seconds=1e-6)
    measured = clusters.measure_clusters(plan, SIZES, progress)
    assert list(dict.fromkeys(sections)) == [
        *("rotors", "methods", "four-bars", "closed chains", "batches"),
    ]
    return measured


def test_results_have_all_rows(results: dict[str, Any]) -> None:
    json.dumps(results, allow_nan=False)
    names = [row["model"] for row in results["rotors"]]
    assert names == ["mini_cheetah", "rotor_chain(2)", "rotor_chain(3)", "rotor_tree(3)"]
    assert [row["model"] for row in results["methods"]] == ["lola(2)", "lola(3)"]
    assert len(results["four_bars"]["one"]) == len(results["four_bars"]["per_state"]) == 2
    assert [row["links"] for row in results["loops"]] == [8]
    assert set(results["loops"][0]) >= {"one", "lcaba_ratio", "constraint_dynamics_ratio"}
    assert [row["clusters"] for row in results["builds"]] == [5, 5]


def test_every_target_finds_its_numbers(results: dict[str, Any]) -> None:
    for target in CLUSTER_TARGETS:
        values = target.values({"clusters": results})
        print(target.what, values)
        assert values
        assert target.values({}) == {}
    assert len(CLUSTER_TARGETS[0].values({"clusters": results})) == 2 * len(results["rotors"])


def test_verdicts_are_shown(results: dict[str, Any]) -> None:
    console = Console(width=140, record=True, file=io.StringIO())
    console.print(run.judged({"clusters": results}))
    text = console.export_text()
    for target in CLUSTER_TARGETS:
        assert target.what in text
    assert targets.TARGETS[0].what not in text


def test_table_of_the_benchmark_page(results: dict[str, Any]) -> None:
    lines = dynamics_table.cluster_table(results)
    print("\n".join(lines))
    assert all(line.count("|") == 3 for line in lines)
    assert len(lines) == 13
    for row in results["loops"]:
        del row["lcaba"], row["constraint_dynamics"]
    assert len(dynamics_table.cluster_table(results)) == 11  # without Pinocchio


def test_ratios_are_those_of_rounds_and_of_minima() -> None:
    first, second = Contender("pass", samples=[2.0, 6.0, 30.0]), Contender("pass")
    second.samples += [1.0, 2.0, 3.0]
    assert ratio(first, second) == {"median": 3.0, "min": 2.0}


def test_closed_chains_compute_the_same_as_pinocchio() -> None:
    model = closed_chains.closed_chain(20)
    state = closed_chains.closed_state(model)
    assert np.abs(model.loop_gaps(state["q"])).max() < 1e-12
    ours = model.forward_dynamics(state["q"], state["v"], state["tau"])
    peer = closed_chains.PinocchioLoop(model)
    residuals = []
    for call in (peer.constraint_dynamics(state), peer.lcaba(state)):
        theirs = eval(call.call, call.names)
        residuals.append(np.abs(ours - theirs).max() / np.abs(ours).max())
    print(residuals)
    assert residuals[0] < 1e-10
    assert residuals[1] < 0.05  # one proximal step


def test_rotors_are_compared_with_the_same_links() -> None:
    exact, none = (ts.robots.rotor_chain(3, rotors=kind) for kind in ("exact", "none"))
    assert exact.nv == none.nv
    assert exact.n_bodies == 2 * none.n_bodies
