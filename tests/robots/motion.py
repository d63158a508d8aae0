"""Motions of a model in small steps of order four, and their energy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import tarsus as ts

Array = NDArray[np.float64]


def step(
    m: ts.Model, q: Array, v: Array, h: float, t: float, force: Callable[[float], Array]
) -> tuple[Array, Array]:
    """Return the state after h seconds; Celledoni, Marthinsen, Owren 2003, order four."""
    v1, a1 = v, m.forward_dynamics(q, v, force(t))
    q2, v2 = m.integrate(q, h / 2 * v1), v + h / 2 * a1
    a2 = m.forward_dynamics(q2, v2, force(t + h / 2))
    q3, v3 = m.integrate(q, h / 2 * v2), v + h / 2 * a2
    a3 = m.forward_dynamics(q3, v3, force(t + h / 2))
    q4, v4 = m.integrate(q2, h * v3 - h / 2 * v1), v + h * a3
    a4 = m.forward_dynamics(q4, v4, force(t + h))
    q = m.integrate(q, h / 12 * (3 * v1 + 2 * v2 + 2 * v3 - v4))
    q = m.integrate(q, h / 12 * (-v1 + 2 * v2 + 2 * v3 + 3 * v4))
    return q, v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def run(
    m: ts.Model,
    q: Array,
    v: Array,
    duration: float,
    h: float,
    force: Callable[[float], Array] | None = None,
) -> tuple[Array, Array]:
    """Return the state after `duration` seconds."""
    force = force or (lambda t: np.zeros(m.nv))
    for i in range(round(duration / h)):
        q, v = step(m, q, v, h, i * h, force)
    return q, v


def energy(m: ts.Model, q: Array, v: Array) -> float:
    """Return kinetic and potential energy [J]."""
    return float(m.kinetic_energy(q, v) + m.potential_energy(q))
