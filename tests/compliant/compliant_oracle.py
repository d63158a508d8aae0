"""The compliant element by matrices, with nothing in common with the core.

Poses 4 × 4, twists (ω, v) as in Duindam 2006, section 3.2: the deformation is two homogeneous
matrices, its spring's wrench the derivative of the stored energy along six unit twists, and X_d a
6 × 6 matrix whose transpose takes wrenches back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tarsus as ts

Array = NDArray[np.float64]

SLOW = 1e-3
"""[rad/s] What turns more slowly has hardly a direction."""


def planar(theta: float, x: float, y: float, z: float) -> Array:
    """Return the matrix (3.24)."""
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1.0]])


def tilde(twist: Array) -> Array:
    """Return the matrix of a twist (ω, v)."""
    wx, wy, wz, *v = twist
    out = np.zeros((4, 4))
    out[:3, :3] = [[0, -wz, wy], [wz, 0, -wx], [-wy, wx, 0]]
    out[:3, 3] = v
    return out


def coordinates(H: Array) -> Array:
    """Return θ, x, y, z of a matrix (3.24)."""
    return np.array([np.arctan2(H[1, 0], H[0, 0]), *H[:3, 3]])


@dataclass
class Oracle:
    """One contact with a law, on a ground."""

    law: ts.contact.Compliant
    friction: float = 0.6
    viscous: float = 0.0
    torsion: float = 0.0

    @property
    def shares(self) -> tuple[float, float]:
        """What the touched surface deforms, and what the body's does."""
        own = 0.0 if np.isinf(self.law.ratio) else 1.0 / (1.0 + self.law.ratio)
        return own, 1.0 - own

    def normal(self, depth: float, rate: float) -> tuple[float, float, float]:
        """Return energy, elastic force and damper force of the normal law."""
        law, normal = self.law, self.law.laws[0]
        linear = law.damping * rate
        k: float = normal.stiffness or law.stiffness
        if isinstance(normal, ts.contact.Spring):
            return 0.5 * k * depth**2, k * depth, linear
        n = 1.5 if isinstance(normal, ts.contact.Hertz) else normal.exponent
        c = 0.0 if isinstance(normal, ts.contact.Hertz) else normal.dissipation
        d = max(depth, 0.0)
        force = k * d**n
        return force * d / (n + 1.0), force, force * max(c * rate, -1.0) + linear

    def energy(self, H1: Array, H2: Array) -> float:
        """Return what is stored in the deformation H1 H2."""
        theta, x, y, z = coordinates(H1 @ H2)
        spring = (
            0.5 * self.law.stiffness * (x**2 + y**2) + 0.5 * self.law.twist_stiffness * theta**2
        )
        return float(spring + self.normal(-z, 0.0)[0])

    def gradient(self, H1: Array, H2: Array) -> Array:
        """Return the wrench of the spring: derivatives of the energy along unit twists (6,).

        By differences, but along the normal, where laws are not smooth: there by the law's force.
        """
        a, b = self.shares
        out = np.zeros(6)
        out[5] = -self.normal(-(H1 @ H2)[2, 3], 0.0)[1]
        units = np.eye(4)
        for i in range(2, 5):

            def at(h: float, unit: Array = units[i - 2]) -> float:
                return self.energy(H1 @ planar(*(a * h * unit)), planar(*(b * h * unit)) @ H2)

            h = 2e-4 if i > 2 else 2e-3
            steps = [(at(j * h) - at(-j * h)) / (2 * j * h) for j in (1, 2, 3)]
            out[i] = 1.5 * steps[0] - 0.6 * steps[1] + 0.1 * steps[2]
        return out

    def printed(self, H1: Array, H2: Array) -> Array:
        """Return the wrench of the spring as Duindam prints it, (3.34), with the law's push."""
        theta1 = coordinates(H1)[0]
        x2, y2 = H2[:2, 3]
        theta, x, y, z = coordinates(H1 @ H2)
        c, s = np.cos(theta1), np.sin(theta1)
        k = self.law.stiffness
        moment = self.law.twist_stiffness * theta
        moment += (-x2 * s - y2 * c) * k * x + (x2 * c - y2 * s) * k * y
        force = [c * k * x + s * k * y, -s * k * x + c * k * y, -self.normal(-z, 0.0)[1]]
        return np.array([0.0, 0.0, moment, *force])

    def projection(self, H1: Array, H2: Array, T: Array) -> tuple[Array, Array, float, float]:
        """Return X_d, the matrix that wrenches pass by, transposed, and what is left of dampers."""
        law, slip = self.law, self.law.laws[1]
        turn = coordinates(H1 @ H2)[0]
        e = np.linalg.inv(H1)[:2, :2] @ (H1 @ H2)[:2, 3]
        omega, spin, v = T[:2], T[2], T[3:5]
        X = np.diag([0.0, 0, 1, 1, 1, 1])
        back = X.copy()
        rub = bore = 1.0
        if isinstance(slip, ts.contact.Saturation):
            if e @ v > 0.0:
                X[3:5, 3:5] -= np.outer(e, e) / (np.linalg.norm(e) * slip.length)
            if turn * spin > 0.0:
                X[2, 2] -= abs(turn) / slip.angle
            back = X.copy()
        if isinstance(slip, ts.contact.Bristle):
            _, elastic, damper = self.normal(-(H1 @ H2)[2, 3], -T[5])
            load = max(elastic + damper, 0.01 * elastic, 0.0)
            speed = np.linalg.norm(v)
            fall = 1.0 + (slip.stiction - 1.0) * np.exp(-((speed / slip.stribeck_speed) ** 2))
            g = self.friction * fall * load + min(self.viscous * speed, 10.0 * load)
            g = max(g, 1e-8 * law.stiffness)
            X[3:5, 3:5] -= law.stiffness / g * np.outer(e, v) / (speed or 1.0)
            rub = 1.0 / (1.0 + 0.25 * law.damping * speed / g)
            if law.twist_stiffness > 0.0:
                moment = max(self.torsion * load, 1e-8 * law.twist_stiffness)
                X[2, 2] -= law.twist_stiffness / moment * spin / np.hypot(spin, SLOW) * turn
                bore = 1.0 / (
                    1.0 + 0.25 * law.twist_damping * spin**2 / np.hypot(spin, SLOW) / moment
                )
        roll = -law.roll * np.outer(e, omega) / np.hypot(np.linalg.norm(omega), SLOW)
        X[3:5, :2] += roll
        back[3:5, :2] += roll
        if law.twist_stiffness == 0.0:
            X[2, 2] = back[2, 2] = 0.0
        return X, back, rub, bore

    def respond(self, deformation: Array, T: Array, *, printed: bool = False) -> dict[str, Any]:
        """Return the wrench on the body (6,), rates (8,), energy and losses, for T in Ψ_c.

        The spring's wrench is by differences, or as it is `printed`.
        """
        law = self.law
        H1, H2 = planar(*deformation[:4]), planar(*deformation[4:])
        X, back, rub, bore = self.projection(H1, H2, T)
        Td = X @ T
        a, b = self.shares
        spring = self.printed(H1, H2) if printed else self.gradient(H1, H2)
        _, _, damper = self.normal(-(H1 @ H2)[2, 3], -T[5])
        damping = np.array([0, 0, law.twist_damping * bore, *[law.damping * rub] * 2, 0]) * Td
        damping[5] = -damper
        W = back.T @ (spring + damping)
        if isinstance(law.laws[1], ts.contact.Bristle):
            # the moment of the arm is passed on without a loss: only own bristles slip
            own = law.twist_stiffness * coordinates(H1 @ H2)[0]
            W[2] += (X[2, 2] - back[2, 2]) * (spring[2] - own)
        rate1, rate2 = a * H1 @ tilde(Td), b * tilde(Td) @ H2
        store = spring @ Td
        normal = damper * -T[5]
        return {
            "wrench": -W,
            "rates": np.array([a * Td[2], *rate1[:3, 3], b * Td[2], *rate2[:3, 3]]),
            "stored": self.energy(H1, H2),
            "store_power": store,
            "normal_loss": normal,
            "slip_loss": W @ T - store - normal,
        }
