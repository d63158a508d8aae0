"""The quadruped trots and jumps, and flies: scenarios of Ayit (2015), section 5.4.

The references are fitted to what the thesis reports (0.9 m, 2.2 m), so these are regressions of a
recipe; what needs no fit is tested as such: ballistic flight, loads, feet without load.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tarsus_lab.reproduce.contact_runs import summary
from tarsus_lab.reproduce.contact_trot import angles

import tarsus as ts
from tarsus.robots.quadrupeds import LEGS, quadruped, standing
from tarsus.walking.plans import TROT


def perturbed_run(scene: ts.scenes.Scene, count: int = 16, **options: Any) -> ts.Trajectory:
    """Run a scene from `count` starts a nanoradian apart, whose chaotic motions differ.

    A step in 100,000 may stay unsolved: Coulomb's problem is not convex. Each is reported.
    """
    starts = np.tile(scene.q0, (count, 1))
    starts[:, 7:] += 1e-9 * np.random.default_rng(0).normal(size=starts[:, 7:].shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ts.ConvergenceWarning)
        run = scene.but(q0=starts).run(**options)
    assert run.unsolved.total <= 1e-5 * count * run.duration / scene.dt
    return run


@pytest.mark.parametrize("pitch", [0.7, 0.35])
def test_trot(pitch: float) -> None:
    """The mean of several starts: feet that bounce make the distance of one a matter of chance."""
    run = perturbed_run(ts.scenes.trot(pitch=pitch), record=("q", "contacts"), every=10)
    tilt = np.abs(angles(run.q)[..., :2]).max(axis=(1, 2))
    load = run.contacts.ground_force()[:, 200:, 2].mean(axis=1)
    (x, y), (dx, dy) = run.q[:, -1, :2].mean(axis=0), run.q[:, -1, :2].std(axis=0)
    print(f"φ₃ = ±{pitch}: x {x:.3f} m ± {dx:.3f}, y {y:.3f} m ± {dy:.3f}")
    print(
        f"tilt {tilt.mean():.2f}° ± {tilt.std():.2f}, load {load.mean():.1f} N ± {load.std():.1f}"
    )
    assert 0.75 < x < 1.05, "0.935 m are planned"
    assert abs(y) < 0.2
    assert tilt.mean() < 5.0
    assert load.mean() == pytest.approx(949.608, rel=0.01)


def test_diagonal_feet_take_turns() -> None:
    """A foot carries weight in its stance, and next to none in the middle of its swing.

    With the gains of the thesis the legs are springs without damping, so that the feet bounce and
    the motion is chaotic: the mean of several starts is compared.
    """
    run = perturbed_run(ts.scenes.trot(), duration=6.0, record=("q", "contacts"))
    walking = run.t > 2.0
    phase = (run.t[walking] - 1.0) / 0.5
    _, swing = TROT.strides(phase)
    for k, leg in enumerate(TROT.legs):
        load = run.contacts.force_on(f"{leg}_foot")[:, walking, 2]
        in_air, stance = (swing[:, k] > 0.3) & (swing[:, k] < 0.7), swing[:, k] >= 1.0
        air, ground = load[:, in_air].mean(axis=1), load[:, stance].mean(axis=1)
        print(
            f"{leg}: {air.mean():.1f} N ± {air.std():.1f} in the air, "
            f"{ground.mean():.0f} N ± {ground.std():.0f} in stance"
        )
        assert air.mean() < 0.2 * ground.mean()
        assert ground.mean() > 300.0, "two legs carry most of the weight"


def test_trot_with_a_preview_of_the_zero_moment_point() -> None:
    run = perturbed_run(ts.scenes.trot(preview=True), record=("q",), every=200)
    (x, y), (dx, dy) = run.q[:, -1, :2].mean(axis=0), run.q[:, -1, :2].std(axis=0)
    print(f"x {x:.3f} m ± {dx:.3f}, y {y:.3f} m ± {dy:.3f}")
    assert 0.6 < x < 1.2
    assert abs(y) < 0.3


def test_jump() -> None:
    found = summary(ts.scenes.jump())
    run = found.run
    z = run.model.center_of_mass(run.q)[:, 2]
    total = run.contacts.ground_force()[:, 2]
    top = int(run.q[:, 2].argmax())
    left = int(np.flatnonzero(total[:top] > 0.0)[-1]) + 1
    speed = (z[left + 1] - z[left - 1]) / 1e-3
    ballistic = z[left] + speed**2 / (2 * 9.81)
    push = max(run.contacts.force_on(f"{leg}_foot")[:left, 2].max() for leg in LEGS)
    print(
        f"apex {found.apex:.3f} m, centre of mass {z.max():.4f} m (ballistic {ballistic:.4f} m), "
        f"push {push / 1e3:.1f} kN, end {found.end[2]:.3f} m"
    )
    assert found.apex == pytest.approx(2.2, abs=0.3)
    assert z[left:].max() == pytest.approx(ballistic, rel=0.01)
    assert push < 15e3
    assert not found.failure


def test_free_flight_keeps_energy_and_momentum() -> None:
    """Half a second by RK4, without torques and friction: Δp = −96.8 · 9.81 · 0.5 N s."""
    text = quadruped().description
    joints = [replace(joint, damping=None, friction=None) for joint in text.joints]
    m = ts.Model(replace(text, joints=joints))
    rng = np.random.default_rng(0)
    q = standing(m, clearance=2.0)
    q[7:] += rng.uniform(-0.3, 0.3, 16)
    v = 0.5 * rng.normal(size=m.nv)
    run = ts.Simulation(m, ground=None, dt=1e-3, integrator="rk4").run(q, v, duration=0.5)
    energies = m.kinetic_energy(run.q, run.v) + m.potential_energy(run.q)
    drift = np.abs(energies - energies[0]).max() / energies[0]
    momentum = m.total_mass * np.asarray(m.center_of_mass_velocity(run.q, run.v))
    change = momentum[-1] - momentum[0]
    print(f"energy drifts {drift:.1e}, momentum changes {change} N s")
    assert drift < 1e-10
    np.testing.assert_allclose(change, [0.0, 0.0, -474.804], atol=1e-6)
    assert np.abs(change[:2]).max() < 1e-9
