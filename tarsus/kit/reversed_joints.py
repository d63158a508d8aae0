"""Joints the other way round: the child carries the parent.

With T the placement and J(q) the motion of a joint, the parent is at J(q)⁻¹ T⁻¹ in its child. Most
kinds do J⁻¹ by the same coordinates about axes that point the other way. Balls, planes and free
joints do it by the inverse of a group, which maps velocities by its adjoint; a translation by minus
its numbers. Each of these maps is its own inverse.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.kit.loop_joints import ROUNDING, Seat
from tarsus.model.defaults import filled
from tarsus.model.description import Joint, ModelError
from tarsus.model.kinds import COORDINATE_FIELDS, KINDS, ROLLING
from tarsus.spatial import (
    adjoint,
    inverse,
    pose,
    quaternion_conjugate,
    rotation_from_quaternion,
)

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
    return bool(np.abs(position).max() > ROUNDING * max(1.0, np.abs(parent[:3, 3]).max()))


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
