"""Comparison of a model with other libraries; MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from tarsus._lib.differences import rate
from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array
from tarsus.formats import convert
from tarsus.model.model import Model
from tarsus.model.views import BodyView, JointView

# Other libraries that compute the same: to compare results with, and to measure against.
#
# None of them is needed. A peer holds a model of its own and gives and takes coordinates in the
# layout of ours, so that its numbers can be put beside ours.


class Peer(Protocol):
    """A library with the same mechanism."""

    label: str
    """Name and version, and how it got the mechanism."""

    @property
    def dynamics(self) -> Model | None:
        """Methods of our model for identities, computed by the library alone, if it has them."""

    def quantities(self, q: Array, v: Array, a: Array, tau: Array) -> dict[str, Array]:
        """Return what the library computes for one state, by the names of our methods."""


class NotComparableError(TarsusError):
    """A mechanism that the other library is not installed for, or cannot represent."""


def check_tree(model: Model, library: str) -> None:
    """Raise unless the model is a plain tree: couplings and loops are not handed over."""
    check_counts(model, library, "trees", "coupling", "loop")


def check_counts(model: Model, library: str, handed: str, *kinds: str) -> None:
    """Raise if the model has what is not handed over to a library that gets something less."""
    stated = model.description
    numbers = {"coupling": len(stated.couplings), "loop": len(stated.loops)}
    counts = {kind: numbers[kind] for kind in kinds}
    found = [f"{n} {what}{'s' if n > 1 else ''}" for what, n in counts.items() if n]
    if found:
        has = " and ".join(found)
        message = f"{library} is handed {handed} only: not compared, the model has {has}"
        raise NotComparableError(message)


def peers(model: Model) -> tuple[dict[str, Peer], dict[str, str]]:
    """Return the peers that took the model by name, and for the others the reason why not."""
    from tarsus.check.pinocchio import PinocchioPeer

    makers: dict[str, Callable[[Model], Peer]] = {
        "Pinocchio": lambda model: PinocchioPeer(model, mimic=True),
        "MuJoCo": MujocoPeer,
    }
    found: dict[str, Peer] = {}
    missing: dict[str, str] = {}
    for name, make in makers.items():
        try:
            found[name] = make(model)
        except NotComparableError as reason:
            missing[name] = str(reason)
    return found, missing


# MuJoCo with the same mechanism, handed over body by body.
#
# MuJoCo's velocities of free and planar joints are in other axes, v' = P(q) v. Forces and matrices
# are taken back by P; its acceleration is P a + Ṗ v.


class MujocoPeer:
    """MuJoCo's model and data (`model`, `data`) of one of our models."""

    def __init__(self, ours: Model) -> None:
        mujoco = load_mujoco()
        check_tree(ours, "MuJoCo")
        self.mujoco = mujoco
        self.label = f"MuJoCo {mujoco.__version__} was handed the model"
        self.model = _hand_over(mujoco, ours)
        self.data = mujoco.MjData(self.model)
        self._ours = ours
        self.dynamics = None

    def quantities(self, q: Array, v: Array, a: Array, tau: Array) -> dict[str, Array]:
        """Return what MuJoCo computes for one state, by the names of our methods."""
        mujoco, model, data, ours = self.mujoco, self.model, self.data, self._ours
        nv = ours.nv
        basis = convert.to_mujoco(ours, q, np.eye(nv), peer=model)[1].T
        drift = rate(ours, q, v, lambda x: convert.to_mujoco(ours, x, v, peer=model)[1])
        data.qpos[:], data.qvel[:] = convert.to_mujoco(ours, q, v, peer=model)
        data.qfrc_applied[:] = np.linalg.solve(basis.T, tau)
        mujoco.mj_forward(model, data)
        mass = np.array([_product(mujoco, model, data, column) for column in basis.T])
        bias = data.qfrc_bias + _product(mujoco, model, data, drift)
        bodies = [model.body(name).id for name in ours.body_names]
        poses = np.tile(np.eye(4), (len(bodies), 1, 1))
        poses[:, :3, :3] = data.xmat[bodies].reshape(-1, 3, 3)
        poses[:, :3, 3] = data.xpos[bodies]
        return {
            "forward_kinematics": poses,
            "mass_matrix": mass @ basis,
            "bias_forces": bias @ basis,
            "inverse_dynamics": mass @ basis @ a + bias @ basis,
            "forward_dynamics": np.linalg.solve(basis, data.qacc - drift),
            "center_of_mass": np.array(data.subtree_com[0]),
        }


