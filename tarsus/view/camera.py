"""A camera: from points in the world to places in a picture."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array


class Camera:
    """A camera that looks at a target (3,) from a direction, z up."""

    def __init__(self, target: Array, distance: float, azimuth: float, elevation: float) -> None:
        back = np.array(
            [
                np.cos(elevation) * np.cos(azimuth),
                np.cos(elevation) * np.sin(azimuth),
                np.sin(elevation),
            ]
        )
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        self.eye = target + distance * back
        self.axes = np.array([right, np.cross(back, right), -back])
        self.near = 0.05 * distance

    def project(self, points: Array) -> tuple[Array, Array]:
        """Return positions (…, 2) in the picture and depths (…) of points (…, 3)."""
        seen = (points - self.eye) @ self.axes.T
        depth = seen[..., 2]
        return seen[..., :2] / np.maximum(depth, self.near)[..., None], depth
