"""Joints of a compiled MuJoCo model, with the coordinates that MuJoCo gives them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.formats.xml import unlimited
from tarsus.model.description import Joint
from tarsus.spatial import pose, rotation_from_quaternion, rotation_from_vector, scalar_last

# by MuJoCo's number of the type: kind, nq, nv
TYPES = [("free", 7, 6), ("spherical", 4, 3), ("prismatic", 1, 1), ("revolute", 1, 1)]


def joint_kind(model: Any, index: int) -> str:
    """Our name of a joint's kind."""
    return TYPES[int(model.jnt_type[index])][0]


def read_joint(
    model: Any, index: int, placement: Array, ignored: Counter[str]
) -> tuple[Joint, Array]:
    """A joint without names, and the place of its anchor in the body's frame (3,).

    `placement` (4, 4) is the body's pose, as stated, in the frame that carries the joint.
    """
    kind, _, nv = TYPES[model.jnt_type[index]]
    start = int(model.jnt_dofadr[index])
    dofs = slice(start, start + nv)
    joint = Joint("", kind, "", "")
    anchor = np.zeros(3)
    if kind in ("revolute", "spherical"):
        anchor = np.array(model.jnt_pos[index])
    joint.placement = np.eye(4) if kind == "free" else placement @ pose(anchor)
    if kind in ("revolute", "prismatic"):
        joint.axis = np.array(model.jnt_axis[index])
        # the body stands as stated at the reference position, not at zero
        reference = float(initial_position(model, index)[0])
        joint.placement = joint.placement @ motion(kind, joint.axis, -reference)
    joint.damping = np.array(model.dof_damping[dofs])
    joint.friction = np.array(model.dof_frictionloss[dofs])
    joint.armature = np.array(model.dof_armature[dofs])
    _read_spring(model, index, joint, ignored)
    _read_limits(model, index, joint, ignored)
    return joint, anchor


def motion(kind: str, axis: Array, amount: float) -> Array:
    """The pose (4, 4) after a "prismatic" joint or a revolute one has moved by `amount`."""
    if kind == "prismatic":
        return pose(amount * axis)
    return pose(rotation=rotation_from_vector(amount * axis))


def mujoco_pose(position: Array, quaternion: Array) -> Array:
    """The pose (4, 4) of a position and a quaternion [w x y z] of MuJoCo."""
    return pose(position, rotation_from_quaternion(scalar_last(quaternion)))


def initial_position(model: Any, index: int) -> Array:
    """The coordinates of a joint in the configuration that the file states (nq,)."""
    return _coordinates(model, index, model.qpos0)


def reorder(qpos: Array) -> Array:
    """Coordinates of one joint, with the quaternion [w x y z] of MuJoCo as [x y z w]."""
    split = {7: 3, 4: 0}.get(len(qpos))
    if split is None:
        return np.array(qpos)
    return np.concatenate([qpos[:split], scalar_last(qpos[split:])])


def _coordinates(model: Any, index: int, qpos: Array) -> Array:
    start = int(model.jnt_qposadr[index])
    return reorder(qpos[start : start + TYPES[model.jnt_type[index]][1]])


def _read_spring(model: Any, index: int, joint: Joint, ignored: Counter[str]) -> None:
    stiffness = float(model.jnt_stiffness[index])
    if stiffness and joint.kind == "free":
        ignored["springs of free joints"] += 1
    elif stiffness:
        joint.stiffness = np.full(TYPES[model.jnt_type[index]][2], stiffness)
        joint.rest = _coordinates(model, index, model.qpos_spring)
    # MuJoCo before version 4 has no such coefficients
    if hasattr(model, "jnt_stiffnesspoly") and model.jnt_stiffnesspoly[index].any():
        ignored["non-linear springs of joints"] += 1
    if hasattr(model, "jnt_springyield") and model.jnt_springyield[index]:
        ignored["yields of springs of joints"] += 1


def _read_limits(model: Any, index: int, joint: Joint, ignored: Counter[str]) -> None:
    if model.jnt_limited[index] and joint.kind == "spherical":
        ignored["ranges of ball joints"] += 1
    elif model.jnt_limited[index]:
        lower, upper = map(unlimited, model.jnt_range[index].tolist())
        joint.lower, joint.upper = np.array([lower]), np.array([upper])
    if model.jnt_actfrclimited[index] and joint.kind in ("revolute", "prismatic"):
        joint.effort_limit = np.array([np.abs(model.jnt_actfrcrange[index]).max()])
