"""How other libraries lay out the coordinates of each kind of joint.

A `Rule` converts the coordinates (…, nq) and velocities (…, nv) of one joint to another
library and back. Kinds without a rule have the same numbers there. Quaternions are
[x y z w] here and [w x y z] in MuJoCo and Drake.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tarsus._lib.files import Array
from tarsus.model.views import JointView
from tarsus.spatial import (
    quaternion_conjugate,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_quaternion,
    rotation_from_rpy,
    rpy_from_quaternion,
    scalar_first,
    scalar_last,
)

Pair: TypeAlias = tuple[Array, Array]
Conversion: TypeAlias = Callable[[Array, Array, JointView], Pair]


@dataclass(frozen=True)
class Rule:
    """Sizes of a joint's coordinates in another library, and the conversions to and from it."""

    nq: int
    nv: int
    to_other: Conversion
    to_ours: Conversion


def same(nq: int, nv: int) -> Rule:
    """Return the rule of a joint that has the same numbers in both libraries."""
    return Rule(nq, nv, lambda q, v, joint: (q, v), lambda q, v, joint: (q, v))


def _rotate(quaternion: Array, vector: Array, *, inverse: bool = False) -> Array:
    matrix = rotation_from_quaternion(quaternion)
    return np.asarray(
        np.einsum("...ji,...j->...i" if inverse else "...ij,...j->...i", matrix, vector)
    )


def _pose_on_parent(q: Array, joint: JointView) -> Pair:
    """Return position and quaternion on the parent, the joint's own placement included."""
    if np.array_equal(joint.placement, np.eye(4)):
        return q[..., :3], q[..., 3:]
    position = joint.placement[:3, 3] + q[..., :3] @ joint.placement[:3, :3].T
    return position, quaternion_product(_placement_quaternion(joint), q[..., 3:])


def _pose_on_joint(position: Array, quaternion: Array, joint: JointView) -> Array:
    if not np.array_equal(joint.placement, np.eye(4)):
        position = (position - joint.placement[:3, 3]) @ joint.placement[:3, :3]
        conjugate = quaternion_conjugate(_placement_quaternion(joint))
        quaternion = quaternion_product(conjugate, quaternion)
    return np.concatenate([position, quaternion], axis=-1)


def _placement_quaternion(joint: JointView) -> Array:
    return quaternion_from_rotation(joint.placement[:3, :3])


def _free_to_mujoco(q: Array, v: Array, joint: JointView) -> Pair:
    position, quaternion = _pose_on_parent(q, joint)
    linear = _rotate(quaternion, v[..., :3])
    return (
        np.concatenate([position, scalar_first(quaternion)], axis=-1),
        np.concatenate([linear, v[..., 3:]], axis=-1),
    )


def _free_from_mujoco(q: Array, v: Array, joint: JointView) -> Pair:
    quaternion = scalar_last(q[..., 3:])
    linear = _rotate(quaternion, v[..., :3], inverse=True)
    ours = _pose_on_joint(q[..., :3], quaternion, joint)
    return ours, np.concatenate([linear, v[..., 3:]], axis=-1)


def _free_to_drake(q: Array, v: Array, joint: JointView) -> Pair:
    position, quaternion = _pose_on_parent(q, joint)
    velocities = [_rotate(quaternion, v[..., 3:]), _rotate(quaternion, v[..., :3])]
    return (
        np.concatenate([scalar_first(quaternion), position], axis=-1),
        np.concatenate(velocities, axis=-1),
    )


def _free_from_drake(q: Array, v: Array, joint: JointView) -> Pair:
    quaternion = scalar_last(q[..., :4])
    velocities = [
        _rotate(quaternion, v[..., 3:], inverse=True),
        _rotate(quaternion, v[..., :3], inverse=True),
    ]
    return _pose_on_joint(q[..., 4:], quaternion, joint), np.concatenate(velocities, axis=-1)


