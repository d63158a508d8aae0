"""A strike by dense matrices, for comparison."""

from __future__ import annotations

import numpy as np

import tarsus as ts


def dense_strike(
    model: ts.Model, foot: tuple[str, np.ndarray], q: np.ndarray, v: np.ndarray, rows: int
) -> np.ndarray:
    """Return v after a foot is caught: the projection in the metric of the masses, in NumPy."""
    mass, pose = np.asarray(model.mass_matrix(q)), np.asarray(model.frame_pose(q, foot[0]))
    jacobian = np.array(model.frame_jacobian(q, foot[0], "local_world_aligned"))
    jacobian[:3] -= np.cross(pose[:3, :3] @ foot[1][:3, 3], jacobian[3:], axisb=0, axisc=0)
    held = jacobian[:rows]
    back = np.linalg.solve(mass, held.T)
    return v - back @ np.linalg.solve(held @ back, held @ v)
