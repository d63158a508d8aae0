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

ROLLING = (
    *("knife_edge", "rolling_wheel", "rolling_disc", "rolling_ball", "differential_base"),
    "rolling",
)
"""Kinds of joints with more configuration than velocity coordinates that skate or roll."""


POWERS, NODES = np.arange(8), 0.5 + 0.5 * np.polynomial.legendre.leggauss(8)[0]
INTEGRALS = np.append(NODES, 1.0)[:, None] ** (POWERS + 1) / (POWERS + 1)
INTEGRALS = INTEGRALS @ np.linalg.inv(NODES[:, None] ** POWERS)
"""From values at Gauss's nodes to integrals up to each node and up to 1."""


def rolling_motion(joint: ts.model.JointView, q: Array) -> tuple[Array, Array]:
    """Return rotation and translation of a joint that skates or rolls on z = 0 of its frame."""
    x, y, z = np.eye(3)
    if joint.kind == "rolling":
        rotation, contact = turn_by_quaternion(q[..., 2:]), contact_point(joint, q)
        return rotation, contact - (rotation @ touching_point(joint, q)[..., None])[..., 0]
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


def contact_point(joint: ts.model.JointView, q: Array) -> Array:
    """Return the contact point (…, 3) in the frame of a joint that rolls."""
    place = q[..., :2] @ np.eye(2, 3)
    if joint.kind == "rolling":
        place = place + _height(joint, q)[..., None] * np.array([0.0, 0.0, 1.0])
    return place


def touching_point(joint: ts.model.JointView, q: Array) -> Array:
    """Return the point (…, 3) of the body that touches, in its frame: its outward normal is −n.

    It is where the body reaches farthest along −n; on an ellipsoid S²n/√(nᵀS²n).
    """
    x, y = _slopes(joint, q)
    normal = np.stack([x, y, -np.ones_like(x)], axis=-1)
    m = (np.swapaxes(turn_by_quaternion(q[..., 2:]), -1, -2) @ normal[..., None])[..., 0]
    numbers = np.array(joint.surface.numbers)
    round_, flat = np.array([1.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0])
    if joint.surface.kind == "torus":
        return _farthest(numbers[0] * flat, m) + _farthest(numbers[1] * round_, m)
    return _farthest(numbers * (flat if joint.surface.kind == "disc" else round_), m)


def _farthest(axes: Array, m: Array) -> Array:
    return np.asarray(axes**2 * m / np.sqrt((axes**2 * m * m).sum(axis=-1, keepdims=True)))


def _height(joint: ts.model.JointView, q: Array) -> Array:
    x, y, (kind, n) = q[..., 0], q[..., 1], _ground(joint)
    if kind == "paraboloid":
        return np.asarray(n[0] * x**2 + n[1] * y**2)
    if kind == "sinusoid":
        return np.asarray(n[0] * np.sin(2.0 * np.pi * n[1] * y))
    if kind in ("sphere", "ellipsoid"):
        return np.asarray(n[-1] * np.sqrt(1.0 - (x / n[0]) ** 2 - (y / n[1 % len(n)]) ** 2))
    return 0.0 * x


def _slopes(joint: ts.model.JointView, q: Array) -> tuple[Array, Array]:
    x, y, (kind, n) = q[..., 0], q[..., 1], _ground(joint)
    if kind == "paraboloid":
        return 2.0 * n[0] * x, 2.0 * n[1] * y
    if kind == "sinusoid":
        return 0.0 * x, 2.0 * np.pi * n[0] * n[1] * np.cos(2.0 * np.pi * n[1] * y)
    if kind in ("sphere", "ellipsoid"):
        over = -(n[-1] ** 2) / _height(joint, q)
        return over * x / n[0] ** 2, over * y / n[1 % len(n)] ** 2
    return 0.0 * x, 0.0 * y


def _ground(joint: ts.model.JointView) -> tuple[str, tuple[float, ...]]:
    return joint.ground.kind, joint.ground.numbers


def _curved_step(joint: ts.model.JointView, q: Array, step: Array) -> Array:
    """Return the coordinates after a turn at a constant rate: the contact's path by collocation.

    After more than one radian, which no test asks for, the place is not a number.
    """
    start = Rotation.from_quat(q[2:])
    turned = (start * Rotation.from_rotvec(np.outer(np.append(NODES, 1.0), step))).as_quat()
    places, steps = np.tile(q[:2], (len(turned), 1)), np.tile(step, (len(NODES), 1))
    for _ in range(60 if step @ step < 1.0 else 0):
        at = np.concatenate([places[:-1], turned[:-1]], axis=1)
        moved = q[:2] + INTEGRALS @ rolling_rate(joint, at, steps)[:, :2]
        apart, places = np.abs(moved - places).max(), moved
        if apart < 1e-16:
            return np.concatenate([places[-1], turned[-1]])
    return np.concatenate([np.full(2, np.nan) if step @ step >= 1.0 else places[-1], turned[-1]])


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
    turning = quaternion_rate(q[..., 2:], v) if joint.kind in ("rolling_ball", "rolling") else v
    rates = np.concatenate([np.zeros_like(v[..., :2]), turning], axis=-1)
    rotation, centre = rolling_motion(joint, q + 1e-30j * rates)
    omega = axial(1e30 * rotation.imag @ np.swapaxes(rotation.real, -1, -2))
    arm = centre.real - contact_point(joint, q)
    rates[..., :2] = (np.cross(omega, arm) - 1e30 * centre.imag)[..., :2]
    if joint.kind == "rolling" and not np.iscomplexobj(q):
        # the centre does not move as the contact does; complex q: tests/analytic.py
        ways = [rolling_motion(joint, q + 1e-30j * e)[1].imag[..., :2] * 1e30 for e in np.eye(2, 6)]
        rates[..., :2] = np.linalg.solve(np.stack(ways, axis=-1), rates[..., :2, None])[..., 0]
    return rates


def rolling_step(joint: ts.model.JointView, q: Array, step: Array) -> Array:
    """Return the coordinates after a step with constant velocity, for one state."""
    if joint.kind == "rolling":
        return _curved_step(joint, q, step)
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
