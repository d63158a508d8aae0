"""Where the bodies of a description stand, from the definition of each joint."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.description import Body, Description, Joint, Loop


def transform(rotation: ArrayLike, position: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """A pose (4, 4)."""
    result = np.eye(4)
    result[:3, :3] = rotation
    result[:3, 3] = position
    return result


def about(axis: ArrayLike, angle: float) -> Array:
    """The pose (4, 4) after a turn by an angle [rad] about a unit axis."""
    return transform(Rotation.from_rotvec(np.asarray(axis) * angle).as_matrix())


def motion(joint: Joint, q: Array) -> Array:
    """The pose (4, 4) of a joint's child in the joint's frame."""
    axis = np.array([0.0, 0.0, 1.0]) if joint.axis is None else joint.axis
    if joint.kind == "fixed" or not len(q):
        return np.eye(4)
    if joint.kind == "free":
        return transform(Rotation.from_quat(q[3:]).as_matrix(), q[:3])
    if joint.kind == "spherical":
        return transform(Rotation.from_quat(q).as_matrix())
    if joint.kind == "prismatic":
        return transform(np.eye(3), axis * q[0])
    if joint.kind == "universal":
        assert joint.second_axis is not None
        return about(axis, q[0]) @ about(joint.second_axis, q[1])
    assert joint.kind in ("revolute", "screw")
    return transform(np.eye(3), axis * joint.pitch * q[0]) @ about(axis, q[0])


def body_poses(
    description: Description, q: Mapping[str, ArrayLike] | None = None
) -> dict[str, Array]:
    """The pose (4, 4) of every body, for the coordinates of the joints, neutral if not given."""
    poses = {WORLD: np.eye(4)}
    for joint in description.joints:
        moved = motion(joint, np.atleast_1d(np.asarray((q or {}).get(joint.name, ()))))
        poses[joint.child] = poses[joint.parent] @ joint.placement @ moved
    return poses


def gap(loop: Loop, poses: Mapping[str, Array]) -> Array:
    """The pose (4, 4) of frame b in frame a."""
    ends = poses[loop.body_a] @ loop.placement_a, poses[loop.body_b] @ loop.placement_b
    return np.linalg.inv(ends[0]) @ ends[1]


def joint_of(description: Description, name: str) -> Joint:
    return next(joint for joint in description.joints if joint.name == name)


def body_of(description: Description, name: str) -> Body:
    return next(body for body in description.bodies if body.name == name)
