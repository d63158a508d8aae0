"""Robots whose joints mimic others, as models: compared with Pinocchio's reading of the tree."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import tarsus as ts
from tarsus._lib.files import Array

NAMES = ["baxter", "panda", "panda_collision", "pr2", "romeo", "talos_full_v2"]
NAMES += ["talos_full_v2_box", "tiago_pro"]
FILES = {
    file.name.removesuffix(".urdf"): Path(str(file.locate()))
    for file in metadata.files("example-robot-data") or ()
    if file.name.removesuffix(".urdf") in NAMES
}
each_robot = pytest.mark.parametrize("name", NAMES)
each_base = pytest.mark.parametrize("base", ["fixed", "free"])


def states(model: ts.Model) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(4)
    v, a = rng.normal(size=(2, model.nv))
    return model.random_configuration(rng), v, a


def close(actual: Array, expected: Array, what: str) -> None:
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    residual = np.abs(actual - expected).max(initial=0.0) / scale
    print(f"{what}: residual {residual:.1e}")
    assert residual < 1e-10


@each_robot
def test_followers_follow(name: str) -> None:
    model = ts.load(FILES[name])
    q, v, _ = states(model)
    positions, velocities = model.joint_positions(q), model.joint_velocities(q, v)
    for coupling in model.description.couplings:
        (follower,), (leader,) = coupling.followers, coupling.leaders
        assert coupling.matrix is not None
        offset = 0.0 if coupling.offset is None else coupling.offset[0]
        ends = [model.joint(joint) for joint in (follower, leader)]
        x, y = (positions[end.position_slice] for end in ends)
        np.testing.assert_allclose(x, coupling.matrix[0, 0] * y + offset, atol=1e-14)
        w, u = (velocities[end.velocity_slice] for end in ends)
        np.testing.assert_allclose(w, coupling.matrix[0, 0] * u, atol=1e-14)
        assert ends[0].dependent == "coupling"
    independent = ts.load(FILES[name], mimic="independent")
    assert model.nv == independent.nv - len(model.description.couplings)


@each_base
@each_robot
def test_inverse_dynamics_is_the_tree_projected(name: str, base: str) -> None:
    model = ts.load(FILES[name], base)
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    peer = pin.buildModelFromUrdf(str(FILES[name]), *root)
    q, v, a = states(model)
    x, w = model.joint_positions(q), model.joint_velocities(q, v)
    acceleration = model.joint_accelerations(q, v, a)
    peer_x = np.zeros(peer.nq)
    order = np.zeros(peer.nv, dtype=int)
    for joint in model.joints:
        other = peer.joints[peer.getJointId(joint.name)]
        own = x[joint.position_slice]
        circle = other.nq == 2
        peer_x[other.idx_q : other.idx_q + other.nq] = (
            [np.cos(own[0]), np.sin(own[0])] if circle else own
        )
        places = range(joint.velocity_slice.start, joint.velocity_slice.stop)
        order[other.idx_v : other.idx_v + other.nv] = places
    torque = np.zeros(peer.nv)
    torque[order] = pin.rnea(peer, peer.createData(), peer_x, w[order], acceleration[order])
    projected = model.coupling_matrix(q).T @ torque
    close(model.inverse_dynamics(q, v, a), projected, f"{name} on a {base} base")


@each_base
@pytest.mark.parametrize("name", [name for name in NAMES if name != "romeo"])
def test_forward_and_inverse_dynamics_agree(name: str, base: str) -> None:
    model = ts.load(FILES[name], base)
    q, v, tau = states(model)
    a = model.forward_dynamics(q, v, tau)
    close(model.inverse_dynamics(q, v, a), tau, f"{name} on a {base} base")


# Pinocchio does not find the leaders of romeo and talos
MIMICS = [name for name in NAMES if not name.startswith(("romeo", "talos"))]


@pytest.mark.parametrize(
    ("name", "mimic"), [*((name, False) for name in NAMES), *((name, True) for name in MIMICS)]
)
def test_states_convert_to_pinocchio_and_back(name: str, mimic: bool) -> None:
    """Pinocchio has the followers as joints of their own, or knows itself that they follow."""
    model, peer = ts.load(FILES[name]), pin.buildModelFromUrdf(str(FILES[name]), mimic=mimic)
    q, v, _ = states(model)
    q_there, v_there = ts.convert.to_pinocchio(model, q, v, peer=peer)
    pin.framesForwardKinematics(peer, data := peer.createData(), q_there)
    for body in model.bodies:
        pose = data.oMf[peer.getFrameId(body.name, pin.BODY)]
        close(model.frame_pose(q, body.name), pose.homogeneous, f"{name}, {body.name}")
    q_back, v_back = ts.convert.from_pinocchio(model, q_there, v_there, peer=peer)
    turns = (q_back - q) / (2 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-12)
    np.testing.assert_allclose(v_back, v, atol=1e-12)
