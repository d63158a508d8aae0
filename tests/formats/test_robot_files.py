"""The 69 robots of example-robot-data, read and compared with Pinocchio's reading of them."""

from __future__ import annotations

from collections import defaultdict
from importlib import metadata
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import tarsus as ts
from tarsus._lib.errors import WORLD
from tarsus.formats.urdf import read_urdf
from tarsus.model.description import Body, Description

FILES = sorted(
    Path(str(file.locate()))
    for file in metadata.files("example-robot-data") or ()
    if file.name.endswith(".urdf")
)
EMPTY = {"ur3.urdf"}  # a robot without links, which Pinocchio refuses
ROBOTS = [file for file in FILES if file.name not in EMPTY]
COUPLED = {  # with the number of joints that mimic others
    "baxter.urdf": 2,
    "panda.urdf": 1,
    "panda_collision.urdf": 1,
    "pr2.urdf": 10,
    "romeo.urdf": 22,
    "talos_full_v2.urdf": 12,
    "talos_full_v2_box.urdf": 12,
    "tiago_pro.urdf": 10,
}
LOST = {"alex_psyonic_hands.urdf": 8}  # these mimic joints that do not exist

each_robot = pytest.mark.parametrize("file", ROBOTS, ids=lambda file: file.name)
each_base = pytest.mark.parametrize("base", ["fixed", "free"])


def read(file: Path, base: str = "fixed") -> Description:
    return read_urdf(file, base=base, mimic="independent")


def read_with_pinocchio(file: Path, base: str) -> pin.Model:
    if base == "free":
        return pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    return pin.buildModelFromUrdf(str(file))


def moving_parts(description: Description) -> dict[str, tuple[str, pin.SE3]]:
    """Body -> the moving body (or the world) that carries it, and its pose there."""
    parts = {WORLD: (WORLD, pin.SE3.Identity())}
    for joint in description.joints:
        carrier, pose = parts[joint.parent]
        fixed = joint.kind == "fixed"
        at = (carrier, pose * pin.SE3(joint.placement))
        parts[joint.child] = at if fixed else (joint.child, pin.SE3.Identity())
    return parts


def spatial_inertia(body: Body) -> np.ndarray:
    """The inertia (6, 6) at the origin of the body, linear first."""
    arm = body.mass * pin.skew(body.com)
    at_origin = body.inertia - arm @ pin.skew(body.com)
    return np.block([[body.mass * np.eye(3), -arm], [arm, at_origin]])


def test_there_are_69_files() -> None:
    assert len(FILES) == 69


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_joints_that_mimic_others_are_coupled(file: Path) -> None:
    description = read_urdf(file)
    assert len(description.couplings) == COUPLED.get(file.name, 0)
    joints = {joint.name: joint for joint in description.joints}
    for coupling in description.couplings:
        for name in (*coupling.leaders, *coupling.followers):
            assert joints[name].kind in ("revolute", "prismatic")
    lost = [text for text in description.warnings if "which does not exist" in text]
    assert len(lost) == LOST.get(file.name, 0)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_meshes_are_found(file: Path) -> None:
    description = read(file)
    missing = [warning for warning in description.warnings if "mesh files" in warning]
    if file.name == "romeo_laas_small.urdf":  # names files of another machine
        assert len(missing) == 1
    else:
        assert missing == []
        for shape in description.shapes:
            assert shape.file is None or Path(shape.file).is_file()


@each_base
@each_robot
def test_joints_have_the_order_of_pinocchio(file: Path, base: str) -> None:
    description, peer = read(file, base), read_with_pinocchio(file, base)
    moving = [joint.name for joint in description.joints if joint.kind != "fixed"]
    assert moving == list(peer.names)[1:]


