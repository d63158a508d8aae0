"""Inverse joints, reversed joints, and the coordinates of rolling joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tarsus import _core
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model.defaults import filled
from tarsus.model.description import COORDINATE_FIELDS, KINDS, ROLLING, Joint, SurfaceStatement
from tarsus.model.loop_joints import ROUNDING as ROUNDING_REVERSED_JOINTS
from tarsus.model.loop_joints import Seat
from tarsus.model.views import JointView
from tarsus.spatial import (
    adjoint,
    inverse,
    pose,
    quaternion_conjugate,
    quaternion_from_rotation,
    rotation_from_quaternion,
    rpy_from_rotation,
)

# Coordinates of a joint from the pose of its child: the inverse of what a joint does.
#
# `joint_coordinates` takes poses (…, 4, 4) of the child in the joint's frame, where the child is in
# the neutral configuration, and returns the coordinates (…, nq) of the nearest pose that the joint
# allows. In the core's axes: z along the axis of the joint; for a universal one x and z.


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


# Where a rolling body touches its ground, from its pose: the inverse of a rolling joint.
#
# The contact x, y is where x, y = p + R P(Rᵀ d(x, y)) in the plane, with the inverse Gauss map P of
# the body and d = (h_x, h_y, −1) against the ground's normal. Newton's method finds it; its slopes
# are complex steps, so the formulas here are those of P and of h_x, h_y only.


STEPS = 60
ROUNDING = 1e-15


def contact_of(joint: JointView, rotation: Array, position: Array) -> Array:
    """Return x and y (…, 2) of the contact for rotations (…, 3, 3) and positions (…, 3) [m].

    Not a number where the body touches nowhere near.
    """
    surface, ground = joint.surface, joint.ground
    assert surface is not None and ground is not None  # the joint rolls
    place = _within(ground, position[..., :2])

    def apart(place: Array) -> Array:
        point = _point(surface, _times(np.swapaxes(rotation, -1, -2), _down(ground, place)))
        return np.asarray(position[..., :2] + _times(rotation, point)[..., :2] - place)

    for _ in range(STEPS):
        miss = apart(place)
        ways = [apart(place + 1e-30j * way).imag * 1e30 for way in np.eye(2)]
        step = np.linalg.solve(np.stack(ways, axis=-1), miss[..., None])[..., 0]
        place = _within(ground, place - step)
        if not (np.abs(step) > ROUNDING * (1.0 + np.abs(place))).any():
            return place
    lost = np.abs(apart(place)).max(axis=-1, keepdims=True) > 1e-9
    return np.where(lost, np.nan, place)


def _times(matrix: Array, vector: Array) -> Array:
    return np.asarray((matrix @ vector[..., None])[..., 0])


def _point(body: SurfaceStatement, m: Array) -> Array:
    """Return P(m) (…, 3), the gradient of the support function."""

    def ellipsoid(axes: Array) -> Array:
        stretched = axes**2 * m
        return np.asarray(stretched / np.sqrt((m * stretched).sum(axis=-1, keepdims=True)))

    numbers, round_, flat = np.array(body.numbers), np.ones(3), np.array([1.0, 1.0, 0.0])
    if body.kind == "torus":
        return ellipsoid(numbers[0] * flat) + ellipsoid(numbers[1] * round_)
    return ellipsoid(numbers * (flat if body.kind == "disc" else round_))


def _down(ground: SurfaceStatement, place: Array) -> Array:
    """Return (h_x, h_y, −1) (…, 3)."""
    x, y, n = place[..., 0], place[..., 1], ground.numbers
    slopes = (0.0 * x, 0.0 * y)
    if ground.kind == "paraboloid":
        slopes = (2.0 * n[0] * x, 2.0 * n[1] * y)
    elif ground.kind == "sinusoid":
        wave = 2.0 * np.pi * n[1]
        slopes = (0.0 * x, n[0] * wave * np.cos(wave * y))
    elif ground.kind != "plane":
        half = _half_axes(ground)
        u, v = x / half[0] ** 2, y / half[1] ** 2
        over = -half[2] / np.sqrt(1.0 - x * u - y * v)
        slopes = (over * u, over * v)
    return np.stack([*slopes, -np.ones_like(x)], axis=-1)


def _within(ground: SurfaceStatement, place: Array) -> Array:
    """Return the place, or if it is beyond the edge of the ground one before the edge."""
    if ground.kind not in ("sphere", "ellipsoid"):
        return place
    out = np.sqrt(((place / _half_axes(ground)[:2]) ** 2).sum(axis=-1, keepdims=True))
    return np.where(out < 0.999, place, place * (0.999 / np.maximum(out, 0.999)))


def _half_axes(ground: SurfaceStatement) -> Array:
    return np.broadcast_to(np.array(ground.numbers), (3,))


# Joints the other way round: the child carries the parent.
#
# With T the placement and J(q) the motion of a joint, the parent is at J(q)⁻¹ T⁻¹ in its child.
# Most kinds do J⁻¹ by the same coordinates about axes that point the other way. Balls, planes and
# free joints do it by the inverse of a group, which maps velocities by its adjoint; a translation
# by minus its numbers. Each of these maps is its own inverse.


ABOUT_AXES = ("revolute", "prismatic", "screw", "cylindrical", "universal")
IN_OTHER_ORDER = ("universal", "spherical_zyx")
"""Kinds whose turns come last first."""
GROUPS = ("spherical", "planar", "free")

FRAME_OF_ANGLES = np.array([[0.0, 0.0, -1.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]])
"""Axes in which Rx(−c) Ry(−b) Rz(−a) is Rz(c) Ry(b) Rx(a)."""

ISOTROPIC = ("damping", "armature", "stiffness", "velocity_limit", "effort_limit")


def check_reversible(joint: Joint) -> None:
    """Raise unless the joint can be turned round with all that was stated about it."""
    what = f"joint {joint.name!r}"
    if joint.kind in (*ROLLING, "rolling", "knife_edge"):
        reason = f"{what} ({joint.kind}) rolls: what it rolls on cannot be what it carries"
        raise ModelError(f"{reason}; root the machine on this side of it", joint.source)
    if joint.kind not in GROUPS:
        return
    full = filled(joint)
    linear = KINDS[joint.kind][1] - (1 if joint.kind == "planar" else 3)
    for key in COORDINATE_FIELDS:
        stated = getattr(full, key)
        if getattr(joint, key) is None or key == "rest":
            continue
        ends = key in ("lower", "upper")
        turns = stated[linear:]
        even = key in ISOTROPIC or len(turns) == 1
        lost = np.isfinite(stated).any() if ends else _acts(key, stated[:linear])
        if lost or (not ends and _acts(key, turns) and (not even or np.ptp(turns) > 0.0)):
            reason = f"{key} {stated.tolist()} is about axes of its child"
            raise ModelError(
                f"{what} ({joint.kind}) cannot be reversed: its {reason}, which its parent lacks; "
                "only equal values for all turns are the same both ways",
                joint.source,
            )


def _acts(key: str, values: Array) -> bool:
    """Whether there is a force, or a limit, at all."""
    return bool(np.isfinite(values).any() if key.endswith("_limit") else values.any())


def reversed_seat(joint: Joint) -> Seat:
    """Return where the child carries the parent."""
    full = filled(joint)
    assert full.axis is not None and full.second_axis is not None
    back = inverse(joint.placement)
    if joint.kind == "fixed":
        return Seat(back, None, None, None)
    first: Array | None = full.axis if joint.kind == "planar" else None
    second = None
    if joint.kind == "universal":
        first, second = -full.second_axis, -full.axis
    elif joint.kind in ABOUT_AXES:
        first = -full.axis
    if not _needs_offset(joint.kind, full.axis, back):
        turn = back[:3, :3].T
        axes = [None if axis is None else turn @ axis for axis in (first, second)]
        return Seat(back, None, axes[0], axes[1])
    frame = pose(rotation=FRAME_OF_ANGLES if joint.kind == "spherical_zyx" else np.eye(3))
    return Seat(frame, inverse(frame) @ back, first, second)


def _needs_offset(kind: str, axis: Array, parent: Array) -> bool:
    """Whether the parent's own frame, as the joint sees it, is off what the joint turns about."""
    if kind == "prismatic":
        return False
    if kind not in ABOUT_AXES:
        return kind == "spherical_zyx" or not np.array_equal(parent, np.eye(4))
    position = parent[:3, 3]
    if kind != "universal":
        position = position - axis * (axis @ position)
    return bool(
        np.abs(position).max() > ROUNDING_REVERSED_JOINTS * max(1.0, np.abs(parent[:3, 3]).max())
    )


