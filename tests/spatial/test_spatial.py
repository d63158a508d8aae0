"""Rotations, quaternions and poses beside SciPy's, which share no code with ours."""

from __future__ import annotations

import numpy as np
import pytest
from rotations import twist_matrix
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from tarsus import spatial

ANGLES = (0.0, 1e-300, 1e-12, 1e-9, 1e-4, 0.2499, 0.2501, 1.0, np.pi - 1e-9, np.pi)
"""Turns, tiny ones and half a turn included."""


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    """Return rotation vectors (angles, 20, 3)."""
    axes = np.random.default_rng(3).normal(size=(20, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    return np.multiply.outer(ANGLES, axes)


def test_exponentials_agree_with_scipy(vectors: np.ndarray) -> None:
    flat = Rotation.from_rotvec(vectors.reshape(-1, 3))
    matrices = flat.as_matrix().reshape(*vectors.shape, 3)
    assert spatial.rotation_from_vector(vectors) == pytest.approx(matrices, abs=1e-15)
    quaternions = spatial.quaternion_from_vector(vectors)
    assert spatial.rotation_from_quaternion(quaternions) == pytest.approx(matrices, abs=1e-15)
    assert spatial.rotation_from_quaternion(-3.0 * quaternions) == pytest.approx(
        matrices, abs=1e-15
    )


def test_logarithms_undo_exponentials(vectors: np.ndarray) -> None:
    inside = vectors[:-1]  # at half a turn there are two logarithms
    quaternions = spatial.quaternion_from_vector(inside)
    # of each angle its own size, so that tiny turns are not lost in large ones
    for found in (
        spatial.vector_from_quaternion(quaternions),
        spatial.vector_from_quaternion(-0.5 * quaternions),
    ):
        assert found == pytest.approx(inside, rel=1e-12, abs=1e-300)
    from_matrix = spatial.vector_from_rotation(spatial.rotation_from_vector(inside))
    assert from_matrix == pytest.approx(inside, abs=1e-15, rel=1e-7)
    half = spatial.vector_from_rotation(spatial.rotation_from_vector(vectors[-1]))
    assert np.linalg.norm(half, axis=-1) == pytest.approx(np.pi)
    assert spatial.rotation_from_vector(half) == pytest.approx(
        spatial.rotation_from_vector(vectors[-1]), abs=5e-15
    )


def test_quaternions_of_rotations_have_a_positive_scalar() -> None:
    rotations = Rotation.random(500, random_state=1)
    found = spatial.quaternion_from_rotation(rotations.as_matrix())
    assert found == pytest.approx(rotations.as_quat(canonical=True), abs=1e-15)


def test_products_turn_one_after_the_other() -> None:
    a, b = Rotation.random(50, random_state=2), Rotation.random(50, random_state=3)
    found = spatial.quaternion_product(a.as_quat(), b.as_quat())
    matrices = spatial.rotation_from_quaternion(found)
    assert matrices == pytest.approx((a * b).as_matrix(), abs=1e-15)
    back = spatial.quaternion_product(spatial.quaternion_conjugate(a.as_quat()), a.as_quat())
    assert back == pytest.approx(np.tile([0.0, 0.0, 0.0, 1.0], (50, 1)), abs=1e-15)


def test_roll_pitch_yaw_both_ways() -> None:
    angles = np.random.default_rng(4).uniform(-1.5, 1.5, (200, 3))
    rotations = spatial.rotation_from_rpy(angles)
    assert rotations == pytest.approx(Rotation.from_euler("xyz", angles).as_matrix(), abs=1e-15)
    assert spatial.rpy_from_rotation(rotations) == pytest.approx(angles, abs=1e-13)
    quaternions = Rotation.from_euler("xyz", angles).as_quat()
    assert spatial.rpy_from_quaternion(quaternions) == pytest.approx(angles, abs=1e-13)


def test_straight_up_roll_and_yaw_make_up_for_each_other() -> None:
    up = spatial.rotation_from_rpy([0.3, np.pi / 2, 0.7])
    angles = spatial.rpy_from_rotation(up)
    assert spatial.rotation_from_rpy(angles) == pytest.approx(up, abs=1e-15)


@pytest.mark.parametrize("angle", ANGLES)
def test_poses_agree_with_the_matrix_exponential(angle: float) -> None:
    axes = np.random.default_rng(5).normal(size=(8, 3))
    axes *= angle / np.linalg.norm(axes, axis=1, keepdims=True)
    twists = np.concatenate([np.random.default_rng(6).normal(size=(8, 3)), axes], axis=1)
    poses = spatial.pose_from_twist(twists)
    dense = np.stack([expm(twist_matrix(twist[:3], twist[3:])) for twist in twists])
    assert poses == pytest.approx(dense, abs=1e-14)
    if angle < np.pi:
        near_half = 1e-5 if angle > 3.0 else 1e-12  # the axis is known from a sine of 1e-9
        assert spatial.twist_from_pose(poses) == pytest.approx(twists, abs=near_half)


def test_inverse_and_step() -> None:
    rng = np.random.default_rng(7)
    first, second = (spatial.pose_from_twist(rng.normal(size=(3, 4, 6))) for _ in range(2))
    assert spatial.inverse(first) @ first == pytest.approx(np.broadcast_to(np.eye(4), first.shape))
    step = spatial.pose_step(first, second)
    assert first @ spatial.pose_from_twist(step) == pytest.approx(second, abs=1e-14)


def test_pose_of_what_is_stated() -> None:
    rotation = spatial.rotation_from_rpy([0.1, 0.2, 0.3])
    assert np.array_equal(spatial.pose(), np.eye(4))
    assert np.array_equal(spatial.pose([1.0, 2.0, 3.0])[:3, 3], [1.0, 2.0, 3.0])
    many = spatial.pose(np.ones((5, 3)), rotation)
    assert many.shape == (5, 4, 4)
    assert np.array_equal(many[2, :3, :3], rotation)


def test_a_rotation_along_an_axis() -> None:
    z = np.array([1.0, 2.0, -2.0]) / 3.0
    rotation = spatial.rotation_along(z)
    assert rotation.T @ rotation == pytest.approx(np.eye(3), abs=1e-15)
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    assert np.array_equal(rotation[:, 2], z)
    x = np.array([2.0, 1.0, 2.0]) / 3.0
    assert spatial.rotation_along(z, x)[:, 0] == pytest.approx(x)


def test_skew_is_the_cross_product() -> None:
    a, b = np.random.default_rng(8).normal(size=(2, 6, 3))
    assert (spatial.skew(a) @ b[..., None])[..., 0] == pytest.approx(np.cross(a, b))


MISTAKES = [
    (
        lambda: spatial.pose(rotation=[0, 0.1, 0]),
        r"rotation has shape \(3,\), must be \(…, 3, 3\)",
    ),
    (lambda: spatial.pose(0.3), r"position has shape \(\), must be \(…, 3\)"),
    (lambda: spatial.scalar_first([1, 2, 3]), r"quaternion has shape \(3,\), must be \(…, 4\)"),
    (lambda: spatial.rotation_along([0, 0, 2]), r"z is \[0.0, 0.0, 2.0\], must be one vector of"),
    (lambda: spatial.rotation_from_quaternion(np.zeros(4)), "quaternion has length zero"),
    (lambda: spatial.rotation_from_rpy([0, 0.1]), r"rpy has shape \(2,\), must be \(…, 3\)"),
]


@pytest.mark.parametrize(("call", "message"), MISTAKES)
def test_wrong_arrays_are_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]


def test_what_is_no_array_is_named() -> None:
    with pytest.raises(TypeError, match="rpy is not an array of numbers: 'up'"):
        spatial.rotation_from_rpy("up")
