"""Poses (…, 4, 4): where a frame is and how it is turned, and the twists between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.spatial.checks import shaped
from tarsus.spatial.groups import bracket_matrix, step_rate_matrix
from tarsus.spatial.quaternions import vector_from_rotation
from tarsus.spatial.rotations import rotation_from_vector, skew


def pose(position: ArrayLike | None = None, rotation: ArrayLike | None = None) -> Array:
    """Return poses (…, 4, 4) of positions (…, 3) and rotations (…, 3, 3); none is the origin's."""
    at = np.zeros(3) if position is None else shaped(position, (3,), "position")
    turn = np.eye(3) if rotation is None else shaped(rotation, (3, 3), "rotation")
    found = np.zeros((*np.broadcast_shapes(at.shape[:-1], turn.shape[:-2]), 4, 4))
    found[..., :3, :3], found[..., :3, 3], found[..., 3, 3] = turn, at, 1.0
    return found


def inverse(pose: ArrayLike) -> Array:
    """Return the poses (…, 4, 4) back."""
    there = shaped(pose, (4, 4), "pose")
    back = np.swapaxes(there[..., :3, :3], -1, -2)
    found = np.zeros_like(there)
    found[..., :3, :3], found[..., 3, 3] = back, 1.0
    found[..., :3, 3] = -(back @ there[..., :3, 3:])[..., 0]
    return found


def pose_from_twist(twist: ArrayLike) -> Array:
    """Return the poses (…, 4, 4) after twists [linear, angular] (…, 6): the exponential of SE(3).

    R. Murray, Z. Li, S. Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994,
    equation 2.36.
    """
    step = shaped(twist, (6,), "twist")
    turn = step[..., 3:]
    return pose((mean_rotation(turn) @ step[..., :3, None])[..., 0], rotation_from_vector(turn))


def mean_rotation(vector: ArrayLike) -> Array:
    """Return the mean (…, 3, 3) of all rotations on the way from none to vectors (…, 3) [rad]."""
    turn = shaped(vector, (3,), "vector")
    k = skew(turn)
    angle = np.linalg.norm(turn, axis=-1)[..., None, None]
    half = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    return np.asarray(np.eye(3) + half * k + _third(angle) * (k @ k))


def twist_from_pose(pose: ArrayLike) -> Array:
    """Return the twists (…, 6) that lead to poses (…, 4, 4): the logarithm of SE(3)."""
    there = shaped(pose, (4, 4), "pose")
    angular = vector_from_rotation(there[..., :3, :3])
    spread = step_rate_matrix("spherical", angular) - bracket_matrix("spherical", angular)
    return np.concatenate([(spread @ there[..., :3, 3:])[..., 0], angular], axis=-1)


def pose_step(start: ArrayLike, end: ArrayLike) -> Array:
    """Return the twists (…, 6), in the frame of the first, from one pose (…, 4, 4) to another."""
    return twist_from_pose(inverse(start) @ shaped(end, (4, 4), "end"))


def _third(angle: Array) -> Array:
    """Return (θ − sin θ)/θ³, by its series where the difference would lose digits."""
    small = angle < 0.25
    square = angle * angle
    series = (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))) / 6
    safe = np.where(small, 1.0, angle)
    return np.where(small, series, (safe - np.sin(safe)) / safe**3)