def reversed_fields(joint: Joint) -> dict[str, Any]:
    """Return limits, springs, damping, … of the joint the other way round."""
    fields = {key: getattr(joint, key) for key in COORDINATE_FIELDS}
    if joint.kind in IN_OTHER_ORDER:
        return {key: None if x is None else x[::-1].copy() for key, x in fields.items()}
    if joint.kind == "translation":
        lower, upper, rest = (fields[key] for key in ("lower", "upper", "rest"))
        turned = {"lower": upper, "upper": lower, "rest": rest}
        fields |= {key: None if x is None else -x for key, x in turned.items()}
    elif fields["rest"] is not None:
        fields["rest"] = reversed_positions(joint.kind, fields["rest"])
    return fields


def reversed_positions(kind: str, x: Array) -> Array:
    """Return the coordinates (…, nq) of the joint turned round."""
    if kind in IN_OTHER_ORDER:
        return x[..., ::-1]
    if kind == "translation":
        return -x
    if kind == "spherical":
        return quaternion_conjugate(x)
    if kind == "planar":
        return np.concatenate([_place(inverse(_planar_pose(x)))[..., :2], -x[..., 2:]], axis=-1)
    if kind == "free":
        turned = quaternion_conjugate(x[..., 3:])
        return np.concatenate([_place(inverse(_free_pose(x))), turned], axis=-1)
    return x


