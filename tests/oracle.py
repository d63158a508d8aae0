"""An independent oracle: vector mechanics of free bodies in plain NumPy, without any recursion.

Poses are products of homogeneous matrices in world axes. Velocities are derivatives of poses
by complex steps (exact to rounding), and generalised forces follow from D'Alembert's principle:
the rates of linear and angular momentum of each body, projected on its Jacobians. Rates of
Jacobians are five-point differences. Nothing here is shared with the library but the numbers
that state the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rolling import ROLLING, rolling_motion, rolling_rate, rolling_step
from rotations import Array as Array
from rotations import axial as axial
from rotations import quaternion_rate, turn_by_quaternion, twist_matrix
from rotations import skew as skew
from rotations import turn as turn
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import tarsus as ts

STENCIL = ((1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0))
"""Offsets and weights of the central five-point difference."""


def slope(function: Any, step: float = 3e-4) -> Array:
    """Return the derivative at 0 of a function of one number, by five points."""
    terms = [w * (function(k * step) - function(-k * step)) for k, w in STENCIL]
    return np.asarray(sum(terms)) / step


def plane_axes(axis: Array) -> Array:
    """Return a rotation whose columns are x and y of a plane, and its normal (contract: z)."""
    for k in range(3):
        if np.array_equal(axis, np.eye(3)[k]):
            return np.roll(np.eye(3), k + 1, axis=0)
    if axis[2] < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    normal = np.cross([0.0, 0.0, 1.0], axis)
    angle = np.arctan2(np.linalg.norm(normal), axis[2])
    return Rotation.from_rotvec(angle * normal / np.linalg.norm(normal)).as_matrix()


def joint_motion(joint: ts.model.JointView, q: Array) -> tuple[Array, Array]:
    """Return rotation (…, 3, 3) and translation (…, 3) of a joint in the axes of its frame."""
    still, level = np.zeros((*q.shape[:-1], 3)), np.broadcast_to(np.eye(3), (*q.shape[:-1], 3, 3))
    axis, kind = joint.axis, joint.kind
    if kind == "revolute":
        return turn(axis, q[..., 0]), still
    if kind == "prismatic":
        return level, q * axis
    if kind == "screw":
        return turn(axis, q[..., 0]), joint.pitch * q * axis
    if kind == "cylindrical":
        return turn(axis, q[..., 0]), q[..., 1:] * axis
    if kind == "universal":
        return turn(axis, q[..., 0]) @ turn(joint.second_axis, q[..., 1]), still
    if kind == "spherical":
        return turn_by_quaternion(q), still
    if kind == "spherical_zyx":
        z, y, x = (turn(np.eye(3)[2 - k], q[..., k]) for k in range(3))
        return z @ y @ x, still
    if kind == "planar":
        plane = plane_axes(axis)
        return turn(axis, q[..., 2]), q[..., :2] @ plane[:, :2].T
    if kind == "translation":
        return level, q
    if kind == "free":
        return turn_by_quaternion(q[..., 3:]), q[..., :3]
    if kind == "rolling_cylinder":
        x, y, z = np.eye(3)
        return turn(y, q[..., 0]), joint.radius * (q * x + z)
    return rolling_motion(joint, q)


class Oracle:
    """The mechanics of one model; every method takes states (…, nq) and (…, nv)."""

    def __init__(self, model: ts.Model) -> None:
        self.model = model
        self.joints = [model.joint(name) for name in model.joint_names]
        self.bodies = [model.body(name) for name in model.body_names]
        self.masses = np.array([body.mass for body in self.bodies])
        self.coms = np.array([body.com for body in self.bodies])
        self.inertias = np.array([body.inertia for body in self.bodies])
        self.armature = np.concatenate([np.zeros(0), *(joint.armature for joint in self.joints)])

    def poses(self, q: Array) -> Array:
        """Return the poses (…, n_bodies, 4, 4), complex for a complex q."""
        found: list[Array] = []
        for joint, body in zip(self.joints, self.bodies, strict=True):
            rotation, translation = joint_motion(joint, q[..., joint.q_slice])
            own = np.zeros((*q.shape[:-1], 4, 4), dtype=q.dtype)
            own[..., :3, :3], own[..., :3, 3], own[..., 3, 3] = rotation, translation, 1.0
            on_parent = joint.placement @ own
            found.append(on_parent if body.parent < 0 else found[body.parent] @ on_parent)
        return np.stack(found, axis=-3)

    def rate(self, q: Array, v: Array) -> Array:
        """Return q̇ (…, nq)."""
        parts = []
        for joint in self.joints:
            own, rate = q[..., joint.q_slice], v[..., joint.v_slice]
            lead = np.broadcast_shapes(own.shape[:-1], rate.shape[:-1])
            own, rate = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (own, rate))
            if joint.kind == "spherical":
                rate = quaternion_rate(own, rate)
            elif joint.kind == "free":
                linear = (turn_by_quaternion(own[..., 3:]) @ rate[..., :3, None])[..., 0]
                turning = quaternion_rate(own[..., 3:], rate[..., 3:])
                rate = np.concatenate([linear, turning], axis=-1)
            elif joint.kind == "planar":
                level = turn(np.array([0.0, 0.0, 1.0]), own[..., 2])[..., :2, :2]
                linear = (level @ rate[..., :2, None])[..., 0]
                rate = np.concatenate([linear, rate[..., 2:]], axis=-1)
            elif joint.kind in ROLLING:
                rate = rolling_rate(joint, own, rate)
            parts.append(rate)
        return np.concatenate(parts, axis=-1)

    def pose_rates(self, q: Array, v: Array) -> Array:
        """Return the time derivatives of the poses, by a complex step along q̇."""
        return np.asarray(self.poses(q + 1e-30j * self.rate(q, v)).imag * 1e30)

    def unit_motions(self, q: Array) -> tuple[Array, Array]:
        """Return poses (…, 1, nb, 4, 4) and their rates (…, nv, nb, 4, 4) for unit velocities."""
        units = np.eye(self.model.nv)
        return self.poses(q)[..., None, :, :, :], self.pose_rates(q[..., None, :], units)

    def jacobians(self, q: Array) -> tuple[Array, Array]:
        """Return Jacobians (…, nb, 3, nv) of the centres of mass and of rotation, in the world."""
        poses, rates = self.unit_motions(q)
        centres = (rates[..., :3, :3] @ self.coms[..., None])[..., 0] + rates[..., :3, 3]
        turns = axial(rates[..., :3, :3] @ np.swapaxes(poses[..., :3, :3], -1, -2))
        return np.moveaxis(centres, -3, -1), np.moveaxis(turns, -3, -1)

    def world_inertias(self, q: Array) -> Array:
        """Return the inertias (…, nb, 3, 3) about the centres of mass, in world axes."""
        r = self.poses(q)[..., :3, :3]
        return np.asarray(r @ self.inertias @ np.swapaxes(r, -1, -2))

    def centres(self, q: Array) -> Array:
        """Return the centres of mass (…, nb, 3) of the bodies in the world."""
        poses = self.poses(q)
        return np.asarray((poses[..., :3, :3] @ self.coms[..., None])[..., 0] + poses[..., :3, 3])

    def mass_matrix(self, q: Array) -> Array:
        """Return Σ m Jcᵀ Jc + Jωᵀ I Jω + armature."""
        centre, turning = self.jacobians(q)
        weighted = self.masses[:, None, None] * centre
        h = np.einsum("...bik,...bil->...kl", centre, weighted)
        h += np.einsum("...bik,...bil->...kl", turning, self.world_inertias(q) @ turning)
        return np.asarray(h + np.diag(self.armature))

    def momenta(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return linear and angular momentum (…, nb, 3) of each body about its own centre."""
        centre, turning = self.jacobians(q)
        linear = self.masses[:, None] * (centre @ v)
        return linear, (self.world_inertias(q) @ (turning @ v)[..., None])[..., 0]

    def inverse_dynamics(
        self, q: Array, v: Array, a: Array, external: Array | None = None
    ) -> Array:
        """Return the generalised forces by D'Alembert's principle, for one state."""
        centre, turning = self.jacobians(q)
        qdot = self.rate(q, v)
        rates = slope(lambda s: np.stack(self.momenta(q + s * qdot, v + s * a)))
        force = rates[0] - self.masses[:, None] * self.model.gravity
        moment = rates[1]
        if external is not None:
            pose = self.poses(q)
            push = (pose[:, :3, :3] @ external[:, :3, None])[..., 0]
            arm = pose[:, :3, 3] - self.centres(q)
            force = force - push
            twist = (pose[:, :3, :3] @ external[:, 3:, None])[..., 0]
            moment = moment - twist - np.cross(arm, push)
        tau = np.einsum("bik,bi->k", centre, force) + np.einsum("bik,bi->k", turning, moment)
        return np.asarray(tau + self.armature * a)

    def integrate(self, q: Array, dv: Array) -> Array:
        """Return the configuration after a step, by matrix exponentials, for one state.

        Quaternions come with either sign.
        """
        out = np.array(q, dtype=float)
        for joint in self.joints:
            own, step = q[joint.q_slice], dv[joint.v_slice]
            if joint.kind in ROLLING:
                out[joint.q_slice] = rolling_step(joint, own, step)
                continue
            if joint.kind in ("spherical", "free"):
                turned = Rotation.from_quat(own[-4:]) * Rotation.from_rotvec(step[-3:])
                out[joint.q_slice][-4:] = turned.as_quat()
            if joint.kind == "free":
                moved = expm(twist_matrix(step[:3], step[3:]))[:3, 3]
                out[joint.q_slice][:3] += Rotation.from_quat(own[3:]).as_matrix() @ moved
            elif joint.kind == "planar":
                twist = twist_matrix(np.array([*step[:2], 0.0]), np.array([0.0, 0.0, step[2]]))
                level = Rotation.from_euler("z", own[2]).as_matrix()
                out[joint.q_slice] += [*(level @ expm(twist)[:3, 3])[:2], step[2]]
            elif joint.kind != "spherical":
                out[joint.q_slice] += step
        return out


def seen_from(reference: str, pose: Array, rate: Array) -> Array:
    """Return the velocity (…, 6), linear first, of a frame with this pose and rate of it."""
    r, p = pose[..., :3, :3], pose[..., :3, 3]
    turning, moving = axial(rate[..., :3, :3] @ np.swapaxes(r, -1, -2)), rate[..., :3, 3]
    if reference == "world":
        moving = moving - np.cross(turning, p)
    if reference == "local":
        moving, turning = (np.einsum("...ji,...j->...i", r, x) for x in (moving, turning))
    return np.concatenate([moving, turning], axis=-1)
