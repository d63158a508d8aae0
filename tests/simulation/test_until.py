"""Runs that end when something holds: at the same bits as those that go on, state by state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, ball, fingerprint, on_ground, quadruped, standing, stiff
from oracle import Array

import tarsus as ts
from tarsus.geometry import Ground
from tarsus.simulation import Simulation, Trajectory

HEIGHTS = np.linspace(0.3, 1.5, 7)


def dropped(**options: Any) -> tuple[Simulation, Array]:
    """Return balls above the ground, at rest (7, nq)."""
    q = np.tile(ball().neutral(), (len(HEIGHTS), 1))
    q[:, 2] = HEIGHTS
    return Simulation(ball(), ground=Ground(), dt=1e-3, **options), q


def low(t: float, q: Array, v: Array) -> Any:
    return q[..., 2] < 0.25


def cut(run: Trajectory, end: int) -> dict[str, Array]:
    """Return what a run recorded up to a sample."""
    return {name: array[..., : end + 1, :] for name, array in run.recorded.items()}


@pytest.mark.parametrize("until", [low, ts.until.Height("ball", below=0.25)])
@pytest.mark.parametrize("every", [1, 7])
def test_a_run_ends_at_the_first_sample_that_holds(until: Any, every: int) -> None:
    sim, q = dropped()
    whole = sim.run(q[3], duration=0.7, every=every)
    run = sim.run(q[3], duration=0.7, every=every, until=until)
    end = int(np.flatnonzero(whole.q[:, 2] < 0.25)[0])
    fall = np.sqrt(2 * (HEIGHTS[3] - 0.25) / 9.81)
    print(f"ended at {run.ended.time} s by {run.ended.why!r}; free fall takes {fall:.4f} s")
    assert len(run) == end + 1 and run.ended.time == whole.t[end] == run.t[-1]
    assert fall - 2e-3 < run.ended.time < fall + 8e-3
    assert run.ended.why == ("low" if until is low else "height of 'ball' below 0.25")
    for name, array in cut(whole, end).items():
        np.testing.assert_array_equal(run.recorded[name], array, err_msg=name)
    only = sim.run(q[3], duration=0.7, every=every, until=until, record=False)
    np.testing.assert_array_equal(only.q[-1], run.q[-1])
    assert only.t.tolist() == [0.0, run.t[-1]] and only.ended == run.ended
    few = sim.run(q[3], duration=0.7, every=every, until=until, record=("tau", "contacts"))
    assert set(few.recorded) == {"tau"} and len(few) == len(run)


@pytest.mark.parametrize("threads", [1, 2])
def test_states_of_a_batch_end_on_their_own_and_stand_still(threads: int) -> None:
    sim, q = dropped()
    whole = sim.run(q, duration=0.49)
    run = sim.run(q, duration=0.49, until=low, threads=threads)
    assert len(run) == len(whole)
    ended = np.isfinite(run.ended.time)
    assert ended.sum() == 6 and run.ended.why == ("low",) * 6 + ("",)
    for k in range(len(q)):
        alone = sim.run(q[k], duration=0.49, until=low)
        end = len(alone) - 1
        assert alone.ended == run[k].ended
        for name, array in alone.recorded.items():
            np.testing.assert_array_equal(run.recorded[name][k, : end + 1], array)
        for name in ("q", "v", "energy"):
            held = run.recorded[name][k, end:]
            np.testing.assert_array_equal(held, np.broadcast_to(held[0], held.shape), err_msg=name)
        for name in ("tau", "statistics", "limits"):
            assert not run.recorded[name][k, end + 1 :].any()
        assert (run.contacts.sample[run.contacts.state_index == k] <= end).all()
        np.testing.assert_array_equal(run[k].contacts.rows, alone.contacts.rows)


def test_a_batch_is_over_when_all_states_are() -> None:
    sim, q = dropped()
    run = sim.run(q, duration=5.0, until=ts.until.Touch("ball", "ground"))
    falls = np.sqrt(2 * (HEIGHTS - 0.1) / 9.81)
    print("hits", run.ended.time, "falls", falls)
    np.testing.assert_allclose(run.ended.time, falls, atol=2e-3)
    assert run.t[-1] == run.ended.time.max() and not run.interrupted
    assert repr(run).endswith("7 ended>")


def test_the_first_of_several_conditions_is_named() -> None:
    m, sim = quadruped(), on_ground()
    q0 = standing()
    conditions = [
        ts.until.Position("front_left_knee", below=-1.8),
        ts.until.Touch("front_left_thigh", "ground"),
        ts.until.Height("trunk", below=-1.0),
    ]
    limp = sim.run(q0, duration=2.0, until=conditions)
    knee = m.joint("front_left_knee").q_slice.start
    print(limp.ended, limp.q[-1, knee])
    assert limp.ended.why == "joint 'front_left_knee' below -1.8"
    assert limp.q[-1, knee] < -1.8 <= limp.q[-2, knee]
    falls = sim.run(q0, duration=2.0, until=conditions[1:])
    assert falls.ended.why == "'front_left_thigh' touches 'ground'"
    assert falls.contacts.state_of("front_left_thigh")[-1] != "open"
    assert (falls.contacts.state_of("front_left_thigh")[:-1] == "open").all()
    held = sim.run(q0, duration=0.5, controller=stiff(), until=conditions)
    assert not held.ended and held.ended.time == np.inf and held.t[-1] == 0.5
    assert fingerprint(held) == fingerprint(sim.run(q0, duration=0.5, controller=stiff()))


def test_it_may_end_at_the_start() -> None:
    sim, q = dropped()
    run = sim.run(q[0], duration=1.0, until=lambda t, q, v: True)
    assert len(run) == 1 and run.ended.time == 0.0 and run.ended.why == "<lambda>"
    some = sim.run(q, duration=0.1, until=lambda t, q, v: q[:, 2] < 0.6)
    assert (some.ended.time[:2] == 0.0).all() and np.isinf(some.ended.time[2:]).all()
    np.testing.assert_array_equal(some.q[0], np.tile(q[0], (101, 1)))


class Kicks:
    """A controller in Python with a period, which counts its calls."""

    period = 5e-3

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        self.calls += 1
        return 0.3 * np.sin(40.0 * t) * np.ones(v.shape)


def test_with_a_controller_in_python_and_an_implicit_one() -> None:
    sim = Simulation(arm())
    for controller in (Kicks(), ts.control.PD(arm(), 20.0, 1.0, ARM)):
        whole = sim.run(ARM, duration=0.5, controller=controller)
        turned = np.flatnonzero(np.abs(whole.q - ARM).max(axis=1) > 0.1)
        run = sim.run(
            ARM,
            duration=0.5,
            controller=controller,
            until=lambda t, q, v: bool(np.abs(q - ARM).max() > 0.1),
        )
        assert len(run) == turned[0] + 1
        np.testing.assert_array_equal(run.tau, whole.tau[: len(run)])


@pytest.mark.parametrize("integrator", ["rk4", "dormand_prince", "radau", "gauss", "adams"])
@pytest.mark.parametrize("held", [False, True])
def test_smooth_runs_end_at_samples(integrator: str, held: bool) -> None:
    sim = Simulation(arm(), dt=5e-3, integrator=integrator)
    controller = Kicks() if held else None
    q0 = ARM + np.linspace(0.0, 0.3, 3)[:, None]
    until = ts.until.Position("joint_1", above=1.2)
    whole = sim.run(q0, duration=0.6, controller=controller, every=2)
    run = sim.run(q0, duration=0.6, controller=controller, every=2, until=until)
    beyond = whole.q[..., 1] > 1.2
    print(run.ended)
    assert run.ended
    for k in range(3):
        end = int(np.argmax(beyond[k])) if beyond[k].any() else len(whole) - 1
        if beyond[k].any():
            assert run.ended.time[k] == whole.t[end]
        last = min(end + 1, len(run))
        np.testing.assert_array_equal(run.q[k, :last], whole.q[k, :last])
        np.testing.assert_array_equal(run.energy.rows[k, :last], whole.energy.rows[k, :last])
        still = run.q[k, end:]
        np.testing.assert_array_equal(still, np.broadcast_to(still[0], still.shape))
    one = sim.run(q0[2], duration=0.6, controller=controller, every=2, until=until, record=False)
    assert one.ended == run[2].ended and one.t[-1] == run.ended.time[2]
    np.testing.assert_array_equal(one.q[-1], run[2].q[-1])


def test_rollouts_end_after_an_entry() -> None:
    sim, q = dropped()
    torques = np.zeros((len(q), 60, 6))
    run = ts.rollout(sim, q, torques=torques, hold=10, until=ts.until.Touch("ball"))
    assert np.isfinite(run.ended.time).all()
    np.testing.assert_allclose(run.ended.time, np.round(run.ended.time, 2), atol=1e-12)
    assert run.q.shape == (7, round(run.ended.time.max() / 0.01) + 1, 7)


def test_an_end_before_a_failure_in_the_same_call_counts() -> None:
    """A state that diverges soon after its end has ended; one that diverges before has failed."""
    sim = Simulation(arm(), contact="exact", effort_limits=False)

    table = np.zeros((2, 60, 4))
    table[:, 20:] = 1e200
    q0 = np.tile(ARM, (2, 1))
    ended = ts.rollout(sim, q0, torques=table, until=lambda t, q, v: np.array([t > 0.0095, False]))
    assert ended.ended.time[0] == pytest.approx(0.01) and [f.state for f in ended.failures] == [1]
    one = ts.rollout(sim, ARM, torques=table[0], until=lambda t, q, v: t > 0.0095)
    np.testing.assert_array_equal(one.q, ended.q[0, : len(one)])
    with pytest.raises(ts.SimulationError):
        ts.rollout(sim, ARM, torques=table[0], until=lambda t, q, v: t > 0.05)


def test_a_checkpoint_remembers_who_has_ended(tmp_path: Path) -> None:
    sim, q = dropped()
    until = [ts.until.Touch("ball"), low]
    whole = sim.run(q, duration=0.7, until=until)
    file = tmp_path / "run.npz"
    saved = sim.run(q, duration=0.7, until=until, checkpoint=file, checkpoint_every=0.3)
    assert fingerprint(saved) == fingerprint(whole) and saved.ended == whole.ended
    rest = dropped()[0].resume(file, until=until)
    print(rest.t[0], rest.ended)
    assert rest.ended == whole.ended
    start = len(whole) - len(rest)
    np.testing.assert_array_equal(rest.q, whole.q[:, start:])
    np.testing.assert_array_equal(rest.energy.rows, whole.energy.rows[:, start:])
    for other in (None, low, ts.until.Height("ball", below=0.2)):
        with pytest.raises(ValueError, match="another until"):
            sim.resume(file, until=other)


def test_a_saved_run_knows_how_it_ended(tmp_path: Path) -> None:
    sim, q = dropped()
    for start in (q, q[2], q[:1]):
        for until in (low, None):
            run = sim.run(start, duration=0.4, until=until, every=20)
            run.save(tmp_path / "run.npz")
            assert ts.load_run(tmp_path / "run.npz").ended == run.ended


def test_wrong_conditions_are_refused() -> None:
    sim, q = dropped()
    for until in ("low", [], 3, [3], [low, "low"]):
        with pytest.raises(TypeError, match="until is"):
            sim.run(q, duration=0.1, until=until)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="frame"):
        sim.run(q, duration=0.1, until=ts.until.Height("bal", below=0.0))
    with pytest.raises(ValueError, match="joint"):
        sim.run(q, duration=0.1, until=ts.until.Position("knee", below=0.0))
    with pytest.raises(ValueError, match="7 coordinates"):
        sim.run(q, duration=0.1, until=ts.until.Position("root", below=0.0, index=7))
    with pytest.raises(ValueError, match="no contact points"):
        sim.run(q, duration=0.1, until=ts.until.Touch("bal"))
    with pytest.raises(ValueError, match="can not touch 'ball'"):
        sim.run(q, duration=0.1, until=ts.until.Touch("ball", "ball"))
    with pytest.raises(ValueError, match="below= or above="):
        ts.until.Height("ball")
    with pytest.raises(ValueError, match="always holds"):
        ts.until.Height("ball", below=1.0, above=0.0)
    with pytest.raises(ValueError, match="no contact points"):
        Simulation(ball(), integrator="rk4").run(q, duration=0.1, until=ts.until.Touch("ball"))


@pytest.mark.parametrize("value", [0.5, np.nan, None, "yes", [True, False], np.ones(7)])
def test_a_function_that_returns_no_truth_stops_the_run(value: Any) -> None:
    sim, q = dropped()
    with pytest.raises(ts.SimulationError, match="tells returned") as caught:

        def tells(t: float, q: Array, v: Array) -> Any:
            return value if t > 0.0495 else False

        sim.run(q, duration=0.2, until=tells)
    assert caught.value.time == pytest.approx(0.05)
    assert caught.value.trajectory is not None and len(caught.value.trajectory) == 51


def test_many_ends_cost_little() -> None:
    """Every state ends at a time of its own, and goes back by its own steps only."""
    q = np.tile(ball().neutral(), (500, 1))
    q[:, 2] = np.linspace(0.3, 2.0, 500)
    sim, _ = dropped()
    run = sim.run(q, duration=1.0, until=ts.until.Height("ball", below=0.25), record=("q",))
    for k in (0, 99, 250, 499):
        alone = sim.run(q[k], duration=1.0, until=ts.until.Height("ball", below=0.25))
        np.testing.assert_array_equal(alone.q[-1], run.q[k, -1])
        assert alone.ended.time == run.ended.time[k]