def reversed_velocities(kind: str, x: Array, w: Array) -> Array:
    """Return the velocities (…, nv) of the joint turned round, from coordinates x (…, nq)."""
    if kind in IN_OTHER_ORDER:
        return w[..., ::-1]
    if kind == "translation":
        return -w
    if kind not in GROUPS:
        return w
    maps = {"spherical": _ball_pose, "planar": _planar_pose, "free": _free_pose}
    columns = {"spherical": [3, 4, 5], "planar": [0, 1, 5], "free": list(range(6))}[kind]
    matrix = adjoint(maps[kind](x))[..., columns, :][..., columns]
    return np.asarray(-(matrix @ w[..., None])[..., 0])


def _place(poses: Array) -> Array:
    return poses[..., :3, 3]


def _ball_pose(x: Array) -> Array:
    return pose(rotation=rotation_from_quaternion(x))


def _free_pose(x: Array) -> Array:
    return pose(x[..., :3], rotation_from_quaternion(x[..., 3:]))


def _planar_pose(x: Array) -> Array:
    """Return poses in the joint's own axes, in which the plane's normal is z."""
    poses = np.zeros((*x.shape[:-1], 4, 4))
    cosine, sine = np.cos(x[..., 2]), np.sin(x[..., 2])
    poses[..., 0, 0] = poses[..., 1, 1] = cosine
    poses[..., 1, 0], poses[..., 0, 1] = sine, -sine
    poses[..., 2, 2] = poses[..., 3, 3] = 1.0
    poses[..., :2, 3] = x[..., :2]
    return poses
