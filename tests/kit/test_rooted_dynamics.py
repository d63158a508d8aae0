"""A machine on a root moves as the one that floats does with its foot held by the ground."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
import pytest
from floaters import FEET, random_floater, walker

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.model.description import KINDS
from tarsus.robots.load import EXAMPLES, FOLDER

HELD = {"fixed": range(6), "spherical": range(3), "revolute": (0, 1, 2, 3, 5)}
"""Rows of a frame's velocity that a root joint takes away; a pin is about y."""


def held_dynamics(
    model: ts.Model, q: Array, v: Array, tau: Array, frame: str, rows: Any
) -> tuple[Array, Array]:
    """Return accelerations and the wrench on a frame, in its axes, by one dense system."""
    rows = list(rows)
    jacobian = model.frame_jacobian(q, frame)[rows]
    drift = model.frame_acceleration(q, v, np.zeros(model.nv), frame)[rows]
    if model.constraints:
        raise AssertionError("the oracle knows no other constraints")
    bias = model.inverse_dynamics(q, v, np.zeros(model.nv))
    n, r = model.nv, len(rows)
    system = np.block([[model.mass_matrix(q), -jacobian.T], [jacobian, np.zeros((r, r))]])
    solved = np.linalg.solve(system, np.concatenate([tau - bias, -drift]))
    wrench = np.zeros(6)
    wrench[rows] = solved[n:]
    return solved[:n], wrench


