"""An arm of two links with loose rotors, for the tests of couplings."""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array

ROTOR = {"mass": 0.3, "com": (0.01, 0.02, 0.0), "inertia": (1e-4, 2e-4, 2.5e-4)}


def arm() -> ts.Builder:
    """world -shoulder (y)- upper -elbow (z)- lower, and the loose bodies r and s."""
    builder = ts.Builder("arm")
    builder.body("upper", 2.0, (0, 0, -0.2), (0.02, 0.02, 0.001))
    builder.body("lower", 1.0, (0, 0.1, -0.2), (0.01, 0.012, 0.003))
    builder.joint("shoulder", "revolute", "world", "upper", axis="y", rotation=(0.3, 0, 0))
    builder.joint("elbow", "revolute", "upper", "lower", position=(0, 0, -0.4), axis=(0, 0, 1))
    builder.body("r", **ROTOR)  # type: ignore[arg-type]
    builder.body("s", **ROTOR)  # type: ignore[arg-type]
    return builder


def square(y: Array) -> tuple[Array, Array, Array]:
    """The follower turns by the product of two leaders."""
    a, b = y
    return np.array([a * b]), np.array([[b, a]]), np.array([[[0.0, 1.0], [1.0, 0.0]]])
