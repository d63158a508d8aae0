"""Directions in which outlines are compared."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.model.checks import read_only


def spread_directions(count: int) -> Array:
    """Return unit vectors (count, 3), spread evenly over the sphere, the six axes among them."""
    # Fibonacci's lattice: equal steps along z, the golden angle about it
    z = 1.0 - (2.0 * np.arange(count - 6) + 1.0) / (count - 6)
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count - 6)
    radius = np.sqrt(1.0 - z**2)
    spread = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])
    return np.concatenate([np.eye(3), -np.eye(3), spread])


DIRECTIONS = read_only(spread_directions(1500))
"""Directions in which outlines are compared, about 5° apart."""
