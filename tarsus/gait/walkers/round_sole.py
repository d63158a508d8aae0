"""Soles that are round and roll: a cylinder across the way in the plane, a ball or an ellipsoid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.model.checks import numbers
from tarsus.spatial import pose


@dataclass(frozen=True)
class RoundSole:
    """A sole with half axes [m] along x, y and z of its foot, the lowest point of which is there.

    `in_plane` soles roll ahead alone; others roll to all sides, and spin about where they touch.
    """

    half_axes: tuple[float, float, float]
    in_plane: bool

    @property
    def is_ball(self) -> bool:
        """Whether all half axes are one radius."""
        return len(set(self.half_axes)) == 1

    @property
    def radius(self) -> float:
        """How high the centre is over the lowest point [m]."""
        return self.half_axes[2]

    @property
    def joint(self) -> tuple[str, dict[str, Any]]:
        """The joint at the root, its frame at the centre, and what it states."""
        if self.in_plane:
            return "rolling_cylinder", {"radius": self.radius}
        if self.is_ball:
            return "rolling_ball", {"radius": self.radius}
        return "rolling", {"surface": {"kind": "ellipsoid", "numbers": self.half_axes}}

    @property
    def center(self) -> Array:
        """The centre from the lowest point (4, 4)."""
        return pose((0.0, 0.0, self.radius))

    def lowest(self, foot: Array, normal: Array) -> Array:
        """Return the points (…, 3) of soles at poses (…, 4, 4) that are lowest against a normal."""
        middle, turned = (foot @ self.center)[..., :3, 3], foot[..., :3, :3]
        if self.is_ball:
            return np.asarray(middle - self.radius * normal)
        stretched = np.array(self.half_axes) * (normal @ turned)
        deep = np.array(self.half_axes) * stretched / np.linalg.norm(stretched, axis=-1)[..., None]
        return np.asarray(middle - (turned @ deep[..., None])[..., 0])

    def root(self, foot: Array, at: Array) -> Array:
        """Return where (…, 3) the root of soles at poses (…, 4, 4) is, on a ground at `at` (4, 4).

        A sole in the plane would be upright there; others touch there.
        """
        touching = self.lowest(foot, at[:3, 2])
        if not self.in_plane:
            return touching
        turned = at[:3, :3].T @ foot[..., :3, :3]
        rolled = self.radius * np.arctan2(turned[..., 0, 2], turned[..., 2, 2])
        return np.asarray(touching - rolled[..., None] * at[:3, 0])


def half_axes_of(radius: float | Sequence[float]) -> tuple[float, float, float]:
    """Return the half axes [m] of a round sole, from a radius or from all three of them."""
    given = np.array(radius, float) if np.ndim(radius) else np.full(3, radius, float)
    found = numbers(given, (3,), "radius")
    if not (found > 0.0).all():
        raise ValueError(f"radius is {radius}, must be positive: one, or half axes along x, y, z")
    return float(found[0]), float(found[1]), float(found[2])
