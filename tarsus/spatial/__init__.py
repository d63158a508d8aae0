"""Rotations, quaternions, poses and their exponentials, for one or for many at once.

from tarsus import spatial

rotation = spatial.rotation_from_rpy([0.0, 0.1, 0.0])
hand = spatial.pose([0.3, 0.0, 0.5], rotation)

Rotations are matrices (…, 3, 3), poses (…, 4, 4), quaternions [x y z w] (…, 4), rotation vectors
(…, 3) [rad], twists [linear, angular] (…, 6). Names say what comes out of what goes in.
"""

from tarsus.spatial.poses import inverse, pose, pose_from_twist, pose_step, twist_from_pose
from tarsus.spatial.quaternions import (
    quaternion_conjugate,
    quaternion_from_rotation,
    quaternion_from_vector,
    quaternion_product,
    rotation_between,
    rotation_from_quaternion,
    rpy_from_quaternion,
    scalar_first,
    scalar_last,
    vector_from_quaternion,
    vector_from_rotation,
)
from tarsus.spatial.rotations import (
    rotation_along,
    rotation_from_rpy,
    rotation_from_vector,
    rpy_from_rotation,
    skew,
)
from tarsus.spatial.screws import Screw, screw
from tarsus.spatial.twists import adjoint, bracket, velocity_map

__all__ = [
    "Screw",
    "adjoint",
    "bracket",
    "inverse",
    "pose",
    "pose_from_twist",
    "pose_step",
    "quaternion_conjugate",
    "quaternion_from_rotation",
    "quaternion_from_vector",
    "quaternion_product",
    "rotation_along",
    "rotation_between",
    "rotation_from_quaternion",
    "rotation_from_rpy",
    "rotation_from_vector",
    "rpy_from_quaternion",
    "rpy_from_rotation",
    "scalar_first",
    "scalar_last",
    "screw",
    "skew",
    "twist_from_pose",
    "vector_from_quaternion",
    "vector_from_rotation",
    "velocity_map",
]
