"""Cans on strings cost what friction says; elastic gears twist by the torques that they carry."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.robots.geared import HARMONIC_DRIVE_RATIO, ROTOR_AXIAL
from tarsus.scenes.robots import elastic
from tarsus.scenes.toys import CAN_MASS as MASS
from tarsus.scenes.toys import CAR_MASS


def test_each_string_pulls_the_cans_behind_it() -> None:
    scene = ts.scenes.cans(4, friction=0.4)
    run = scene.run(every=5)
    late = run.t > 1.0
    weight = 0.4 * MASS * 9.81
    pulls = [run.parts[f"string_{k}"].force[late, 0].mean() for k in range(4)]
    print(f"strings pull with {np.round(pulls, 4)} N, {weight:.4f} N a can")
    assert pulls == pytest.approx(weight * np.array([4, 3, 2, 1]), rel=5e-3)
    speed = run.v[:, run.model.joint("drive").v_slice][:, 0]
    slowing = (speed[late][0] - speed[-1]) / (run.t[-1] - run.t[late][0])
    assert slowing == pytest.approx(4 * weight / (CAR_MASS + 4 * MASS), rel=5e-3)
    assert np.abs(run.energy.relative_residual).max() < 1e-6
    assert run.unsolved.total == 0


@pytest.mark.parametrize("stiffness", [2e4, 1e5])
def test_gears_twist_by_gravity_over_their_stiffness(stiffness: float) -> None:
    scene = ts.scenes.elastic_lola(stiffness)
    run, model = scene.run(duration=4.0, every=100), scene.model
    positions, gravity = model.joint_positions(run.q[-1]), model.gravity_forces(run.q[-1])
    geared = elastic(model)
    assert len(geared) == 16
    for joint, motor in geared.items():
        angle, turn = (positions[model.joint(each).position_slice][0] for each in (joint, motor))
        twist = angle - turn / HARMONIC_DRIVE_RATIO
        load = gravity[model.joint(joint).v_slice][0]
        assert stiffness * twist == pytest.approx(-load, abs=1e-6), joint
        assert run.parts[motor].force[-1, 0] == pytest.approx(load, abs=1e-6), joint
    held = run.parts["held"]
    assert held.force[-1] == pytest.approx([0.0, 0.0, model.total_mass * 9.81], abs=1e-6)
    assert np.abs(run.v[-1]).max() < 1e-7
    assert np.abs(run.energy.relative_residual).max() < 1e-3


def test_a_motor_swings_in_its_gear() -> None:
    """√(k / N² J) behind a joint that is held; gears store what the motors lose."""
    stiffness = 2e4
    scene = ts.scenes.elastic_lola(stiffness, damping=0.0)
    model = scene.model
    own = model.joint("left_elbow_flexion_motor").v_slice
    q0 = scene.q0.copy()
    q0[model.joint("left_elbow_flexion_motor").q_slice] += 0.2
    held = ts.constraint.JointMotion("left_elbow_flexion")
    forces = [*scene.forces, held]
    sim = ts.Simulation(model, forces=forces, dt=1e-5)
    run = sim.run(q0, duration=0.05)
    rate = run.v[:, own][:, 0]
    ups = run.t[1:][(rate[:-1] < 0.0) & (rate[1:] >= 0.0)]
    found = 2 * np.pi / np.diff(ups).mean()
    # the rotor's mount is not held, but heavy beside it
    expected = np.sqrt(stiffness / (HARMONIC_DRIVE_RATIO**2 * ROTOR_AXIAL))
    print(f"motor swings at {found:.2f} rad/s, expected {expected:.2f}")
    assert found == pytest.approx(expected, rel=1e-2)
