"""The study of flows measures what it promises, beside peers that move alike.

No time is asserted.
"""

from __future__ import annotations

import inspect
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tarsus_lab.bench import Plan

import tarsus as ts

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).parents[1] / "port_walking"))

import flow_table
import flows
import held_feet
import run
import scipy_compass
import targets
from compass_oracle import STABLE, Compass, start

SIZES = flows.Sizes(batch=3, held=0.05, free=0.01, dropped=0.15)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return flows.measure_flows(Plan(batch=9, rounds=2, seconds=1e-6), SIZES)


def test_results_have_all_rows(results: dict[str, Any]) -> None:
    json.dumps(results, allow_nan=False)
    assert set(results) == {"compass", "held", "free", "ledgers"}
    assert results["compass"]["states"] == 9 and results["held"]["states"] == 3
    for section in ("compass", "free"):
        assert {"one", "batch", "peer", "speed", "error"} <= set(results[section])
    for name in ("speed", "plain_speed"):
        assert {"one", "batch", "one_simulation", "batch_simulation"} == set(results["free"][name])
    felt = "derivatives" in inspect.signature(ts.flow).parameters
    assert ("batch_derivatives_ratio" in results["compass"]) == felt
    assert len(results["ledgers"]) == 6


def test_contenders_end_at_the_same_place(results: dict[str, Any]) -> None:
    print({key: results[key].get("error") for key in ("compass", "held", "free")})
    assert results["compass"]["error"] < 1e-9 and results["compass"]["state_error"] < 1e-8
    assert results["free"]["error"] < 1e-9
    assert results["held"].get("error", 0.0) < 1e-7


def test_all_walkers_of_the_batch_strike_and_none_scuffs() -> None:
    q, v = flows.walkers(512)
    found = ts.flow(
        ts.gait.walkers.compass().phases, q, v, duration=scipy_compass.LONGEST, events=1
    )
    assert (found.n_events == 1).all() and not found.failed.any()
    assert found.t.min() > 0.5


def test_the_walker_for_scipy_is_that_of_the_thesis(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle, y = Compass(), start(STABLE)
    for state in y + 0.3 * np.random.default_rng(0).standard_normal((20, 4)):
        np.testing.assert_allclose(
            scipy_compass.rates(0.0, state), oracle.rates(0.0, state), atol=1e-11
        )
        np.testing.assert_allclose(scipy_compass.impact(state), oracle.impact(state), atol=1e-12)
    step = oracle.step(y)
    time, after = scipy_compass.step(y.tolist(), 1e-10, 1e-12)
    print(f"strike {time - step.time:.1e} s off")
    assert time == pytest.approx(step.time, abs=1e-9)
    np.testing.assert_allclose(after, step.after, atol=1e-8)
    monkeypatch.setattr(scipy_compass, "LONGEST", 0.1)
    with pytest.raises(ValueError, match="does not step"):
        scipy_compass.step(y.tolist(), 1e-10, 1e-12)


def test_rates_of_the_configuration_are_those_of_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    model = pin.buildSampleModelManipulator()
    free = pin.appendModel(_floating(pin), model, 0, pin.SE3.Identity())
    random, h = np.random.default_rng(0), 1e-6
    for _ in range(5):
        q = pin.integrate(free, pin.neutral(free), random.standard_normal(free.nv))
        v = random.standard_normal(free.nv)
        ends = [pin.integrate(free, q, s * h * v) for s in (1.0, -1.0)]
        expected = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(held_feet.configuration_rate(q, v), expected, atol=1e-8)


def _floating(pin: Any) -> Any:
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    return model


def test_feet_start_at_rest_and_stay() -> None:
    feet = held_feet.HeldFeet()
    v = feet.velocities(2)
    assert np.abs(v).max() > 0.1
    end = ts.flow(feet.model, feet.q, v[0], duration=0.2, rtol=1e-8, atol=1e-10)
    for foot in feet.robot.feet.values():
        places = [feet.model.frame_pose(q, foot)[:3, 3] for q in (feet.q, end.q)]
        assert np.abs(places[1] - places[0]).max() < 1e-9
    assert np.abs(end.q - feet.q).max() > 1e-2


def test_ledgers_close_or_say_why_not(results: dict[str, Any]) -> None:
    for row in results["ledgers"]:
        print(row)
        if "failure" in row:  # robots may end in many contacts at once
            assert row["scene"].startswith("ANYmal") and row["failure"]
        else:
            assert row["residual"] < 1e-8 and row["events"] > 0


def test_targets_are_judged(results: dict[str, Any]) -> None:
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(run.judged({"flows": results}))
    text = console.export_text()
    found = [target for target in targets.TARGETS if target.values({"flows": results})]
    assert len(found) >= 7
    for target in found:
        assert target.what in text
        assert target.smallest is not None and target.smallest({"flows": results})


def test_a_run_that_fails_misses_its_target() -> None:
    ledger = targets.FLOW_TARGETS[-1]
    values = ledger.values({"flows": {"ledgers": [{"scene": "falls", "failure": "why"}]}})
    assert ledger.verdict(values["falls"]) == "missed"


def test_table_of_the_benchmark_page(results: dict[str, Any]) -> None:
    lines = flow_table.flow_table(results)
    print("\n".join(lines))
    assert all(line.count("|") == 3 for line in lines)
    assert len(lines) >= 15
    failed = results | {"ledgers": [{"scene": "it falls", "failure": "why"}]}
    assert flow_table.flow_table(failed)[-1].endswith("| fails |")
    alone = {key: results["held"][key] for key in ("one", "batch")}
    assert any("| – / " in line for line in flow_table.flow_table(results | {"held": alone}))
