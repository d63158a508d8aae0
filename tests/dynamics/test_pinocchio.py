"""Pinocchio as an oracle for every algorithm, on its own robots and on joints that it has."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from mechanisms import METHODS, distance
from oracle import slope
from scipy.spatial.transform import Rotation

import tarsus as ts

FILES = {
    file.name: Path(str(file.locate()))
    for file in metadata.files("example-robot-data") or ()
    if file.name.endswith(".urdf")
}
FREE = (
    *("talos_reduced.urdf", "anymal.urdf", "solo12.urdf", "icub_reduced.urdf", "iris_simple.urdf"),
    *("romeo_small.urdf", "go2.urdf", "hyq_no_sensors.urdf", "bolt.urdf"),
)
FIXED = (
    *("panda.urdf", "ur5_robot.urdf", "kinova.urdf", "double_pendulum.urdf", "tiago.urdf"),
    "talos_left_arm.urdf",
)
ROBOTS = [(name, "free") for name in FREE] + [(name, "fixed") for name in FIXED]

WORLDS: dict[Any, Any] = {
    "local": pin.LOCAL,
    "world": pin.WORLD,
    "local_world_aligned": pin.LOCAL_WORLD_ALIGNED,
}
X, Y, Z = np.eye(3)
SKEWED = np.array([0.48, -0.6, 0.64])
JOINTS: dict[str, tuple[dict[str, Any], Any]] = {
    "revolute": ({"axis": SKEWED}, pin.JointModelRevoluteUnaligned(SKEWED)),
    "prismatic": ({"axis": SKEWED}, pin.JointModelPrismaticUnaligned(SKEWED)),
    "prismatic_y": ({"axis": Y}, pin.JointModelPY()),
    "screw": ({"axis": SKEWED, "pitch": 0.3}, pin.JointModelHelicalUnaligned(SKEWED, 0.3)),
    "screw_x": ({"axis": X, "pitch": -0.2}, pin.JointModelHX(-0.2)),
    "universal": ({"axis": X, "second_axis": Y}, pin.JointModelUniversal(X, Y)),
    "universal_zx": ({"axis": Z, "second_axis": X}, pin.JointModelUniversal(Z, X)),
    "spherical": ({}, pin.JointModelSpherical()),
    "spherical_zyx": ({}, pin.JointModelSphericalZYX()),
    "planar": ({}, pin.JointModelPlanar()),
    "translation": ({}, pin.JointModelTranslation()),
    "free": ({}, pin.JointModelFreeFlyer()),
}


class Pair:
    """The same mechanism in both libraries, in the same random state.

    The joints may come in another order in Pinocchio: `velocities` gives the places of its
    velocity coordinates in ours.
    """

    def __init__(self, ours: ts.Model, peer: pin.Model) -> None:
        self.ours, self.peer, self.data = ours, peer, peer.createData()
        rng = np.random.default_rng(3)
        self.q = ours.random_configuration(rng)
        self.v, self.a, self.tau = rng.normal(size=(3, ours.nv))
        self.external = rng.normal(size=(ours.n_bodies, 6))
        self.pin_q, self.pin_v = ts.convert.to_pinocchio(ours, self.q, self.v, peer=peer)
        # Pinocchio leaves out how such axes move in the rates of its Jacobians
        kinds = {ours.joint(name).kind for name in ours.joint_names}
        self.moving_axes = bool(kinds & {"universal", "spherical_zyx"})
        self.velocities = np.zeros(ours.nv, int)
        for name in ours.joint_names:
            start = peer.idx_vs[peer.getJointId(name)]
            joint = ours.joint(name)
            self.velocities[joint.v_slice] = np.arange(start, start + joint.nv)
        self.pin_a, self.pin_tau = np.zeros((2, ours.nv))
        self.pin_a[self.velocities], self.pin_tau[self.velocities] = self.a, self.tau
        # the armature in Pinocchio's order, so that it is tested too
        armature = np.concatenate([ours.joint(name).armature for name in ours.joint_names])
        peer.armature[self.velocities] = armature
        self.forces = pin.StdVec_Force()
        for _ in range(peer.njoints):
            self.forces.append(pin.Force.Zero())
        for name, wrench in zip(ours.joint_names, self.external, strict=True):
            self.forces[peer.getJointId(name)] = pin.Force(wrench)

    def columns(self, matrix: np.ndarray) -> np.ndarray:
        """A matrix (…, nv) of Pinocchio with its columns in our order."""
        return np.asarray(matrix[..., self.velocities])

    def residuals(self) -> dict[str, float]:
        """The distances between the results of the two libraries, by algorithm."""
        return {
            **self._dynamics(),
            **self._masses(),
            **self._frames(),
            **self._centroid(),
            **self._steps(),
        }

    def _dynamics(self) -> dict[str, float]:
        m, q, v, a, tau, f = self.ours, self.q, self.v, self.a, self.tau, self.external
        arguments = (self.peer, self.data, self.pin_q, self.pin_v)
        torque = pin.rnea(*arguments, self.pin_a, self.forces)
        reactions = [
            self.data.f[self.peer.getJointId(name)].vector.copy() for name in m.joint_names
        ]
        found = {
            "reaction_wrenches": (m.reaction_wrenches(q, v, a, f), np.array(reactions)),
            "inverse_dynamics": (m.inverse_dynamics(q, v, a, f), self.columns(torque)),
            "bias_forces": (m.bias_forces(q, v), self.columns(pin.nonLinearEffects(*arguments))),
            "gravity_forces": (
                m.gravity_forces(q),
                self.columns(pin.computeGeneralizedGravity(*arguments[:3])),
            ),
        }
        expected = self.columns(pin.aba(*arguments, self.pin_tau, self.forces))
        for method in METHODS:
            acceleration = m.forward_dynamics(q, v, tau, f, method=method)
            found[f"forward_dynamics {method}"] = (acceleration, expected)
        return {key: distance(*pair) for key, pair in found.items()}

    def _masses(self) -> dict[str, float]:
        m, q, v = self.ours, self.q, self.v
        upper = np.triu(pin.crba(self.peer, self.data, self.pin_q))
        expected = (upper + np.triu(upper, 1).T)[self.velocities][:, self.velocities]
        inverse = np.triu(pin.computeMinverse(self.peer, self.data, self.pin_q))
        inverse = (inverse + np.triu(inverse, 1).T)[self.velocities][:, self.velocities]
        # Pinocchio leaves the armature out of its kinetic energy: take its mass matrix
        kinetic = 0.5 * v @ expected @ v
        potential = pin.computePotentialEnergy(self.peer, self.data, self.pin_q)
        return {
            "mass_matrix": distance(m.mass_matrix(q), expected),
            "inverse_mass_matrix": distance(m.inverse_mass_matrix(q), inverse),
            "kinetic_energy": distance(m.kinetic_energy(q, v), kinetic),
            "potential_energy": distance(m.potential_energy(q), potential),
        }

    def _frames(self) -> dict[str, float]:
        m, q, v, a, peer, data = self.ours, self.q, self.v, self.a, self.peer, self.data
        pin.forwardKinematics(peer, data, self.pin_q, self.pin_v, self.pin_a)
        poses = [data.oMi[peer.getJointId(name)].homogeneous for name in m.joint_names]
        found = {"forward_kinematics": distance(m.forward_kinematics(q), np.array(poses))}
        pin.updateFramePlacements(peer, data)
        pin.computeJointJacobiansTimeVariation(peer, data, self.pin_q, self.pin_v)
        names = [name for name in m.frame_names if peer.existFrame(name, pin.BODY)]
        for name in names[:: max(1, len(names) // 6)] + names[-1:]:
            frame = peer.getFrameId(name, pin.BODY)
            pose = data.oMf[frame].homogeneous
            pairs = {"frame_pose": (m.frame_pose(q, name), pose)}
            for ours, theirs in WORLDS.items():
                arguments = (peer, data, frame, theirs)
                jacobian = self.columns(pin.getFrameJacobian(*arguments))
                rate = self._jacobian_rate(frame, theirs)
                velocity = pin.getFrameVelocity(*arguments).vector
                acceleration = pin.getFrameAcceleration(*arguments).vector
                if theirs == pin.LOCAL_WORLD_ALIGNED:  # there the origin's own acceleration
                    acceleration = pin.getFrameClassicalAcceleration(*arguments).vector
                pairs |= {
                    f"frame_jacobian {ours}": (m.frame_jacobian(q, name, ours), jacobian),
                    f"frame_jacobian_rate {ours}": (
                        m.frame_jacobian_rate(q, v, name, ours),
                        rate,
                    ),
                    f"frame_velocity {ours}": (m.frame_velocity(q, v, name, ours), velocity),
                    f"frame_acceleration {ours}": (
                        m.frame_acceleration(q, v, a, name, ours),
                        acceleration,
                    ),
                }
            for key, pair in pairs.items():
                found[key] = max(found.get(key, 0.0), distance(*pair))
        return found

    def _jacobian_rate(self, frame: int, reference: Any) -> np.ndarray:
        if not self.moving_axes:
            arguments = (self.peer, self.data, frame, reference)
            return self.columns(pin.getFrameJacobianTimeVariation(*arguments))
        data = self.peer.createData()

        def jacobian(s: float) -> np.ndarray:
            q = pin.integrate(self.peer, self.pin_q, s * self.pin_v)
            return np.array(pin.computeFrameJacobian(self.peer, data, q, frame, reference))

        return self.columns(slope(jacobian))

    def _momentum_matrix_rate(self) -> np.ndarray:
        arguments = (self.peer, self.data)
        if not self.moving_axes:
            return self.columns(pin.dccrba(*arguments, self.pin_q, self.pin_v).copy())

        def matrix(s: float) -> np.ndarray:
            q = pin.integrate(self.peer, self.pin_q, s * self.pin_v)
            return np.array(pin.ccrba(*arguments, q, self.pin_v))

        return self.columns(slope(matrix))

    def _centroid(self) -> dict[str, float]:
        m, q, v, peer, data = self.ours, self.q, self.v, self.peer, self.data
        arguments = (peer, data, self.pin_q, self.pin_v)
        pin.centerOfMass(*arguments)
        centre, velocity = data.com[0].copy(), data.vcom[0].copy()
        jacobian = self.columns(pin.jacobianCenterOfMass(*arguments[:3]))
        momentum = pin.computeCentroidalMomentum(*arguments).vector.copy()
        rate = self._momentum_matrix_rate()
        matrix = self.columns(pin.ccrba(*arguments).copy())
        return {
            "center_of_mass": distance(m.center_of_mass(q), centre),
            "center_of_mass_velocity": distance(m.center_of_mass_velocity(q, v), velocity),
            "center_of_mass_jacobian": distance(m.center_of_mass_jacobian(q), jacobian),
            "centroidal_momentum": distance(m.centroidal_momentum(q, v), momentum),
            "centroidal_momentum_matrix": distance(m.centroidal_momentum_matrix(q), matrix),
            "centroidal_momentum_matrix_rate": distance(
                m.centroidal_momentum_matrix_rate(q, v), rate
            ),
        }

    def _steps(self) -> dict[str, float]:
        m, q, v = self.ours, self.q, self.v
        reached = pin.integrate(self.peer, self.pin_q, 0.3 * self.pin_v)
        ours = ts.convert.to_pinocchio(m, m.integrate(q, 0.3 * v), peer=self.peer)
        back = self.columns(pin.difference(self.peer, self.pin_q, reached))
        apart = np.abs(pin.difference(self.peer, ours, reached)).max(initial=0.0)
        return {
            "integrate": float(apart),
            "difference": distance(m.difference(q, m.integrate(q, 0.3 * v)), back),
        }


def agree(name: str, pair: Pair) -> None:
    residuals = pair.residuals()
    worst = max(residuals, key=residuals.__getitem__)
    print(f"{name}, {len(residuals)} results: {residuals[worst]:.1e} ({worst})")
    wrong = {key: value for key, value in residuals.items() if not value < 1e-10}
    assert not wrong, f"{name}: {wrong}"


@pytest.mark.parametrize(("name", "base"), ROBOTS)
def test_robots(name: str, base: Any) -> None:
    root = (pin.JointModelFreeFlyer(),) if base == "free" else ()
    peer = pin.buildModelFromUrdf(str(FILES[name]), *root)
    agree(name, Pair(ts.load(FILES[name], base, mimic="independent"), peer))


def random_placement(rng: np.random.Generator) -> np.ndarray:
    placement = np.eye(4)
    placement[:3, :3] = Rotation.random(random_state=rng).as_matrix()
    placement[:3, 3] = rng.normal(size=3)
    return placement


def random_inertia(rng: np.random.Generator) -> pin.Inertia:
    points = rng.normal(size=(3, 3))
    moments = points @ points.T
    return pin.Inertia(rng.uniform(1.0, 2.0), points[0], np.trace(moments) * np.eye(3) - moments)


def joints_in_a_row(name: str) -> Pair:
    """Return three bodies in a row on joints of one kind, so that each is a parent and a child."""
    options, joint = JOINTS[name]
    kind = name if name in ts._core.joint_kinds() else name.rsplit("_", 1)[0]
    rng = np.random.default_rng(7)
    builder, peer, parent = ts.Builder(name), pin.Model(), 0
    for i in range(3):
        inertia, placement = random_inertia(rng), pin.SE3(random_placement(rng))
        body, on = f"body_{i}", "world" if i == 0 else f"body_{i - 1}"
        builder.body(body, inertia.mass, inertia.lever, inertia.inertia)
        place = {"position": placement.translation, "rotation": placement.rotation}
        armature = rng.uniform(0.0, 0.3, ts._core.joint_kinds()[kind][1])
        builder.joint(f"joint_{i}", kind, on, body, armature=armature, **place, **options)
        parent = peer.addJoint(parent, joint, placement, f"joint_{i}")
        peer.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        peer.addBodyFrame(body, parent, pin.SE3.Identity(), 0)
    return Pair(builder.build(), peer)


@pytest.mark.parametrize("name", JOINTS)
def test_joints(name: str) -> None:
    agree(name, joints_in_a_row(name))
