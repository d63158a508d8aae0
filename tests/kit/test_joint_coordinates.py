"""The inverse of every joint: poses to coordinates, and the pose again."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.model.description import KINDS
from tarsus.model.joint_coordinates import INVERSES, joint_coordinates
from tarsus.spatial import inverse


def test_every_kind_has_an_inverse() -> None:
    assert set(INVERSES) == set(KINDS) - {"fixed"}


@pytest.mark.parametrize("seed", range(4))
def test_coordinates_give_the_pose_again(seed: int) -> None:
    model = ts.robots.random_mechanism(seed, 30)
    q = model.random_configuration(seed, 5)
    poses = model.forward_kinematics(q)
    for joint, body in zip(model.joints, model.bodies, strict=True):
        parent = poses[:, body.parent] if body.parent >= 0 else np.eye(4)
        again = np.array(q)
        seen = inverse(parent @ joint.placement) @ poses[:, body.index]
        again[:, joint.q_slice] = joint_coordinates(joint, seen)
        error = np.abs(model.forward_kinematics(again) - poses).max()
        assert error < 1e-12, (joint.kind, error)


def test_screws_find_their_whole_turns() -> None:
    builder = ts.Builder("screw").body("nut", 1.0, inertia=(1, 1, 1))
    model = builder.joint("screw", "screw", "world", "nut", pitch=-0.01, axis="y").build()
    for turns in (-30.2, 0.4, 1000.3):
        found = joint_coordinates(model.joint("screw"), model.forward_kinematics([turns])[0])
        np.testing.assert_allclose(found, [turns], rtol=1e-9)


def test_a_pose_that_a_joint_does_not_reach_gives_the_nearest() -> None:
    builder = ts.Builder("hinge").body("door", 1.0, inertia=(1, 1, 1))
    model = builder.joint("hinge", "revolute", "world", "door", axis=(1.0, 2.0, -0.5)).build()
    rng = np.random.default_rng(0)
    pose = ts.spatial.pose((0.1, 0.2, 0.3), ts.spatial.rotation_from_vector(rng.normal(size=3)))
    (best,) = joint_coordinates(model.joint("hinge"), pose)

    def off(angle: float) -> float:
        return float(np.linalg.norm(model.forward_kinematics([angle])[0, :3, :3] - pose[:3, :3]))

    assert all(off(best) <= off(best + step) for step in np.linspace(-3.1, 3.1, 101))
