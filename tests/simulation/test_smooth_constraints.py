"""Parts that are held in smooth motions: pendulums, chains with nails, gaps that close."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus import integrators
from tarsus.simulation import Simulation

TIGHT = integrators.DormandPrince(1e-11, 1e-12)
ALL: list[Any] = [
    integrators.RK4(),
    integrators.Gauss(),
    TIGHT,
    integrators.Radau(1e-10, 1e-11),
    integrators.Adams(1e-11, 1e-12),
    integrators.Bdf(1e-9, 1e-10),
    integrators.Lsoda(1e-10, 1e-11),
]


def name_of(integrator: Any) -> str:
    return str(integrator.name)


def bar(b: ts.Builder) -> None:
    b.body("bar", 2.0, com=(0.0, 0.0, -0.5), inertia=(0.2, 0.2, 0.01))


def free_bar() -> ts.Model:
    b = ts.Builder("bar")
    bar(b)
    return b.joint("free", "free", "world", "bar").build()


ANGLE = 1.0
LEANING = [0.0, 0.0, 0.0, 0.0, np.sin(ANGLE / 2), 0.0, np.cos(ANGLE / 2)]


@pytest.mark.parametrize("integrator", ALL, ids=name_of)
def test_a_nailed_bar_is_a_pendulum(integrator: Any) -> None:
    b = ts.Builder("pendulum")
    bar(b)
    hinged = b.joint("hinge", "revolute", "world", "bar", axis="y").build()
    alone = Simulation(hinged, dt=5e-3, integrator=TIGHT).run([ANGLE], duration=2.0)
    sim = Simulation(free_bar(), dt=5e-3, integrator=integrator)
    nail = sim.add(ts.constraint.Nail("bar"))
    run = sim.run(LEANING, duration=2.0)
    angle = 2.0 * np.arctan2(run.q[:, 4], run.q[:, 6])
    worst = np.abs(angle - alone.q[:, 0]).max()
    print(f"angle {worst:.1e}, place {np.abs(run.q[:, :3]).max():.1e}")
    assert worst < (1e-9 if integrator is TIGHT else 3e-7)
    assert np.abs(run.q[:, :3]).max() < 1e-10
    run.energy.check(1e-6)
    record = run.parts[nail.name]
    assert not record.work.any() and np.abs(record.gap).max() < 1e-10
    # the force at the nail is m (a - g) of the centre of mass
    centre = 0.5 * np.stack([-np.sin(angle), 0.0 * angle, -np.cos(angle)], axis=-1)
    curve = np.gradient(np.gradient(centre, run.t, axis=0), run.t, axis=0)
    expected = 2.0 * (curve + np.array([0.0, 0.0, 9.80665]))
    np.testing.assert_allclose(record.force[5:-5], expected[5:-5], atol=0.05)


CHAINS = {
    "bar_0": (
        [0.0, 0.23691695, -0.26258188, 0.03125153],
        [0.0, 1.25251193, -0.58649294, -0.52021124],
        [0.0, 0.0210101503, -0.0244381513, 0.00449267024],
    ),
    "bar_3": (
        [-0.29414678, 0.47889023, -0.22265103, 0.0],
        [-0.10668120, 2.31753131, -0.22570741, 0.0],
        [-0.03342349, 0.04994097, -0.02443815, 0.0],
    ),
}
"""Bar angles at 5 and 15 s, and accelerations at the start (Schröder 1990, section 7.5)."""


def four_bars() -> ts.Model:
    b = ts.Builder("chain", gravity=(0.0, 0.0, 0.0))
    for k in range(4):
        com = (4.0 if k else 0.0, 0.0, 0.0)
        b.body(f"bar_{k}", 1.0, com=com, inertia=(101 / 12, 101 / 12, 101 / 12))
    b.joint("root", "free", "world", "bar_0")
    for k in range(1, 4):
        place = (8.0 if k > 1 else 4.0, 0.0, 0.0)
        b.joint(f"hinge_{k}", "revolute", f"bar_{k - 1}", f"bar_{k}", position=place, axis="z")
    return b.build()


def angles_of(q: Any) -> Any:
    root = 2.0 * np.arctan2(q[..., 5], q[..., 6])
    return np.cumsum(np.concatenate([root[..., None], q[..., 7:]], axis=-1), axis=-1)


@pytest.mark.parametrize("nailed", CHAINS)
def test_four_bars_with_a_nail(nailed: str) -> None:
    m = four_bars()
    couple = ts.forces.Wrench("bar_1", torque=(0.0, 0.0, 1.0))
    sim = Simulation(m, dt=0.5, integrator=TIGHT, forces=[couple])
    nail = sim.add(ts.constraint.Nail(nailed, pose=True))
    q0 = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    run = sim.run(q0, duration=15.0)
    at_5, at_15, start = CHAINS[nailed]
    np.testing.assert_allclose(angles_of(run.q[10]), at_5, atol=2e-8)
    np.testing.assert_allclose(angles_of(run.q[30]), at_15, atol=1e-7)
    places = m.body_pose(nailed, run.q)[..., :3, 3] if hasattr(m, "body_pose") else None
    if places is not None:
        assert np.abs(places - places[0]).max() < 1e-10
    assert np.abs(run.parts[nail.name].gap).max() < 1e-10
    short = Simulation(m, dt=1e-4, integrator="gauss", forces=[couple])
    short.add(ts.constraint.Nail(nailed, pose=True))
    v = short.run(q0, duration=1e-4).v[-1]
    np.testing.assert_allclose(np.cumsum([v[5], *v[6:]]) / 1e-4, start, atol=2e-8)


def gap_of(m: float, n: float, tau: float) -> tuple[Simulation, Any]:
    b = ts.Builder("two", gravity=(0.0, 0.0, 0.0))
    for name, mass in (("light", m), ("heavy", n)):
        b.body(name, mass).joint(name + "_moves", "translation", "world", name)
    sim = Simulation(b.build(), dt=0.02, integrator=TIGHT)
    return sim, sim.add(ts.constraint.PointToPoint("light", "heavy", time_constant=tau))


def test_a_gap_closes_critically_damped() -> None:
    sim, part = gap_of(1.0, 10.0, 0.1)
    run = sim.run([0.0, 0.0, 0.0, 0.6, 0.0, 0.8], duration=1.5)
    gap = np.linalg.norm(run.parts[part.name].gap, axis=-1)
    x = run.t / 0.1
    np.testing.assert_allclose(gap, (1.0 + x) * np.exp(-x), atol=1e-7)
    momentum = run.v[:, :3] + 10.0 * run.v[:, 3:]
    assert np.abs(momentum).max() < 1e-12
    run.energy.check(1e-7)


def test_energy_stays_with_gauss() -> None:
    sim = Simulation(free_bar(), dt=1e-2, integrator="gauss")
    sim.add(ts.constraint.Nail("bar"))
    run = sim.run(LEANING, [0.0, 0.0, 0.0, 0.3, 0.5, 0.2], duration=20.0)
    total = run.energy.total
    print(np.abs(total - total[0]).max())
    assert np.abs(total - total[0]).max() < 1e-10


@pytest.mark.parametrize("integrator", [TIGHT, "gauss", "radau"], ids=str)
def test_nails_that_repeat_each_other(integrator: Any) -> None:
    runs = []
    for n in (1, 3):
        sim = Simulation(free_bar(), dt=1e-2, integrator=integrator)
        for _ in range(n):
            sim.add(ts.constraint.Nail("bar"))
        runs.append(sim.run(LEANING, duration=1.0))
    np.testing.assert_allclose(runs[1].q, runs[0].q, atol=1e-9)


@pytest.mark.parametrize("integrator", ["rk4", "gauss", "radau", "dormand_prince"])
def test_a_batch_is_its_states(integrator: str) -> None:
    sim = Simulation(free_bar(), dt=1e-2, integrator=integrator)
    nail = sim.add(ts.constraint.Nail("bar", target=(0.0, 0.0, 0.0)))
    v = np.random.default_rng(0).normal(size=(5, 6))
    q = np.tile(LEANING, (5, 1))
    together = sim.run(q, v, duration=0.2)
    for k in range(5):
        alone = sim.run(q[k], v[k], duration=0.2)
        np.testing.assert_array_equal(together.q[k], alone.q)
        np.testing.assert_array_equal(
            together.parts[nail.name].force[k], alone.parts[nail.name].force
        )
