"""Smooth runs: batches whose states fail alone, threads, progress, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from movers import ARM, arm
from oracle import Array

import tarsus as ts
from tarsus.control import PD
from tarsus.geometry import Ground
from tarsus.simulation import Simulation, SimulationError

SMOOTH = ["rk4", "dormand_prince", "radau", "gauss", "adams"]
FAST = np.array([0.0, 2e8, 0.0, 3e8, 0.0])[:, None] * np.ones(4)
"""Velocities of five states, two of which cannot go on."""


@pytest.mark.parametrize("integrator", SMOOTH)
def test_a_state_that_diverges_leaves_the_others_alone(integrator: str) -> None:
    sim = Simulation(arm(), dt=1e-2, integrator=integrator)
    q0 = ARM + np.linspace(0.0, 0.1, 5)[:, None]
    run = sim.run(q0, FAST, duration=0.2)
    print(run, run.failures)
    assert [failure.state for failure in run.failures] == [1, 3] and len(run) == 21
    for failure in run.failures:
        assert 0.0 < failure.time < 0.2
        assert ("stages" if integrator == "gauss" else "diverged") in failure.cause
        assert failure.body is None or failure.body in arm().body_names
        stays = run.q[failure.state, round(failure.time / 1e-2) - 1 :]
        assert np.isfinite(stays).all() and (stays == stays[0]).all()
    for k in (0, 2, 4):
        alone = sim.run(q0[k], duration=0.2)
        np.testing.assert_array_equal(run.q[k], alone.q)
        np.testing.assert_array_equal(run.energy.rows[k], alone.energy.rows)
    assert run[1].failures == run.failures[:1] and run[0].failures == ()


def test_a_spring_at_every_moment_fails_alone() -> None:
    sim = Simulation(arm(), dt=1e-2, integrator="rk4", effort_limits=False)
    kp = np.array([50.0, 1e5, 60.0, 2e5, 70.0])
    held = PD(arm(), kp[:, None] * np.ones(4), 0.0, ARM)
    run = sim.run(np.tile(ARM + 0.1, (5, 1)), duration=0.5, controller=held)
    assert [failure.state for failure in run.failures] == [1, 3]
    alone = sim.run(ARM + 0.1, duration=0.5, controller=PD(arm(), 60.0, 0.0, ARM))
    np.testing.assert_array_equal(run.q[2], alone.q)


def test_states_of_several_groups_fail_alone() -> None:
    sim = Simulation(arm(), dt=1e-2, integrator="rk4")
    q0, v0 = ARM + np.linspace(0.0, 1.0, 150)[:, None], np.zeros((150, 4))
    v0[[70, 149]] = 2e8
    run, threads = (sim.run(q0, v0, duration=0.1, threads=n) for n in (1, 3))
    assert [failure.state for failure in run.failures] == [70, 149]
    np.testing.assert_array_equal(run.q, threads.q)
    np.testing.assert_array_equal(run.energy.rows, threads.energy.rows)
    for k in (0, 63, 64, 69, 71, 127, 128, 148):
        np.testing.assert_array_equal(run.q[k], sim.run(q0[k], duration=0.1).q)
    assert run.integration is not None
    steps = np.where(v0[:, 0] > 0.0, 0, 10)
    np.testing.assert_array_equal(run.integration.steps, steps)
    np.testing.assert_array_equal(run.integration.rates, 4 * steps)


def test_a_controller_that_knows_no_answer_for_a_state_stops_it_alone() -> None:
    def control(t: float, q: Array, v: Array) -> Array:
        if (q[..., 0] > ARM[0] + 0.5).any():
            raise ArithmeticError("no such angle")
        return -0.1 * v

    sim = Simulation(arm(), dt=1e-2, integrator="rk4")
    q0, v0 = np.tile(ARM, (5, 1)), np.zeros((5, 4))
    v0[2, 0] = 20.0
    run = sim.run(q0, v0, duration=0.2, controller=control)
    (failure,) = run.failures
    assert failure.state == 2 and "no such angle" in failure.cause
    assert (run.q[2, :, 0] < ARM[0] + 0.5).all() and run.q[2, -1, 0] > ARM[0] + 0.1
    np.testing.assert_array_equal(run.q[4], sim.run(ARM, duration=0.2, controller=control).q)


@pytest.mark.parametrize("integrator", ["rk4", "dormand_prince"])
def test_a_batch_raises_if_all_fail(integrator: str) -> None:
    with pytest.raises(SimulationError, match="diverged") as caught:
        Simulation(arm(), dt=1e-2, integrator=integrator).run(v0=FAST[[1, 3]], duration=0.2)
    run = caught.value.trajectory
    assert run is not None and len(run.failures) == 2 and len(run) >= 1
    assert run.t[-1] < caught.value.time == max(each.time for each in run.failures)


def test_a_loop_that_locks_fails_alone() -> None:
    m = ts.robots.slider_crank()
    run = Simulation(m, dt=1e-2, integrator="rk4").run(
        v0=np.array([[0.0], [1e5], [1.0]]), duration=0.1
    )
    (failure,) = run.failures
    assert failure.state == 1 and "loop" in failure.cause


@pytest.mark.parametrize("states", [1, 7])
def test_threads_change_no_bit(states: int) -> None:
    q0 = ARM + np.linspace(0.0, 1.0, states)[:, None]
    sim = Simulation(arm(), dt=1e-2, integrator="rk4")
    one, four = (sim.run(q0, duration=0.3, threads=n) for n in (1, 4))
    np.testing.assert_array_equal(one.q, four.q)
    np.testing.assert_array_equal(one.energy.rows, four.energy.rows)
    with pytest.raises(ValueError, match="threads is 4, must be 1: 'adams'"):
        Simulation(arm(), integrator="adams").run(q0, duration=0.1, threads=4)


def test_a_memory_is_that_of_the_whole_batch() -> None:
    class Growing:
        """Efforts that grow with each call, one for each state."""

        def __init__(self) -> None:
            self.calls = 0

        def reset(self) -> None:
            self.calls = 0

        def __call__(self, t: float, q: Array, v: Array) -> Array:
            self.calls += 1
            return np.full(v.shape, 0.01 * self.calls)

    sim = Simulation(arm(), dt=1e-2, integrator="dormand_prince")
    run = sim.run(np.tile(ARM, (3, 1)), duration=0.1, controller=Growing())
    alone = sim.run(ARM, duration=0.1, controller=Growing())
    for k in range(3):
        np.testing.assert_array_equal(run.q[k], alone.q)


@pytest.mark.parametrize("integrator", SMOOTH)
def test_a_bar_shows_how_far_it_is(integrator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    monkeypatch.setattr("tarsus._lib.console.Progress.update", lambda _, t: told.append(t))
    Simulation(arm(), dt=1e-2, integrator=integrator).run(ARM, duration=0.2, progress=True)
    np.testing.assert_allclose(told, np.arange(21) * 1e-2)


@pytest.mark.parametrize("integrator", ["rk4", "dormand_prince"])
@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"ground": Ground()}, "no ground;"),
        ({"contact": "lemke"}, "no contact;"),
        ({"contact": ts.contact.Penalty()}, "no contact;"),
        ({"joint_limits": True}, "no joint_limits;"),
        ({"stiction": np.zeros(4)}, "no stiction;"),
        ({"max_contacts": 3}, "no max_contacts;"),
        ({"limit_restitution": 0.5}, "no limit_restitution;"),
        ({"strict": True}, "no strict;"),
        ({"strict": True, "joint_limits": True}, "no joint_limits and no strict;"),
    ],
    ids=str,
)
def test_what_smooth_motions_do_not_know_is_refused(
    integrator: str, options: dict[str, Any], named: str
) -> None:
    with pytest.raises(ValueError, match=f"{integrator!r} is for smooth motions.*takes {named}"):
        Simulation(arm(), integrator=integrator, **options)
    Simulation(arm(), integrator=integrator, contact="exact", joint_limits=False)


def test_recordings_that_are_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="GiB"):
        Simulation(arm(), integrator="rk4").run(ARM, duration=1e6)


@pytest.mark.parametrize("name", ["mass_scale", "checkpoint", "checkpoint_every"])
def test_what_smooth_runs_do_not_know_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"takes no {name}"):
        Simulation(arm(), integrator="rk4").run(duration=0.1, **{name: 2.0})  # type: ignore
    for part in ("statistics", "limits"):
        with pytest.raises(ValueError, match=f"takes no {part}"):
            Simulation(arm(), integrator="rk4").run(duration=0.1, record=("q", part))
