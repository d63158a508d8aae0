"""The same bits from one state, any batch, any neighbours, threads, and any division of a run."""

from __future__ import annotations

import hashlib
import threading
from typing import Any

import numpy as np
import pytest
from cluster_cases import case
from cone_problem import Array
from contact_scenes import box, box_at_rest, quadruped, random_points, robot, through
from contact_worlds import Run, World
from mechanisms import cases

SIZES = (1, 3, 8, 17)
LAWS: dict[str, dict[str, Any]] = {
    "exact": {},
    "sweeps": {"law_numbers": {"newton": 0.0}},
    "frictionless": {"law": "lemke"},
    "facets": {"law": "lemke", "law_numbers": {"facets": 4.0}},
    "penalty": {
        "law": "penalty",
        "law_numbers": {
            "stiffness": 2e4,
            "damping": 50.0,
            "tangential_stiffness": 2e4,
            "tangential_damping": 50.0,
        },
    },
}
each_law = pytest.mark.parametrize("law", LAWS)


def drops(world: World, count: int, seed: int = 0) -> tuple[Array, Array]:
    """Return states that fly, touch, slide and press: heights from below the ground to far off."""
    rng = np.random.default_rng(seed)
    model = world.model
    q = np.tile(model.neutral(), (count, 1))
    step = rng.normal(size=(count, model.nv)) * 0.1
    step[:, :3] = 0.0
    q = model.integrate(q, step)
    poses = model.forward_kinematics(q)
    radii = np.broadcast_to(world.point_radius, len(world.point_body))
    lowest = np.full(count, np.inf)
    for body, place, radius in zip(world.point_body, world.point_position, radii, strict=True):
        lowest = np.minimum(lowest, (poses[:, body] @ [*place, 1.0])[:, 2] - radius)
    q[:, 2] += rng.choice([-1e-3, 0.0, 1e-3, 5e-3, 1.0], count) - lowest
    return q, rng.normal(size=(count, model.nv)) * rng.choice([0.0, 0.3, 3.0], (count, 1))


def same(a: dict[str, Array], b: dict[str, Array]) -> None:
    """Assert equal bits of everything that was recorded."""
    for key in a:
        assert a[key].tobytes() == b[key].tobytes(), f"{key} differs"


def alone(
    world: World, q: Array, v: Array, commands: Array, steps: int, every: int = 1
) -> dict[str, Array]:
    """Return the record of each state by itself, stacked, its memory included."""
    found = []
    for k in range(len(q)):
        run = Run.start(world, q[k], v[k], commands[k : k + 1])
        record = run.advance(steps, every)
        found.append({**record, "memory": run.memory, "status": run.status})
    return {key: np.concatenate([part[key] for part in found]) for key in found[0]}


def together(
    world: World, q: Array, v: Array, commands: Array, steps: int, every: int = 1, threads: int = 1
) -> dict[str, Array]:
    """Return the record of all states in one call."""
    run = Run.start(world, q, v, commands)
    record = run.advance(steps, every, threads=threads)
    return {**record, "memory": run.memory, "status": run.status}


def torques(world: World, count: int, rows: int = 3) -> Array:
    return np.random.default_rng(9).normal(size=(count, rows, world.model.nv)) * 2.0


@each_law
def test_a_batch_is_a_loop(law: str) -> None:
    for world in (box(8, **LAWS[law]), robot("solo12.urdf").but(**LAWS[law])):
        q, v = drops(world, 17)
        commands = torques(world, 17)
        expected = alone(world, q, v, commands, 12)
        touched = (expected["contacts"][..., 0] >= 0).any(axis=2).mean()
        print(f"{law}: {touched:.0%} of the steps in contact")
        assert 0.05 < touched < 1.0
        for size in SIZES:
            found = together(world, q[:size], v[:size], commands[:size], 12)
            same(found, {key: array[:size] for key, array in expected.items()})


@each_law
def test_neighbours_and_threads_do_not_change_bits(law: str) -> None:
    world = quadruped().but(**LAWS[law])
    q, v = drops(world, 23, seed=2)
    commands = torques(world, 23)
    expected = together(world, q, v, commands, 6)
    order = np.random.default_rng(1).permutation(23)
    shuffled = together(world, q[order], v[order], commands[order], 6)
    same(shuffled, {key: array[order] for key, array in expected.items()})
    for threads in (2, 3, 7):
        same(together(world, q, v, commands, 6, threads=threads), expected)


def test_neighbours_that_fail_do_not_change_bits() -> None:
    """One diverges, one is crowded; the others are as if they were alone."""
    world = box(8, max_contacts=3, law_numbers={"iterations": 50.0})
    rng = np.random.default_rng(3)
    q, v = (np.tile(part, (9, 1)) for part in box_at_rest(height=0.5))
    v[:] = rng.normal(size=v.shape) * 0.1
    v[2] = 1e12  # too fast
    q[5, 2] = 0.05  # four corners in the ground
    tilted = world.model.integrate(q[0], np.array([0, 0, -0.25, 0.4, 0.3, 0.0]))
    q[7] = tilted  # stands on a corner before long
    commands = torques(world, 9)
    found = together(world, q, v, commands, 40)
    codes = found["status"][:, 0]
    print("codes", codes)
    assert codes[2] != 0 and codes[5] == 2 and (np.delete(codes, [2, 5]) == 0).all()
    same(found, alone(world, q, v, commands, 40))


