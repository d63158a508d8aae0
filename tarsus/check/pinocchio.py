"""Comparison of a model with Pinocchio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

from tarsus._lib.files import Array
from tarsus.check.peers import NotComparableError, check_counts, check_tree
from tarsus.formats import convert
from tarsus.model.description import Coupling
from tarsus.model.model import Model
from tarsus.model.results import ForwardDynamicsDerivatives, InverseDynamicsDerivatives
from tarsus.model.views import JointView

# Pinocchio with the same mechanism: read from the same URDF, or handed over joint by joint.


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


# One of our models as a model of Pinocchio, handed over joint by joint.
#
# Linear couplings with one leader (gears, mimic joints) are joints that mimic others there.


def hand_over(pin: Any, ours: Model) -> Any:
    """Return Pinocchio's model of our mechanism; raises if it has no such joint."""
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
    for coupling in ours.description.couplings:
        theirs = _mimic(pin, theirs, ours, coupling)
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


def _mimic(pin: Any, theirs: Any, ours: Model, coupling: Coupling) -> Any:
    """Return Pinocchio's model with the followers of a coupling as joints that mimic."""
    what = f"Pinocchio has no coupling like {coupling.name!r}"
    if coupling.kind != "linear" or len(coupling.leaders) != 1 or coupling.matrix is None:
        raise NotComparableError(f"{what} ({coupling.kind}, {len(coupling.leaders)} leaders)")
    leader = ours.joint(coupling.leaders[0])
    offsets = np.zeros(len(coupling.followers)) if coupling.offset is None else coupling.offset
    if not hasattr(pin, "transformJointIntoMimic"):
        raise NotComparableError(f"{what}: version {pin.__version__} has no joints that mimic")
    if leader.dependent:
        raise NotComparableError(f"{what}: its leader {leader.name!r} follows another joint")
    for name, ratio, offset in zip(coupling.followers, coupling.matrix[:, 0], offsets, strict=True):
        if np.any(ours.joint(name).armature):
            raise NotComparableError(f"{what}: its follower {name!r} has an armature")
        pair = theirs.getJointId(leader.name), theirs.getJointId(name)
        try:
            theirs = pin.transformJointIntoMimic(theirs, *pair, float(ratio), float(offset))
        except (RuntimeError, ValueError) as error:
            raise NotComparableError(f"{what}: {error}") from None
    return theirs


