"""Robots that lie on the floor with all their links: a batch of them is each of them alone.

A limp robot has a dozen contacts, its neighbours in the lanes have others. Together they have
more rows than a solver may like to solve at once; what a state does must not depend on that.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest
from contact_scenes import FILES

import tarsus as ts

STATES, DURATION, DT = 9, 0.8, 2e-3
# it is about bits: whether the solver arrives is the business of test_convergence
pytestmark = pytest.mark.filterwarnings("ignore::tarsus.ConvergenceWarning")
MANY_ROWS = 96
"""Rows of contacts (three each) that four neighbours must have together for the test to tell."""


@functools.cache
def crowd() -> ts.Simulation:
    """Return a humanoid of 29 joints without a controller; all its links can touch the floor."""
    m = ts.load(FILES["g1_29dof_rev_1_0.urdf"], base="free")
    # six corners of each mesh: it is about how many touch, not about where
    links = ts.Collision.from_model(m, mesh_points=6)
    ground = ts.Ground(friction=0.6)
    return ts.Simulation(m, ground=ground, collision=links, dt=DT, max_contacts=120)


@functools.cache
def falls() -> tuple[np.ndarray, np.ndarray]:
    """Return different states (9, nq) and (9, nv) that just touch the floor and fall."""
    sim, rng = crowd(), np.random.default_rng(0)
    m = sim.model
    turns = np.concatenate([np.zeros(3), np.ones(3), np.full(m.nv - 6, 0.2)])
    q = m.integrate(np.tile(m.neutral(), (STATES, 1)), rng.normal(size=(STATES, m.nv)) * turns)
    q = ts.stand(m, q, sim.ground, sim.collision)
    return q, 0.3 * rng.normal(size=(STATES, m.nv))


@functools.cache
def alone(state: int) -> ts.Trajectory:
    q, v = falls()
    return crowd().run(q[state], v[state], duration=DURATION)


def most_rows(run: ts.Trajectory, states: range) -> int:
    """Return the most rows of contacts that these states of a batch have together in a step."""
    contacts = run.contacts
    chosen = np.isin(contacts.state_index, states)
    places = set(
        zip(contacts.sample[chosen].tolist(), contacts.candidate[chosen].tolist(), strict=True)
    )
    counts = np.bincount([sample for sample, _ in places], minlength=1)
    return 3 * int(counts.max())


@pytest.mark.filterwarnings("ignore:q0 .*beyond its limits")
@pytest.mark.parametrize("size", [4, 5, 9])
def test_a_crowd_is_each_of_its_members(size: int) -> None:
    q, v = falls()
    batch = crowd().run(q[:size], v[:size], duration=DURATION)
    rows = most_rows(batch, range(4))
    parts = []
    for k in range(size):
        single = alone(k)
        same = (batch.q[k] == single.q).all(axis=1) & (batch.v[k] == single.v).all(axis=1)
        first = len(same) if same.all() else int(np.argmin(same))
        end = float(np.abs(batch.q[k, -1] - single.q[-1]).max())
        parts.append((first, end))
    print(f"{size} states, {rows} rows of four; first step that differs, and how far they end:")
    print(*(f"{first} {end:.1e}" for first, end in parts), sep=", ")
    assert rows > MANY_ROWS, "they do not touch in enough places to tell"
    for k in range(size):
        single = alone(k)
        for name in ("q", "v", "tau"):
            assert getattr(batch, name)[k].tobytes() == getattr(single, name).tobytes(), (name, k)
        assert batch.energy.rows[k].tobytes() == single.energy.rows.tobytes(), k
        assert batch.contacts.of_state(k).rows.tobytes() == single.contacts.rows.tobytes(), k
        for name in ("iterations", "residual", "penetration"):
            found, expected = (getattr(run.statistics, name) for run in (batch, single))
            assert found[k].tobytes() == expected.tobytes(), (name, k)


@pytest.mark.filterwarnings("ignore:q0 .*beyond its limits")
def test_the_order_of_a_crowd_does_not_matter() -> None:
    q, v = falls()
    order = np.random.default_rng(1).permutation(STATES)
    one, other = (
        crowd().run(q[which], v[which], duration=DURATION, record=("q", "v"), every=20)
        for which in (np.arange(STATES), order)
    )
    apart = np.abs(other.q - one.q[order]).max()
    print(f"shuffled states end {apart:.1e} apart")
    assert other.q.tobytes() == np.ascontiguousarray(one.q[order]).tobytes()
    assert other.v.tobytes() == np.ascontiguousarray(one.v[order]).tobytes()