def _product(mujoco: Any, model: Any, data: Any, vector: Array) -> Array:
    result = np.empty(model.nv)
    mujoco.mj_mulM(model, data, result, np.ascontiguousarray(vector))
    return result


def load_mujoco() -> Any:
    """Return the module, or raise NotComparableError."""
    try:
        import mujoco
    except ImportError:
        raise NotComparableError("MuJoCo is not installed (pip install mujoco)") from None
    return mujoco


def specification(mujoco: Any, ours: Model) -> Any:
    """Return an MjSpec with the bodies and joints of a model, without shapes or limits."""
    spec = mujoco.MjSpec()
    spec.option.gravity = ours.gravity
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    bodies = [spec.worldbody]
    for joint_name, body_name in zip(ours.joint_names, ours.body_names, strict=True):
        joint, body = ours.joint(joint_name), ours.body(body_name)
        bodies.append(_add_body(mujoco, bodies[body.parent + 1], joint, body))
    return spec


def _hand_over(mujoco: Any, ours: Model) -> Any:
    spec = specification(mujoco, ours)
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    try:
        model = spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        reason = str(error).splitlines()[0]
        raise NotComparableError(f"MuJoCo refuses the model: {reason}") from None
    try:
        convert.to_mujoco(ours, ours.neutral(), peer=model)
    except ValueError as error:
        raise NotComparableError(str(error)) from None
    return model


def _add_body(mujoco: Any, parent: Any, joint: JointView, body: BodyView) -> Any:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, joint.placement[:3, :3].ravel())
    added = parent.add_body(name=body.name, pos=joint.placement[:3, 3], quat=quaternion)
    added.explicitinertial = True
    added.mass, added.ipos = body.mass, body.com
    inertia = body.inertia
    added.fullinertia = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    for position, (kind, axis, armature) in enumerate(_parts(joint)):
        added.add_joint(
            name=joint.name if position == 0 else f"{joint.name}:{position}",
            type=getattr(mujoco.mjtJoint, f"mjJNT_{kind}"),
            axis=axis,
            armature=armature,
        )
    return added


def _parts(joint: JointView) -> list[tuple[str, Array, float]]:
    """Return MuJoCo's joints (type, axis, armature) that make up one of ours."""
    x, y, z = np.eye(3)
    first, second = joint.axis, joint.second_axis
    parts = {
        "revolute": [("HINGE", first)],
        "prismatic": [("SLIDE", first)],
        "cylindrical": [("HINGE", first), ("SLIDE", first)],
        "universal": [("HINGE", first), ("HINGE", second)],
        "spherical": [("BALL", z)],
        "spherical_zyx": [("HINGE", z), ("HINGE", y), ("HINGE", x)],
        "translation": [("SLIDE", x), ("SLIDE", y), ("SLIDE", z)],
        "free": [("FREE", z)],
    }
    if np.array_equal(first, z):
        parts["planar"] = [("SLIDE", x), ("SLIDE", y), ("HINGE", z)]
    if joint.kind not in parts:
        raise NotComparableError(f"MuJoCo has no joint like {joint.name!r} ({joint.kind})")
    chosen = parts[joint.kind]
    armature = joint.armature
    if len(chosen) != len(armature) and np.ptp(armature) > 0.0:
        raise NotComparableError(f"MuJoCo has one armature for all of joint {joint.name!r}")
    if joint.kind in ("free", "planar") and np.any(armature):
        raise NotComparableError(f"MuJoCo's armature of {joint.name!r} acts in other axes")
    return [(kind, axis, float(armature[i])) for i, (kind, axis) in enumerate(chosen)]
