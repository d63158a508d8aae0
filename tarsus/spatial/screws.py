"""Chasles' theorem: every twist is a turn about a line, and a slide along it.

With a unit vector a along the line and a point r on it, T = α (r × a, a) + β (a, 0), linear first.
V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, theorem 2.7.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.spatial.checks import shaped

KINDS = ("rest", "translation", "rotation", "screw")


@dataclass(frozen=True, eq=False)
class Screw:
    """Twists as turns about lines and slides along them; see `screw`."""

    axis: Array
    """Unit vectors along the lines (…, 3), zero at rest."""
    point: Array
    """The points of the lines that are nearest to the origin (…, 3) [m], zero without a turn."""
    rate: Array
    """Of turning about the line, α (…) [rad/s], not negative."""
    speed: Array
    """Along the line, β (…) [m/s], not negative where nothing turns."""

    @property
    def pitch(self) -> Array:
        """Metres a radian (…): β/α, infinite where nothing turns, not a number at rest."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.speed / self.rate)

    @property
    def kind(self) -> NDArray[np.str_]:
        """One of "rest", "translation", "rotation" and "screw" for each twist (…)."""
        turns, slides = self.rate > 0.0, self.speed != 0.0
        kinds: NDArray[np.str_] = np.asarray(KINDS)[slides + 2 * turns]
        return kinds

    @property
    def twist(self) -> Array:
        """The twists [linear, angular] (…, 6)."""
        angular = self.rate[..., None] * self.axis
        linear = np.cross(self.point, angular) + self.speed[..., None] * self.axis
        return np.concatenate([linear, angular], axis=-1)


def screw(twist: ArrayLike) -> Screw:
    """Return the lines about which twists [linear, angular] (…, 6) turn and along which they go."""
    given = shaped(twist, (6,), "twist")
    linear, angular = given[..., :3], given[..., 3:]
    rate = np.linalg.norm(angular, axis=-1)
    turns = (rate > 0.0)[..., None]
    along = np.where(turns, angular, linear)
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    axis = along / np.where(length > 0.0, length, 1.0)
    speed = (axis * linear).sum(axis=-1)
    point = np.cross(axis, linear) / np.where(turns, rate[..., None], 1.0)
    return Screw(axis, np.where(turns, point, 0.0), rate, speed)
