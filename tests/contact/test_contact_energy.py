"""Every joule is accounted for: the ledger beside its definitions, and what must never happen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cluster_cases import case
from cone_problem import Array
from contact_scenes import box, box_at_rest, point_mass, quadruped, random_points, robot, through
from contact_worlds import Run, World
from core_step import EXACT, all_impulses, as_listed, contact_impulses
from dense_run import DenseRun, Solved
from four_bars import four_bar
from ledger_oracle import (
    CORRECTIONS,
    COUNT,
    FRICTION,
    IMPACTS,
    LIMITS,
    LOOPS,
    NORMAL,
    STORED,
    places,
    residual,
    stored,
    works,
)
from mechanisms import cases
from test_contact_bits import drops
from test_contact_step import fallen

import tarsus as ts


def ledger(world: World, q: Array, v: Array, steps: int, commands: Array | None = None) -> Array:
    """Return the ledger's rows (steps + 1, energy_size), the start included."""
    run = Run.start(world, q, v, commands)
    first = run.energies()
    record = run.advance(steps)
    assert run.status[0, 0] == 0, run.status
    return np.concatenate([first, record["energy"][0]])


def compare(what: str, world: World, q: Array, v: Array, steps: int, tau: Array | None) -> None:
    """Compare the ledger of some steps with the oracle's, which follows the core's states."""
    world = world.but(law_numbers=EXACT)
    run, dense = Run.start(world, q, v, tau), DenseRun(world, q, v)
    found, expected = run.energies()[0, :STORED], stored(dense)
    np.testing.assert_allclose(found[:3], expected[:3], rtol=1e-11, atol=1e-11)
    if all(cluster.kind == "joint" for cluster in world.model.clusters):
        np.testing.assert_allclose(found[3], expected[3], rtol=1e-11)
    command = np.zeros(world.model.nv) if tau is None else tau[0]
    for _ in range(steps):
        posed = dense.advance(1, command[None]).posed
        record = run.advance(1)
        posed = as_listed(dense.dense, posed, rows := record["contacts"][0, 0])
        dense.q, dense.v = run.q[0].copy(), run.v[0].copy()
        after = dense.dense.before_turning(posed.q, dense.q, dense.v)
        p = all_impulses(dense.dense, posed, contact_impulses(world, rows, posed), after)
        shift = dense.solved(posed, p).shift
        dense.steps[-1] = Solved(posed, p, after, shift, dense.q, dense.v)
    row = record["energy"][0, 0]
    expected = np.concatenate([stored(dense), works(dense)])
    row[3] = expected[3] = 0.0
    np.testing.assert_array_equal(row[COUNT], expected[COUNT])
    size = max(1.0, np.abs(expected).max())
    assert np.abs(row - expected).max() < 1e-6 * size
    # a joint that is held at its stop may be so by its brake or by the stop
    rubbed = places(world.model.nv, world.model.n_bodies)["joint_friction"]
    for ledger_row in (row, expected):
        ledger_row[LIMITS] += ledger_row[rubbed].sum()
        ledger_row[rubbed] = 0.0
    error = np.abs(row - expected).max() / size
    print(f"{what}: {error:.1e}")
    assert error < 1e-11


@pytest.mark.parametrize("name", ["box", "quadruped", "anymal.urdf", "solo12.urdf"])
def test_the_ledger_of_robots(name: str) -> None:
    world = {"box": box, "quadruped": quadruped}.get(name, lambda: robot(name))()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        q, v = fallen(world, rng, height=1e-3)
        tau = rng.normal(size=(1, world.model.nv)) * 3.0
        compare(name, world, q, v, 8, tau)


def test_the_ledger_of_mechanisms_with_every_joint() -> None:
    for c in cases()[:12:3]:
        rng = np.random.default_rng(c.seed)
        world = World(c.model, **random_points(c.model, rng, 5), friction=0.3)
        compare(f"mechanism {c.seed}", through(world, c.q), c.q, c.v, 4, c.tau[None])