def efforts(rooted: ts.Rooted, q: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return efforts of drives as each model counts them, by their power."""
    others = rng.normal(size=rooted.original.nv) * rooted.original.driven
    return rooted.original_jacobian(q).T @ others, others


@pytest.mark.parametrize("kind", HELD)
@pytest.mark.parametrize("name", ["walker", *FEET, "tree"])
def test_accelerations_and_reactions_are_those_of_held_feet(name: str, kind: str) -> None:
    foot = {"walker": "left_sole", "tree": "body_5", **FEET}[name]
    if name in FEET:
        pytest.importorskip("pinocchio")  # whose package of robots these are
        model = ts.robots.load.example(name)
    else:
        kinds = [each for each in KINDS if "roll" not in each and each != "knife_edge"]
        kinds.remove("differential_base")
        model = walker() if name == "walker" else random_floater(3, 9, kinds=kinds)
    rooted = model.rooted_at(foot, kind, **({"axis": "y"} if kind == "revolute" else {}))
    rng = np.random.default_rng(5)
    q, v = rooted.random_configuration(rng), rng.normal(size=rooted.nv)
    tau, tau_there = efforts(rooted, q, rng)
    there = rooted.to_original(q, v)
    a_there, wrench = held_dynamics(model, there.q, there.v, tau_there, foot, HELD[kind])
    a = rooted.forward_dynamics(q, v, tau)
    scale = 1.0 + np.abs(a_there).max()
    for body in model.description.bodies:
        if body.name in rooted.frame_names:
            expected = model.frame_acceleration(there.q, there.v, a_there, body.name)
            found = rooted.frame_acceleration(q, v, a, body.name)
            np.testing.assert_allclose(found, expected, atol=1e-8 * scale)
    reaction = rooted.reaction(q, v, a)
    turned = model.frame_pose(there.q, foot)[:3, :3]
    size = 1.0 + np.abs(wrench).max()
    np.testing.assert_allclose(reaction.force, turned @ wrench[:3], atol=1e-8 * size)
    np.testing.assert_allclose(reaction.moment, turned @ wrench[3:], atol=1e-8 * size)


def test_accelerations_are_those_of_pinocchio_with_a_contact() -> None:
    pin = pytest.importorskip("pinocchio")
    model = ts.robots.load.example("bolt")
    package = importlib.metadata.distribution("example-robot-data")
    file = str(package.locate_file(f"{FOLDER}/{EXAMPLES['bolt'][0]}"))
    peer = pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer())
    data = peer.createData()
    frame = peer.frames[peer.getFrameId("FL_FOOT")]
    contact = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_6D, peer, frame.parentJoint, frame.placement
    )
    contact.reference_frame = pin.ReferenceFrame.LOCAL
    rooted = model.rooted_at("FL_FOOT")
    rng = np.random.default_rng(0)
    q, v = rooted.random_configuration(rng), rng.normal(size=rooted.nv)
    tau, tau_there = efforts(rooted, q, rng)
    there = rooted.to_original(q, v)
    peer_q, peer_v = ts.convert.to_pinocchio(model, there.q, there.v, peer=peer)
    _, peer_tau = ts.convert.to_pinocchio(model, there.q, tau_there, peer=peer)
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(contact)
    datas.append(contact.createData())
    pin.initConstraintDynamics(peer, data, models, datas)
    settings = pin.ProximalSettings(1e-14, 0.0, 1)
    pin.constraintDynamics(peer, data, peer_q, peer_v, peer_tau, models, datas, settings)
    a = rooted.forward_dynamics(q, v, tau)
    for joint in rooted.joints:
        index = peer.joints[peer.getJointId(joint.name)].idx_v
        np.testing.assert_allclose(a[joint.v_slice], data.ddq[index], rtol=1e-8, atol=1e-8)
    turned = model.frame_pose(there.q, "FL_FOOT")[:3, :3]
    force = turned @ datas[0].contact_force.linear
    np.testing.assert_allclose(rooted.reaction(q, v, a).force, force, rtol=1e-7)


@pytest.mark.parametrize("kind", ["weld", "spherical"])
def test_motions_are_those_of_held_feet(kind: str) -> None:
    model = walker()
    joint = "fixed" if kind == "weld" else "spherical"
    rooted = model.rooted_at("left_sole", joint)
    rng = np.random.default_rng(1)
    q, v = rooted.neutral(), 0.3 * rng.normal(size=rooted.nv)
    for knee in ("left_knee", "right_knee"):
        q[rooted.joint(knee).q_slice] = 0.6
    start = rooted.to_original(q, v)
    stands = ts.held(model, "left_sole", start.q, kind=kind)
    end = ts.flow(rooted, q, v, duration=0.3, rtol=1e-12, atol=1e-13)
    other = ts.flow(stands, start.q, start.v, duration=0.3, rtol=1e-12, atol=1e-13)
    there = rooted.to_original(end.q, end.v)
    np.testing.assert_allclose(model.difference(other.q, there.q), 0.0, atol=1e-9)
    np.testing.assert_allclose(there.v, other.v, atol=1e-8)


@pytest.mark.parametrize("kinds", [("fixed", "weld"), ("spherical", "spherical")])
def test_double_support_is_one_foot_at_the_root_and_one_held(kinds: tuple[str, str]) -> None:
    model = walker()
    rooted = model.rooted_at("left_sole", kinds[0])
    q = rooted.neutral()
    for knee in ("left_knee", "right_knee"):
        q[rooted.joint(knee).q_slice] = 0.6
    both = ts.held(rooted, "right_sole", q, kind=kinds[1])
    start = rooted.to_original(q)
    floats = ts.held(model, ["left_sole", "right_sole"], start.q, kind=kinds[1])
    rng = np.random.default_rng(2)
    # velocities that both feet allow
    _, _, rows = np.linalg.svd(both.constraint_jacobian(q))
    free = rows[np.linalg.matrix_rank(both.constraint_jacobian(q)) :]
    v = free.T @ rng.normal(size=len(free))
    tau, tau_there = efforts(rooted, q, rng)
    there = rooted.to_original(q, v)
    a = both.forward_dynamics(q, v, tau)
    a_there = floats.forward_dynamics(there.q, there.v, tau_there)
    for name in ("trunk", "left_shank", "right_thigh", "right_toe"):
        np.testing.assert_allclose(
            both.frame_acceleration(q, v, a, name),
            floats.frame_acceleration(there.q, there.v, a_there, name),
            atol=1e-9,
        )
    end = ts.flow(both, q, v, duration=0.1)
    other = ts.flow(floats, there.q, there.v, duration=0.1)
    found = rooted.to_original(end.q, end.v)
    np.testing.assert_allclose(model.difference(other.q, found.q), 0.0, atol=1e-8)


def test_a_machine_at_rest_presses_with_its_weight_below_its_centre_of_mass() -> None:
    model = walker()
    slope = 0.2
    at = ts.spatial.pose((1.0, 2.0, 0.3), ts.spatial.rotation_from_rpy((0.0, slope, 0.5)))
    rooted = model.rooted_at("left_sole", at=at)
    q = rooted.random_configuration(3, 4)
    zero = np.zeros(rooted.nv)
    found = rooted.reaction(q, zero, zero)
    weight = 9.81 * sum(body.mass for body in model.description.bodies)
    np.testing.assert_allclose(found.force, [[0.0, 0.0, weight]] * 4, atol=1e-10)
    np.testing.assert_allclose(found.normal_force, weight * np.cos(slope), rtol=1e-12)
    np.testing.assert_allclose(found.friction, np.tan(slope), rtol=1e-12)
    assert not found.lifts.any()
    # the centre of pressure is on the sole, right below the centre of mass
    pressure = found.pressure @ at[:3, :3].T + at[:3, 3]
    centre = model.center_of_mass(rooted.to_original(q).q)
    np.testing.assert_allclose(pressure[:, :2], np.asarray(centre)[:, :2], atol=1e-10)
    np.testing.assert_allclose(found.pressure[:, 2], 0.0, atol=1e-12)
    np.testing.assert_allclose(found.torsion, 0.0, atol=1e-10)
    one = rooted.reaction(q[0], zero, zero)
    np.testing.assert_allclose(one.pressure, found.pressure[0], atol=1e-13)


def test_a_ball_is_pressed_where_it_touches_and_hangs_where_it_is_pulled() -> None:
    rooted = walker().rooted_at("left_sole", "rolling_ball", radius=0.1, at=np.eye(4))
    rng = np.random.default_rng(0)
    q, v = rooted.random_configuration(rng), rng.normal(size=rooted.nv)
    a = rooted.forward_dynamics(q, v, np.zeros(rooted.nv))
    found = rooted.reaction(q, v, a, normal=(0, 0, 1))
    # nothing but a force at the point of contact acts on what rolls without friction about it
    pose = rooted.frame_pose(q, "left_sole")
    touch = pose[:3, 3] - [0.0, 0.0, 0.1]
    arm = touch - pose[:3, 3]
    np.testing.assert_allclose(found.moment, np.cross(arm, found.force), atol=1e-9)
    if not found.lifts:
        np.testing.assert_allclose(pose[:3, :3] @ found.pressure, arm, atol=1e-9)
    # where the ground would have to pull, nothing presses
    pulled = rooted.reaction(q, v, a, normal=(0, 0, -np.sign(found.force[2])))
    assert pulled.lifts and np.isinf(pulled.friction) and np.isnan(pulled.pressure).all()


def test_errors_of_reactions() -> None:
    model = walker()
    rooted = model.rooted_at("left_sole")
    q, v = rooted.neutral(), np.zeros(rooted.nv)
    with pytest.raises(ValueError, match="normal is zero"):
        rooted.reaction(q, v, v, normal=(0, 0, 0))
    stands = ts.held(model, "right_sole", rooted.to_original(q).q)
    twice = stands.rooted_at("left_sole")
    with pytest.raises(ValueError, match="holds the machine, too"):
        twice.reaction(q, v, v)
