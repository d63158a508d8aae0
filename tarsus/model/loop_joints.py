"""Loop joints as joints of a tree and back: the same kinds, stated in other ways.

A loop joint meets two frames; a joint of a tree carries its child's own frame. So a body may need
another one under it, without mass, at the loop's frame; the body is then fixed there, and keeps
its frame, its centre of mass and all that was stated on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus import _core
from tarsus._lib.files import Array
from tarsus.model.defaults import filled
from tarsus.model.description import KINDS, Joint, Loop
from tarsus.model.loops import ALIGNED, EQUATIONS, PARALLEL
from tarsus.spatial import inverse, pose, rotation_along

TREE_KINDS = {
    "weld": "fixed",
    "revolute": "revolute",
    "prismatic": "prismatic",
    "universal": "universal",
    "cylindrical": "cylindrical",
    "spherical": "spherical",
    "planar": "planar",
}
"""Kinds of loop joints that a tree has, too -> their names there."""

LOOP_KINDS = {kind: loop for loop, kind in TREE_KINDS.items()} | {"spherical_zyx": "spherical"}
"""Kinds of joints that can be loop joints -> their names there."""

LOST_DYNAMICS = ("armature", "damping", "friction", "stiffness")
LOST_LIMITS = ("lower", "upper", "velocity_limit", "effort_limit")
"""What a joint of a tree has and a loop joint has not."""


ROUNDING = 1e-15
"""How far from its axis [m] the origin of a body may be, by rounding, to be on it."""


def freedoms(kind: str) -> int:
    """Return how many velocities a loop joint of this kind leaves."""
    return KINDS[TREE_KINDS[kind]][1]


@dataclass(frozen=True)
class Seat:
    """Where a loop joint carries a body: `placement` on the parent, and `offset` of the body.

    The joint's child is at `placement` in the neutral configuration. If there is an `offset`, the
    child is a body of its own, on which the carried one is fixed there.
    """

    placement: Array
    offset: Array | None
    axis: Array | None
    second_axis: Array | None


def seat(loop: Loop, relative: Array, *, backwards: bool) -> Seat:
    """Return where the loop joint carries body b on body a, or, `backwards`, a on b.

    `relative` (4, 4) is the pose of frame b in frame a as the parts are put together, which the
    joint has as its neutral one.
    """
    meeting = met(loop.kind, relative)
    on, under = loop.placement_a, loop.placement_b
    # axes of the joint, at rest in its parent and in its child, in the child's loop frame
    first, second = meeting[2, :3], np.array([1.0, 0.0, 0.0])
    if backwards:
        on, under, meeting = under, on, inverse(meeting)
        first, second = meeting[:3, :3].T @ np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    if loop.kind != "universal":
        first = np.array([0.0, 0.0, 1.0])
    back = inverse(under)
    if not _needs_offset(loop.kind, under):
        turn, there = under[:3, :3], on @ meeting @ back
        offset = None
    else:
        turn, there, offset = np.eye(3), on @ meeting, back
    axis = turn @ first if loop.kind not in ("weld", "spherical") else None
    return Seat(there, offset, axis, turn @ second if loop.kind == "universal" else None)


def met(kind: str, relative: Array) -> Array:
    """Return the pose (4, 4) nearest to `relative` in which the loop joint is closed exactly."""
    positions, axes = EQUATIONS[kind]
    rotation, p = relative[:3, :3], np.array(relative[:3, 3])
    p[list(positions)] = 0.0
    if axes == ALIGNED:
        rotation = np.diag(np.sign(np.diag(rotation)))  # also at half turns
    elif axes == PARALLEL:
        x = np.array([rotation[0, 0], rotation[1, 0], 0.0])
        up = np.array([0.0, 0.0, np.sign(rotation[2, 2])])  # also upside down
        rotation = rotation_along(up, x / np.linalg.norm(x))
    elif kind == "universal":
        x = np.array([rotation[0, 0], rotation[1, 0], 0.0])
        x /= np.linalg.norm(x)
        z = rotation[:, 2] - x * (x @ rotation[:, 2])
        rotation = rotation_along(z / np.linalg.norm(z), x)
    return pose(p, rotation)


def _needs_offset(kind: str, frame: Array) -> bool:
    """Whether the body's own frame is off what the joint turns about."""
    if kind in ("weld", "prismatic", "planar"):
        return False
    position = frame[:3, 3]
    if kind in ("revolute", "cylindrical"):
        axis = frame[:3, 2]
        position = position - axis * (axis @ position)
    return bool(np.abs(position).max() > ROUNDING * max(1.0, np.abs(frame[:3, 3]).max()))


def loop_of(joint: Joint) -> Loop:
    """Return a joint of a tree as a loop joint: frame a on its parent, frame b on its child."""
    joint = filled(joint)
    assert joint.axis is not None and joint.second_axis is not None
    turn_a = turn_b = np.eye(3)
    if joint.kind == "universal":
        turn_a = rotation_along(joint.axis, joint.second_axis)
        turn_b = rotation_along(joint.axis, joint.second_axis)
    elif joint.kind not in ("fixed", "spherical", "spherical_zyx"):
        turn_a = turn_b = np.asarray(_core.axis_rotation(joint.axis))
    return Loop(
        joint.name,
        LOOP_KINDS[joint.kind],
        joint.parent,
        joint.child,
        joint.placement @ pose(rotation=turn_a),
        pose(rotation=turn_b),
        source=joint.source,
    )
