"""Many contacts at once: there is room for them unless less is asked for."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from oracle import Array

import tarsus as ts
from tarsus.geometry import Ground
from tarsus.robots import building as solids
from tarsus.simulation import Simulation, SimulationError

SIZE = (0.2, 0.2, 0.1)


@functools.cache
def boxes(count: int) -> ts.Model:
    """Return free boxes that can touch the ground and each other."""
    b = ts.Builder("boxes")
    for k in range(count):
        b.body(f"box_{k}", 1.0, inertia=solids.box(1.0, SIZE))
        b.joint(f"root_{k}", "free", "world", f"box_{k}")
        b.shape(f"box_{k}", "box", SIZE, role="collision")
    return b.build()


def side_by_side(count: int) -> Array:
    q = boxes(count).neutral().reshape(count, 7)
    q[:, 0] = 0.25 * np.arange(count)
    q[:, 2] = SIZE[2] / 2
    return q.ravel()


def test_ten_boxes_lie_on_the_ground() -> None:
    """Forty corners carry them: more than two dozen was too many once."""
    model = boxes(10)
    run = Simulation(model, ground=Ground(), dt=2e-3).run(side_by_side(10), duration=0.02)
    force = run.contacts.ground_force()[-1, 2]
    print(f"{run.statistics.active.max():.0f} contacts, {force:.6f} N")
    assert run.statistics.active.max() == 40
    assert force == pytest.approx(model.total_mass * 9.81, rel=1e-6)
    assert len(run.contacts.at(-1)) == 40


def test_a_crowd_in_a_batch_is_as_alone() -> None:
    """Steps with more contacts than usual take memory of their own: same bits, in any lane."""
    sim = Simulation(boxes(10), ground=Ground(), dt=2e-3)
    rng = np.random.default_rng(0)
    q = np.tile(side_by_side(10), (5, 1))
    # some lie, some fall: lanes have different contacts
    q.reshape(5, 10, 7)[:, :, 2] += rng.choice([0.0, 0.05], (5, 10), p=[0.9, 0.1])
    together = sim.run(q, duration=0.03)
    assert together.statistics.active.max() > 32
    for k in range(5):
        alone = sim.run(q[k], duration=0.03)
        for name in ("q", "v", "energy"):
            assert together[k].recorded[name].tobytes() == alone.recorded[name].tobytes(), name
        assert together[k].contacts.rows.tobytes() == alone.contacts.rows.tobytes()
    threads = sim.run(q, duration=0.03, threads=2)
    assert threads.q.tobytes() == together.q.tobytes()


def test_motions_by_hand_have_room() -> None:
    sim = Simulation(boxes(10), ground=Ground(), dt=2e-3)
    sim.reset(side_by_side(10))
    sim.step(steps=5)
    assert len(sim.contacts_now()) == 40


def test_room_can_be_stated() -> None:
    with pytest.raises(SimulationError, match="max_contacts"):
        sim = Simulation(boxes(10), ground=Ground(), dt=2e-3, max_contacts=39)
        sim.run(side_by_side(10), duration=0.02)
    sim = Simulation(boxes(10), ground=Ground(), dt=2e-3, max_contacts=40)
    assert sim.run(side_by_side(10), duration=0.02).statistics.active.max() == 40


def test_lists_of_contacts_end_where_the_next_begin() -> None:
    """Buffers are used again: contacts of earlier samples must not come back."""
    sim = Simulation(boxes(2), ground=Ground(friction=0.5, restitution=0.8), dt=2e-3)
    q = side_by_side(2)
    q[2] += 0.1
    run = sim.run(q, duration=1.0)
    active = np.zeros(len(run), int)
    np.add.at(active, run.contacts.sample, 1)
    assert (active == run.statistics.active).all() and active[1:].min() < active.max() == 8
    assert (np.diff(run.contacts.sample) >= 0).all()


def test_who_bounces_slowly_does_not_see_its_neighbours() -> None:
    """What was pushed before is looked at while it is near, whoever else is near in the batch."""
    b = ts.Builder("grain")
    b.body("grain", 1.0, inertia=(1e-3, 1e-3, 1e-3)).joint("root", "free", "world", "grain")
    b.shape("grain", "sphere", (1e-6,), role="collision")
    model, count = b.build(), 16
    ground = Ground(friction=0.5, restitution=0.5, rest_speed=0.01)
    sim = Simulation(model, ground=ground, dt=1e-3)
    q = np.tile(model.neutral(), (count, 1))
    q[:, 2] = 1e-6 + np.linspace(2e-5, 2e-4, count)
    v = np.zeros((count, 6))
    v[:, 2] = -0.12
    options = {"duration": 0.03, "record": ("q", "v", "contacts", "statistics")}
    batch = sim.run(q, v, **options)
    for k in range(count):
        own = sim.run(q[k], v[k], **options)
        np.testing.assert_array_equal(own.q, batch.q[k])
        np.testing.assert_array_equal(own.v, batch.v[k])
        np.testing.assert_array_equal(own.statistics.active, batch.statistics.active[k])
        np.testing.assert_array_equal(own.statistics.iterations, batch.statistics.iterations[k])
