"""Poses (4, 4) and rotations (3, 3), as the readers of files need them."""

from __future__ import annotations

import numpy as np

from tarsus.model.description import Array


def pose(position: Array, quaternion: Array) -> Array:
    """The pose (4, 4) of a position and a unit quaternion [w x y z]."""
    w, x, y, z = (float(value) for value in quaternion)
    result = translation(position)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return result


def inverse(transform: Array) -> Array:
    """The inverse of a pose (4, 4)."""
    result = np.eye(4)
    result[:3, :3] = transform[:3, :3].T
    result[:3, 3] = -transform[:3, :3].T @ transform[:3, 3]
    return result


def translation(offset: Array) -> Array:
    """The pose (4, 4) of a frame that is only displaced."""
    result = np.eye(4)
    result[:3, 3] = offset
    return result


def turn(rotation: Array) -> Array:
    """The pose (4, 4) of a frame that is only turned."""
    result = np.eye(4)
    result[:3, :3] = rotation
    return result


def motion(kind: str, axis: Array, amount: float) -> Array:
    """The pose (4, 4) after a "prismatic" joint or a revolute one has moved by `amount`."""
    if kind == "prismatic":
        return translation(amount * axis)
    half = amount / 2
    return pose(np.zeros(3), np.concatenate([[np.cos(half)], np.sin(half) * axis]))


def rotation_from_rpy(rpy: Array) -> Array:
    """The rotation Rz(yaw) Ry(pitch) Rx(roll), (3, 3), of the angles [rad]."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def quaternion_from_rotation(rotation: Array) -> Array:
    """The unit quaternion [x y z w] of a rotation (3, 3)."""
    # the largest of the four squares is at least 1/4, so that nothing is divided by little
    trace = float(np.trace(rotation))
    squares = np.append(1 + 2 * np.diag(rotation) - trace, 1 + trace) / 4
    largest = int(np.argmax(squares))
    skew = rotation - rotation.T
    axial = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    if largest == 3:
        quaternion = np.append(axial, 4 * squares[3])
    else:
        quaternion = np.append((rotation + rotation.T)[largest], axial[largest])
        quaternion[largest] = 4 * squares[largest]
    return np.asarray(quaternion / np.linalg.norm(quaternion))


def axes_along(z: Array, x: Array | None = None) -> Array:
    """A rotation (3, 3) whose third column is `z`, and whose first one is `x` if it is given.

    Both are unit vectors, perpendicular to each other.
    """
    if x is None:
        x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
        x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
