"""Pinocchio with the same mechanism: read from the same URDF, or handed over joint by joint."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np

from tarsus import convert
from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.peers import NotComparableError, check_counts, check_tree
from tarsus.peers.pinocchio_dynamics import PinocchioDynamics
from tarsus.peers.pinocchio_model import hand_over, moving_axes, symmetric

ROOT_JOINT = "root_joint"
LARGEST_NV, LARGEST_MIMIC_NV = 300, 60
"""Pinocchio's data hold several tensors of nv³ numbers: 1.5 GB for 300, 50 GB for 1000. Where
joints mimic others, they are made anew for each state."""


class PinocchioPeer:
    """Pinocchio's model and data (`model`, `data`) of one of our models.

    Joints that follow others are handed over where `mimic` says so; Pinocchio has less for these.
    """

    def __init__(self, ours: Model, *, mimic: bool = False) -> None:
        self.pin = pin = _import()
        if mimic:
            check_counts(ours, "Pinocchio", "trees and joints that mimic others", "loop")
        else:
            check_tree(ours, "Pinocchio")
        couplings = ours.description.couplings
        if ours.nv > (LARGEST_MIMIC_NV if couplings else LARGEST_NV):
            raise NotComparableError(f"nv is {ours.nv}: Pinocchio would need too much memory")
        # what is coupled may have been added to what the file says
        file = None if couplings else urdf_file(ours)
        self.model, how = (
            (_read(pin, ours, file), "reads the URDF itself")
            if file
            else (hand_over(pin, ours), "was handed the model")
        )
        self.data = self.model.createData()
        self.label = f"Pinocchio {pin.__version__} {how}"
        self.ours, self._mimic = ours, bool(couplings)
        # where our velocities stand in Pinocchio's order
        try:
            numbers = convert.to_pinocchio(
                ours, ours.neutral(), np.arange(ours.nv), peer=self.model
            )
        except ValueError as error:
            raise NotComparableError(f"Pinocchio has other joints: {error}") from None
        self.order = np.argsort(numbers[1].astype(int))
        self.dynamics = cast(Model, PinocchioDynamics(self))

    def configuration(self, q: Array) -> Array:
        """Return a configuration in Pinocchio's layout."""
        return convert.to_pinocchio(self.ours, q, peer=self.model)

    def velocity(self, v: Array) -> Array:
        """Return a velocity, acceleration or force in Pinocchio's layout."""
        theirs = np.empty_like(v)
        theirs[..., self.order] = v
        return theirs

    def frame_id(self, body: str) -> int:
        """Return Pinocchio's number of the frame of a moving body, that of its joint there."""
        joint = self.ours.body(body).joint
        return int(self.model.getFrameId(joint, self.pin.FrameType.JOINT))

    def quantities(self, q: Array, v: Array, a: Array, tau: Array) -> dict[str, Array]:
        """Return what Pinocchio computes for one state, by the names of our methods."""
        pin, model, data, order = self.pin, self.model, self.data, self.order
        q = self.configuration(q)
        v, a, tau = (self.velocity(x) for x in (v, a, tau))
        results = {
            "inverse_dynamics": pin.rnea(model, data, q, v, a)[order],
            "bias_forces": pin.nonLinearEffects(model, data, q, v)[order],
            "gravity_forces": pin.computeGeneralizedGravity(model, data, q)[order],
            "center_of_mass": pin.centerOfMass(model, data, q),
        }
        pin.forwardKinematics(model, data, q)
        pin.updateFramePlacements(model, data)
        ids = [self.frame_id(body) for body in self.ours.body_names]
        results["forward_kinematics"] = np.array([data.oMf[i].homogeneous for i in ids])
        # of joints that mimic others Pinocchio has not all, and in some trees a wrong mass matrix
        if not self._mimic:
            results |= self._of_trees(q, v, tau, ids[-1])
        return {key: np.array(value) for key, value in results.items()}

    def _of_trees(self, q: Array, v: Array, tau: Array, frame: int) -> dict[str, Array]:
        """Return what Pinocchio computes right where no joint mimics another."""
        pin, model, data, order = self.pin, self.model, self.data, self.order
        results = {
            "forward_dynamics": pin.aba(model, data, q, v, tau)[order],
            "mass_matrix": symmetric(pin.crba(model, data, q))[np.ix_(order, order)],
            "centroidal_momentum_matrix": _columns(pin.ccrba(model, data, q, v))[:, order],
        }
        # Pinocchio leaves out the armature of an axis that is no coordinate axis
        if not np.any(model.armature):
            energy = pin.computeKineticEnergy(model, data, q, v)
            results["kinetic_energy"] = np.array(energy)
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        pin.updateFramePlacements(model, data)
        local = pin.ReferenceFrame.LOCAL
        jacobian = pin.getFrameJacobian(model, data, frame, local)
        rate = pin.getFrameJacobianTimeVariation(model, data, frame, local)
        results["frame_jacobian"] = _columns(jacobian)[:, order]
        if not moving_axes(self.ours):
            results["frame_jacobian_rate"] = _columns(rate)[:, order]
        return results


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


def _columns(matrix: Array) -> Array:
    """Return a matrix of six rows, which Pinocchio gives as a vector if it has one column."""
    return np.reshape(matrix, (6, -1))
