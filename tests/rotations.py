"""Rotations and twists in plain NumPy, also of complex numbers, for exact derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def skew(vector: Array) -> Array:
    """Return the cross-product matrix (…, 3, 3)."""
    x, y, z = np.moveaxis(vector, -1, 0)
    zero = np.zeros_like(x)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def axial(matrix: Array) -> Array:
    """Return the vector of the antisymmetric part of a matrix (…, 3, 3)."""
    m = 0.5 * (matrix - np.swapaxes(matrix, -1, -2))
    return np.stack([m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]], axis=-1)


def turn(axis: Array, angle: Array) -> Array:
    """Return rotations (…, 3, 3) about a unit axis; the angle may be complex (Rodrigues)."""
    k = skew(axis)
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.asarray(np.eye(3) + s * k + (1.0 - c) * (k @ k))


def turn_by_quaternion(q: Array) -> Array:
    """Return rotations (…, 3, 3) of quaternions [x y z w] of any length, also complex."""
    u, w = q[..., :3], q[..., 3][..., None, None]
    k = skew(u)
    square = (q * q).sum(axis=-1)[..., None, None]
    return np.asarray(np.eye(3) + (2.0 / square) * (w * k + k @ k))


def quaternion_rate(q: Array, omega: Array) -> Array:
    """Return ½ q ⊗ ω for body rates ω."""
    u, w = q[..., :3], q[..., 3:]
    vector = w * omega + np.cross(u, omega)
    return 0.5 * np.concatenate([vector, -(u * omega).sum(-1, keepdims=True)], axis=-1)


def twist_matrix(linear: Array, angular: Array) -> Array:
    """Return the 4 × 4 matrix of a twist."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = skew(angular), linear
    return matrix