@each_base
@each_robot
def test_inertias_and_placements_are_those_of_pinocchio(file: Path, base: str) -> None:
    description, peer = read(file, base), read_with_pinocchio(file, base)
    parts = moving_parts(description)
    totals: dict[str, np.ndarray] = defaultdict(lambda: np.zeros((6, 6)))
    for body in description.bodies:
        carrier, pose = parts[body.name]
        back = pose.toActionMatrixInverse()
        totals[carrier] += back.T @ spatial_inertia(body) @ back
    for joint in description.joints:
        if joint.kind == "fixed":
            continue
        index = peer.getJointId(joint.name)
        expected = peer.inertias[index].matrix()
        scale = max(1e-3, np.abs(expected).max())
        np.testing.assert_allclose(totals[joint.child], expected, rtol=1e-10, atol=1e-12 * scale)
        carrier, pose = parts[joint.parent]
        placement = pose * pin.SE3(joint.placement)
        np.testing.assert_allclose(
            placement.homogeneous, peer.jointPlacements[index].homogeneous, atol=1e-12
        )


def stated(value: np.ndarray | None, default: float) -> float:
    return default if value is None else float(value[0])


@each_robot
def test_axes_limits_and_damping_are_those_of_pinocchio(file: Path) -> None:
    description, peer = read(file), read_with_pinocchio(file, "fixed")
    pin.computeJointJacobians(peer, data := peer.createData(), pin.neutral(peer))
    for joint in description.joints:
        if joint.kind == "fixed":
            continue
        peer_joint = peer.joints[index := peer.getJointId(joint.name)]
        q, v = peer_joint.idx_q, peer_joint.idx_v
        jacobian = pin.getJointJacobian(peer, data, index, pin.LOCAL)[:, v]
        axis = jacobian[3:] if joint.kind == "revolute" else jacobian[:3]
        np.testing.assert_allclose(joint.axis, axis, atol=1e-12)
        if peer_joint.nq == 1:
            limits = np.array([peer.lowerPositionLimit[q], peer.upperPositionLimit[q]])
            limits[np.abs(limits) >= 1e16] *= np.inf  # such limits of iris stand for none
            assert [joint.lower, joint.upper] == limits.tolist()
        assert stated(joint.velocity_limit, np.inf) == peer.upperVelocityLimit[v]
        assert stated(joint.effort_limit, np.inf) == peer.upperEffortLimit[v]
        assert stated(joint.damping, 0.0) == peer.damping[v]
        assert stated(joint.friction, 0.0) == peer.upperDryFrictionLimit[v]


def pinocchio_configuration(peer: pin.Model, names: list[str], q: np.ndarray) -> np.ndarray:
    """The same configuration with cosine and sine for joints that turn without limits."""
    parts, at = [], 0
    for name in names:
        joint = peer.joints[peer.getJointId(name)]
        circle = (joint.nq, joint.nv) == (2, 1)
        size = 1 if circle else joint.nq
        own = q[at : at + size]
        parts.append(np.array([np.cos(own[0]), np.sin(own[0])]) if circle else own)
        at += size
    assert at == len(q)
    return np.concatenate(parts) if parts else np.zeros(0)


@each_base
@each_robot
def test_dynamics_are_those_of_pinocchio(file: Path, base: str) -> None:
    # files state inertias that are slightly unphysical, which only `strict` refuses
    model, peer = ts.Model(read(file, base), strict=False), read_with_pinocchio(file, base)
    data = peer.createData()
    rng = np.random.default_rng(1)
    q = model.random_configuration(rng)
    v, a = rng.normal(size=(2, model.nv))
    peer_q = pinocchio_configuration(peer, list(peer.names)[1:], q)
    assert model.nv == peer.nv

    def close(actual: np.ndarray, expected: np.ndarray) -> None:
        scale = max(1.0, np.abs(expected).max(initial=0.0))
        np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10 * scale)

    close(model.inverse_dynamics(q, v, a), pin.rnea(peer, data, peer_q, v, a))
    expected = np.triu(pin.crba(peer, data, peer_q))
    close(model.mass_matrix(q), expected + np.triu(expected, 1).T)
    pin.framesForwardKinematics(peer, data, peer_q)
    for body in read(file).bodies:
        if model.nv and peer.existFrame(body.name, pin.BODY):
            pose = data.oMf[peer.getFrameId(body.name, pin.BODY)]
            close(model.frame_pose(q, body.name), pose.homogeneous)
