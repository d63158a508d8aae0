"""Algorithm 6 of S. F. Echeandia as it is printed, which is wrong.

"Rigid-Body Dynamics Algorithms for Physically Interactive Robots", University of Notre Dame
2020. The torque acts on the body (equation 4.2) and again on the rotor (4.3), so that it counts
twice; the articulated inertia (4.24) and bias force (4.25) lack the products of the body's terms
with the rotor's, as if a square of a sum were the sum of squares. It is here to show what comes
out, and so that nobody mends the library back to it. Spatial vectors are angular first, as
there. Velocities are computed before they are needed, and inertias are added up over children:
the printed order of lines cannot run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.spatial import skew

AXIS = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
"""Φ of a revolute joint about z."""
ZERO = np.zeros(6)


def printed_forward_dynamics(model: Model, ratio: float, q: Array, v: Array, tau: Array) -> Array:
    """Return the accelerations (nv,) that Algorithm 6 gives for a `rotor_tree`, without gravity."""
    links = [_link(model, i, ratio, float(q[i])) for i in range(model.nv)]
    for i, link in enumerate(links):
        link.move(links[link.parent].velocity if link.parent >= 0 else ZERO, float(v[i]))
    for i, link in reversed(list(enumerate(links))):
        link.articulate(float(tau[i]))
        if link.parent >= 0:
            link.hand_down(links[link.parent])
    return np.array(
        [
            link.accelerate(links[link.parent].acceleration if link.parent >= 0 else ZERO)
            for link in links
        ]
    )


@dataclass
class Link:
    """A link with its rotor, which has the same frame; symbols as in the thesis."""

    parent: int
    ratio: float
    transform: Array
    inertia: Array
    rotor: Array
    velocity: Array = field(default_factory=lambda: ZERO)
    acceleration: Array = field(default_factory=lambda: ZERO)

    def move(self, parent: Array, rate: float) -> None:
        """Lines 2 to 9: velocities, bias forces p, and ξ, of the link and of its rotor."""
        carried = self.transform @ parent
        self.velocity = carried + AXIS * rate
        rotor_velocity = carried + AXIS * self.ratio * rate
        self.articulated = self.inertia.copy()
        self.bias = -_cross(self.velocity).T @ self.inertia @ self.velocity
        self.rotor_bias = -_cross(rotor_velocity).T @ self.rotor @ rotor_velocity
        self.xi = _cross(self.velocity) @ AXIS * rate
        self.rotor_xi = _cross(rotor_velocity) @ AXIS * self.ratio * rate

    def articulate(self, torque: float) -> None:
        """Lines 12 to 14: unconstrained accelerations, both with the torque, and D."""
        self.free = np.linalg.solve(self.articulated, AXIS * torque - self.bias)
        rotor_torque = AXIS * torque / self.ratio
        self.rotor_free = np.linalg.solve(self.rotor, rotor_torque - self.rotor_bias)
        self.column = self.articulated @ AXIS
        self.rotor_column = self.rotor @ AXIS * self.ratio
        self.d = float(AXIS @ (self.column + self.ratio * self.rotor_column))

    def hand_down(self, parent: Link) -> None:
        """Lines 16 and 17: what the parent feels of this link and its rotor."""
        column, rotor_column = self.column, self.rotor_column
        squares = (np.outer(column, column) + np.outer(rotor_column, rotor_column)) / self.d
        inertia = self.articulated + self.rotor - squares
        bias = self.bias + self.rotor_bias
        bias = bias + self.articulated @ self.xi + self.rotor @ self.rotor_xi
        bias = bias + column * (column @ (self.free - self.xi)) / self.d
        bias = bias + rotor_column * (rotor_column @ (self.rotor_free - self.rotor_xi)) / self.d
        parent.articulated = parent.articulated + self.transform.T @ inertia @ self.transform
        parent.bias = parent.bias + self.transform.T @ bias

    def accelerate(self, parent: Array) -> float:
        """Lines 21 and 22: the acceleration of the joint, and of the link."""
        carried = self.transform @ parent
        pull = self.articulated @ (carried + self.xi - self.free)
        rotor_pull = self.ratio * self.rotor @ (carried + self.rotor_xi - self.rotor_free)
        result = -float(AXIS @ (pull + rotor_pull)) / self.d
        self.acceleration = carried + AXIS * result + self.xi
        return result


def _link(model: Model, i: int, ratio: float, angle: float) -> Link:
    joint, rotor = model.joint(f"joint_{i}"), f"joint_{i}_rotor"
    parent = int(joint.parent.removeprefix("link_")) if i > 0 else -1
    transform = _transform(joint.placement, angle)
    inertias = (_spatial_inertia(model, name) for name in (joint.child, rotor))
    return Link(parent, ratio, transform, *inertias)


def _spatial_inertia(model: Model, name: str) -> Array:
    """Return the inertia (6, 6) of a body about the origin of its frame."""
    body = model.body(name)
    first_moment = body.mass * skew(body.com)
    about_origin = body.inertia + first_moment @ skew(body.com).T
    return np.block([[about_origin, first_moment], [first_moment.T, body.mass * np.eye(3)]])


def _transform(placement: Array, angle: float) -> Array:
    """Return the matrix that takes motions from the parent to a link turned by `angle` about z."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ placement[:3, :3].T
    return np.block([[turn, np.zeros((3, 3))], [-turn @ skew(placement[:3, 3]), turn]])


def _cross(motion: Array) -> Array:
    """Return v×, for which v× m is the cross product of two motions."""
    angular, linear = skew(motion[:3]), skew(motion[3:])
    return np.block([[angular, np.zeros((3, 3))], [linear, angular]])
