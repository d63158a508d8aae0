"""Coordinates of a joint from the pose of its child: the inverse of what a joint does.

`joint_coordinates` takes poses (…, 4, 4) of the child in the joint's frame, where the child is in
the neutral configuration, and returns the coordinates (…, nq) of the nearest pose that the joint
allows. In the core's axes: z along the axis of the joint; for a universal one x and z.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus import _core
from tarsus.arrays import Array
from tarsus.kit.rolling_coordinates import contact_of
from tarsus.model import JointView
from tarsus.spatial import quaternion_from_rotation, rpy_from_rotation

Inverse = Callable[[JointView, Array, Array], list[Array]]
"""From rotation (…, 3, 3) and position (…, 3) to coordinates, each (…, n)."""


def joint_coordinates(joint: JointView, poses: Array) -> Array:
    """Return coordinates (…, nq) from poses (…, 4, 4) in the joint's frame.

    Angles are within ±π; those of wheels on a differential base, which no pose tells, are zero.
    """
    axes = _axes(joint)
    rotation = axes.T @ poses[..., :3, :3] @ axes
    parts = INVERSES[joint.kind](joint, rotation, poses[..., :3, 3] @ axes)
    return np.concatenate(parts, axis=-1)


def _axes(joint: JointView) -> Array:
    """Return the core's axes of a joint as columns, in its frame."""
    if joint.kind == "universal":
        x, z = joint.axis, joint.second_axis
        return np.column_stack([x, np.cross(z, x), z])
    if joint.kind in ("revolute", "prismatic", "screw", "cylindrical", "planar"):
        return np.asarray(_core.axis_rotation(joint.axis))
    return np.eye(3)


def _about_z(rotation: Array) -> Array:
    """Return the angle (…, 1) of the turn about z that is nearest to a rotation."""
    r = rotation
    angle = np.arctan2(r[..., 1, 0] - r[..., 0, 1], r[..., 0, 0] + r[..., 1, 1])
    return np.asarray(angle)[..., None]


def _angle(sine: Array, cosine: Array) -> Array:
    return np.asarray(np.arctan2(sine, cosine))[..., None]


def _screw(joint: JointView, rotation: Array, position: Array) -> list[Array]:
    """Whole turns are those that bring it nearest to its place."""
    angle = _about_z(rotation)
    turns = np.round((position[..., 2:] / joint.pitch - angle) / (2.0 * np.pi))
    return [angle + 2.0 * np.pi * turns]


def _universal(joint: JointView, rotation: Array, position: Array) -> list[Array]:
    first = _angle(-rotation[..., 1, 2], rotation[..., 2, 2])
    return [first, _angle(-rotation[..., 0, 1], rotation[..., 0, 0])]


def _rolling_wheel(joint: JointView, rotation: Array, position: Array) -> list[Array]:
    heading = _angle(-rotation[..., 0, 1], rotation[..., 1, 1])
    return [position[..., :2], heading, _angle(-rotation[..., 2, 0], rotation[..., 2, 2])]


def _rolling_disc(joint: JointView, rotation: Array, position: Array) -> list[Array]:
    r = rotation
    level = np.hypot(r[..., 0, 1], r[..., 1, 1])
    heading, lean = _angle(-r[..., 0, 1], r[..., 1, 1]), _angle(r[..., 2, 1], level)
    # the contact is a radius below the centre, along the disc
    sine = np.sin(lean)
    up = np.concatenate([np.sin(heading) * sine, -np.cos(heading) * sine], axis=-1)
    contact = position[..., :2] - joint.radius * up
    return [contact, heading, lean, _angle(-r[..., 2, 0], r[..., 2, 2])]


def _rolling_cylinder(joint: JointView, rotation: Array, position: Array) -> list[Array]:
    """Whole turns are those that bring it nearest to its place."""
    r = rotation
    angle = _angle(r[..., 0, 2] - r[..., 2, 0], r[..., 0, 0] + r[..., 2, 2])
    turns = np.round((position[..., :1] / joint.radius - angle) / (2.0 * np.pi))
    return [angle + 2.0 * np.pi * turns]


def _in_plane(joint: JointView, rotation: Array, position: Array) -> list[Array]:
    return [position[..., :2], _about_z(rotation)]


INVERSES: dict[str, Inverse] = {
    "revolute": lambda joint, rotation, position: [_about_z(rotation)],
    "prismatic": lambda joint, rotation, position: [position[..., 2:]],
    "screw": _screw,
    "cylindrical": lambda joint, rotation, position: [_about_z(rotation), position[..., 2:]],
    "universal": _universal,
    "spherical": lambda joint, rotation, position: [quaternion_from_rotation(rotation)],
    "spherical_zyx": lambda joint, rotation, position: [rpy_from_rotation(rotation)[..., ::-1]],
    "planar": _in_plane,
    "translation": lambda joint, rotation, position: [position],
    "free": lambda joint, rotation, position: [position, quaternion_from_rotation(rotation)],
    "knife_edge": _in_plane,
    "rolling_wheel": _rolling_wheel,
    "rolling_disc": _rolling_disc,
    "rolling_ball": lambda joint, rotation, position: [
        position[..., :2],
        quaternion_from_rotation(rotation),
    ],
    "differential_base": lambda joint, rotation, position: [
        *_in_plane(joint, rotation, position),
        np.zeros_like(position[..., :2]),
    ],
    "rolling_cylinder": _rolling_cylinder,
    "rolling": lambda joint, rotation, position: [
        contact_of(joint, rotation, position),
        quaternion_from_rotation(rotation),
    ],
}
"""Joint kind -> its inverse."""
