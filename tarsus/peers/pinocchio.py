"""Pinocchio with the same mechanism: read from the same URDF, or handed over joint by joint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tarsus import convert
from tarsus.model import JointView, Model
from tarsus.model.description import Array
from tarsus.peers import NotComparableError, check_tree

ROOT_JOINT = "root_joint"
LARGEST_NV = 300
"""Pinocchio's data hold several tensors of nv³ numbers: 1.5 GB for 300, 50 GB for 1000."""


class PinocchioPeer:
    """Pinocchio's model and data (`model`, `data`) of one of our models."""

    def __init__(self, ours: Model) -> None:
        self.pin = pin = _import()
        check_tree(ours, "Pinocchio")
        if ours.nv > LARGEST_NV:
            raise NotComparableError(f"nv is {ours.nv}: Pinocchio would need too much memory")
        file = urdf_file(ours)
        self.model, how = (
            (_read(pin, ours, file), "reads the URDF itself")
            if file
            else (_hand_over(pin, ours), "was handed the model")
        )
        self.data = self.model.createData()
        self.label = f"Pinocchio {pin.__version__} {how}"
        self._ours = ours
        # where our velocities stand in Pinocchio's order
        try:
            numbers = convert.to_pinocchio(
                ours, ours.neutral(), np.arange(ours.nv), peer=self.model
            )
        except ValueError as error:
            raise NotComparableError(f"Pinocchio has other joints: {error}") from None
        self._order = np.argsort(numbers[1].astype(int))

    def configuration(self, q: Array) -> Array:
        """Return a configuration in Pinocchio's layout."""
        return convert.to_pinocchio(self._ours, q, peer=self.model)

    def velocity(self, v: Array) -> Array:
        """Return a velocity, acceleration or force in Pinocchio's layout."""
        theirs = np.empty_like(v)
        theirs[..., self._order] = v
        return theirs

    def frame_id(self, body: str) -> int:
        """Return Pinocchio's number of the frame of a moving body, that of its joint there."""
        joint = self._ours.body(body).joint
        return int(self.model.getFrameId(joint, self.pin.FrameType.JOINT))

    def quantities(self, q: Array, v: Array, a: Array, tau: Array) -> dict[str, Array]:
        """Return what Pinocchio computes for one state, by the names of our methods."""
        pin, model, data, order = self.pin, self.model, self.data, self._order
        q = self.configuration(q)
        v, a, tau = (self.velocity(x) for x in (v, a, tau))
        results = {
            "inverse_dynamics": pin.rnea(model, data, q, v, a)[order],
            "forward_dynamics": pin.aba(model, data, q, v, tau)[order],
            "bias_forces": pin.nonLinearEffects(model, data, q, v)[order],
            "gravity_forces": pin.computeGeneralizedGravity(model, data, q)[order],
            "mass_matrix": _symmetric(pin.crba(model, data, q))[np.ix_(order, order)],
            "center_of_mass": pin.centerOfMass(model, data, q),
            "centroidal_momentum_matrix": _columns(pin.ccrba(model, data, q, v))[:, order],
            "kinetic_energy": np.array(pin.computeKineticEnergy(model, data, q, v)),
        }
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        pin.updateFramePlacements(model, data)
        ids = [self.frame_id(body) for body in self._ours.body_names]
        frame, local = ids[-1], pin.ReferenceFrame.LOCAL
        results["forward_kinematics"] = np.array([data.oMf[i].homogeneous for i in ids])
        jacobian = pin.getFrameJacobian(model, data, frame, local)
        rate = pin.getFrameJacobianTimeVariation(model, data, frame, local)
        results["frame_jacobian"] = _columns(jacobian)[:, order]
        # Pinocchio leaves out what the motion of a joint's own axes adds to the rate
        if "spherical_zyx" not in {self._ours.joint(name).kind for name in self._ours.joint_names}:
            results["frame_jacobian_rate"] = _columns(rate)[:, order]
        return {key: np.array(value) for key, value in results.items()}


def urdf_file(model: Model) -> Path | None:
    """Return the URDF file that a model was read from, if it is still there."""
    source = next((body.source for body in model.description.bodies if body.source), None)
    file = Path(source.file) if source else None
    return file if file and file.suffix == ".urdf" and file.is_file() else None


def _import() -> Any:
    try:
        import pinocchio
    except ImportError:
        raise NotComparableError("Pinocchio is not installed (pip install pin)") from None
    return pinocchio


def _read(pin: Any, ours: Model, file: Path) -> Any:
    free = ROOT_JOINT in ours.joint_names
    try:
        root = (pin.JointModelFreeFlyer(),) if free else ()
        return pin.buildModelFromUrdf(str(file), *root)
    except (ValueError, RuntimeError) as error:
        raise NotComparableError(f"Pinocchio cannot read {file}: {error}") from None


def _hand_over(pin: Any, ours: Model) -> Any:
    theirs = pin.Model()
    theirs.gravity = pin.Motion(ours.gravity, np.zeros(3))
    ids, armature = {-1: 0}, [np.zeros(0)]
    for index in _depth_first(ours):
        body = ours.body(ours.body_names[index])
        joint = ours.joint(body.joint)
        placement = pin.SE3(joint.placement)
        ids[index] = theirs.addJoint(ids[body.parent], _joint(pin, joint), placement, joint.name)
        inertia = pin.Inertia(body.mass, body.com, body.inertia)
        theirs.appendBodyToJoint(ids[index], inertia, pin.SE3.Identity())
        theirs.addJointFrame(ids[index])
        armature.append(joint.armature)
    theirs.armature = np.concatenate(armature)
    return theirs


def _depth_first(ours: Model) -> Iterator[int]:
    """Yield the bodies depth first: in another order Pinocchio's mass matrix is wrong."""
    children: dict[int, list[int]] = {}
    for name in reversed(ours.body_names):
        body = ours.body(name)
        children.setdefault(body.parent, []).append(body.index)
    stack = list(children.get(-1, []))
    while stack:
        index = stack.pop()
        yield index
        stack += children.get(index, [])


def _joint(pin: Any, joint: JointView) -> Any:
    """Return Pinocchio's kind of a joint, the one made for coordinate axes where there is one."""
    axis = joint.axis
    aligned = "XYZ"[int(np.argmax(axis))] if np.array_equal(np.sort(axis), [0, 0, 1]) else ""
    makers: dict[str, Callable[[], Any]] = {
        "revolute": lambda: getattr(pin, f"JointModelR{aligned}")()
        if aligned
        else pin.JointModelRevoluteUnaligned(axis),
        "prismatic": lambda: getattr(pin, f"JointModelP{aligned}")()
        if aligned
        else pin.JointModelPrismaticUnaligned(axis),
        "spherical": pin.JointModelSpherical,
        "spherical_zyx": pin.JointModelSphericalZYX,
        "translation": pin.JointModelTranslation,
        "free": pin.JointModelFreeFlyer,
    }
    if joint.kind == "planar" and aligned == "Z":
        makers["planar"] = pin.JointModelPlanar
    if joint.kind not in makers:
        raise NotComparableError(f"Pinocchio has no joint like {joint.name!r} ({joint.kind})")
    return makers[joint.kind]()


def _symmetric(matrix: Array) -> Array:
    """Return a matrix of which only the upper triangle counts, made symmetric."""
    upper = np.triu(matrix)
    return np.asarray(upper + np.triu(upper, 1).T)


def _columns(matrix: Array) -> Array:
    """Return a matrix of six rows, which Pinocchio gives as a vector if it has one column."""
    return np.reshape(matrix, (6, -1))
