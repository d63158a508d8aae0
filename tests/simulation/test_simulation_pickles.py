"""Simulations that were pickled run to the same bits, with their parts and their motion."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from movers import ARM, arm, batch, fingerprint, on_ground, quadruped, standing, stiff

import tarsus as ts
from tarsus.simulation import Simulation


def again(simulation: Simulation) -> Simulation:
    found = pickle.loads(pickle.dumps(simulation))
    assert isinstance(found, Simulation)
    return found


SIMULATIONS: dict[str, Callable[[], Simulation]] = {
    "exact": on_ground,
    "penalty": lambda: on_ground(contact=ts.contact.Penalty(stiffness=2e4, damping=50.0)),
    "compliant": lambda: on_ground(contact="compliant", joint_friction=False),
    "event": lambda: on_ground(contact="event"),
    "options": lambda: on_ground(
        effort_limits=False, max_contacts=5, stiction=np.full(quadruped().nv, 0.1)
    ),
    "points": lambda: on_ground(
        collision=ts.Collision.from_model(quadruped(), contact_points=["front_left_foot"])
    ),
    "forces": lambda: on_ground(forces=[ts.forces.Damping("trunk", 3.0, 0.1)]),
}


@pytest.mark.parametrize("name", SIMULATIONS)
def test_a_pickled_simulation_runs_to_the_same_bits(name: str) -> None:
    own = SIMULATIONS[name]()
    other = again(own)
    assert repr(other) == repr(own)
    assert other.settings == own.settings
    first, second = (sim.run(standing(), duration=0.02) for sim in (own, other))
    assert fingerprint(first) == fingerprint(second)
    assert np.abs(first.q[-1] - first.q[0]).max() > 1e-5


@pytest.mark.parametrize("integrator", ["gauss", "dormand_prince"])
def test_smooth_motions(integrator: str) -> None:
    own = Simulation(arm(), integrator=integrator, dt=5e-3)
    first, second = (sim.run(ARM, duration=0.2) for sim in (own, again(own)))
    np.testing.assert_array_equal(first.q, second.q)


@pytest.mark.parametrize("states", [1, 3])
def test_the_motion_goes_along(states: int) -> None:
    q0 = standing() if states == 1 else batch(states)[0]
    own = on_ground()
    own.reset(q0, controller=stiff(), ledger=True)
    grip = own.add(ts.constraint.Grab("trunk", stiffness=800.0, limit=60.0))
    own.step(steps=20)
    grip.target = grip.target[..., :3] + np.array([0.0, 0.0, 0.05])
    own.add(ts.forces.Spring("front_left_foot", (1.0, 0.0, 0.5), stiffness=50.0, damping=2.0))
    own.step(steps=3)
    other = again(own)
    assert other.t == own.t
    assert list(other.parts) == list(own.parts)
    np.testing.assert_array_equal(other.parts[grip.name].target, grip.target)
    for _ in range(3):
        for mine, its in zip(own.step(steps=15), other.step(steps=15), strict=True):
            np.testing.assert_array_equal(mine, its)
    np.testing.assert_array_equal(own.energy_now().residual, other.energy_now().residual)
    other.step(steps=1)
    assert (other.q != own.q).any()


def test_snapshots_are_pickled() -> None:
    sim = on_ground()
    sim.reset(standing(), controller=stiff())
    sim.step(steps=9)
    snapshot = pickle.loads(pickle.dumps(sim.snapshot()))
    whole = sim.step(steps=10)
    with pytest.raises(ValueError, match="read-only"):
        snapshot.q[0] = 1.0
    sim.restore(snapshot)
    for found, expected in zip(sim.step(steps=10), whole, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_copies_go_their_own_way() -> None:
    own = on_ground()
    own.reset(standing())
    handle = own.add(ts.forces.Spring("trunk", (0.0, 0.0, 1.0), stiffness=10.0, damping=0.0))
    for other in (copy.copy(own), copy.deepcopy(own)):
        other.parts[handle.name].stiffness = 5000.0
        other.step(steps=5)
        assert handle.stiffness == 10.0
        assert own.t == 0.0
        assert other.t == pytest.approx(0.01)
