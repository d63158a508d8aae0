"""When an episode is over before its time: a term is a function from `RobotLanes` to (B,) bool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tarsus.environments.lanes import MASK
    from tarsus.environments.robot_lanes import RobotLanes


@dataclass(frozen=True)
class TooLow:
    """The base is lower than a `share` of its height in the stance."""

    share: float = 0.6

    def __call__(self, robots: RobotLanes) -> MASK:
        """Return who is too low."""
        return np.asarray(robots.heights() < self.share * robots.stance[2])


@dataclass(frozen=True)
class Tilted:
    """The base tilts by more than `most` [rad]."""

    most: float = 0.8

    def __call__(self, robots: RobotLanes) -> MASK:
        """Return who tilts too much."""
        return np.asarray(robots.rotations()[:, 2, 2] < np.cos(self.most))


@dataclass(frozen=True)
class TooFast:
    """A joint is faster than `most` [rad/s, m/s]."""

    most: float = 50.0

    def __call__(self, robots: RobotLanes) -> MASK:
        """Return whose joints are too fast."""
        return np.asarray(np.abs(robots.joint_velocities()).max(axis=1, initial=0.0) > self.most)