def _joint(pin: Any, joint: JointView) -> Any:
    """Return Pinocchio's kind of a joint, the one made for coordinate axes where there is one."""
    axis = joint.axis
    aligned = "XYZ"[int(np.argmax(axis))] if np.array_equal(np.sort(axis), [0, 0, 1]) else ""

    def one_axis(letter: str, unaligned: str, *sizes: float) -> Any:
        if aligned:
            return getattr(pin, f"JointModel{letter}{aligned}")(*sizes)
        return getattr(pin, f"JointModel{unaligned}Unaligned")(axis, *sizes)

    makers: dict[str, Callable[[], Any]] = {
        "revolute": lambda: one_axis("R", "Revolute"),
        "prismatic": lambda: one_axis("P", "Prismatic"),
        "screw": lambda: one_axis("H", "Helical", joint.pitch),
        "cylindrical": lambda: _one_after_the_other(
            pin, one_axis("R", "Revolute"), one_axis("P", "Prismatic")
        ),
        "universal": lambda: pin.JointModelUniversal(axis, joint.second_axis),
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


def _one_after_the_other(pin: Any, *joints: Any) -> Any:
    composite = pin.JointModelComposite()
    for joint in joints:
        composite.addJoint(joint)
    return composite


def moving_axes(ours: Model) -> bool:
    """Return whether axes of a joint move on its body: Pinocchio leaves their rate out."""
    kinds = {joint.kind for joint in ours.joints}
    return not kinds.isdisjoint({"spherical_zyx", "universal"})


def symmetric(matrix: Array) -> Array:
    """Return a matrix of which only the upper triangle counts, made symmetric."""
    upper = np.triu(matrix)
    return np.asarray(upper + np.triu(upper, 1).T)


# Pinocchio behind the methods of our model, for identities that are computed with it alone.
#
# Arguments and results have our layout and order, with any leading dimensions. Steps between
# configurations are ours: they are the same.


class PinocchioDynamics:
    """The methods of `tarsus.Model` that Pinocchio has."""

    def __init__(self, peer: PinocchioPeer) -> None:
        ours = peer.ours
        self._peer, self._pin, self._model = peer, peer.pin, peer.model
        self._mimic = any(joint.dependent for joint in ours.joints)
        self.nv, self.joints = ours.nv, ours.joints
        self.integrate, self.difference = ours.integrate, ours.difference
        self.joint_velocities = ours.joint_velocities
        self.joint_accelerations = ours.joint_accelerations
        self.coupling_matrix = ours.coupling_matrix

    @property
    def inertial_parameters(self) -> Array:
        """Mass, first moments and moments of inertia of each body (n_bodies, 10)."""
        return np.array([inertia.toDynamicParameters() for inertia in self._model.inertias[1:]])

    def bias_forces(self, q: Array, v: Array) -> Array:
        """Return Coriolis, centrifugal and gravity forces (…, nv)."""
        return self._each(1, self._pin.nonLinearEffects, q, v)

    def gravity_forces(self, q: Array) -> Array:
        """Return gravity forces (…, nv)."""
        return self._each(1, self._pin.computeGeneralizedGravity, q)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Return the generalised forces (…, nv)."""
        return self._each(1, self._pin.rnea, q, v, a)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Return accelerations (…, nv)."""
        return self._each(1, self._pin.aba, q, v, tau)

    def mass_matrix(self, q: Array) -> Array:
        """Return H (…, nv, nv)."""
        return self._each(2, lambda *x: symmetric(self._pin.crba(*x)), q)

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        """Return C (…, nv, nv)."""
        return self._each(2, self._pin.computeCoriolisMatrix, q, v)

    def inverse_dynamics_derivatives(
        self, q: Array, v: Array, a: Array
    ) -> InverseDynamicsDerivatives:
        """Return ∂τ/∂q, ∂τ/∂v and ∂τ/∂a, each (…, nv, nv)."""

        def three(*arguments: Any) -> Array:
            dq, dv, da = self._pin.computeRNEADerivatives(*arguments)
            return np.array([dq, dv, symmetric(da)])

        found = self._each(2, three, q, v, a)
        return InverseDynamicsDerivatives(*np.moveaxis(found, -3, 0))

    def forward_dynamics_derivatives(
        self, q: Array, v: Array, tau: Array
    ) -> ForwardDynamicsDerivatives:
        """Return ∂a/∂q, ∂a/∂v and ∂a/∂τ, each (…, nv, nv)."""

        def three(*arguments: Any) -> Array:
            dq, dv, dtau = self._pin.computeABADerivatives(*arguments)
            return np.array([dq, dv, symmetric(dtau)])

        found = self._each(2, three, q, v, tau)
        return ForwardDynamicsDerivatives(*np.moveaxis(found, -3, 0))

    def inertial_regressor(self, q: Array, v: Array, a: Array) -> Array:
        """Return Y (…, nv, 10 n_bodies)."""
        rows = self._each(0, self._pin.computeJointTorqueRegressor, q, v, a)
        return np.take(rows, self._peer.order, -2)

    def _each(self, axes: int, function: Callable[..., Array], q: Array, *rest: Array) -> Array:
        """Return results for each state; their last `axes` dimensions are put in our order."""
        lead = np.broadcast_shapes(q.shape[:-1], *(x.shape[:-1] for x in rest))
        states = (
            np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (q, *rest)
        )
        found = np.array([self._one(function, *state) for state in zip(*states, strict=True)])
        for axis in range(-axes, 0):
            found = np.take(found, self._peer.order, axis)
        return found.reshape(*lead, *found.shape[1:])

    def _one(self, function: Callable[..., Array], q: Array, *rest: Array) -> Array:
        # new data each time: with joints that mimic, crba adds to what is there
        data = self._model.createData() if self._mimic else self._peer.data
        arguments = [self._peer.configuration(q), *map(self._peer.velocity, rest)]
        try:
            return np.array(function(self._model, data, *arguments))
        except (RuntimeError, ValueError) as error:
            raise NotComparableError(f"Pinocchio: {error}") from None
