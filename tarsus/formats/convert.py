"""States in the layouts of Pinocchio, MuJoCo and Drake; namespace `ts.convert`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import UnknownNameError, expect, suggestion
from tarsus._lib.files import Array
from tarsus.formats.layouts import COSINE_SINE, DRAKE, MUJOCO, PINOCCHIO, Rule, same
from tarsus.model.description import NONHOLONOMIC, ROLLING
from tarsus.model.model import Model
from tarsus.model.views import JointView

__all__ = ["from_drake", "from_mujoco", "from_pinocchio", "to_drake", "to_mujoco", "to_pinocchio"]


# The functions of `tarsus.convert`: one each way for each library.


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


# Where the coordinates of each joint stand in another library, and the way there and back.


@dataclass(frozen=True)
class Block:
    """A joint, its rule, and where its coordinates stand in the other library."""

    joint: JointView
    rule: Rule
    q_slice: slice
    v_slice: slice


def blocks_in_order(
    model: Model,
    rules: Mapping[str, Rule],
    places: Mapping[str, tuple[int, int]] | None = None,
    endless: Sequence[str] = (),
) -> list[Block]:
    """Return the blocks, one after the other or at the places (of q, of v) of each joint.

    Rules are by kind; the revolute joints named in `endless` have a cosine and a sine. Joints
    without a place are left out.
    """
    blocks, end = [], (0, 0)
    for joint in model.joints:
        name = joint.name
        if places is not None and name not in places:
            continue
        if joint.kind in (*NONHOLONOMIC, *ROLLING):
            raise ValueError(f"joint {name!r}: other libraries have no {joint.kind} joint")
        rule = rules.get(joint.kind) or same(joint.nq, joint.nv)
        if name in endless:
            rule = COSINE_SINE
        q, v = end if places is None else places[name]
        end = (q + rule.nq, v + rule.nv)
        blocks.append(Block(joint, rule, slice(q, end[0]), slice(v, end[1])))
    return blocks


def pinocchio_blocks(model: Model, peer: Any, unbounded: str) -> list[Block]:
    """Return the blocks in Pinocchio, in the order of the joints or as in a model there."""
    if unbounded not in ("cos_sin", "angle"):
        raise ValueError(f"unbounded is {unbounded!r}, must be 'cos_sin' or 'angle'")
    expect(model, Model, "model")
    joints = model.joints
    revolute = [joint for joint in joints if joint.kind == "revolute"]
    if peer is None:
        free = [j for j in revolute if np.isinf(j.lower[0]) and np.isinf(j.upper[0])]
        endless = [joint.name for joint in free if unbounded == "cos_sin"]
        return blocks_in_order(model, PINOCCHIO, endless=endless)
    _check_peer(peer, "pinocchio.Model", "names", "nqs", "idx_qs", "idx_vs")
    # a joint that mimics another has no coordinates there
    index = {name: i for i, name in enumerate(peer.names) if i > 0 and peer.nqs[i] > 0}
    _check_names(joints, index, "Pinocchio")
    endless = [
        joint.name for joint in revolute if joint.name in index and peer.nqs[index[joint.name]] == 2
    ]
    places = {name: (int(peer.idx_qs[i]), int(peer.idx_vs[i])) for name, i in index.items()}
    blocks = blocks_in_order(model, PINOCCHIO, places, endless)
    return _covering(blocks, peer.nq, peer.nv, "Pinocchio")


def mujoco_blocks(model: Model, peer: Any) -> list[Block]:
    """Return the blocks in MuJoCo, in the order of the joints or as in a model there."""
    expect(model, Model, "model")
    joints = model.joints
    for joint in joints:
        if joint.kind == "screw":
            raise ValueError(f"joint {joint.name!r}: MuJoCo has no screw joint")
        if joint.kind == "free" and model.body(joint.child).parent >= 0:
            raise ValueError(f"joint {joint.name!r}: a free joint of MuJoCo hangs on the world")
    if peer is None:
        return blocks_in_order(model, MUJOCO)
    _check_peer(peer, "mujoco.MjModel", "njnt", "jnt_qposadr", "jnt_dofadr")
    index = {peer.joint(i).name: i for i in range(peer.njnt)}
    for joint in joints:
        # free joints often have no name in MuJoCo, but the body has
        if joint.name not in index and joint.kind == "free":
            index[joint.name] = int(peer.body(joint.child).jntadr[0])
    _check_names(joints, index, "MuJoCo")
    places = {
        joint.name: (
            int(peer.jnt_qposadr[index[joint.name]]),
            int(peer.jnt_dofadr[index[joint.name]]),
        )
        for joint in joints
        if joint.name in index
    }
    return _covering(blocks_in_order(model, MUJOCO, places), peer.nq, peer.nv, "MuJoCo")


def _check_peer(peer: object, kind: str, *attributes: str) -> None:
    """Raise unless `peer` looks like the model of a library that need not be installed."""
    if not all(hasattr(peer, attribute) for attribute in attributes):
        raise TypeError(f"peer is of type {type(peer).__name__}, must be a {kind}")


def _check_names(joints: Sequence[JointView], names: Mapping[str, int], library: str) -> None:
    """Raise unless the other library has all joints, but for those that only follow others."""
    for joint in joints:
        if joint.name not in names and joint.dependent != "coupling":
            message = f"{library}'s model has no joint {joint.name!r}"
            raise UnknownNameError(message + suggestion(joint.name, names))


def _covering(blocks: list[Block], nq: int, nv: int, library: str) -> list[Block]:
    """Return the blocks if they fill the other library's coordinates, each exactly once."""
    q = sorted(i for block in blocks for i in range(block.q_slice.start, block.q_slice.stop))
    v = sorted(i for block in blocks for i in range(block.v_slice.start, block.v_slice.stop))
    if q != list(range(nq)) or v != list(range(nv)):
        raise ValueError(
            f"the joints of the model have nq={len(q)}, nv={len(v)} in the layout of {library}, "
            f"whose model has nq={nq}, nv={nv}"
        )
    return blocks


