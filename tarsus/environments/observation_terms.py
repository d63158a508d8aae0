"""What robots can feel: a term is any function from `RobotLanes` to an array (B, n).

Those of the base need a free root. A new one is a frozen dataclass with `__call__`; a robot's row
may depend on its own state only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.checks import not_negative
from tarsus._lib.files import Array

if TYPE_CHECKING:
    from tarsus.environments.robot_lanes import RobotLanes


@dataclass(frozen=True)
class BaseHeight:
    """Height of the base above the ground (B, 1) [m]."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the heights."""
        return robots.heights()[:, None]


@dataclass(frozen=True)
class Gravity:
    """The direction upwards, as the base sees it (B, 3): (0, 0, 1) when it is upright."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return unit vectors."""
        return robots.rotations()[:, 2]


@dataclass(frozen=True)
class BaseVelocity:
    """Velocity of the base [m/s] and its rate of turning [rad/s], in its own axes (B, 6)."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return linear velocities, then angular ones."""
        robots.rotations()  # which says so if there is no free root
        return robots.v[:, :6]


@dataclass(frozen=True)
class JointPositions:
    """How far joints are from the stance (B, n) [rad, m]."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the differences."""
        return robots.joint_positions() - robots.stance[robots.joints]


@dataclass(frozen=True)
class JointVelocities:
    """Velocities of joints (B, n), times `scale`."""

    scale: float = 1.0

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the velocities."""
        return self.scale * robots.joint_velocities()


@dataclass(frozen=True)
class LastAction:
    """The last action (B, n)."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the actions."""
        return robots.action


@dataclass(frozen=True)
class CommandedVelocity:
    """The velocity that is asked for (B, 3): ahead and to the left [m/s], turning [rad/s]."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the commands."""
        return robots.command


@dataclass(frozen=True)
class Clock:
    """Sine and cosine of a phase (B, 2) that goes round `frequency` [1/s] times a second."""

    frequency: float = 2.0

    def __call__(self, robots: RobotLanes) -> Array:
        """Return both."""
        angle = 2.0 * np.pi * self.frequency * robots.time()
        return np.stack([np.sin(angle), np.cos(angle)], axis=1)


@dataclass(frozen=True)
class FeetHeights:
    """How high feet are above where they are in the stance (B, number of feet) [m]."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the heights."""
        return robots.feet_heights()


@dataclass(frozen=True)
class FeetForces:
    """How hard feet are pressed, in weights of the robot (B, number of feet); zero in the air."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the forces."""
        return robots.feet_forces() / robots.weight


@dataclass(frozen=True)
class GroundScan:
    """Heights of the ground around the base, relative to that under it (B, n) [m].

    Points are (n, 2) [m], ahead and to the left.
    """

    points: tuple[tuple[float, float], ...] = ((0.2, 0.0), (0.4, 0.0), (0.6, 0.0))

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the heights."""
        ahead = robots.rotations()[:, :2, 0]
        ahead = ahead / np.maximum(np.hypot(ahead[:, 0], ahead[:, 1]), 1e-9)[:, None]
        points = np.asarray(self.points)
        x = robots.q[:, :1] + ahead[:, :1] * points[:, 0] - ahead[:, 1:] * points[:, 1]
        y = robots.q[:, 1:2] + ahead[:, 1:] * points[:, 0] + ahead[:, :1] * points[:, 1]
        return robots.ground_height(x, y) - robots.ground_height(robots.q[:, :1], robots.q[:, 1:2])


@dataclass(frozen=True)
class Noisy:
    """Another term with normal noise of a standard deviation: what a sensor tells of it."""

    term: Callable[[RobotLanes], Array]
    deviation: float

    def __post_init__(self) -> None:
        not_negative(self.deviation, "deviation")

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the values with noise, which each robot draws for itself."""
        exact = self.term(robots)
        return exact + self.deviation * robots.noise(exact.shape[1])
