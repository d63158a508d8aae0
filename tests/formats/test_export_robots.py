"""All robots of example-robot-data in other formats: read again, by Pinocchio, and by MuJoCo."""

from __future__ import annotations

import dataclasses
import warnings
from importlib import metadata
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from round_trips import Match, close, saved
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.formats.urdf import read_urdf

ROBOTS = sorted(
    Path(str(file.locate()))
    for file in metadata.files("example-robot-data") or ()
    if file.name.endswith(".urdf") and file.name != "ur3.urdf"  # without links
)
UNPHYSICAL = "inertia of body"

each_robot = pytest.mark.parametrize("file", ROBOTS, ids=lambda file: file.name)


def bare(file: Path, base: str, mimic: str = "coupled") -> ts.Model:
    """Return a robot without its shapes, which no dynamics need."""
    description = read_urdf(file, base=base, mimic=mimic)
    return ts.Model(dataclasses.replace(description, shapes=[]), strict=False)


@pytest.mark.parametrize("suffix", [".urdf", ".sdf", ".xml"])
@each_robot
def test_robots_are_the_same_when_read_again(file: Path, suffix: str, tmp_path: Path) -> None:
    model = bare(file, "free")
    other, left_out = saved(model, tmp_path / f"robot{suffix}")
    whats = {thing.what for thing in left_out}
    known = {".urdf": set(), ".xml": {"velocity limit of joint"}}
    known[".sdf"] = {"name of joint", "actuator", "name of actuator"}
    assert whats <= known[suffix] | {UNPHYSICAL, "effort limit (0) of joint"}
    tolerance = 1e-9 if UNPHYSICAL not in whats else 1e-3
    Match(model, other, left_out, shifted=False).check(states=1, tolerance=tolerance)


@each_robot
def test_limits_and_friction_are_the_same_when_read_again(file: Path, tmp_path: Path) -> None:
    model = bare(file, "fixed")
    other, left_out = saved(model, tmp_path / "robot.urdf")
    assert left_out == ()
    assert other.joint_names == model.joint_names
    for joint in model.joints:
        again = other.joint(joint.name)
        for key in ("lower", "upper", "velocity_limit", "effort_limit", "damping", "friction"):
            np.testing.assert_array_equal(getattr(again, key), getattr(joint, key))


@each_robot
def test_pinocchio_reads_the_same_robot(file: Path, tmp_path: Path) -> None:
    model = bare(file, "free", mimic="independent")
    saved(model, tmp_path / "robot.urdf")
    peer = pin.buildModelFromUrdf(str(tmp_path / "robot.urdf"))
    assert set(model.joint_names) == set(list(peer.names)[1:])
    rng = np.random.default_rng(0)
    q, at, order = model.random_configuration(rng), pin.neutral(peer), []
    for joint in model.joints:
        own = peer.joints[peer.getJointId(joint.name)]
        x = q[joint.q_slice]
        circle = (own.nq, own.nv) == (2, 1)
        at[own.idx_q : own.idx_q + own.nq] = [np.cos(x[0]), np.sin(x[0])] if circle else x
        order += range(own.idx_v, own.idx_v + own.nv)
    data = peer.createData()
    upper = np.triu(pin.crba(peer, data, at))
    expected = (upper + np.triu(upper, 1).T)[np.ix_(order, order)]
    close(model.mass_matrix(q), expected)
    v = rng.normal(size=model.nv)
    rates = np.zeros(model.nv)
    rates[order] = v
    close(model.bias_forces(q, v), pin.nonLinearEffects(peer, data, at, rates)[order])


@each_robot
def test_mujoco_compiles_the_same_robot(file: Path, tmp_path: Path) -> None:
    model = bare(file, "free", mimic="independent")
    _, left_out = saved(model, tmp_path / "robot.xml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    q = model.random_configuration(0)
    qpos, order, T = peer.qpos0.copy(), [], np.eye(model.nv)
    for joint in model.joints:
        own = peer.joint(joint.name)
        x = q[joint.q_slice]
        if joint.kind == "free":
            x = np.concatenate([x[:3], x[6:], x[3:6]])
            turn = Rotation.from_quat(q[joint.q_slice][3:]).as_matrix()
            # MuJoCo's linear velocities are in the axes of the world
            T[joint.v_slice.start : joint.v_slice.start + 3, joint.v_slice][:, :3] = turn
        qpos[own.qposadr[0] : own.qposadr[0] + joint.nq] = x
        order += range(own.dofadr[0], own.dofadr[0] + joint.nv)
    tolerance = 1e-9 if all(thing.what != UNPHYSICAL for thing in left_out) else 1e-3
    expected = mass_matrix(peer, qpos)[np.ix_(order, order)]
    close(model.mass_matrix(q), T.T @ expected @ T, tolerance)


def mass_matrix(peer: mujoco.MjModel, qpos: Array) -> Array:
    """Return MuJoCo's mass matrix, dense."""
    data = mujoco.MjData(peer)
    data.qpos[:] = qpos
    mujoco.mj_forward(peer, data)
    columns = np.zeros((peer.nv, peer.nv))
    for column, unit in zip(columns, np.eye(peer.nv), strict=True):
        mujoco.mj_mulM(peer, data, column, unit)
    return columns
