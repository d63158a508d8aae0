"""Parts that are held in smooth motions: pendulums, chains with nails, gaps that close."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import Array

import tarsus as ts
from tarsus import _core, integrators
from tarsus.simulation import Simulation
from tarsus.simulation.part_set import PartSet

TIGHT = integrators.DormandPrince(1e-11, 1e-12)
ALL: list[Any] = [
    integrators.RK4(),
    integrators.Gauss(),
    TIGHT,
    integrators.Radau(1e-10, 1e-11),
    integrators.Adams(1e-11, 1e-12),
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
    expected = 2.0 * (curve + np.array([0.0, 0.0, 9.81]))
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
    assert np.abs(run.parts[nail.name].gap).max() < 1e-10  # how far it went, and turned
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
    worst = np.abs(run.energy.residual).max()
    print(f"energy {worst:.1e}")
    assert worst < 1e-10


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


def tree() -> ts.Model:
    """Return a body that flies, with two arms of three joints each."""
    b = ts.Builder("tree")
    b.body("base", 3.0, com=(0.1, 0.0, 0.05), inertia=(0.3, 0.2, 0.4))
    b.joint("flies", "free", "world", "base")
    for side in ("left", "right"):
        before = "base"
        for k, (kind, axis) in enumerate(
            (("revolute", "y"), ("prismatic", "x"), ("revolute", "z"))
        ):
            name = f"{side}_{k}"
            b.body(name, 1.0, com=(0.2, 0.1, -0.1), inertia=(0.1, 0.2, 0.15))
            place = (0.4, 0.2 if side == "left" else -0.3, 0.1 * k)
            b.joint(f"{name}_joint", kind, before, name, position=place, axis=axis)
            before = name
    return b.build()


def held() -> dict[str, Any]:
    """Return one constraint of each kind between the hands, closed where they are."""
    first, hand = ("left_2", (0.0, 0.1, 0.2)), ("right_2", (0.1, -0.2, 0.3))
    last = "right_2"
    welds = ("revolute", "prismatic", "universal", "cylindrical", "planar", "point_on_line")
    return {
        "nail": ts.constraint.Nail(hand),
        "pose": ts.constraint.Nail(hand, pose=True),
        "weld": ts.constraint.Weld(first, hand),
        "distance": ts.constraint.Distance(first, hand),
        "orientation": ts.constraint.Orientation(last, of=first),
        "plane": ts.constraint.PointInPlane(hand, normal=(1.0, 2.0, 3.0), of=first),
        "joint_motion": ts.constraint.JointMotion("left_1_joint"),
        **{each: ts.constraint.Joint(each, first, hand, where_they_are=True) for each in welds},
    }


@pytest.mark.parametrize("kind", held())
def test_what_is_held_stays_and_does_no_work(kind: str) -> None:
    m, part = tree(), held()[kind]
    rng = np.random.default_rng(3)
    q, v = m.random_configuration(rng), rng.normal(size=m.nv)
    runs = []
    for chosen in (TIGHT, integrators.Radau(1e-9, 1e-10)):
        sim = Simulation(m, dt=5e-3, integrator=chosen, joint_friction=False)
        name = sim.add(part).name
        runs.append(run := sim.run(q, v, duration=0.1))
        run.energy.check(1e-7)
        assert np.abs(run.parts[name].gap).max() < 1e-9
        assert run.parts[name].force.any() or run.parts[name].torque.any()
        assert not run.parts[name].work.any()
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-6)


def slope(x: Array, h: float) -> Array:
    """Return the second derivative in the middle of five values h apart."""
    return np.asarray(np.array([-1, 16, -30, 16, -1]) @ x / (12 * h * h))


@pytest.mark.parametrize("kind", held())
def test_rows_keep_their_gaps_by_accelerations_alone(kind: str) -> None:
    """Along q + v t + a t²/2 with the accelerations of the core all gaps have no curvature."""
    m, rng = tree(), np.random.default_rng(4)
    parts = PartSet.of(m, [held()[kind]])
    q = m.random_configuration(rng)
    row = parts.parts[0].filled(m, q[None], parts.parts[0].row[None])[0]
    _, v = _core.project_state(m, q, rng.normal(size=m.nv), parts.core, row)
    tau = rng.normal(size=m.nv)
    a, _ = _core.held_accelerations(m, parts.core, row, q[None], v[None], tau[None])
    h = 1e-3
    path = [np.asarray(m.integrate(q, v * t + a[0] * t * t / 2)) for t in h * np.arange(-2, 3)]
    still = np.zeros((5, m.nv))
    gaps = _core.part_forces(m, parts.core, row, np.array(path), still)[1][:, 8:]
    np.testing.assert_allclose(slope(gaps, h), 0.0, atol=1e-5)
    free = m.forward_dynamics(q, v, tau)
    loose = [np.asarray(m.integrate(q, v * t + free * t * t / 2)) for t in h * np.arange(-2, 3)]
    gaps = _core.part_forces(m, parts.core, row, np.array(loose), still)[1][:, 8:]
    assert np.abs(slope(gaps, h)).max() > 1e-2


def linkage(constraint: bool) -> ts.Model:
    """Return a parallelogram that flies; its loop is in a cluster or has multipliers."""
    b = ts.Builder("linkage")
    b.body("base", 1.0, inertia=(0.1, 0.1, 0.1)).joint("flies", "free", "world", "base")
    for name, x in (("left", 0.0), ("right", 1.0)):
        b.body(name, 1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        b.joint(name + "_hinge", "revolute", "base", name, position=(x, 0, 0), axis="y")
    b.body("coupler", 1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    b.joint("coupler_hinge", "revolute", "left", "coupler", position=(0, 0, -1), axis="y")
    end, tip = np.eye(4), np.eye(4)
    end[:3, 3], tip[:3, 3] = (1.0, 0.0, 0.0), (0.0, 0.0, -1.0)
    b.close_loop("spherical", "coupler", end, "right", tip, constraint=constraint)
    return b.build()


@pytest.mark.parametrize("integrator", [TIGHT, "gauss", "radau"], ids=str)
def test_parts_and_loops_together(integrator: Any) -> None:
    found = []
    for constraint in (False, True):
        m = linkage(constraint)
        sim = Simulation(m, dt=1e-2, integrator=integrator)
        nail = sim.add(ts.constraint.Nail(("base", (0.2, 0.3, 0.1)), name="nail"))
        lock = sim.add(ts.constraint.JointMotion("coupler_hinge", name="lock"))
        run = sim.run(duration=0.5)
        run.energy.check(1e-6)
        for part in (nail, lock):
            assert np.abs(run.parts[part.name].gap).max() < 1e-9
        found.append(run.q[:, :7])
    assert np.abs(found[0][-1] - found[0][0]).max() > 0.1
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)


def test_what_cannot_be_held_is_refused() -> None:
    def run(part: Any, **numbers: Any) -> None:
        sim = Simulation(free_bar(), integrator="radau", **numbers)
        sim.add(part)
        sim.run(LEANING, duration=0.1)

    with pytest.raises(ValueError, match="part 'hook' is held with a limit of force, which"):
        run(ts.constraint.Nail("bar", name="hook", limit=3.0))
    path = ts.constraint.PointOnPath("bar", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], name="rail")
    with pytest.raises(ValueError, match="part 'rail' is held on a path, which"):
        run(path)
    with pytest.raises(ValueError, match="part 'hook' is open by 1 m or rad at the start"):
        run(ts.constraint.Nail("bar", (0.0, 1.0, 0.0), name="hook"))
    sim = Simulation(free_bar(), integrator="dormand_prince")
    sim.add(ts.constraint.Nail("bar"))
    sim.add(ts.constraint.Nail("bar", (0.0, 9e-5, 0.0)))
    with pytest.raises(ValueError, match="parts are held that cannot be together"):
        sim.run(LEANING, duration=0.1)


def test_a_part_that_is_off_holds_nothing() -> None:
    sim = Simulation(free_bar(), dt=0.1, integrator="gauss")
    nail = sim.add(ts.constraint.Nail("bar"))
    nail.on = False
    run = sim.run(duration=1.0)
    assert run.q[-1, 2] == pytest.approx(-9.81 / 2, abs=1e-9)


def test_an_open_gap_turns_nothing() -> None:
    """Free bodies that meet at their centres of mass do so on a line, whatever they spin."""
    b = ts.Builder("two", gravity=(0.0, 0.0, 0.0))
    for name, mass in (("light", 1.0), ("heavy", 10.0)):
        b.body(name, mass, inertia=(0.1, 0.2, 0.3)).joint(name + "_free", "free", "world", name)
    sim = Simulation(b.build(), dt=0.02, integrator=TIGHT)
    part = sim.add(ts.constraint.PointToPoint("light", "heavy", time_constant=0.1))
    v = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, -2.0, 0.5, 1.0]
    start = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0]
    run = sim.run(start, v, duration=1.0)
    x = run.t / 0.1
    gap = np.linalg.norm(run.parts[part.name].gap, axis=-1)
    np.testing.assert_allclose(gap, (1.0 + x) * np.exp(-x), atol=1e-7)
    run.energy.check(1e-7)