@pytest.mark.parametrize("flavour", ["gears", "couplings", "loops", "constraints"])
def test_the_ledger_of_couplings_and_loops(flavour: str) -> None:
    c = case(flavour, 6)
    rng = np.random.default_rng(1)
    world = World(c.model, **random_points(c.model, rng, 4), friction=0.3, dt=1e-4)
    compare(flavour, through(world, c.q), c.q, c.v, 4, c.tau[None])


# --- the residual -------------------------------------------------------------------------------


def scenes() -> dict[str, tuple[World, Array, Array]]:
    """Return runs of 0.4 s: falls, slides, hinges with springs, loops."""
    flying = np.concatenate([[0.0, 0.0, 0.3], [0.1, 0.2, 0.3, 0.927]])
    flying[3:] /= np.linalg.norm(flying[3:])
    arm = ts.robots.chain(4)
    linkage = four_bar("point_on_line", constraint=True)
    rng = np.random.default_rng(0)
    robot_world = quadruped()
    q, v = fallen(robot_world, rng, 0.05)
    turning = four_bar("point_on_line").neutral()
    return {
        "box": (box(8), flying, rng.normal(size=6)),
        "bouncing box": (box(8, restitution=0.5), flying, rng.normal(size=6)),
        "quadruped": (robot_world, q, v),
        "arm": (
            World(arm, ground_kind="none", ground_numbers=()),
            arm.neutral() + 0.3,
            np.zeros(arm.nv),
        ),
        "four-bar": (
            World(linkage, ground_kind="none", ground_numbers=()),
            linkage.neutral(),
            0.0 * turning[: linkage.nv],
        ),
    }


@pytest.mark.parametrize("name", ["box", "bouncing box", "quadruped", "arm", "four-bar"])
def test_the_residual_falls_with_the_step(name: str) -> None:
    world, q, v = scenes()[name]
    worst, flowed = [], 1.0
    for dt in (1e-3, 5e-4, 2.5e-4):
        rows = ledger(world.but(dt=dt), q, v, round(0.4 / dt))
        worst.append(float(np.abs(residual(rows, world.model.nv)).max()))
        flowed = float(np.abs(np.diff(rows[:, 1])).sum() + np.abs(np.diff(rows[:, 0])).sum())
    print(f"{name}: residuals", *(f"{r / flowed:.1e}" for r in worst), f"of {flowed:.1f} J")
    assert worst[0] < 2e-3 * flowed
    assert worst[2] < 0.6 * worst[0] or worst[0] < 1e-9 * flowed


@pytest.mark.parametrize("name", ["box", "quadruped", "solo12.urdf", "anymal.urdf"])
@pytest.mark.parametrize(
    "options", [{}, {"law_numbers": {"ahead": 0.0}}, {"friction": 0.1}], ids=str
)
def test_energy_never_rises_without_actuation(name: str, options: dict[str, Any]) -> None:
    """Falls from 0.1 m: kinetic, potential and elastic energy, less what corrections lift."""
    world = {"box": lambda: box(8), "quadruped": quadruped}.get(name, lambda: robot(name))()
    world = world.but(dt=5e-4, **options)
    q, v = drops(world, 1, seed=11)
    q[0, 2] += 0.1
    q[0] = np.clip(q[0], world.model.lower, world.model.upper)
    rows = ledger(world, q[0], 0.0 * v[0], 1000)
    total = rows[:, :3].sum(-1) - rows[:, CORRECTIONS]
    lost = float(total[0] - total[-1])
    rise = float(np.diff(total).max())
    print(f"{name}: {lost:.3f} J lost, largest rise in a step {rise:.1e} J")
    assert lost > 0.05 * abs(rows[0, 1] - rows[-1, 1])
    # legs that fly about without any friction meet the integrator's own error
    assert rise < (1e-9 if name in ("box", "quadruped") else 2e-4) * lost


