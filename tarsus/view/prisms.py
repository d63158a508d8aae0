"""Lines as thin prisms, which bodies hide."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array

PRISM = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]])
"""Triangles of a prism with the corners 0, 1, 2 at one end and 3, 4, 5 at the other."""


def prisms(ends: Array, radius: float) -> Array:
    """Return the corners (6 n, 3) of prisms around lines with ends (n, 2, 3)."""
    along = ends[:, 1] - ends[:, 0]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    # any direction across will do, but the one that is along
    across = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    other = np.cross(along, across)
    angles = np.radians([0.0, 120.0, 240.0])[:, None, None]
    rim = radius * (np.cos(angles) * across + np.sin(angles) * other)  # (3, n, 3)
    return np.asarray((ends.swapaxes(0, 1)[:, None] + rim).transpose(2, 0, 1, 3).reshape(-1, 3))
