"""Many bodies: no contact is overlooked, and each island moves as if it were alone in the world.

The search sweeps over bodies where there are many pairs and tries all of them where there are few,
and rows that feel each other are solved apart from the others. Neither may be seen in a result.
"""

from __future__ import annotations

import numpy as np
import pytest
from many_things import EDGE, RADIUS, SHAPES, apart, bodies, momenta, state
from scipy.spatial.distance import pdist
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.simulation.edited import flat

KINDS = tuple(SHAPES)
FEW, MANY = 5, 40
"""Bodies with so few pairs that all are tried, and with many."""


def flying(
    kinds: list[str], rng: np.random.Generator, *, room: float, speed: float, inwards: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return a state of bodies apart from each other that fly about, or `inwards` [1/s]."""
    n = len(kinds)
    places = apart(n, rng, room, 0.36)
    turns = Rotation.random(n, random_state=rng)
    linear = rng.normal(0, speed, (n, 3)) + inwards * (places.mean(axis=0) - places)
    return state(places, turns, linear, rng.normal(0, 3.0, (n, 3)))


@pytest.mark.parametrize("speed", [0.5, 5.0, 120.0])
def test_no_two_of_many_spheres_pass_through_each_other(speed: float) -> None:
    kinds = ["sphere"] * MANY
    rng = np.random.default_rng(1)
    q, v = flying(kinds, rng, room=1.6, speed=speed)
    model = bodies(kinds, gravity=False)
    simulation = ts.Simulation(model, ground=None, dt=1e-3, max_contacts=400)
    duration = 0.5 / speed
    run = simulation.run(q, v, duration=max(0.02, round(duration, 3)), progress=False)
    gaps = [pdist(x.reshape(-1, 7)[:, :3]).min() - 2 * RADIUS for x in run.q]
    met = len({(c.body, c.other) for k in range(len(run.t)) for c in run.contacts.at(k)})
    print(f"{speed} m/s: {met} pairs met, nearest {min(gaps):.1e} m")
    assert met > 3
    assert min(gaps) > -1e-5


def step_from(simulation: ts.Simulation, q: np.ndarray, v: np.ndarray) -> set[int]:
    """Return the candidates that touch in a step from a state, however deep things are."""
    core = simulation.moving().core
    core.restore(q[None], v[None], core.memory, flat(core.touched), 0)
    simulation.step(steps=1)
    return {contact.candidate for contact in simulation.contacts_now()}


@pytest.mark.parametrize("kind", KINDS)
def test_what_sticks_in_each_other_is_found(kind: str) -> None:
    """All pairs that a look at each of them finds are contacts of the next step."""
    kinds, rng, k = [kind] * MANY, np.random.default_rng(2), np.arange(MANY)
    simulation = ts.Simulation(
        bodies(kinds), ground=None, dt=1e-3, max_contacts=4000, contact="penalty"
    )
    line = np.stack([np.arange(MANY), 0 * k, 0 * k], 1)
    simulation.reset(*state(line, Rotation.identity(MANY), 0.0 * line, 0.0 * line))
    starts = simulation.started()
    world = starts.worlds.get(starts.drive(None))
    for spread in (0.6, 1e3, 1e8):
        places = rng.uniform(0.0, 0.3, (MANY, 3))
        places[:, rng.integers(3)] += spread * (k // 8)  # in clumps, far apart
        turns = Rotation.random(MANY, random_state=rng)
        q, v = state(places, turns, np.zeros((MANY, 3)), np.zeros((MANY, 3)))
        gaps = world.contacts(q[None])[0, :, 0]
        wanted = set(np.flatnonzero(gaps < -1e-6 * max(1.0, 1e-9 * spread * MANY)))
        found = step_from(simulation, q, v)
        print(f"{kind}, {spread:g} m: {len(wanted)} places")
        assert len(wanted) > 20
        assert wanted <= found


def test_neighbours_far_away_change_no_bit() -> None:
    """Few bodies are searched one by one, with others by a sweep: to the bit the same motion."""
    few = ["box", "sphere", "capsule", "ellipsoid", "box"]
    rng = np.random.default_rng(3)
    q, v = flying(few, rng, room=0.75, speed=0.1, inwards=2.0)
    other = [KINDS[k % 4] for k in range(MANY)]
    q_more, v_more = flying(other, rng, room=2.0, speed=0.1, inwards=2.0)
    q_more.reshape(-1, 7)[:, :3] += [40.0, -30.0, 0.0]
    q.reshape(-1, 7)[:, 2] += 0.3
    q_more.reshape(-1, 7)[:, 2] += 0.3
    ground = ts.Ground(friction=0.6, restitution=0.2)
    settings = {"ground": ground, "dt": 1e-3, "max_contacts": 400}
    alone = ts.Simulation(bodies(few), **settings).run(q, v, duration=1.0, progress=False)
    together = ts.Simulation(bodies(few + other), **settings).run(
        np.concatenate([q, q_more]), np.concatenate([v, v_more]), duration=1.0, progress=False
    )
    hits = {contact.other for k in range(1000) for contact in alone.contacts.at(k)}
    assert len(hits) > 2 and "ground" in hits  # they fall on each other and on the ground
    assert together.q[:, : len(q)].tobytes() == alone.q.tobytes()
    assert together.v[:, : len(v)].tobytes() == alone.v.tobytes()


def test_a_batch_of_many_is_each_of_them() -> None:
    kinds = [KINDS[k % 4] for k in range(16)]
    rng = np.random.default_rng(4)
    states = [flying(kinds, rng, room=1.3, speed=1.0) for _ in range(5)]
    q, v = (np.array(part) for part in zip(*states, strict=True))
    v[2] *= 1e9  # one of them diverges at once
    simulation = ts.Simulation(bodies(kinds), ground=ts.Ground(level=-0.4), dt=1e-3)
    batch = simulation.run(q, v, duration=0.3, progress=False)
    for k in (0, 1, 3, 4):
        one = simulation.run(q[k], v[k], duration=0.3, progress=False)
        assert batch.q[k].tobytes() == one.q.tobytes()
        assert batch.v[k].tobytes() == one.v.tobytes()


def test_momenta_are_kept_and_energy_is_not_gained() -> None:
    kinds = [KINDS[k % 4] for k in range(MANY)]
    rng = np.random.default_rng(5)
    q, v = flying(kinds, rng, room=1.7, speed=1.0)
    simulation = ts.Simulation(
        bodies(kinds, gravity=False), ground=None, dt=1e-3, max_contacts=1000
    )
    run = simulation.run(q, v, duration=0.5, progress=False)
    first, last = momenta(kinds, run.q[0], run.v[0]), momenta(kinds, run.q[-1], run.v[-1])
    print("momenta", *first[:2], "change by", last[0] - first[0], last[1] - first[1])
    np.testing.assert_allclose(last[0], first[0], atol=1e-9)
    # points half way between surfaces that are a little in each other: not quite one point
    np.testing.assert_allclose(last[1], first[1], atol=2e-3 * MANY)
    energies = [momenta(kinds, *each)[2] for each in zip(run.q, run.v, strict=True)]
    assert np.diff(energies).max() < 1e-3 * energies[0]


def test_impulses_of_islands_solve_the_whole_problem() -> None:
    """Each contact obeys its law at the velocities after the step, by NumPy alone."""
    rng = np.random.default_rng(6)
    kinds, side, high = ["box"] * 24, 4, 3
    k = np.arange(len(kinds))
    places = np.stack([0.5 * (k // high % side), 0.5 * (k // (side * high)), EDGE * (k % high)], 1)
    places[:, 2] += EDGE / 2
    turns = Rotation.from_rotvec(rng.uniform(-0.5, 0.5, (len(kinds), 1)) * [0, 0, 1])
    n = len(kinds)
    q, v = state(places, turns, 0.5 * rng.normal(size=(n, 3)) * [1, 1, 0.2], np.zeros((n, 3)))
    friction = 0.4
    simulation = ts.Simulation(
        bodies(kinds), ground=ts.Ground(friction=friction), dt=1e-3, max_contacts=400
    )
    run = simulation.run(q, v, duration=1e-3, progress=False)
    contacts = run.contacts.at(1)
    x, y = q.reshape(-1, 7), run.v[1].reshape(-1, 6)
    # velocities after the step, which are written in the axes that have turned by it
    after = Rotation.from_quat(run.q[1].reshape(-1, 7)[:, 3:])
    linear, angular = after.apply(y[:, :3]), after.apply(y[:, 3:])

    def at(body: str, point: np.ndarray) -> np.ndarray:
        if body == "ground":
            return np.zeros(3)
        i = int(body.removeprefix("body_"))
        return np.asarray(linear[i] + np.cross(angular[i], point - x[i, :3]))

    slips = 0
    for contact in contacts:
        velocity = at(contact.body, contact.point) - at(contact.other, contact.point)
        across = float(velocity @ contact.normal)
        along = velocity - across * contact.normal
        push = contact.normal_force
        rub = contact.force - push * contact.normal
        assert push >= 0.0 and across > -1e-7 - max(contact.gap, 0.0) / 1e-3
        assert push * min(across, 1.0) < 1e-5 * max(push, 1.0) or contact.gap > 1e-9
        assert np.linalg.norm(rub) <= friction * push * (1 + 1e-9) + 1e-12
        if np.linalg.norm(along) > 1e-5 and push > 1e-6:
            slips += 1
            np.testing.assert_allclose(
                rub, -friction * push * along / np.linalg.norm(along), atol=1e-3 * push
            )
    print(f"{len(contacts)} contacts, {slips} of them slip")
    assert len(contacts) >= 4 * n and slips > 20
