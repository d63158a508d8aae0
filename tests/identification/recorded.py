"""Machines and recordings that tests of identification share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import tarsus as ts

Array = NDArray[np.float64]
INTERVAL = 0.02


def double_pendulum(
    mass: float = 1.3, center: float = 0.45, inertia: float = 0.06, damping: float = 0.12
) -> ts.Model:
    """Return two links that hang, the lower of which has these numbers."""
    b = ts.Builder("double pendulum")
    b.body("upper", 2.0, (0.0, 0.0, -0.3), inertia=(0.05, 0.05, 0.01))
    b.body("lower", mass, (0.0, 0.0, -center), inertia=(0.05, inertia, 0.05))
    b.joint("shoulder", "revolute", "world", "upper", axis="y", damping=0.08, stiffness=1.5)
    b.joint(
        *("elbow", "revolute", "upper", "lower"),
        position=(0.0, 0.0, -0.6),
        axis="y",
        damping=damping,
    )
    return b.build()


def lower_link() -> dict[str, ts.parameters.Parameter]:
    """Return its parameters by name."""
    return {
        "mass": ts.parameters.Mass("lower"),
        "center": -1.0 * ts.parameters.CenterOfMass("lower", "z"),
        "inertia": ts.parameters.Inertia("lower", "y"),
        "damping": ts.parameters.Damping("elbow"),
    }


def recorded(
    phases: ts.Model | ts.Phase | list[ts.Phase] | tuple[ts.Phase, ...],
    q: object,
    v: object,
    duration: float,
    interval: float = INTERVAL,
) -> tuple[Array, Array, Array]:
    """Return times, q and v of a motion without noise, at even intervals."""
    t, at, rates = ts.flow(phases, q, v, duration=duration, sample=interval).samples  # type: ignore[arg-type]
    return interval * np.arange(len(t)), at, rates
