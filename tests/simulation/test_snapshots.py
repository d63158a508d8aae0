"""Snapshots go on to the same bits, as often as one likes, here and in equal simulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, ball, batch, on_ground, quadruped, standing, stiff
from oracle import Array

import tarsus as ts
from tarsus.geometry import Ground
from tarsus.simulation import Simulation
from tarsus.simulation.contact_record import Contact


class Counting:
    """A controller with a memory: its efforts depend on how often it was called."""

    period = 5e-3

    def __init__(self) -> None:
        self.calls = np.zeros(1, np.int32)

    def reset(self) -> None:
        self.calls = np.zeros(1, np.int32)

    def get_state(self) -> dict[str, Array]:
        return {"calls": self.calls}  # not a copy, on purpose

    def set_state(self, state: dict[str, Array]) -> None:
        self.calls = state["calls"]

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        self.calls += 1
        return 0.3 * np.sin(self.calls[0]) * np.ones(v.shape)


def steered() -> list[tuple[Simulation, Any, Array]]:
    """Return simulations with each kind of controller, and where they start."""
    m = arm()
    cascade = ts.control.Cascade(lambda t, q, v: ARM + 0.1 * np.sin(9 * t), stiff_arm(), 7e-3)
    return [
        (on_ground(), None, standing()),
        (on_ground(), stiff(), standing()),
        (on_ground(contact="penalty"), stiff(), standing()),
        (on_ground(), stiff(), batch(5)[0]),
        (Simulation(m), ts.control.PID(m, 60.0, 300.0, 3.0, ARM, period=3e-3), ARM),
        (Simulation(m), Counting(), ARM),
        (Simulation(m), Counting(), np.tile(ARM, (3, 1))),
        (Simulation(m), cascade, ARM),
    ]


def stiff_arm() -> ts.control.ImplicitPD:
    return ts.control.ImplicitPD(arm(), 50.0, 2.0, ARM)


def flat(contacts: list[Contact]) -> list[tuple[float, ...]]:
    return [(c.candidate, *c.point, *c.force, c.gap) for c in contacts]


@pytest.mark.parametrize("case", range(8))
def test_it_goes_on_to_the_same_bits(case: int) -> None:
    sim, controller, q0 = steered()[case]
    sim.reset(q0, controller=controller)
    sim.step(steps=53)
    at = sim.snapshot()
    touching, t = flat(sim.contacts_now()), sim.t
    whole = [sim.step(steps=n) for n in (1, 40, 7)]
    later = flat(sim.contacts_now())
    for _ in range(2):  # it stays as it was
        sim.restore(at)
        assert sim.t == t == at.t and flat(sim.contacts_now()) == touching
        np.testing.assert_array_equal(sim.q, at.q)
        for n, (q, v) in zip((1, 40, 7), whole, strict=True):
            again = sim.step(steps=n)
            np.testing.assert_array_equal(again[0], q)
            np.testing.assert_array_equal(again[1], v)
        assert flat(sim.contacts_now()) == later
    other, own, _ = steered()[case]
    other.restore(at, own)
    np.testing.assert_array_equal(other.step(steps=48)[0], whole[-1][0])
    print(at, len(touching), "contacts")


def test_forks_do_not_disturb_each_other() -> None:
    sim = Simulation(arm())
    sim.reset(ARM, controller=Counting())
    sim.step(steps=12)
    at = sim.snapshot()
    alone = sim.step(steps=30)
    forks = [Simulation(arm()) for _ in range(3)]
    for fork in forks:
        fork.restore(at, Counting())
    for _ in range(30):
        for fork in forks:
            fork.step()
    for fork in forks:
        np.testing.assert_array_equal(fork.q, alone[0])


def test_it_cannot_be_changed() -> None:
    sim = Simulation(arm())
    sim.reset(ARM, controller=Counting())
    sim.step(steps=3)
    at = sim.snapshot()
    for array in (at.q, at.v, at.memory, at.parameters, at.touched):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
    with pytest.raises(AttributeError):
        at.step = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        at.control["calls"] = np.zeros(1)  # type: ignore[index]
    calls = int(at.control["calls"][0])
    sim.restore(at)
    sim.step(steps=20)
    assert at.control["calls"][0] == calls == 1


def test_masses_and_the_size_of_a_batch_go_on_too() -> None:
    sim = on_ground(friction=np.array([0.1, 0.5, 0.9]))
    q, v = batch(3)
    sim.reset(q, v, controller=stiff(), mass_scale={"trunk": [1.0, 1.5, 2.0]}, threads=2)
    sim.step(steps=20)
    at = sim.snapshot()
    end = sim.step(steps=30)
    sim.reset(q)
    sim.restore(at)
    np.testing.assert_array_equal(sim.step(steps=30)[0], end[0])


def test_another_simulation_is_refused() -> None:
    sim = on_ground()
    sim.reset(standing(), controller=stiff())
    at = sim.snapshot()
    for other, what in (
        (on_ground(friction=0.6), "ground"),
        (on_ground(dt=1e-3), "dt"),
        (on_ground(contact="penalty"), "contact"),
    ):
        other.reset(standing())
        before = other.snapshot()
        with pytest.raises(ValueError, match=f"another {what}"):
            other.restore(at)
        np.testing.assert_array_equal(other.q, before.q)
    with pytest.raises(ValueError, match="another controller"):
        sim.restore(at, ts.control.ImplicitPD(quadruped(), 121.0, 6.0, standing()))
    on_ground().restore(at)
    with pytest.raises(ValueError, match="no controller"):
        sim.reset(standing())
        sim.restore(sim.snapshot(), stiff())
    with pytest.raises(TypeError, match=r"must be a tarsus\.Snapshot"):
        sim.restore(standing())  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="call reset"):
        on_ground().snapshot()
    with pytest.raises(ValueError, match="smooth runs"):
        Simulation(arm(), integrator="rk4").restore(at)


def test_a_memory_that_nobody_tells_is_an_error() -> None:
    class Forgetful:
        def reset(self) -> None:
            self.calls = 0

        def __call__(self, t: float, q: Array, v: Array) -> Array:
            self.calls += 1
            return np.full(4, 0.1 * self.calls)

    sim = Simulation(arm())
    sim.reset(ARM, controller=Forgetful())
    with pytest.raises(TypeError, match="no get_state"):
        sim.snapshot()
    with pytest.raises(TypeError, match="no get_state"):
        sim.record()
    sim.step()


def test_a_motion_that_failed_stays_failed_until_it_goes_back() -> None:
    sim = Simulation(arm(), effort_limits=False)
    sim.reset(ARM)
    sim.step(steps=5)
    good = sim.snapshot()
    with pytest.raises(ts.SimulationError):
        sim.step(np.full(4, 1e200), steps=5)
    failed = sim.snapshot()
    sim.restore(good)
    end = sim.step(steps=3)
    sim.restore(failed)
    with pytest.raises(ts.SimulationError):
        sim.step()
    sim.restore(good)
    np.testing.assert_array_equal(sim.step(steps=3)[0], end[0])


def test_the_core_checks_what_it_is_given() -> None:
    sim = Simulation(ball(), ground=Ground())
    sim.reset(ball().neutral() + np.array([0, 0, 0.2, 0, 0, 0, 0]))
    core = sim.moving().core
    good = {
        "q": core.q[None],
        "v": core.v[None],
        "memory": core.memory,
        "touched": core.touched.reshape(1, -1),
        "steps": 3,
    }
    core.restore(**good)
    assert core.steps == 3
    touched = good["touched"].copy()
    touched[0, 0] = 1.0
    for change in (
        {"q": good["q"][:, :-1]},
        {"q": 0.0 * good["q"]},
        {"v": np.full((1, 6), np.nan)},
        {"memory": good["memory"][:, 1:]},
        {"memory": np.full_like(good["memory"], np.inf)},
        {"touched": touched},
        {"touched": np.full_like(touched, np.nan)},
        {"steps": -1},
        {"steps": 2**60},
        {"q": np.tile(good["q"], (2, 1))},
    ):
        with pytest.raises(ValueError):
            core.restore(**{**good, **change})
    np.testing.assert_array_equal(core.q, good["q"][0])
