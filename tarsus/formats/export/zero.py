"""The same machine with its zero elsewhere: joints count from where its loops are closed.

Files state bodies where all joints are at zero, and many readers close loops from there. The
branch in which a loop is closed is thus said by where zero is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.mjcf_equality import Polynomial
from tarsus.formats.mjcf_joints import motion
from tarsus.model import Model
from tarsus.model.defaults import neutral
from tarsus.model.description import Coupling, Description, Joint
from tarsus.model.poses import INITIAL
from tarsus.spatial import (
    pose,
    quaternion_conjugate,
    quaternion_product,
    rotation_from_quaternion,
)

ONE = ("revolute", "prismatic", "screw")


def neutral_positions(model: Model) -> dict[str, Array]:
    """Return where all moving joints stand in the neutral configuration, with loops closed."""
    return _positions(model, model.neutral())


def initial_positions(model: Model) -> dict[str, Array]:
    """Return where all moving joints stand at the start; balls, which have no `ref`, as neutral.

    Where loops move balls, all are as neutral.
    """
    balls = [joint for joint in model.joints if joint.kind == "spherical"]
    if balls and model.description.loops:
        return neutral_positions(model)
    q, neutral = model.initial_configuration, model.neutral()
    for joint in balls:
        q[joint.q_slice] = neutral[joint.q_slice]
    return _positions(model, q)


def _positions(model: Model, q: Array) -> dict[str, Array]:
    positions = np.asarray(model.joint_positions(q))
    return {joint.name: positions[joint.position_slice] for joint in model.joints}


def moved_zero(stated: Description, positions: Mapping[str, Array]) -> Description:
    """Return the description with zero where the joints are at these positions.

    Joints of one coordinate and balls are moved; free ones start where they are.
    """
    joints = [_moved(joint, positions) for joint in stated.joints]
    couplings = [_moved_coupling(coupling, positions) for coupling in stated.couplings]
    return dataclasses.replace(stated, joints=joints, couplings=couplings)


def free_pose(joint: Joint, stated: Description, positions: Mapping[str, Array]) -> Array:
    """Return where a free body stands at first (4, 4), from the place of its joint.

    With loops it is where they are closed, without where the file said that it came from.
    """
    start = None if stated.loops else stated.metadata.get(INITIAL, {}).get(joint.name)
    if start is None:
        start = positions.get(joint.name, neutral("free"))
    at = np.asarray(start, np.float64)
    return pose(at[:3], rotation_from_quaternion(at[3:]))


def _moved(joint: Joint, positions: Mapping[str, Array]) -> Joint:
    at = positions.get(joint.name)
    if at is None or joint.kind not in (*ONE, "spherical"):
        return joint
    if joint.kind == "spherical":
        if np.array_equal(at, [0.0, 0.0, 0.0, 1.0]):
            return joint
        assert joint.rest is not None
        rest = quaternion_product(quaternion_conjugate(at), joint.rest)
        placement = joint.placement @ pose(rotation=rotation_from_quaternion(at))
        return dataclasses.replace(joint, placement=placement, rest=rest)
    if not at.any():
        return joint
    assert joint.axis is not None
    step = motion(joint.kind, joint.axis, float(at[0]))
    if joint.kind == "screw":
        step = step @ pose(joint.pitch * float(at[0]) * joint.axis)
    values = {key: getattr(joint, key) - at for key in ("lower", "upper", "rest")}
    return dataclasses.replace(joint, placement=joint.placement @ step, **values)


def _moved_coupling(coupling: Coupling, positions: Mapping[str, Array]) -> Coupling:
    names = (*coupling.leaders, *coupling.followers)
    if not all(name in positions for name in names):
        return coupling
    leaders = np.concatenate([positions[name] for name in coupling.leaders])
    followers = np.concatenate([positions[name] for name in coupling.followers])
    if coupling.kind == "linear":
        assert coupling.matrix is not None
        offset = 0.0 if coupling.offset is None else coupling.offset
        moved = offset + coupling.matrix @ leaders - followers
        return dataclasses.replace(coupling, offset=moved)
    if isinstance(coupling.function, Polynomial):
        about = coupling.function
        function = Polynomial(
            about.factors, about.first - float(followers[0]), about.second - float(leaders[0])
        )
        return dataclasses.replace(coupling, function=function)
    return coupling
