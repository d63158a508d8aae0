"""Derivatives of derivatives by Cauchy's formula: the oracle's bodies at complex positions.

A derivative is a mean over a circle of complex numbers. Unlike a complex step it can be taken at
a complex point again, so that rates of Jacobians and slopes of forces are exact to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from oracle import Array, Oracle, axial, joint_motion
from rolling import contact_point, rolling_motion

import tarsus as ts


@dataclass(frozen=True)
class Circle:
    """Points around 0; the upper half will do for functions that are real for real numbers."""

    points: Array
    half: bool

    def slope(self, values: Array) -> Array:
        """Return the derivative at 0 from values (n, …) at the points, for a radius of 1."""
        mean = np.einsum("n,n...->...", 1.0 / self.points, values) / len(self.points)
        return np.asarray(mean.real if self.half else mean)


WHOLE = Circle(np.exp(2j * np.pi * (np.arange(16) + 0.5) / 16), half=False)
UPPER = Circle(WHOLE.points[:8], half=True)
JOINT = Circle(np.exp(2j * np.pi * (np.arange(12) + 0.5) / 12), half=False)


def circular(function: Callable[[Array], Array], reach: float = 0.05) -> Array:
    """Return the derivative at 0 of an analytic function of a joint, which takes numbers (n,)."""
    return JOINT.slope(function(reach * JOINT.points)) / reach


def along(x: Array, step: Array) -> Callable[[Array], Array]:
    """Return the function from numbers (n,) to x + number · step (n, …)."""
    return lambda s: x + s.reshape(-1, *(1,) * max(np.ndim(x), np.ndim(step))) * step


class AnalyticOracle(Oracle):
    """The mechanics of bodies on joints, for complex q (…, nq)."""

    def __init__(self, model: ts.Model) -> None:
        super().__init__(model)
        # a k-th unit velocity of each joint at once: joints move on their own
        self.units = np.zeros((6, model.nv))
        self.moves = np.zeros((len(self.bodies), model.nv))
        for i, (joint, body) in enumerate(zip(self.joints, self.bodies, strict=True)):
            self.units[np.arange(joint.nv), joint.v_slice] = np.eye(joint.nv)
            if body.parent >= 0:
                self.moves[i] = self.moves[body.parent]
            self.moves[i, joint.v_slice] = 1.0

    def rate(self, q: Array, v: Array) -> Array:
        """Return q̇ (…, nq); rolling joints are overwritten where a complex step would not do."""
        if not np.iscomplexobj(q):
            return super().rate(q, v)
        rates = np.array(super().rate(q, v.astype(complex)))
        for joint in self.joints:
            if joint.kind in ("rolling_wheel", "rolling_disc", "rolling_ball", "rolling"):
                own = rates[..., joint.q_slice]
                own[..., :2] = 0.0
                own[..., :2] = _place_rate(joint, q[..., joint.q_slice], own)
        return rates

    def twists(self, q: Array) -> Array:
        """Return how unit velocities move what hangs on their joints, as matrices (…, nv, 4, 4).

        Such a matrix times the pose of a body is the rate of that pose.
        """
        poses, rates = self.poses(q), self.rate(q[..., None, :], self.units)
        found = np.zeros((*q.shape[:-1], self.model.nv, 4, 4), complex)
        for i, (joint, body) in enumerate(zip(self.joints, self.bodies, strict=True)):
            own, step = q[..., None, joint.q_slice], rates[..., : joint.nv, joint.q_slice]
            base = joint.placement
            if body.parent >= 0:
                base = poses[..., body.parent, :, :] @ base
            motion = circular(lambda s: _matrix(joint, along(own, step)(s)))  # noqa: B023
            back = np.linalg.inv(poses[..., i, :, :])
            found[..., joint.v_slice, :, :] = base[..., None, :, :] @ motion @ back[..., None, :, :]
        return found if np.iscomplexobj(q) else found.real

    def jacobians(self, q: Array) -> tuple[Array, Array]:
        """Return Jacobians (…, nb, 3, nv) of the centres of mass and of turning, in the world."""
        twists = self.twists(q)
        spin = np.swapaxes(axial(twists[..., :3, :3]), -1, -2)[..., None, :, :]
        at_centres = np.einsum("...kij,...bj->...bik", twists[..., :3, :3], self.centres(q))
        at_centres += np.swapaxes(twists[..., :3, 3], -1, -2)[..., None, :, :]
        return at_centres * self.moves[:, None], spin * self.moves[:, None]


def _matrix(joint: ts.model.JointView, q: Array) -> Array:
    """Return the motion (…, 4, 4) of a joint, without the last row's one."""
    rotation, translation = joint_motion(joint, q)
    found = np.zeros((*q.shape[:-1], 4, 4), complex)
    found[..., :3, :3], found[..., :3, 3] = rotation, translation
    return found


def _place_rate(joint: ts.model.JointView, q: Array, turning: Array) -> Array:
    """Return the velocity (…, 2) of the contact, where the point that touches is at rest."""
    rotation, centre = rolling_motion(joint, q)
    spin = circular(lambda s: rolling_motion(joint, along(q, turning)(s))[0])
    rise = circular(lambda s: rolling_motion(joint, along(q, turning)(s))[1])
    omega = axial(spin @ np.swapaxes(rotation, -1, -2))
    arm = centre - contact_point(joint, q)
    moved = np.asarray(np.cross(omega, arm) - rise)[..., :2]
    if joint.kind != "rolling":
        return moved
    ways = [circular(lambda s: rolling_motion(joint, along(q, e)(s))[1]) for e in np.eye(2, 6)]  # noqa: B023
    return np.linalg.solve(np.stack(ways, axis=-1)[..., :2, :], moved[..., None])[..., 0]