def _turned(q: Array, v: Array, sign: float) -> Array:
    """Return planar velocities with their linear part turned by the angle, or back."""
    cosine, sine = np.cos(q[..., 2]), sign * np.sin(q[..., 2])
    x, y, rate = np.moveaxis(v, -1, 0)
    return np.stack([cosine * x - sine * y, sine * x + cosine * y, rate], axis=-1)


def _angle(cosine_sine: Array, joint: JointView) -> Array:
    """Return the angle (…, 1) of [cos, sin]."""
    if not cosine_sine.any(axis=-1).all():
        raise ValueError(f"joint {joint.name!r}: cosine and sine of its angle are both zero")
    return np.arctan2(cosine_sine[..., 1:], cosine_sine[..., :1])


def _planar_from_pinocchio(q: Array, v: Array, joint: JointView) -> Pair:
    return np.concatenate([q[..., :2], _angle(q[..., 2:], joint)], axis=-1), v


def _planar_to_pinocchio(q: Array, v: Array, joint: JointView) -> Pair:
    angle = q[..., 2:]
    return np.concatenate([q[..., :2], np.cos(angle), np.sin(angle)], axis=-1), v


def _ball_to_drake(q: Array, v: Array, joint: JointView) -> Pair:
    return rpy_from_quaternion(q), _rotate(q, v)


def _ball_from_drake(q: Array, v: Array, joint: JointView) -> Pair:
    quaternion = quaternion_from_rotation(rotation_from_rpy(q))
    return quaternion, _rotate(quaternion, v, inverse=True)


def _euler_to_drake(q: Array, v: Array, joint: JointView) -> Pair:
    (sz, sy, _), (cz, cy, _) = (np.moveaxis(f(q), -1, 0) for f in (np.sin, np.cos))
    yaw, pitch, roll = np.moveaxis(v, -1, 0)
    angular = [cz * cy * roll - sz * pitch, sz * cy * roll + cz * pitch, yaw - sy * roll]
    return q[..., ::-1], np.stack(angular, axis=-1)


def _euler_from_drake(q: Array, v: Array, joint: JointView) -> Pair:
    ours = q[..., ::-1]
    (sz, sy, _), (cz, cy, _) = (np.moveaxis(f(ours), -1, 0) for f in (np.sin, np.cos))
    x, y, z = np.moveaxis(v, -1, 0)
    if (cy == 0.0).any():
        raise ValueError(f"joint {joint.name!r}: rates of Euler angles are undefined at this pitch")
    roll = (cz * x + sz * y) / cy
    return ours, np.stack([z + sy * roll, cz * y - sz * x, roll], axis=-1)


COSINE_SINE = Rule(
    2,
    1,
    lambda q, v, joint: (np.concatenate([np.cos(q), np.sin(q)], axis=-1), v),
    lambda q, v, joint: (_angle(q, joint), v),
)
"""A revolute joint without limits in Pinocchio."""

_PLANAR_RATES = Rule(
    3,
    3,
    lambda q, v, joint: (q, _turned(q, v, 1.0)),
    lambda q, v, joint: (q, _turned(q, v, -1.0)),
)

PINOCCHIO = {"planar": Rule(4, 3, _planar_to_pinocchio, _planar_from_pinocchio)}

MUJOCO = {
    "free": Rule(7, 6, _free_to_mujoco, _free_from_mujoco),
    "spherical": Rule(
        4,
        3,
        lambda q, v, joint: (scalar_first(q), v),
        lambda q, v, joint: (scalar_last(q), v),
    ),
    "planar": _PLANAR_RATES,
}

DRAKE = {
    "free": Rule(7, 6, _free_to_drake, _free_from_drake),
    "spherical": Rule(3, 3, _ball_to_drake, _ball_from_drake),
    "spherical_zyx": Rule(3, 3, _euler_to_drake, _euler_from_drake),
    "planar": _PLANAR_RATES,
}
