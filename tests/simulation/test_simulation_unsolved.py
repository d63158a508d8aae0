"""What was not solved is told: by the run, by a warning, and by a failure where that is asked for.

A solver that may visit the contacts only once stands for one that gives up.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import on_ground, standing
from oracle import Array

import tarsus as ts
from tarsus.simulation import Simulation, SimulationError
from tarsus.simulation.convergence import ALLOWED, Unsolved

HASTY = ts.contact.Exact(iterations=1, solver="pgs")
DURATION = 0.1


def hasty(**options: Any) -> Simulation:
    """Return the quadruped on the ground, whose contacts are not solved."""
    return on_ground(contact=HASTY, **options)


def falling(states: int | None = None) -> Array:
    """Return the quadruped just above the ground; of several, each at another height."""
    q = standing() if states is None else np.tile(standing(), (states, 1))
    q[..., 2] += 0.01 if states is None else 0.01 * np.arange(1, states + 1) ** 2
    return q


def told(sim: Simulation, q0: Array, **options: Any) -> tuple[ts.Trajectory, list[str]]:
    """Return a run and its warnings, which must point here."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = sim.run(q0, duration=DURATION, **options)
    assert all(each.category is ts.ConvergenceWarning for each in caught)
    assert all(each.filename == __file__ for each in caught)
    return run, [str(each.message) for each in caught]


def test_nothing_is_said_where_all_is_solved() -> None:
    for q0 in (falling(), falling(3)):
        run, messages = told(on_ground(), q0)
        assert not messages and run.unsolved.total == 0 and not run.settings["warnings"]
        assert run.unsolved.count.shape == run.unsolved.worst.shape == q0.shape[:-1]
        assert "solved" not in repr(run)


def test_one_state_is_told(tmp_path: Path) -> None:
    run, messages = told(hasty(), falling())
    print(messages, run)
    left = run.statistics.relative
    assert run.unsolved.total == int(run.unsolved.count) == np.count_nonzero(left > ALLOWED) > 3
    assert float(run.unsolved.worst) == left.max()
    assert len(messages) == 1 and f"{run.unsolved.total} of 50 steps were not" in messages[0]
    assert f"{left.max():.2g} of the speeds" in messages[0] and "iterations" in messages[0]
    assert run.settings["warnings"] == messages
    assert f"{run.unsolved.total} steps not solved" in repr(run)
    run.save(tmp_path / "run.npz")
    again = ts.load_run(tmp_path / "run.npz")
    assert again.unsolved.total == run.unsolved.total
    assert again.unsolved.worst == run.unsolved.worst


def test_nothing_need_be_recorded() -> None:
    recorded, _ = told(hasty(), falling())
    silent, messages = told(hasty(), falling(), record=False)
    assert silent.unsolved == recorded.unsolved and len(messages) == 1


def test_a_batch_is_told_once() -> None:
    run, messages = told(hasty(), falling(4))
    print(messages, run)
    left = run.statistics.relative
    assert run.unsolved.count.tolist() == np.count_nonzero(left > ALLOWED, axis=1).tolist()
    states = np.count_nonzero(run.unsolved.count)
    assert 1 <= states < 4, "some do not come down"
    assert len(messages) == 1
    assert f"{run.unsolved.total} of 200 steps in {states} of 4 states" in messages[0]
    alone, _ = told(hasty(), falling(4)[0])
    assert run[0].unsolved == alone.unsolved
    assert "not solved" in repr(run[0]) and "not solved" not in repr(run[3])


def test_strict_fails_at_the_first_step() -> None:
    loose, _ = told(hasty(), falling())
    first = int(np.flatnonzero(loose.statistics.relative > ALLOWED)[0])
    sim = hasty(strict=True)
    with pytest.raises(SimulationError, match="solver found no solution") as caught:
        sim.run(falling(), duration=DURATION)
    print(caught.value)
    assert caught.value.time == pytest.approx((first - 1) * sim.dt)
    run = caught.value.trajectory
    assert run is not None and len(run) == first
    assert run.q.tobytes() == loose.q[:first].tobytes()
    sim.reset(falling())
    with pytest.raises(SimulationError, match="solver found no solution") as by_hand:
        sim.step(steps=50)
    assert by_hand.value.time == caught.value.time


def test_strict_changes_nothing_else() -> None:
    strict, loose = (told(on_ground(strict=s), falling())[0] for s in (True, False))
    for name, array in loose.recorded.items():
        assert strict.recorded[name].tobytes() == array.tobytes(), name


def test_strict_states_of_a_batch_fail_alone() -> None:
    loose, _ = told(hasty(), falling(4))
    run, messages = told(hasty(strict=True), falling(4))
    print(run, messages)
    failed = [failure.state for failure in run.failures]
    assert failed == np.flatnonzero(loose.unsolved.count).tolist() and len(messages) == 1
    assert all("found no solution" in failure.cause for failure in run.failures)
    for k in range(4):
        good = len(run) if k not in failed else 1 + round(run.failures[k].time / 2e-3)
        assert run.q[k, :good].tobytes() == loose.q[k, :good].tobytes()
        assert (run.q[k, good:] == run.q[k, good - 1]).all()


def test_runs_of_a_thousand_states_have_one_line() -> None:
    many = Unsolved(np.arange(1000), np.full(1000, 1e-3)).warning(1000)
    assert "499500 of 1000000 steps in 999 of 1000 states" in many and len(many) < 400


def test_the_command_line_tells(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    from tarsus.cli import run_report

    run, messages = told(hasty(), falling())
    data = json.loads(json.dumps(run_report.as_data(run, 1.0, 2e-3)))
    assert data["unsolved"] == run.unsolved.total and data["warnings"] == messages
    assert data["worst_residual"] == float(run.unsolved.worst)
    run_report.show(run, 1.0, 2e-3, Console(width=1000))
    assert f"warning: {messages[0]}" in capsys.readouterr().out