def to_other(
    blocks: list[Block], model: Model, q: ArrayLike, v: ArrayLike | None
) -> Array | tuple[Array, Array]:
    """Return q, and v if it is given, as the other library has them."""
    q_in, v_in = _arrays(q, v, model.nq, model.nv)
    sizes = [sum(block.rule.nq for block in blocks), sum(block.rule.nv for block in blocks)]
    q_out, v_out = (np.empty((*q_in.shape[:-1], size)) for size in sizes)
    x, w = q_in, v_in
    if any(joint.dependent for joint in model.joints):
        x, w = model.joint_positions(q_in), model.joint_velocities(q_in, v_in)
    for block in blocks:
        joint = block.joint
        own = x[..., joint.position_slice], w[..., joint.velocity_slice]
        q_out[..., block.q_slice], v_out[..., block.v_slice] = block.rule.to_other(*own, joint)
    return q_out if v is None else (q_out, v_out)


def to_ours(
    blocks: list[Block], model: Model, q: ArrayLike, v: ArrayLike | None
) -> Array | tuple[Array, Array]:
    """Return q, and v if it is given, of the model from those of the other library."""
    sizes = [sum(block.rule.nq for block in blocks), sum(block.rule.nv for block in blocks)]
    q_in, v_in = _arrays(q, v, *sizes)
    q_out, v_out = (np.empty((*q_in.shape[:-1], size)) for size in (model.nq, model.nv))
    for block in blocks:
        joint = block.joint
        own = block.rule.to_ours(q_in[..., block.q_slice], v_in[..., block.v_slice], joint)
        if joint.dependent != "coupling":
            q_out[..., joint.q_slice] = own[0]
        v_out[..., joint.v_slice] = own[1][..., list(joint.own_velocities)]
    return q_out if v is None else (q_out, v_out)


def _arrays(q: ArrayLike, v: ArrayLike | None, nq: int, nv: int) -> tuple[Array, Array]:
    """Return q and v (zeros for None) with the same leading dimensions."""
    arrays = []
    for name, value, size in (("q", q, nq), ("v", np.zeros(nv) if v is None else v, nv)):
        array = np.asarray(value, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] != size:
            raise ValueError(f"{name} has shape {array.shape}, must be (…, {size})")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} is not finite")
        arrays.append(array)
    lead = np.broadcast_shapes(arrays[0].shape[:-1], arrays[1].shape[:-1])
    q_array, v_array = (np.broadcast_to(a, (*lead, a.shape[-1])) for a in arrays)
    return q_array, v_array
