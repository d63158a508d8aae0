"""Joints that skate or roll on z = 0 of their frame, by vector mechanics: for the oracle."""

from __future__ import annotations

import numpy as np
from rotations import (
    Array,
    axial,
    quaternion_rate,
    turn,
    turn_by_quaternion,
    twist_matrix,
)
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import tarsus as ts

ROLLING = ("knife_edge", "rolling_wheel", "rolling_disc", "rolling_ball", "differential_base")
"""Kinds of joints with more configuration than velocity coordinates that skate or roll."""


def rolling_motion(joint: ts.model.JointView, q: Array) -> tuple[Array, Array]:
    """Return rotation and translation of a joint that skates or rolls on z = 0 of its frame."""
    x, y, z = np.eye(3)
    place = q[..., :2] @ np.eye(2, 3)
    if joint.kind == "rolling_ball":
        return turn_by_quaternion(q[..., 2:]), place + joint.radius * z
    heading = turn(z, q[..., 2])
    if joint.kind in ("knife_edge", "differential_base"):
        return heading, place
    if joint.kind == "rolling_wheel":
        return heading @ turn(y, q[..., 3]), place + joint.radius * z
    assert joint.kind == "rolling_disc"
    leaning = heading @ turn(x, q[..., 3])
    return leaning @ turn(y, q[..., 4]), place + joint.radius * leaning @ z


def forward_and_turn(joint: ts.model.JointView, v: Array) -> Array:
    """Return the forward speed and the turn rate (…, 2) of a joint that moves along its heading.

    Each wheel of a differential base rolls: the ground passes by as fast as its rim turns.
    """
    if joint.kind == "knife_edge":
        return v
    if joint.kind == "differential_base":
        side = 0.5 * joint.track
        return np.asarray(joint.radius * v @ np.linalg.inv([[1.0, -side], [1.0, side]]).T)
    return np.stack([joint.radius * v[..., -1], v[..., 0]], axis=-1)


def rolling_rate(joint: ts.model.JointView, q: Array, v: Array) -> Array:
    """Return q̇ of a joint that skates or rolls.

    Of a rolling body the point that touches the plane is at rest: the centre moves with
    ω × (centre − contact), and what remains after the turning is the velocity of the contact.
    """
    if joint.kind in ("knife_edge", "differential_base"):
        forward, turning = np.moveaxis(forward_and_turn(joint, v), -1, 0)
        along = [forward * np.cos(q[..., 2]), forward * np.sin(q[..., 2]), turning]
        wheels = v if joint.kind == "differential_base" else v[..., :0]
        return np.concatenate([np.stack(along, axis=-1), wheels], axis=-1)
    turning = quaternion_rate(q[..., 2:], v) if joint.kind == "rolling_ball" else v
    rates = np.concatenate([np.zeros_like(v[..., :2]), turning], axis=-1)
    rotation, centre = rolling_motion(joint, q + 1e-30j * rates)
    omega = axial(1e30 * rotation.imag @ np.swapaxes(rotation.real, -1, -2))
    arm = centre.real - q[..., :2] @ np.eye(2, 3)
    rates[..., :2] = (np.cross(omega, arm) - 1e30 * centre.imag)[..., :2]
    return rates


def rolling_step(joint: ts.model.JointView, q: Array, step: Array) -> Array:
    """Return the coordinates after a step with constant velocity, for one state."""
    if joint.kind == "rolling_ball":
        nodes, weights = np.polynomial.legendre.leggauss(12)
        turned = Rotation.from_quat(q[2:]) * Rotation.from_rotvec(np.outer(0.5 + 0.5 * nodes, step))
        rolled = 0.5 * joint.radius * weights @ np.cross(turned.apply(step), [0.0, 0.0, 1.0])
        end = Rotation.from_quat(q[2:]) * Rotation.from_rotvec(step)
        return np.concatenate([q[:2] + rolled[:2], end.as_quat()])
    forward, turning = forward_and_turn(joint, step)
    moved = expm(twist_matrix(np.array([forward, 0.0, 0.0]), np.array([0.0, 0.0, turning])))[:3, 3]
    place = Rotation.from_euler("z", q[2]).as_matrix() @ moved
    angles = {"rolling_wheel": 1, "rolling_disc": 1, "differential_base": 0}.get(joint.kind, 2)
    return np.asarray(q + np.concatenate([place[:2], [turning], step[angles:]]))
