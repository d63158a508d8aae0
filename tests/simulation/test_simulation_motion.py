"""Steps by hand: what efforts may be, what is refused, and that nothing is shared by accident."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, on_ground, quadruped, standing
from oracle import Array

from tarsus.geometry import Ground
from tarsus.simulation import Simulation, SimulationError


def start(count: int | None = None) -> Simulation:
    """Return a simulation of the arm that has been reset, to one state or several."""
    sim = Simulation(arm())
    sim.reset(ARM if count is None else np.tile(ARM, (count, 1)))
    return sim


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (None, np.zeros(4)),
        ([1, 2, 3, 4], np.array([1.0, 2.0, 3.0, 4.0])),
        (0.5, np.full(4, 0.5)),
        (np.arange(4), np.arange(4.0)),
        (np.arange(4, dtype=np.float32), np.arange(4.0)),
        (np.arange(8.0)[::2], np.array([0.0, 2.0, 4.0, 6.0])),
        (np.arange(4.0)[None], np.arange(4.0)),
        (np.arange(4.0).astype(">f8"), np.arange(4.0)),
    ],
    ids=["none", "list", "number", "integers", "float32", "strided", "a row", "big-endian"],
)
def test_efforts_are_understood_as_numpy_does(given: Any, meant: Array) -> None:
    for count in (None, 3):
        one, two = start(count), start(count)
        q, v = one.step(given)
        expected = two.step(meant)
        assert q.tobytes() == expected[0].tobytes() and v.tobytes() == expected[1].tobytes()
        assert q.shape == ((4,) if count is None else (3, 4))


def test_each_state_has_its_own_efforts() -> None:
    tau = np.random.default_rng(0).standard_normal((3, 4))
    together = start(3).step(tau, 7)
    for k in range(3):
        alone = start().step(tau[k], 7)
        assert together[0][k].tobytes() == alone[0].tobytes()
        assert together[1][k].tobytes() == alone[1].tobytes()


@pytest.mark.parametrize(
    ("tau", "message"),
    [
        (np.zeros(3), r"tau has shape \(3,\), must be \(4,\) or \(1, 4\) of numbers"),
        (np.zeros((2, 4)), r"tau has shape \(2, 4\)"),
        ("words", "tau is not an array of numbers: 'words'"),
        ([0.0, None, "x", 1.0], "tau is not an array of numbers"),
        ([0.0, 1.0, np.nan, 0.0], "tau has entries that are not finite"),
        (np.inf, "tau has entries that are not finite"),
        (1j, "tau is not an array of numbers"),
    ],
)
def test_efforts_that_are_none_are_refused(tau: Any, message: str) -> None:
    sim, other = start(), start()
    with pytest.raises((TypeError, ValueError), match=message):
        sim.step(tau)
    # nothing has happened
    assert sim.t == 0.0
    assert sim.step()[0].tobytes() == other.step()[0].tobytes()


def test_what_is_returned_belongs_to_the_caller() -> None:
    sim, other = start(), start()
    for _ in range(3):
        q, v = sim.step()
        q[:], v[:] = np.nan, np.nan
        sim.q[:] = sim.v[:] = np.nan
        expected = other.step()
    assert sim.q.tobytes() == expected[0].tobytes()


def test_what_was_given_is_not_changed() -> None:
    sim, q0, tau = Simulation(arm()), ARM.copy(), np.ones(4)
    sim.reset(q0)
    sim.step(tau)
    assert (q0 == ARM).all() and (tau == 1.0).all()


def test_a_state_that_failed_says_the_same_again() -> None:
    sim = Simulation(quadruped(), ground=Ground(), max_contacts=3)
    q0 = standing()
    q0[2] += 0.01
    sim.reset(q0)
    with pytest.raises(SimulationError, match="max_contacts") as first:
        sim.step(steps=200)
    with pytest.raises(SimulationError, match="max_contacts") as second:
        sim.step()
    assert 0.0 < first.value.time == second.value.time


def test_one_state_that_fails_stops_the_others_and_is_named() -> None:
    sim = Simulation(arm(), effort_limits=False)
    sim.reset(np.tile(ARM, (3, 1)))
    tau = np.zeros((3, 4))
    tau[1] = 1e300
    with pytest.raises(SimulationError, match="state 1: "):
        sim.step(tau, steps=5)
    moved = sim.q
    with pytest.raises(SimulationError, match="state 1: "):
        sim.step()
    np.testing.assert_array_equal(sim.q, moved)


def test_threads_have_motions_of_their_own() -> None:
    """Each thread steps its own simulation; one motion is not stepped by two at once."""
    expected = on_ground().run(standing(), duration=0.1, record=False).q[-1]
    found: list[Array] = []

    def work() -> None:
        sim = on_ground()
        sim.reset(standing())
        for _ in range(5):
            sim.step(steps=10)
        found.append(sim.q)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(q.tobytes() == expected.tobytes() for q in found)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
def test_a_simulation_is_immutable(integrator: str) -> None:
    sim = Simulation(arm(), integrator=integrator)
    before = dict(sim.settings)
    for name in ("dt", "model", "ground", "contact", "integrator", "effort", "worlds", "colour"):
        with pytest.raises(AttributeError, match=f"immutable: cannot set '{name}'; make a new one"):
            setattr(sim, name, 2e-3)
    with pytest.raises(AttributeError, match="immutable: cannot delete 'dt'"):
        del sim.dt
    with pytest.raises(ValueError, match="read-only"):
        sim.effort[0] = 1.0
    assert sim.settings == before and not hasattr(sim, "colour")


def test_bad_options_of_reset() -> None:
    sim = Simulation(arm())
    with pytest.raises(ValueError, match="threads"):
        sim.reset(ARM, threads=0)
    with pytest.raises(ValueError, match="q0 has entries that are not finite"):
        sim.reset(np.full(4, np.nan))
    with pytest.raises(ValueError, match="v0 has entries that are not finite"):
        sim.reset(ARM, np.full(4, np.inf))
