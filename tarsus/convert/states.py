"""The functions of `tarsus.convert`: one each way for each library."""

from __future__ import annotations

from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.convert.blocks import (
    blocks_in_order,
    mujoco_blocks,
    pinocchio_blocks,
    to_other,
    to_ours,
)
from tarsus.convert.layouts import DRAKE
from tarsus.model import Model
from tarsus.model.checks import expect

Unbounded = Literal["cos_sin", "angle"]


@overload
def to_pinocchio(
    model: Model, q: ArrayLike, v: None = None, *, peer: Any = None, unbounded: Unbounded = ...
) -> Array: ...
@overload
def to_pinocchio(
    model: Model, q: ArrayLike, v: ArrayLike, *, peer: Any = None, unbounded: Unbounded = ...
) -> tuple[Array, Array]: ...
def to_pinocchio(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    peer: Any = None,
    unbounded: Unbounded = "cos_sin",
) -> Array | tuple[Array, Array]:
    """Convert q (…, nq) and v (…, nv) to Pinocchio, whose layout differs in two kinds of joints.

    - a revolute joint without limits: [cos, sin] of the angle, as Pinocchio reads a continuous
      joint of a URDF; `unbounded="angle"` keeps the angle. A `peer` says itself which it is.
    - planar: [x, y, cos, sin].
    """
    return to_other(pinocchio_blocks(model, peer, unbounded), model, q, v)


@overload
def from_pinocchio(
    model: Model, q: ArrayLike, v: None = None, *, peer: Any = None, unbounded: Unbounded = ...
) -> Array: ...
@overload
def from_pinocchio(
    model: Model, q: ArrayLike, v: ArrayLike, *, peer: Any = None, unbounded: Unbounded = ...
) -> tuple[Array, Array]: ...
def from_pinocchio(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    peer: Any = None,
    unbounded: Unbounded = "cos_sin",
) -> Array | tuple[Array, Array]:
    """Convert Pinocchio's q (…, n) and v (…, nv), see `to_pinocchio`; angles are in (−π, π]."""
    return to_ours(pinocchio_blocks(model, peer, unbounded), model, q, v)


@overload
def to_mujoco(model: Model, q: ArrayLike, v: None = None, *, peer: Any = None) -> Array: ...
@overload
def to_mujoco(
    model: Model, q: ArrayLike, v: ArrayLike, *, peer: Any = None
) -> tuple[Array, Array]: ...
def to_mujoco(
    model: Model, q: ArrayLike, v: ArrayLike | None = None, *, peer: Any = None
) -> Array | tuple[Array, Array]:
    """Convert to MuJoCo's qpos and qvel; `peer` is an `MjModel`.

    - free: [x y z, qw qx qy qz] in the world, [linear in world axes, angular in body axes].
    - spherical: [qw qx qy qz], angular velocity in body axes.
    - planar: two slides and a hinge, so the velocities are the rates of [x, y, angle].
    - cylindrical: hinge, slide; universal: two hinges; spherical_zyx: hinges about z, y, x;
      translation: three slides. Their numbers are the same.

    MuJoCo has no screw joint and no free joint on a moving body: these raise ValueError.
    """
    return to_other(mujoco_blocks(model, peer), model, q, v)


@overload
def from_mujoco(model: Model, q: ArrayLike, v: None = None, *, peer: Any = None) -> Array: ...
@overload
def from_mujoco(
    model: Model, q: ArrayLike, v: ArrayLike, *, peer: Any = None
) -> tuple[Array, Array]: ...
def from_mujoco(
    model: Model, q: ArrayLike, v: ArrayLike | None = None, *, peer: Any = None
) -> Array | tuple[Array, Array]:
    """Convert MuJoCo's qpos (…, n) and qvel (…, nv) to q and v, see `to_mujoco`."""
    return to_ours(mujoco_blocks(model, peer), model, q, v)


@overload
def to_drake(model: Model, q: ArrayLike, v: None = None) -> Array: ...
@overload
def to_drake(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]: ...
def to_drake(model: Model, q: ArrayLike, v: ArrayLike | None = None) -> Array | tuple[Array, Array]:
    """Convert to Drake.

    - free (QuaternionFloatingJoint): [qw qx qy qz, x y z] on the parent body, [angular, linear]
      velocity in axes of the parent body.
    - spherical and spherical_zyx (BallRpyJoint): [roll pitch yaw], angular velocity in axes of
      the joint on the parent.
    - planar: [x, y, angle] and their rates.
    - all others: the same numbers.
    """
    expect(model, Model, "model")
    return to_other(blocks_in_order(model, DRAKE), model, q, v)


@overload
def from_drake(model: Model, q: ArrayLike, v: None = None) -> Array: ...
@overload
def from_drake(model: Model, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]: ...
def from_drake(
    model: Model, q: ArrayLike, v: ArrayLike | None = None
) -> Array | tuple[Array, Array]:
    """Convert Drake's q (…, n) and v (…, n) to ours, see `to_drake`."""
    expect(model, Model, "model")
    return to_ours(blocks_in_order(model, DRAKE), model, q, v)
