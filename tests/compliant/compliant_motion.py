"""A ball on a plane with compliant contact, integrated by SciPy with the matrices of the oracle."""

from __future__ import annotations

import numpy as np
from compliant_oracle import Array, Oracle
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

RADIUS, MASS, INERTIA, GRAVITY = 0.1, 1.0, 0.004, 9.81


def rates(oracle: Oracle, normal: Array, y: Array, on: bool) -> Array:
    """Return the rate of (p, v, ω, deformation) in axes of the world, for a plane at the origin."""
    p, v, w, own = y[:3], y[3:6], y[6:9], y[9:]
    z = normal
    # tangents as the core lays them, for a normal that looks up
    a, b = -1.0 / (1.0 + z[2]), -z[0] * z[1] / (1.0 + z[2])
    axes = np.array([[1.0 + z[0] ** 2 * a, b, -z[0]], [b, 1.0 + z[1] ** 2 * a, -z[1]], z])
    force, moment, change = np.zeros(3), np.zeros(3), np.zeros(8)
    if on:
        gap = z @ p - RADIUS
        arm = -z * (RADIUS + gap) + oracle.shares[0] * gap * z
        twist = np.concatenate([axes @ w, axes @ (v + np.cross(w, arm))])
        found = oracle.respond(own, twist, printed=True)
        moment, force = axes.T @ found["wrench"][:3], axes.T @ found["wrench"][3:]
        moment = moment + np.cross(arm, force)
        change = found["rates"]
    fall = np.array([0.0, 0.0, -GRAVITY])
    return np.concatenate([v, fall + force / MASS, moment / INERTIA, change])


def motion(
    oracle: Oracle, normal: Array, p: Array, v: Array, w: Array, duration: float
) -> tuple[Array, list[float]]:
    """Return p, v, ω at the end, and the times of touches and releases."""
    y, t, on = np.concatenate([p, v, w, np.zeros(8)]), 0.0, False
    events: list[float] = []
    for _ in range(50):

        def gap(_: float, y: Array) -> float:
            return float(normal @ y[:3] - RADIUS)

        gap.terminal, gap.direction = True, 1.0 if on else -1.0  # type: ignore[attr-defined]
        found = solve_ivp(
            lambda _, y, on=on: rates(oracle, normal, y, on),
            *((t, duration), y, "DOP853"),
            events=gap,
            rtol=1e-11,
            atol=1e-13,
        )
        y, t = found.y[:, -1], float(found.t[-1])
        if found.status != 1:
            break
        events.append(t)
        on = not on
        if on:
            y[9:] = 0.0
        # a step past the zero, so that it is not found again
        y, t = y + 1e-9 * rates(oracle, normal, y, on), t + 1e-9
    return y[:9], events


def state_of(p: Array, v: Array, w: Array) -> tuple[Array, Array]:
    """Return q and v of a free ball that is not turned."""
    return np.concatenate([p, Rotation.identity().as_quat()]), np.concatenate([v, w])
