"""Forces of parts in smooth motions: closed forms, energies, and a tensegrity that settles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import Array
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus import _core, integrators
from tarsus.simulation import Simulation
from tarsus.simulation.part_set import PartSet

TIGHT: list[Any] = [
    integrators.RK4(),
    integrators.Gauss(),
    integrators.DormandPrince(1e-10, 1e-11),
    integrators.Radau(1e-10, 1e-11),
    integrators.Adams(1e-11, 1e-12),
]


def name_of(integrator: Any) -> str:
    return str(integrator.name)


@pytest.mark.parametrize("integrator", TIGHT, ids=name_of)
def test_a_damped_spring(integrator: Any) -> None:
    b = ts.Builder("mass", gravity=(0.0, 0.0, 0.0))
    b.body("mass", 2.0).joint("slide", "translation", "world", "mass")
    spring = ts.forces.Spring((0.0, 0.0, 0.0), "mass", 50.0, rest_length=1.0, damping=0.8)
    sim = Simulation(b.build(), dt=1e-2, integrator=integrator, forces=[spring])
    run = sim.run([1.3, 0.0, 0.0], duration=3.0)
    decay, t = 0.8 / 4.0, run.t
    omega = np.sqrt(25.0 - decay**2)
    wave = np.cos(omega * t) + decay / omega * np.sin(omega * t)
    np.testing.assert_allclose(run.q[:, 0], 1.0 + 0.3 * np.exp(-decay * t) * wave, atol=1e-7)
    run.energy.check(1e-6)
    record = run.parts[next(iter(run.parts))]
    np.testing.assert_allclose(record.energy, 25.0 * (run.q[:, 0] - 1.0) ** 2, atol=1e-12)
    np.testing.assert_allclose(record.gap[:, 0], run.q[:, 0] - 1.0, atol=1e-12)
    assert record.work[-1] < -1.0 and run.energy.in_parts[0] == pytest.approx(2.25)


def fitted(m: ts.Model) -> list[Any]:
    """Return one of each kind of force on three bodies of a mechanism."""
    first, middle, last = m.body_names[0], m.body_names[1], m.body_names[-1]
    single = [joint.name for joint in m.joints if joint.nv == 1][:2]
    return [
        ts.forces.Support((last, (0.0, 0.0, 0.1)), 50.0, damping=0.2, height=5.0),
        ts.forces.Drag(first, 0.1, linear=0.05),
        *[ts.forces.JointSpring({name: 1.5}, 5.0, damping=0.1, limit=4.0) for name in single],
        ts.forces.Spring((first, (0.1, 0.0, 0.2)), (last, (0.0, 0.3, 0.1)), 40.0, damping=0.5),
        ts.forces.String((0.3, 0.2, 1.0), (last, (0.1, 0.1, 0.1)), 30.0, rest_length=0.1),
        ts.forces.Rubber(first, (last, (0.2, 0.0, 0.0)), 20.0, rest_length=0.2, smoothing=0.5),
        ts.forces.Damping(middle, 0.3),
        ts.forces.GravityField((0.5, -1.0, 2.0)),
        ts.forces.Wrench(last, force=(1.0, 2.0, -1.0), torque=(0.1, 0.0, 0.2)),
    ]


@pytest.mark.parametrize("seed", range(6))
def test_works_and_energies_of_all_forces_balance(seed: int) -> None:
    m = ts.robots.random_mechanism(seed, 5)
    rng = np.random.default_rng(seed)
    q, v = m.random_configuration(rng), rng.normal(size=m.nv)
    forces = fitted(m)
    options: dict[str, Any] = {"joint_friction": False, "forces": forces, "dt": 2e-3}
    fine = Simulation(m, integrator=integrators.Radau(1e-10, 1e-11), **options)
    run = fine.run(q, v, duration=0.1)
    worst = np.abs(run.energy.relative_residual).max()
    print(f"residual {worst:.1e}, {run.integration}")
    assert worst < 1e-7
    assert set(run.parts) and all(np.isfinite(each.work).all() for each in run.parts.values())
    other = Simulation(m, integrator=integrators.DormandPrince(1e-10, 1e-11), **options)
    np.testing.assert_allclose(other.run(q, v, duration=0.1).q, run.q, atol=1e-7)
    # steps of the core with contacts have their own code for the same forces
    options["dt"] = 2e-5
    steps = Simulation(m, joint_limits=False, **options).run(q, v, duration=0.02, every=100)
    np.testing.assert_allclose(steps.q[-1], run.q[10], atol=2e-4)


@pytest.mark.parametrize("seed", range(4))
def test_conservative_forces_are_gradients(seed: int) -> None:
    m = ts.robots.random_mechanism(seed, 4)
    rng = np.random.default_rng(seed)
    q, v = m.random_configuration(rng), np.zeros(m.nv)
    first, last = m.body_names[0], m.body_names[-1]
    parts = PartSet.of(
        m,
        [
            ts.forces.Spring(first, (last, (0.1, 0.2, 0.3)), 40.0, rest_length=0.2),
            ts.forces.GravityField((0.5, -1.0, 2.0)),
            ts.forces.String((2.0, 2.0, 1.0), last, 30.0, rest_length=0.1),
        ],
    )
    numbers = np.concatenate([each.row for each in parts.parts])

    def energy(step: Array) -> float:
        at = np.asarray(m.integrate(q, step))[None]
        return float(_core.part_forces(m, parts.core, numbers, at, v[None])[1][0, 0::14].sum())

    tau = _core.part_forces(m, parts.core, numbers, q[None], v[None])[0][0]
    h, axes = 1e-5, np.eye(m.nv)
    slopes = [(energy(h * axis) - energy(-h * axis)) / (2 * h) for axis in axes]
    np.testing.assert_allclose(tau, -np.array(slopes), atol=1e-6, rtol=1e-6)
    # many states in lanes and one alone: the same bits
    many = m.random_configuration(rng, 11)
    speeds = rng.normal(size=(11, m.nv))
    together = _core.part_forces(m, parts.core, numbers, many, speeds)
    for k in range(11):
        alone = _core.part_forces(m, parts.core, numbers, many[k : k + 1], speeds[k : k + 1])
        np.testing.assert_array_equal(together[0][k], alone[0][0])
        np.testing.assert_array_equal(together[1][k], alone[1][0])


PLACES = np.array([[6, -15, 10], [0, -12, 10], [-1, -17, 10], [0, -18, 10], [4, -18, 10.0]])
INERTIA = np.array([0.104167, 8.35417, 8.41667])
TOP, BOTTOM = (-4.0, -0.5, 0.0), (4.0, 0.5, 0.0)
RING = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
STRINGS = (
    [(i, TOP, j, TOP) for i, j in RING]
    + [(i, (-4.0, 0.5, 0.0), j, (4.0, -0.5, 0.0)) for j, i in RING]
    + [(i, BOTTOM, j, BOTTOM) for i, j in RING]
)
"""Five sticks and fifteen strings (Schröder 1990, section 7.2): stick, point, stick, point."""


def tensegrity(smoothing: float) -> tuple[ts.Model, Array, list[Any]]:
    b = ts.Builder("tensegrity", gravity=(0.0, 0.0, 0.0))
    for i in range(5):
        b.body(f"stick_{i}", 1.0, inertia=INERTIA).joint(f"free_{i}", "free", "world", f"stick_{i}")
    turn = [0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)]
    forces: list[Any] = [ts.forces.Damping(f"stick_{i}", 10.0) for i in range(5)]
    for i, p, j, r in STRINGS:
        ends = (f"stick_{i}", p), (f"stick_{j}", r)
        forces.append(ts.forces.Rubber(*ends, 20.0, 4.0, 0.1, smoothing))
    return b.build(), np.concatenate([[*place, *turn] for place in PLACES]), forces


def sticks_alone(smoothing: float, t: float) -> Array:
    """Return the places (5, 3) of all sticks at a time, from Newton's and Euler's equations."""

    def rates(_: float, y: Array) -> Array:
        x, turn, v, omega = np.split(y, [15, 60, 75])
        x, r, v, omega = (
            x.reshape(5, 3),
            turn.reshape(5, 3, 3),
            v.reshape(5, 3),
            omega.reshape(5, 3),
        )
        force, moment = -10.0 * v, -10.0 * omega
        for i, p, j, s in STRINGS:
            arms = r[i] @ p, r[j] @ s
            apart = x[j] + arms[1] - x[i] - arms[0]
            moves = v[j] + np.cross(r[j] @ omega[j], arms[1])
            moves = moves - v[i] - np.cross(r[i] @ omega[i], arms[0])
            length = np.linalg.norm(apart)
            u = np.clip((apart @ moves / length + smoothing) / (2 * smoothing), 0.0, 1.0)
            tension = 20.0 * max(0.0, length - 4.0) * (0.1 + 0.9 * u * u * (3 - 2 * u))
            pull = tension * apart / length
            for k, arm, f in ((i, arms[0], pull), (j, arms[1], -pull)):
                force[k] += f
                moment[k] += r[k].T @ np.cross(arm, f)
        skew = np.cross(np.eye(3)[None], omega[:, None])  # rows e × ω: the columns of [ω]ᵀ
        spin = (moment - np.cross(omega, INERTIA * omega)) / INERTIA
        return np.concatenate([v.ravel(), (r @ skew).ravel(), force.ravel(), spin.ravel()])

    upright = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    start = np.concatenate([PLACES.ravel(), np.tile(upright.ravel(), 5), np.zeros(30)])
    found = solve_ivp(rates, (0.0, t), start, method="DOP853", rtol=1e-9, atol=1e-10)
    return found.y[:15, -1].reshape(5, 3)


def test_a_tensegrity_snaps_together_as_newton_says() -> None:
    m, q, forces = tensegrity(0.2)
    chosen = integrators.Radau(1e-9, 1e-10)
    run = Simulation(m, dt=0.1, integrator=chosen, forces=forces).run(q, duration=0.5)
    places = run.q[-1].reshape(5, 7)[:, :3]
    alone = sticks_alone(0.2, 0.5)
    print(np.abs(places - alone).max(), np.abs(places - PLACES).max())
    np.testing.assert_allclose(places, alone, atol=1e-6)


def test_a_tensegrity_settles_in_few_steps() -> None:
    m, q, forces = tensegrity(0.05)
    chosen = integrators.Radau(1e-5, 1e-6)
    run = Simulation(m, dt=0.5, integrator=chosen, forces=forces).run(q, duration=8.0)
    assert run.integration is not None
    print(run.integration)
    assert run.integration.steps <= 600  # 1990: 14368
    run.energy.check(1e-6)
    m, q, forces = tensegrity(0.2)
    rest = Simulation(m, dt=1.0, integrator="radau", forces=forces).run(q, duration=30.0)
    lengths = [4.0 + each.gap[-1, 0] for each in list(rest.parts.values())[5:]]
    np.testing.assert_allclose([*lengths[:5], *lengths[10:]], 4.4905, atol=2e-3)
    np.testing.assert_allclose(lengths[5:10], 4.7566, atol=3e-3)


def test_parts_of_each_state() -> None:
    b = ts.Builder("mass", gravity=(0.0, 0.0, 0.0))
    b.body("mass", 1.0).joint("slide", "prismatic", "world", "mass", axis="x")
    m = b.build()
    # its rest length is where it starts, in each state another
    spring = ts.forces.Spring((-1.0, 0.0, 0.0), "mass", 9.0)
    sim = Simulation(m, dt=0.05, integrator="radau", forces=[spring])
    run = sim.run([[0.0], [1.0]], [[1.0], [1.0]], duration=1.0)
    np.testing.assert_allclose(run.q[1] - 1.0, run.q[0], atol=1e-6)
    exact = np.sin(3.0 * run.t) / 3.0  # ω² = 9 N/m / 1 kg
    steps = Simulation(m, dt=1e-2, integrator="rk4", forces=[spring])
    controllers = (None, lambda t, q, v: np.zeros(1), ts.control.PD(m, 0.0, 0.0, period=0.05))
    for controller in controllers:
        fine = steps.run([[0.0], [1.0]], [[1.0], [1.0]], duration=1.0, controller=controller)
        np.testing.assert_allclose(fine.q[0, ::5, 0], exact, atol=1e-7)
        np.testing.assert_allclose(fine.q[1] - 1.0, fine.q[0], atol=1e-12)
    off = Simulation(m, dt=0.05, integrator="radau", forces=[spring])
    off.parts["spring1"].on = False
    np.testing.assert_allclose(off.run([0.0], [1.0], duration=1.0).q[-1], 1.0, atol=1e-9)


@pytest.mark.parametrize("integrator", ["rk4", "dormand_prince", "radau", "gauss"])
def test_motors_are_refused_by_name(integrator: str) -> None:
    b = ts.Builder("wheel").body("wheel", mass=1.0, inertia=(1, 1, 1))
    model = b.joint("axle", "revolute", "world", "wheel").build()
    drive = ts.forces.Motor("axle", 0.05, 1.0, voltage=12.0, name="drive")
    sim = ts.Simulation(model, integrator=integrator, forces=[drive])
    with pytest.raises(ValueError, match="'drive' is a motor"):
        sim.run(duration=0.1)
