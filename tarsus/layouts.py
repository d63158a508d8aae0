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

from tarsus.model import JointView
from tarsus.model.description import Array

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


def _matrix(quaternion: Array) -> Array:
    """Return the rotation (…, 3, 3) of a quaternion [x y z w], as if it had unit length."""
    x, y, z, w = np.moveaxis(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _product(a: Array, b: Array) -> Array:
    """Return the product of two quaternions [x y z w]."""
    u, s, v, t = a[..., :3], a[..., 3:], b[..., :3], b[..., 3:]
    vector = s * v + t * u + np.cross(u, v)
    return np.concatenate([vector, s * t - (u * v).sum(axis=-1, keepdims=True)], axis=-1)


def _rotate(quaternion: Array, vector: Array, *, inverse: bool = False) -> Array:
    matrix = _matrix(quaternion)
    return np.asarray(
        np.einsum("...ji,...j->...i" if inverse else "...ij,...j->...i", matrix, vector)
    )


def _scalar_first(quaternion: Array) -> Array:
    return np.roll(quaternion, 1, axis=-1)


def _scalar_last(quaternion: Array) -> Array:
    return np.roll(quaternion, -1, axis=-1)


def _pose_on_parent(q: Array, joint: JointView) -> Pair:
    """Return position and quaternion on the parent, the joint's own placement included."""
    if np.array_equal(joint.placement, np.eye(4)):
        return q[..., :3], q[..., 3:]
    position = joint.placement[:3, 3] + q[..., :3] @ joint.placement[:3, :3].T
    return position, _product(_placement_quaternion(joint), q[..., 3:])


def _pose_on_joint(position: Array, quaternion: Array, joint: JointView) -> Array:
    if not np.array_equal(joint.placement, np.eye(4)):
        position = (position - joint.placement[:3, 3]) @ joint.placement[:3, :3]
        conjugate = _placement_quaternion(joint) * np.array([-1.0, -1.0, -1.0, 1.0])
        quaternion = _product(conjugate, quaternion)
    return np.concatenate([position, quaternion], axis=-1)


def _placement_quaternion(joint: JointView) -> Array:
    """Return the quaternion of the joint's placement: an eigenvector, after Bar-Itzhack."""
    r = joint.placement[:3, :3]
    k = np.zeros((4, 4))
    k[:3, :3] = r + r.T - np.trace(r) * np.eye(3)
    k[3, :3] = k[:3, 3] = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    k[3, 3] = np.trace(r)
    return np.asarray(np.linalg.eigh(k)[1][:, -1])


def _free_to_mujoco(q: Array, v: Array, joint: JointView) -> Pair:
    position, quaternion = _pose_on_parent(q, joint)
    linear = _rotate(quaternion, v[..., :3])
    return (
        np.concatenate([position, _scalar_first(quaternion)], axis=-1),
        np.concatenate([linear, v[..., 3:]], axis=-1),
    )


def _free_from_mujoco(q: Array, v: Array, joint: JointView) -> Pair:
    quaternion = _scalar_last(q[..., 3:])
    linear = _rotate(quaternion, v[..., :3], inverse=True)
    ours = _pose_on_joint(q[..., :3], quaternion, joint)
    return ours, np.concatenate([linear, v[..., 3:]], axis=-1)


def _free_to_drake(q: Array, v: Array, joint: JointView) -> Pair:
    position, quaternion = _pose_on_parent(q, joint)
    velocities = [_rotate(quaternion, v[..., 3:]), _rotate(quaternion, v[..., :3])]
    return (
        np.concatenate([_scalar_first(quaternion), position], axis=-1),
        np.concatenate(velocities, axis=-1),
    )


def _free_from_drake(q: Array, v: Array, joint: JointView) -> Pair:
    quaternion = _scalar_last(q[..., :4])
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
    # whatever yaw is, pitch and roll make up for it: exact also where yaw is not defined
    r = _matrix(q)
    yaw = np.arctan2(r[..., 1, 0], r[..., 0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    pitch = np.arctan2(-r[..., 2, 0], c * r[..., 0, 0] + s * r[..., 1, 0])
    roll = np.arctan2(s * r[..., 0, 2] - c * r[..., 1, 2], c * r[..., 1, 1] - s * r[..., 0, 1])
    return np.stack([roll, pitch, yaw], axis=-1), _rotate(q, v)


def _ball_from_drake(q: Array, v: Array, joint: JointView) -> Pair:
    (sx, sy, sz), (cx, cy, cz) = (np.moveaxis(f(0.5 * q), -1, 0) for f in (np.sin, np.cos))
    quaternion = np.stack(
        [
            sx * cy * cz - cx * sy * sz,
            cx * sy * cz + sx * cy * sz,
            cx * cy * sz - sx * sy * cz,
            cx * cy * cz + sx * sy * sz,
        ],
        axis=-1,
    )
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
        lambda q, v, joint: (_scalar_first(q), v),
        lambda q, v, joint: (_scalar_last(q), v),
    ),
    "planar": _PLANAR_RATES,
}

DRAKE = {
    "free": Rule(7, 6, _free_to_drake, _free_from_drake),
    "spherical": Rule(3, 3, _ball_to_drake, _ball_from_drake),
    "spherical_zyx": Rule(3, 3, _euler_to_drake, _euler_from_drake),
    "planar": _PLANAR_RATES,
}
