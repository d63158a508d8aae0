"""Unit quaternions [x y z w] (…, 4).

A quaternion of any other length but zero stands for the rotation of the unit one along it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.spatial.checks import shaped
from tarsus.spatial.rotations import rotation_from_vector, rpy_from_rotation


def fourfold() -> Array:
    """Return the matrix (16, 9) of 4 p pᵀ − 1 of a quaternion p, which is linear in its rotation.

    It has twice the symmetric part of the rotation, less the trace, and beside the real part the
    differences across the diagonal.
    """
    found = np.zeros((4, 4, 3, 3))
    found[3, 3] = np.eye(3)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[i, i, (i, j, k), (i, j, k)] = 1.0, -1.0, -1.0
        found[(i, j), (j, i), i, j] = found[(i, j), (j, i), j, i] = 1.0
        found[(3, i), (i, 3), k, j], found[(3, i), (i, 3), j, k] = 1.0, -1.0
    return found.reshape(16, 9)


FOURFOLD, ONE = fourfold(), np.eye(4).reshape(16, 1)


def rotation_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return rotations (…, 3, 3)."""
    q = shaped(quaternion, (4,), "quaternion")
    x, y, z, w = np.moveaxis(q, -1, 0)
    square = x * x + y * y + z * z + w * w
    if not np.all(square > 0.0):
        raise ValueError("quaternion has length zero or is not a number: it is no rotation")
    twice = 2.0 / square
    x2, y2, z2 = twice * x, twice * y, twice * z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    found = np.empty((*q.shape[:-1], 3, 3))
    found[..., 0, 0], found[..., 0, 1], found[..., 0, 2] = 1.0 - (yy + zz), xy - wz, xz + wy
    found[..., 1, 0], found[..., 1, 1], found[..., 1, 2] = xy + wz, 1.0 - (xx + zz), yz - wx
    found[..., 2, 0], found[..., 2, 1], found[..., 2, 2] = xz - wy, yz + wx, 1.0 - (xx + yy)
    return found


def quaternion_from_rotation(rotation: ArrayLike) -> Array:
    """Return the unit quaternions (…, 4) of rotations (…, 3, 3) that have w ≥ 0."""
    r = shaped(rotation, (3, 3), "rotation")
    products = FOURFOLD @ r.reshape(-1, 9, 1) + ONE
    # the row with the largest diagonal divides by no small number
    largest = products[:, ::5, 0].argmax(axis=1)
    p = products.reshape(-1, 4, 4)[np.arange(len(largest)), largest]
    p /= np.where(p[:, 3:] < 0.0, -1.0, 1.0) * np.sqrt((p * p).sum(axis=1, keepdims=True))
    return np.asarray(p.reshape(*r.shape[:-2], 4))


def quaternion_from_vector(vector: ArrayLike) -> Array:
    """Return the quaternions (…, 4) of rotation vectors (…, 3) [rad]: the exponential."""
    turn = shaped(vector, (3,), "vector")
    half = np.linalg.norm(turn, axis=-1, keepdims=True) / 2.0
    # sinc(x) is sin(πx)/(πx), also where x is zero
    return np.concatenate([turn * np.sinc(half / np.pi) / 2.0, np.cos(half)], axis=-1)


def vector_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return the rotation vectors (…, 3) [rad] of at most half a turn: the logarithm."""
    q = shaped(quaternion, (4,), "quaternion")
    q = np.where(q[..., 3:] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    small = sine < 1e-9 * q[..., 3:]
    angle = 2.0 * np.arctan2(sine, q[..., 3:])
    # a turn too small for its square: twice the vector part, of a quaternion of any length
    near = 2.0 / np.where(small, q[..., 3:], 1.0)
    return np.asarray(q[..., :3] * np.where(small, near, angle / np.where(small, 1.0, sine)))


def vector_from_rotation(rotation: ArrayLike) -> Array:
    """Return rotation vectors (…, 3) [rad] of rotations (…, 3, 3), of at most half a turn."""
    return vector_from_quaternion(quaternion_from_rotation(rotation))


def rotation_between(start: ArrayLike, end: ArrayLike, share: ArrayLike) -> Array:
    """Return rotations (…, 3, 3) on the shortest way from `start` to `end`, `share` (…) of it.

    A turn about one axis by an angle that grows with the share; at half a turn one of two ways.
    """
    first, last = shaped(start, (3, 3), "start"), shaped(end, (3, 3), "end")
    turn = vector_from_rotation(np.swapaxes(first, -1, -2) @ last)
    return np.asarray(first @ rotation_from_vector(np.asarray(share)[..., None] * turn))


def rpy_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return roll, pitch and yaw (…, 3) [rad]."""
    return rpy_from_rotation(rotation_from_quaternion(quaternion))


def quaternion_product(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the product (…, 4): the rotation b, then a."""
    p, q = shaped(a, (4,), "a"), shaped(b, (4,), "b")
    u, s, v, t = p[..., :3], p[..., 3:], q[..., :3], q[..., 3:]
    vector = s * v + t * u + np.cross(u, v)
    return np.concatenate([vector, s * t - (u * v).sum(axis=-1, keepdims=True)], axis=-1)


def quaternion_conjugate(quaternion: ArrayLike) -> Array:
    """Return the quaternions (…, 4) of the rotations back."""
    return np.asarray(shaped(quaternion, (4,), "quaternion") * np.array([-1.0, -1.0, -1.0, 1.0]))


def scalar_first(quaternion: ArrayLike) -> Array:
    """Return [w x y z] (…, 4), as MuJoCo and Drake have it."""
    return np.roll(shaped(quaternion, (4,), "quaternion"), 1, axis=-1)


def scalar_last(quaternion: ArrayLike) -> Array:
    """Return [x y z w] (…, 4) of quaternions [w x y z]."""
    return np.roll(shaped(quaternion, (4,), "quaternion"), -1, axis=-1)
