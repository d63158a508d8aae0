"""An oracle for a four-bar under gravity: dense equations of three rods and their closure.

Ground from (0, 0) to (3, 0), thin rods of mass [kg] = length [m]: crank 1, coupler 3, rocker 2.5.
Angles are those of the rods to x; the coupler starts at the crank's end, the rocker at (3, 0).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

CRANK, COUPLER, ROCKER, GROUND, GRAVITY = 1.0, 3.0, 2.5, 3.0, 9.81
LENGTHS = np.array([CRANK, COUPLER, ROCKER])
START = np.array([np.radians(60.0), 0.57596113, 1.56439322])

# centres are at base + Σ_j share_ij u(θ_j)
SHARES = np.array([[CRANK / 2, 0, 0], [CRANK, COUPLER / 2, 0], [0, 0, ROCKER / 2]])
CLOSURE = np.array([CRANK, COUPLER, -ROCKER])


def gap(angles: Array) -> Array:
    """Return by how far coupler and rocker miss each other (2,)."""
    ends = np.stack([np.cos(angles), np.sin(angles)]) @ CLOSURE
    return np.asarray(ends - [GROUND, 0.0])


def closed(angles: Array) -> Array:
    """Return the angles with those of coupler and rocker solved for, by Newton's method."""
    angles = angles.copy()
    for _ in range(20):
        across = np.stack([-np.sin(angles), np.cos(angles)]) * CLOSURE
        angles[1:] -= np.linalg.solve(across[:, 1:], gap(angles))
    return angles


def accelerations(angles: Array, rates: Array) -> Array:
    """Return angular accelerations (3,)."""
    along = np.stack([np.cos(angles), np.sin(angles)])
    across = np.stack([-np.sin(angles), np.cos(angles)])
    mass, force = np.diag(LENGTHS**3 / 12), np.zeros(3)
    for weight, share in zip(LENGTHS, SHARES, strict=True):
        jacobian = across * share
        mass += weight * jacobian.T @ jacobian
        force += weight * jacobian.T @ (along * share @ rates**2 + [0.0, -GRAVITY])
    rows = across * CLOSURE
    whole = np.block([[mass, rows.T], [rows, np.zeros((2, 2))]])
    right = np.concatenate([force, along * CLOSURE @ rates**2])
    return np.linalg.solve(whole, right)[:3]


def energy(angles: Array, rates: Array) -> float:
    """Return kinetic and potential energy [J]."""
    across = np.stack([-np.sin(angles), np.cos(angles)])
    speeds = (SHARES * rates) @ across.T
    kinetic = LENGTHS @ np.sum(speeds**2, axis=1) + LENGTHS**3 / 12 @ rates**2
    return float(kinetic / 2 + GRAVITY * LENGTHS @ (SHARES @ np.sin(angles)))


def run(times: Array) -> tuple[Array, Array]:
    """Return angles and rates (T, 3) at times, from rest."""

    def slope(_: float, state: Array) -> Array:
        return np.concatenate([state[3:], accelerations(state[:3], state[3:])])

    start = np.concatenate([closed(START), np.zeros(3)])
    span = (0.0, float(times[-1]))
    found = solve_ivp(slope, span, start, "DOP853", times, rtol=1e-12, atol=1e-12)
    assert found.success, found.message
    return found.y[:3].T, found.y[3:].T