def test_losses_are_losses() -> None:
    """Dampers, dry friction, contacts and impacts never give energy to a falling robot.

    Together they do so in no step. Where a foot or a stop hits and turns others round, these work
    at the mean of both speeds, and may get something back of what the impact takes.
    """
    world = quadruped().but(dt=5e-4)
    q, v = drops(world, 1, seed=3)
    q[0, 2] -= world.core().contacts(q)[0, :, 0].min() - 0.05
    rows = ledger(world, q[0], 0.0 * v[0], 800)
    where = places(world.model.nv, world.model.n_bodies)
    scale = np.abs(rows[:, 0]).max()
    steps = np.diff(rows, axis=0)
    names = ("damping", "joint_friction")
    together = steps[:, [IMPACTS, NORMAL, FRICTION, LIMITS]].sum(-1)
    together += sum(steps[:, where[name]].sum(-1) for name in names)
    print(f"largest gain in a step {together.max():.1e} J")
    assert together.max() < 1e-12 * scale
    hits = steps[:, [IMPACTS, LIMITS]].sum(-1) < -1e-6 * scale
    print(f"{hits.sum()} steps with impacts")
    assert hits.mean() < 0.2
    for name in (*names, "bodies"):
        assert steps[~hits][:, where[name]].max() < 1e-6 * scale, name
        assert rows[-1, where[name]].max() <= 0.0 > rows[-1, where[name]].min(), name
    for column in (IMPACTS, NORMAL, FRICTION, LIMITS):
        assert steps[~hits][:, column].max() < 1e-6 * scale and rows[-1, column] <= 0.0, column
    assert (rows[:, where["supplied"]] == 0.0).all() and (rows[:, LOOPS] == 0.0).all()
    contacts = rows[:, [IMPACTS, NORMAL, FRICTION]].sum(-1)
    np.testing.assert_allclose(rows[:, where["bodies"]].sum(-1), contacts, atol=1e-9 * scale)
    assert contacts[-1] < -1.0


def test_the_works_of_contacts_are_those_of_the_ledger() -> None:
    world = box(8)
    q, v = drops(world, 1, seed=5)
    run = Run.start(world, q[0], v[0])
    record = run.advance(300)
    rows, (_, sample) = run.world.listed(record["contacts"])
    by_contact = np.bincount(sample, rows[:, 12], len(record["energy"][0])).cumsum()
    energy = record["energy"][0]
    listed = energy[:, [IMPACTS, NORMAL, FRICTION]].sum(-1)
    np.testing.assert_allclose(by_contact, listed, atol=1e-12 * np.abs(energy).max())


def test_actuators_supply_what_they_push() -> None:
    world = point_mass(ground_kind="none", ground_numbers=())
    tau = np.array([[1.0, 2.0, 9.81 + 3.0]])
    rows = ledger(world, np.zeros(3), np.zeros(3), 200, tau)
    where = places(3, 1)
    speed = tau[0] - [0.0, 0.0, 9.81]
    expected = 0.5 * tau[0] * speed * (200 * world.dt) ** 2
    np.testing.assert_allclose(rows[-1, where["supplied"]], expected, rtol=1e-12)
    assert np.abs(residual(rows, 3)).max() < 1e-12


def test_impacts_are_counted() -> None:
    world = point_mass(restitution=0.5)
    rows = ledger(world, np.array([0.0, 0.0, 1.0]), np.zeros(3), 1100)
    assert rows[-1, COUNT] in (2, 3)
    lost = -rows[-1, IMPACTS] / 9.81
    print(f"{rows[-1, COUNT]:.0f} impacts, {lost:.4f} m of height lost")
    assert lost == pytest.approx(1.0 - 0.25 ** rows[-1, COUNT], abs=0.01)


def test_a_block_at_rest_works_nothing() -> None:
    rows = ledger(box(), *box_at_rest(), 500)
    assert np.abs(rows[-1, STORED:]).max() < 1e-12 and np.abs(rows[-1] - rows[0]).max() < 1e-12
