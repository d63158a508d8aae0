"""ANYmal sways on its four feet, which are held: in Tarsus, and in Pinocchio under SciPy.

Springs in the joints carry it, else it would fall through its stretched legs, where no motion is
smooth. Pinocchio has four constraints of three dimensions, without Baumgarte's corrections.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.check.pinocchio import PinocchioPeer
from tarsus.robots.quadrupeds import Legged, legged

STIFFNESS, DAMPING = 300.0, 0.5
"""Of each joint [N m/rad, N m s/rad]."""
SPEED = 0.3
"""Of joints and base at the start, about [rad/s, m/s]."""


def sprung(robot: Legged) -> ts.Model:
    """Return a robot with springs in its joints that are relaxed in its stance."""
    editor = ts.Editor(robot.model)
    for joint in robot.model.joints[1:]:
        rest = float(robot.stance[joint.q_slice][0])
        editor.change("joint", joint.name, stiffness=STIFFNESS, rest=rest, damping=DAMPING)
    return editor.build()


class HeldFeet:
    """ANYmal in its stance, its feet held: `model`, `q` (nq,)."""

    def __init__(self) -> None:
        self.robot = legged("anymal")
        self.q, feet = self.robot.stance, list(self.robot.feet.values())
        self.model = ts.held(sprung(self.robot), feet, self.q)

    def velocities(self, count: int) -> Array:
        """Return random velocities (count, nv) that leave the feet where they are."""
        jacobian = np.asarray(self.model.constraint_jacobian(self.q))
        v = SPEED * np.random.default_rng(0).standard_normal((count, self.model.nv))
        return np.asarray(v - v @ (np.linalg.pinv(jacobian) @ jacobian).T)


class PinocchioFeet:
    """The same in Pinocchio; raises `NotComparableError` where that is not installed."""

    def __init__(self, ours: HeldFeet) -> None:
        self.peer = peer = PinocchioPeer(ours.robot.model)
        self.pin, self.model = peer.pin, peer.model
        self.data = self.model.createData()
        self.rest = peer.configuration(ours.q)
        self.constraints = self.pin.StdVec_RigidConstraintModel()
        self.constraint_data = self.pin.StdVec_RigidConstraintData()
        self.pin.framesForwardKinematics(self.model, self.data, self.rest)
        for foot in ours.robot.feet.values():
            held = self._held(self.model.getFrameId(foot))
            self.constraints.append(held)
            self.constraint_data.append(held.createData())
        self.pin.initConstraintDynamics(
            self.model, self.data, self.constraints, self.constraint_data
        )
        self.settings = self.pin.ProximalSettings(1e-12, 0.0, 1)

    def _held(self, frame: int) -> Any:
        """Return a constraint that holds a frame's origin where it is."""
        pin, at = self.pin, self.model.frames[frame]
        held = pin.RigidConstraintModel(
            *(pin.ContactType.CONTACT_3D, self.model, at.parentJoint, at.placement),
            *(0, self.data.oMf[frame], pin.ReferenceFrame.LOCAL),
        )
        held.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(0.0, 0.0))
        return held

    def rates(self, _: float, y: Array) -> Array:
        """Return the rates of y = (q, v) in Pinocchio's layout."""
        nq = self.model.nq
        q, v = y[:nq], y[nq:]
        tau = np.zeros(self.model.nv)
        tau[6:] = STIFFNESS * (self.rest[7:] - q[7:]) - DAMPING * v[6:]
        a = self.pin.constraintDynamics(
            *(self.model, self.data, q, v, tau),
            *(self.constraints, self.constraint_data, self.settings),
        )
        return np.concatenate([configuration_rate(q, v), a])

    def end(self, y: Array, duration: float, rtol: float, atol: float) -> Array:
        """Return (q, v) after a motion by SciPy."""
        found = solve_ivp(
            self.rates, (0.0, duration), y, method="DOP853", rtol=rtol, atol=atol, t_eval=[duration]
        )
        return np.asarray(found.y[:, -1])

    def state(self, q: Array, v: Array) -> Array:
        """Return one of our states as y = (q, v)."""
        return np.concatenate([self.peer.configuration(q), self.peer.velocity(v)])


def configuration_rate(q: Array, v: Array) -> Array:
    """Return q̇ of a floating base with joints of one coordinate: what `pin.integrate` goes along.

    Plain floats: Pinocchio has nothing for it in Python, and arrays of three numbers are slower.
    """
    x, y, z, w = q[3:7].tolist()
    a, b, c, p, r, s = v[:6].tolist()
    # R v = v + w t + u × t with t = 2 u × v, of the quaternion (u, w)
    i, j, k = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    base = [
        *(a + w * i + y * k - z * j, b + w * j + z * i - x * k, c + w * k + x * j - y * i),
        *(0.5 * (w * p + y * s - z * r), 0.5 * (w * r + z * p - x * s)),
        *(0.5 * (w * s + x * r - y * p), -0.5 * (x * p + y * r + z * s)),
    ]
    return np.concatenate([base, v[6:]])
