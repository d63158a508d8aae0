"""Plugins of Gazebo and elements of Drake as actuators, and back; the laws are written out here."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from sdf_texts import Write, joint, link, model

import tarsus as ts

AXIS = "<axis><xyz>0 1 0</xyz></axis>"


def plugin(title: str, *parts: str) -> str:
    return (
        f'<plugin filename="gz-sim" name="gz::sim::systems::{title}">'
        f"<joint_name>j</joint_name>{''.join(parts)}</plugin>"
    )


def tags(**numbers: float | str) -> str:
    return "".join(f"<{tag}>{value}</{tag}>" for tag, value in numbers.items())


def machine(write: Write, *plugins: str, inner: str = "") -> ts.Model:
    parts = [link("a"), link("b"), joint("k", "prismatic", "world", "a", AXIS)]
    text = model(*parts, joint("j", "revolute", "a", "b", AXIS + inner), *plugins)
    return ts.load(write(text, "machine.sdf"))


def samples(m: ts.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return states and controls, large enough to reach limits, and where joint j is."""
    q, v, u = np.random.default_rng(0).normal(scale=3.0, size=(3, 200, 2))
    return q, v, u[:, : m.nu], m.joint("j").v_slice.start


def test_position_controllers_are_servos_with_the_gains_of_gazebo(write: Write) -> None:
    given = tags(p_gain=40, i_gain=0, d_gain=2, cmd_max=90, cmd_min=-30, cmd_offset=5)
    m = machine(write, plugin("JointPositionController", given))
    q, v, u, at = samples(m)
    expected = np.clip(40 * (u[:, 0] - q[:, at]) - 2 * v[:, at] + 5, -30, 90)
    assert m.actuator_names == ("j",) and m.warnings == ()
    np.testing.assert_allclose(m.actuation(q, v, u)[:, at], expected, atol=1e-12)
    assert (m.actuation(q, v, u)[:, 1 - at] == 0.0).all()


def test_defaults_are_those_of_gazebo_and_integral_gains_are_told(write: Write) -> None:
    m = machine(write, plugin("JointPositionController"))
    (drive,) = m.actuators
    np.testing.assert_array_equal(drive.bias, [0.0, -1.0, -0.01])
    np.testing.assert_array_equal(drive.force_range, [-1000.0, 1000.0])
    assert m.warnings == ("left out: the integral gain 0.1 of j",)


def test_velocity_controllers_and_forces(write: Write) -> None:
    servo = plugin("JointController", tags(use_force_commands="true", p_gain=7))
    m = machine(write, servo, plugin("ApplyJointForce"))
    q, v, u, at = samples(m)
    expected = np.clip(7 * (u[:, 0] - v[:, at]), -1000, 1000) + u[:, 1]
    np.testing.assert_allclose(m.actuation(q, v, u)[:, at], expected, atol=1e-12)
    assert m.actuator_names == ("j", "j_2")


def test_trajectory_controllers_have_gains_in_the_order_of_joints(write: Write) -> None:
    text = (
        '<plugin filename="x" name="ignition::gazebo::systems::JointTrajectoryController">'
        "<joint_name>j</joint_name><joint_name>k</joint_name>"
        "<position_p_gain>3</position_p_gain><position_p_gain>5</position_p_gain>"
        "<position_d_gain>0.5</position_d_gain></plugin>"
    )
    m = machine(write, text)
    assert [each.joints for each in m.actuators] == [{"j": 1.0}, {"k": 1.0}]
    assert [each.bias.tolist() for each in m.actuators] == [[0, -3, -0.5], [0, -5, 0]]
    assert all(each.force_range is None for each in m.actuators)


def test_what_is_no_actuator_is_told(write: Write) -> None:
    wrong = plugin("ApplyJointForce").replace(">j<", ">jj<")
    m = machine(write, plugin("JointController"), plugin("DiffDrive"), wrong)
    assert m.nu == 0
    told = "\n".join(m.warnings)
    assert "JointController' of j: it sets velocities and not forces" in told
    assert "drives no joint: 'jj'" in told and "did you mean 'j'" in told
    assert "plugins (1) are not taken over: DiffDrive" in told


def test_drakes_rotors_are_felt_and_its_gear_ratios_multiply_no_effort(write: Write) -> None:
    inner = tags(**{"drake:rotor_inertia": 2e-4, "drake:gear_ratio": 100})
    m, plain = machine(write, inner=inner), machine(write)
    at = m.joint("j").v_slice.start
    here, there = (np.asarray(each.mass_matrix(each.neutral())) for each in (m, plain))
    # the reflected inertia, but for what the gear adds as a body of its own
    assert here[at, at] - there[at, at] == pytest.approx(2e-4 * 100**2, rel=0.03)
    np.testing.assert_allclose(m.actuation(m.neutral(), np.zeros(2), [3.0])[at], 3.0)


@pytest.mark.parametrize("suffix", [".sdf", ".urdf"])
def test_servos_are_the_same_when_read_again(suffix: str, tmp_path: Path) -> None:
    b = ts.Builder("two")
    for name, parent in (("a", "world"), ("b", "a")):
        b.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        b.joint(f"{name}_joint", "revolute", parent, name, axis="y")
    b.actuator("a_joint", "a_joint", "position", kp=30.0, kd=2.0, force=(-5.0, 8.0))
    b.actuator("b_joint", "b_joint", "velocity", kd=4.0)
    b.actuator("push", "b_joint", force=3.0)
    b.actuator("geared", "b_joint", "position", kp=1.0, gear=2.0)
    m = b.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ts.ExportWarning)
        left_out = ts.save(m, tmp_path / f"two{suffix}")
    told = {(each.what, each.name) for each in left_out if "actuator" in each.what}
    assert told >= {("actuator", "geared"), ("force_range of actuator", "push")}
    again = ts.load(tmp_path / f"two{suffix}", base="fixed")
    assert again.nu == 3
    q, v, u = np.random.default_rng(1).normal(scale=0.3, size=(3, 20, 3))
    u[:, 2] = np.clip(u[:, 2], -3.0, 3.0)
    order = [again.actuator_names.index(name) for name in again.actuator_names]
    names = [
        "push" if name not in ("a_joint", "b_joint") else name for name in again.actuator_names
    ]
    given = np.zeros((20, m.nu))
    given[:, [m.actuator_names.index(name) for name in names]] = u[:, order]
    geared = m.actuator_names.index("geared")
    given[:, geared] = 2.0 * q[:, 1]  # where it pushes nothing
    expected = m.actuation(q[:, :2], v[:, :2], given)
    np.testing.assert_allclose(again.actuation(q[:, :2], v[:, :2], u), expected, atol=1e-12)
