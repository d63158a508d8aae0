"""Ways in which a caller of the builder may state rotations, axes, numbers and matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.model.checks import is_triple, numbers
from tarsus.model.description import Array, Coupling, ModelError
from tarsus.model.kinds import KINDS, POSITION_FIELDS, QUATERNION
from tarsus.spatial import rotation_from_rpy

Numbers: TypeAlias = float | ArrayLike
Axis: TypeAlias = str | ArrayLike
Function: TypeAlias = Callable[[Array], tuple[Array, ...]]

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def rotation_matrix(rotation: ArrayLike, what: str = "rotation") -> Array:
    """Return a rotation (3, 3) from a matrix, or from roll, pitch and yaw [rad]: Rz Ry Rx."""
    if not is_triple(rotation):
        accepted = "(3,), roll, pitch and yaw, or (3, 3), a matrix"
        return numbers(rotation, (3, 3), what, accepted=accepted)
    return rotation_from_rpy(numbers(rotation, (3,), what))


def placement_of(
    what: str,
    position: ArrayLike | None,
    rotation: ArrayLike | None,
    placement: ArrayLike | None,
) -> Array:
    """Return a placement (4, 4) from one of the ways to state it."""
    if placement is not None:
        if position is not None or rotation is not None:
            raise ModelError(f"{what}: give placement, or position and rotation, not both")
        return np.asarray(placement)
    matrix = np.eye(4)
    if position is not None:
        matrix[:3, 3] = numbers(position, (3,), f"{what}: position")
    if rotation is not None:
        matrix[:3, :3] = rotation_matrix(rotation, f"{what}: rotation")
    return matrix


def axis_of(what: str, axis: Axis | None) -> Array | None:
    """Return an axis (3,) from three numbers or a letter."""
    if isinstance(axis, str):
        if axis not in AXES:
            raise ModelError(f"{what}: axis is {axis!r}, must be 'x', 'y', 'z' or three numbers")
        axis = AXES[axis]
    return None if axis is None else np.asarray(axis)


def spread(value: Numbers | None, kind: str, key: str) -> Any:
    """Repeat a single number for all coordinates; a quaternion must be spelled out."""
    if value is None or np.ndim(value) > 0 or kind not in KINDS:
        return value
    if key in POSITION_FIELDS and kind in QUATERNION:
        return value
    nq, nv = KINDS[kind]
    return np.full(nq if key in POSITION_FIELDS else nv, value)


def linear_coupling(
    joints: Sequence[str],
    matrix: ArrayLike,
    offset: ArrayLike | None,
    name: str | None,
    *,
    motor: bool,
) -> Coupling:
    """Return the coupling joints = matrix @ leaders + offset: unit rows are those of leaders."""
    if isinstance(joints, str) or not all(isinstance(joint, str) for joint in joints):
        raise ModelError(f"coupling: joints is {joints!r}, must be names of joints")
    what = f"coupling of {', '.join(joints)}" if name is None else f"coupling {name!r}"
    try:
        shape = (len(joints), np.shape(matrix)[1])
    except (IndexError, ValueError):  # no matrix, or rows of different lengths
        shape = (len(joints), 1)
    accepted = f"({len(joints)}, number of leaders)"
    rows = numbers(matrix, shape, f"{what}: matrix", accepted=accepted)
    shift = np.zeros(len(joints))
    if offset is not None:
        shift = numbers(offset, (len(joints),), f"{what}: offset")
    leaders: list[int] = []
    for k, unit in enumerate(np.eye(shape[1])):
        found = np.flatnonzero((rows == unit).all(axis=1) & (shift == 0.0)).tolist()
        if not found:
            reason = f"no joint leads column {k}: it has a one there, zeros elsewhere, no offset"
            raise ModelError(f"{what}: {reason}")
        leaders.append(found[0])
    followers = [i for i in range(len(joints)) if i not in leaders]
    if not followers:
        raise ModelError(f"{what}: all joints lead, none follows")
    return Coupling(
        joints[followers[0]] if name is None else name,
        "linear",
        tuple(joints[i] for i in leaders),
        tuple(joints[i] for i in followers),
        rows[followers],
        shift[followers] if shift[followers].any() else None,
        motor=motor,
    )
