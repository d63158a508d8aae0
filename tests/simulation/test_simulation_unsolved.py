"""What was not solved is told: by the run, by a warning, and by a failure where that is asked for.

Worlds that count steps at will stand for those of the core.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm
from oracle import Array

import tarsus as ts
from tarsus import _core
from tarsus.simulation import Simulation, SimulationError
from tarsus.simulation.recorder import STATISTICS


class Counting:
    """A world in which some steps of some states count as not solved."""

    def __init__(self, world: _core.World, bad: Collection[tuple[int, int]]) -> None:
        self.world, self.bad = world, bad
        self.memory_size = world.memory_size + 2
        self.unsolved = world.memory_size

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)

    def energies(self, q: Array, v: Array, memory: Array, parameters: Array) -> Array:
        own = np.ascontiguousarray(memory[:, : self.unsolved])
        return self.world.energies(q, v, own, parameters)

    def advance(self, q: Array, v: Array, memory: Array, *rest: Any, **options: Any) -> Array:
        own = np.ascontiguousarray(memory[:, : self.unsolved])
        going = own[:, self.world.failed] == 0.0
        status = self.world.advance(q, v, own, *rest, **options)
        memory[:, : self.unsolved] = own
        first = options["first_step"]
        for state, step in self.bad:
            if going[state] and first <= step < first + options["steps"]:
                memory[state, self.unsolved] += 1
                worst = memory[state, self.unsolved + 1]
                memory[state, self.unsolved + 1] = max(worst, 1e-3 * (step + 1))
        return status


def counting(bad: Collection[tuple[int, int]], **options: Any) -> Simulation:
    """Return a simulation of an arm with steps (state, number) that count as not solved."""
    sim = Simulation(arm(), **options)
    assert sim.worlds is not None
    real = sim.worlds.get
    sim.worlds.get = lambda drive: Counting(real(drive), bad)  # type: ignore[assignment,method-assign,return-value]
    return sim


def told(sim: Simulation, q0: Array, **options: Any) -> tuple[ts.Trajectory, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = sim.run(q0, duration=0.01, **options)
    assert all(each.category is ts.ConvergenceWarning for each in caught)
    assert all(each.filename == __file__ for each in caught), "it points at the caller"
    return run, [str(each.message) for each in caught]


def test_nothing_is_said_where_all_is_solved() -> None:
    for q0 in (ARM, np.tile(ARM, (3, 1))):
        run, messages = told(Simulation(arm()), q0)
        assert not messages and run.unsolved.total == 0 and not run.settings["warnings"]
        assert run.unsolved.count.shape == run.unsolved.worst.shape == q0.shape[:-1]
        assert "solved" not in repr(run)


@pytest.mark.parametrize("record", [True, False])
def test_one_state_is_told(record: bool, tmp_path: Path) -> None:
    run, messages = told(counting([(0, 2), (0, 7)]), ARM, record=record)
    print(messages, run)
    assert run.unsolved.total == int(run.unsolved.count) == 2
    assert float(run.unsolved.worst) == pytest.approx(8e-3)
    assert len(messages) == 1 and "2 of 10 steps were not solved" in messages[0]
    assert "0.008" in messages[0] and "iterations" in messages[0]
    assert run.settings["warnings"] == messages
    assert "2 steps not solved" in repr(run)
    run.save(tmp_path / "run.parquet")
    again = ts.load_run(tmp_path / "run.parquet")
    assert again.unsolved.total == 2 and again.unsolved.worst == run.unsolved.worst


def test_a_batch_is_told_once() -> None:
    run, messages = told(counting([(1, 3), (3, 3), (3, 4)]), np.tile(ARM, (4, 1)))
    print(messages, run)
    assert run.unsolved.count.tolist() == [0, 1, 0, 2] and run.unsolved.total == 3
    assert len(messages) == 1 and "3 of 40 steps in 2 of 4 states" in messages[0]
    assert run[3].unsolved.total == 2 and run[0].unsolved.total == 0
    assert "not solved" in repr(run[1]) and "not solved" not in repr(run[2])


def test_strict_fails_at_the_first_step() -> None:
    with pytest.raises(SimulationError, match="not solved") as caught:
        counting([(0, 6), (0, 8)], strict=True).run(ARM, duration=0.01)
    print(caught.value)
    assert caught.value.time == pytest.approx(0.006)
    run, plain = caught.value.trajectory, Simulation(arm()).run(ARM, duration=0.01)
    assert run is not None and len(run) == 7
    assert run.q.tobytes() == plain.q[:7].tobytes()


def test_strict_changes_nothing_else() -> None:
    """Each step is a call of its own then, with the same bits and the same samples."""
    for every in (1, 3):
        strict, loose = (
            counting([], strict=strict).run(ARM, duration=0.01, every=every)
            for strict in (True, False)
        )
        for name, array in loose.recorded.items():
            assert strict.recorded[name].tobytes() == array.tobytes(), name


def test_strict_states_of_a_batch_fail_alone() -> None:
    sim = counting([(1, 4), (2, 7)], strict=True)
    with pytest.warns(ts.ConvergenceWarning):
        run = sim.run(np.tile(ARM, (3, 1)), duration=0.01)
    assert [(each.state, each.time) for each in run.failures] == [
        (1, pytest.approx(0.004)),
        (2, pytest.approx(0.007)),
    ]
    assert all("not solved" in each.cause for each in run.failures)
    plain = Simulation(arm()).run(ARM, duration=0.01)
    assert run.q[0].tobytes() == plain.q.tobytes()
    # from then on they stand still
    assert (run.q[1, 5:] == run.q[1, 5]).all() and (run.q[2, 8:] == run.q[2, 8]).all()
    assert run.unsolved.count.tolist() == [0, 1, 1]


@pytest.mark.skipif(STATISTICS < 5, reason="the core does not count such steps yet")
def test_a_solver_that_may_not_iterate_is_told() -> None:
    from movers import on_ground, standing

    hasty = ts.contact.Exact(iterations=1, solver="pgs")
    q0 = standing()
    q0[2] += 0.01
    with pytest.warns(ts.ConvergenceWarning, match="not solved"):
        run = on_ground(contact=hasty).run(q0, duration=0.2)
    relative = run.statistics.relative
    assert relative is not None
    assert run.unsolved.total == np.count_nonzero(relative > 1e-8)
    assert float(run.unsolved.worst) == relative.max()
    with pytest.raises(SimulationError, match="not solved") as caught:
        on_ground(contact=hasty, strict=True).run(q0, duration=0.2)
    first = int(np.flatnonzero(relative > 1e-8)[0])
    assert caught.value.time == pytest.approx((first - 1) * on_ground().dt)
    sim = on_ground(contact=hasty, strict=True)
    sim.reset(q0)
    with pytest.raises(SimulationError, match="not solved") as by_hand:
        sim.step(steps=100)
    assert by_hand.value.time == caught.value.time