@each_law
def test_a_run_may_be_divided(law: str) -> None:
    """Ten steps at once, ten times one, and a resumption from a copy give the same bits."""
    world = quadruped().but(controller="pid", kp=40.0, kd=1.0, ki=5.0, **LAWS[law])
    world = world.but(control_steps=3)
    q, v = drops(world, 5, seed=4)
    rng = np.random.default_rng(0)
    commands = np.tile(rng.normal(size=(7, 19 + 36)) * 0.1, (1, 1, 1))
    commands[..., :19] = q[0]
    whole, parts = (Run.start(world, q, v, commands, hold=2) for _ in range(2))
    record = whole.advance(10)
    pieces = [parts.advance(count) for count in (1, 2, 3, 4)]
    for key in ("q", "v", "tau", "energy", "contacts", "statistics"):
        joined = np.concatenate([piece[key] for piece in pieces], axis=1)
        assert joined.tobytes() == record[key].tobytes(), key
    assert parts.memory.tobytes() == whole.memory.tobytes()

    resumed = Run(
        world.core(),
        whole.parameters,
        commands,
        whole.q.copy(),
        whole.v.copy(),
        whole.memory.copy(),
        step=whole.step,
        hold=2,
    )
    same(resumed.advance(5), whole.advance(5))


def test_sparse_records_are_parts_of_full_ones() -> None:
    world = box(8)
    q, v = drops(world, 6)
    commands = torques(world, 6)
    full, sparse = (together(world, q, v, commands, 12, every) for every in (1, 4))
    for key in ("q", "v", "tau", "energy", "contacts", "statistics"):
        assert sparse[key].tobytes() == np.ascontiguousarray(full[key][:, 3::4]).tobytes(), key
    silent = Run.start(world, q, v, commands)
    silent.world.advance(
        *(silent.q, silent.v, silent.memory, silent.parameters, silent.commands),
        steps=12,
        ledger=True,
    )
    assert silent.q.tobytes() == np.ascontiguousarray(full["q"][:, -1]).tobytes()
    assert silent.memory.tobytes() == full["memory"].tobytes()


def test_shared_and_own_parameters_are_the_same() -> None:
    world = box(8)
    q, v = drops(world, 7)
    commands = np.tile(torques(world, 1), (7, 1, 1))
    shared, own = Run.start(world, q, v, commands[:1]), Run.start(world, q, v, commands)
    own.parameters = np.tile(own.parameters, (7, 1))
    same(shared.advance(10), own.advance(10))


def test_parameters_of_states_are_those_of_worlds() -> None:
    world = robot("anymal.urdf")
    q, v = drops(world, 5)
    frictions, scales = np.linspace(0.0, 1.0, 5), np.linspace(0.7, 1.4, 5)
    batch = Run.start(world, q, v)
    batch.parameters = np.concatenate(
        [
            world.but(friction=f, mass_scale=s).parameters()
            for f, s in zip(frictions, scales, strict=True)
        ]
    )
    record = batch.advance(8)
    for k in range(5):
        single = Run.start(world.but(friction=frictions[k], mass_scale=scales[k]), q[k], v[k])
        same(single.advance(8), {key: array[k : k + 1] for key, array in record.items()})


def test_mechanisms_with_every_joint_couplings_and_loops() -> None:
    models = [(c.model, c.q, c.v) for c in cases()[:4]]
    for flavour in ("gears", "loops", "constraints", "everything"):
        c = case(flavour, 3)
        models.append((c.model, c.q, c.v))
    for model, q, v in models:
        rng = np.random.default_rng(0)
        world = through(World(model, **random_points(model, rng, 6), dt=1e-4), q)
        states = model.integrate(q, 1e-3 * rng.normal(size=(9, model.nv)))
        speeds = v * rng.uniform(0.0, 1.0, (9, 1))
        commands = torques(world, 9)
        expected = alone(world, states, speeds, commands, 4)
        same(together(world, states, speeds, commands, 4), expected)
        same(together(world, states, speeds, commands, 4, threads=3), expected)


def test_many_threads_share_a_world() -> None:
    world = quadruped()
    core = world.core()
    q, v = drops(world, 12)
    wrong: list[int] = []

    def work() -> str:
        run = Run.start(world, q, v)
        run.world = core
        run.advance(15, threads=2)
        return hashlib.sha256(run.q.tobytes() + run.v.tobytes()).hexdigest()

    expected = work()

    def call(index: int) -> None:
        if work() != expected:
            wrong.append(index)

    team = [threading.Thread(target=call, args=(k,)) for k in range(5)]
    for member in team:
        member.start()
    for member in team:
        member.join()
    assert not wrong


def test_runs_repeat() -> None:
    """A hash of everything recorded, twice."""
    world = quadruped().but(restitution=0.3)
    q, v = drops(world, 10)
    hashes = []
    for _ in range(2):
        found = together(world, q, v, torques(world, 10), 30, 5)
        data = b"".join(found[key].tobytes() for key in sorted(found))
        hashes.append(hashlib.sha256(data).hexdigest())
    assert hashes[0] == hashes[1]
