"""Rotations as matrices (…, 3, 3), rotation vectors and roll, pitch, yaw."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.spatial.checks import shaped, unit


def skew(vector: ArrayLike) -> Array:
    """Return the matrices (…, 3, 3) of cross products with vectors (…, 3): skew(a) b = a × b."""
    a = shaped(vector, (3,), "vector")
    found = np.zeros((*a.shape, 3))
    found[..., 2, 1], found[..., 0, 2], found[..., 1, 0] = a[..., 0], a[..., 1], a[..., 2]
    return np.asarray(found - np.swapaxes(found, -1, -2))


def rotation_from_vector(vector: ArrayLike) -> Array:
    """Return rotations (…, 3, 3) by rotation vectors (…, 3) [rad]: Rodrigues' formula."""
    turn = shaped(vector, (3,), "vector")
    k = skew(turn)
    angle = np.linalg.norm(turn, axis=-1)[..., None, None] / np.pi
    # sinc(x) is sin(πx)/(πx), also where x is zero; (1 − cos θ)/θ² is half the square of one
    return np.asarray(np.eye(3) + np.sinc(angle) * k + 0.5 * np.sinc(angle / 2) ** 2 * (k @ k))


def rotation_from_rpy(rpy: ArrayLike) -> Array:
    """Return the rotations Rz(yaw) Ry(pitch) Rx(roll), (…, 3, 3), of angles (…, 3) [rad]."""
    angles = shaped(rpy, (3,), "rpy")
    cr, cp, cy = np.moveaxis(np.cos(angles), -1, 0)
    sr, sp, sy = np.moveaxis(np.sin(angles), -1, 0)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rpy_from_rotation(rotation: ArrayLike) -> Array:
    """Return roll, pitch and yaw (…, 3) [rad] of rotations (…, 3, 3)."""
    r = shaped(rotation, (3, 3), "rotation")
    # whatever yaw is, pitch and roll make up for it: exact also where yaw is not defined
    yaw = np.arctan2(r[..., 1, 0], r[..., 0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    pitch = np.arctan2(-r[..., 2, 0], c * r[..., 0, 0] + s * r[..., 1, 0])
    roll = np.arctan2(s * r[..., 0, 2] - c * r[..., 1, 2], c * r[..., 1, 1] - s * r[..., 0, 1])
    return np.stack([roll, pitch, yaw], axis=-1)


def rotation_along(z: ArrayLike, x: ArrayLike | None = None) -> Array:
    """Return a rotation (3, 3) whose third column is `z`, and whose first one is `x` if given.

    Both are unit vectors (3,), perpendicular to each other.
    """
    up = unit(z, "z")
    if x is None:
        first = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
        first /= np.linalg.norm(first)
    else:
        first = unit(x, "x")
    return np.column_stack([first, np.cross(up, first), up])
