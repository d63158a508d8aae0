"""Integrators: order four is order four for every kind of joint, and events are kept in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from movers import ARM, arm
from oracle import Array

import tarsus as ts
from tarsus import _core
from tarsus.control import PD, PID
from tarsus.simulation import DormandPrince, Simulation, SimulationError, Trajectory

KINDS = sorted(_core.joint_kinds())
DURATION = 0.25


def mechanism(kind: str) -> ts.Model:
    """Return three bodies in a row, the first and the last on joints of a kind."""
    seed = KINDS.index(kind)
    return ts.robots.random_mechanism(seed, 3, [kind, "revolute", kind], springs=True)


def start(m: ts.Model) -> tuple[Array, Array]:
    rng = np.random.default_rng(7)
    return m.random_configuration(rng), 2.0 * rng.normal(size=m.nv)


def smooth(m: ts.Model, steps: int, integrator: Any = "rk4", **options: Any) -> Trajectory:
    sim = Simulation(m, dt=DURATION / steps, integrator=integrator, joint_friction=False)
    return sim.run(*start(m), duration=DURATION, **options)


def apart(m: ts.Model, a: Trajectory, b: Trajectory) -> float:
    """Return how far two runs end from each other."""
    step = np.abs(a.q[-1] - b.q[-1]).max()
    return float(max(step, np.abs(a.v[-1] - b.v[-1]).max()))


@pytest.mark.parametrize("kind", KINDS)
def test_order_four_for_every_joint(kind: str) -> None:
    m = mechanism(kind)
    fine = smooth(m, 1024)
    errors = [apart(m, smooth(m, steps), fine) for steps in (32, 64, 128)]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    print(f"{kind}: errors {errors}, orders {orders}")
    assert errors[-1] < 1e-5
    assert (orders > 3.7).all() or errors[0] < 1e-11
    other = apart(m, fine, smooth(m, 64, "gauss"))
    worst = float(np.abs(fine.energy.relative_residual).max())
    print(f"  ledger {worst:.1e}, off from Gauss by {other:.1e}")
    assert worst < 1e-8
    assert other < 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_adaptive_steps_meet_their_tolerance(kind: str) -> None:
    m = mechanism(kind)
    fine = smooth(m, 1024)
    adaptive = smooth(m, 16, DormandPrince(1e-10, 1e-11))
    sparse = smooth(m, 1, DormandPrince(1e-10, 1e-11))
    off = apart(m, adaptive, fine)
    print(f"{kind}: off by {off:.1e}, dense output by {apart(m, adaptive, sparse):.1e}")
    assert off < 1e-7
    np.testing.assert_allclose(adaptive.q, fine.q[::64], atol=1e-6)  # the dense output between
    np.testing.assert_allclose(sparse.q[-1], adaptive.q[-1], atol=1e-13)
    assert np.abs(adaptive.energy.relative_residual).max() < 1e-6


def test_semi_implicit_euler_is_of_order_one() -> None:
    m, v0 = arm(), np.ones(4)
    fine = Simulation(m, dt=1e-4, integrator="rk4").run(ARM, v0, duration=0.4)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        run = Simulation(m, dt=dt).run(ARM, v0, duration=0.4)
        errors.append(float(np.abs(run.q[-1] - fine.q[-1]).max()))
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    print(f"errors {errors}, ratios {ratios}")
    np.testing.assert_allclose(ratios, 2.0, atol=0.2)


def test_explicit_euler_gains_energy_and_semi_implicit_does_not() -> None:
    b = ts.Builder("oscillator", gravity=(0.0, 0.0, 0.0))
    b.body("mass", 1.0)
    b.joint("spring", "prismatic", "world", "mass", axis="x", stiffness=100.0)
    m = b.build()
    ends = {}
    for name in ("semi_implicit", "explicit"):
        run = Simulation(m, dt=1e-2, integrator=name).run([0.1], duration=3.0)
        ends[name] = float(run.energy.kinetic[-1] + run.energy.elastic[-1]) / 0.5
        print(f"{name}: {ends[name]:.3f} of the energy is there after 3 s")
    assert ends["explicit"] > 5.0
    assert 0.85 < ends["semi_implicit"] < 1.15


@pytest.mark.parametrize("name", ["rk4", "dormand_prince", "radau", "gauss", "adams"])
def test_batches_are_states_by_themselves(name: str) -> None:
    m = mechanism("free")
    rng = np.random.default_rng(0)
    q, v = m.random_configuration(rng, 3), rng.normal(size=(3, m.nv))
    sim = Simulation(m, dt=5e-3, integrator=name, joint_friction=False)
    run = sim.run(q, v, duration=0.1)
    assert run.q.shape == (3, 21, m.nq) and run.energy.kinetic.shape == (3, 21)
    for k in range(3):
        alone = sim.run(q[k], v[k], duration=0.1)
        np.testing.assert_array_equal(run.q[k], alone.q)
        np.testing.assert_array_equal(run.energy.rows[k], alone.energy.rows)
    one = sim.run(q[:1], v[:1], duration=0.1)
    assert one.q.shape == (1, 21, m.nq)


@pytest.mark.parametrize("name", ["rk4", "dormand_prince", "radau", "gauss", "adams"])
def test_controllers_in_smooth_runs(name: str) -> None:
    m = arm()
    always, held = PD(m, 20.0, 0.5, ARM), PD(m, 20.0, 0.5, ARM, period=0.01)
    fine = Simulation(m, dt=1e-4, integrator="rk4").run(ARM + 0.2, duration=0.2, controller=always)
    sim = Simulation(m, dt=2e-3, integrator=name)
    run = sim.run(ARM + 0.2, duration=0.2, controller=always)
    np.testing.assert_allclose(run.q[-1], fine.q[-1], atol=1e-6)
    np.testing.assert_allclose(run.tau, [always(0.0, *x) for x in zip(run.q, run.v, strict=True)])
    run.energy.check(1e-6)
    slow = sim.run(ARM + 0.2, duration=0.2, controller=held)
    steps = slow.tau[1:].reshape(-1, 5, 4)
    assert (steps == steps[:, :1]).all() and (np.diff(steps[:, 0], axis=0) != 0.0).any()
    in_core = Simulation(m, dt=1e-4).run(ARM + 0.2, duration=0.2, controller=held)
    off = np.abs(slow.q[-1] - in_core.q[-1]).max()
    print(f"{name}: held efforts, off from Euler by {off:.1e}")
    assert off < 1e-3
    again = PID(m, 50.0, 10.0, 5.0, ARM, period=0.01)
    first = sim.run(ARM + 0.2, duration=0.1, controller=again)
    np.testing.assert_array_equal(first.q, sim.run(ARM + 0.2, duration=0.1, controller=again).q)


def test_smooth_runs_that_explode_say_so() -> None:
    sim = Simulation(arm(), dt=1e-2, integrator="rk4", effort_limits=False)
    with np.errstate(all="ignore"), pytest.raises(SimulationError) as caught:
        sim.run(ARM, duration=1.0, controller=lambda t, q, v: 1e6 * v + 1.0)
    print(caught.value)
    assert caught.value.trajectory is not None or "controller" in caught.value.cause


def test_joint_friction_in_smooth_runs() -> None:
    b = ts.Builder("wheel", gravity=(0.0, 0.0, 0.0))
    b.body("wheel", 1.0, inertia=(0.3, 0.3, 0.5))
    b.joint("axle", "revolute", "world", "wheel", axis="z", friction=0.2, damping=0.1)
    run = Simulation(b.build(), dt=1e-3, integrator="rk4").run(v0=[2.0], duration=1.0)
    exact = (2.0 + 2.0) * np.exp(-0.2 * run.t) - 2.0  # 0.5 v̇ = −0.1 v − 0.2
    np.testing.assert_allclose(run.v[:, 0], exact, atol=1e-10)
    run.energy.check(1e-10)
    assert run.energy.joint_friction[-1] < -0.2 and run.energy.damping[-1] < -0.2
