"""What is good and what is bad: a term is any function from `RobotLanes` to an array (B,).

A task has a weight for each of them, negative for costs. A robot's number may depend on its own
state only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.files import Array

if TYPE_CHECKING:
    from tarsus.environments.robot_lanes import RobotLanes


@dataclass(frozen=True)
class VelocityTracking:
    """exp(−(error / width)²) of the velocity in the plane [m/s]: 1 at the one commanded."""

    width: float = 0.25

    def __call__(self, robots: RobotLanes) -> Array:
        """Return numbers from 0 to 1."""
        error = robots.heading_velocity()[:, :2] - robots.command[:, :2]
        return np.exp(-(error[:, 0] ** 2 + error[:, 1] ** 2) / self.width**2)


@dataclass(frozen=True)
class TurnTracking:
    """exp(−(error / width)²) of the rate of turning [rad/s]: 1 at the one commanded."""

    width: float = 0.5

    def __call__(self, robots: RobotLanes) -> Array:
        """Return numbers from 0 to 1."""
        robots.rotations()
        return np.exp(-((robots.v[:, 5] - robots.command[:, 2]) ** 2) / self.width**2)


@dataclass(frozen=True)
class Progress:
    """The velocity along the command [m/s], at most the one commanded; what is beyond is lost."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return velocities."""
        velocity, wanted = robots.heading_velocity(), robots.command
        size = np.hypot(wanted[:, 0], wanted[:, 1])
        along = velocity[:, 0] * wanted[:, 0] + velocity[:, 1] * wanted[:, 1]
        along = along / np.maximum(size, 1e-9)
        return np.minimum(along, 2.0 * size - along)


@dataclass(frozen=True)
class Upright:
    """The cosine of the tilt of the base: 1 when it is upright."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return cosines."""
        return robots.rotations()[:, 2, 2]


@dataclass(frozen=True)
class HeightKept:
    """exp(−(error / width)²) of the height of the base [m]: 1 at that of the stance."""

    width: float = 0.05

    def __call__(self, robots: RobotLanes) -> Array:
        """Return numbers from 0 to 1."""
        error = robots.heights() - robots.stance[2]
        return np.asarray(np.exp(-(error**2) / self.width**2))


@dataclass(frozen=True)
class PoseKept:
    """The mean square of how far joints are from the stance [rad²]."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the means."""
        return mean_square(robots.joint_positions() - robots.stance[robots.joints])


@dataclass(frozen=True)
class Alive:
    """1 for each period that the robot has not ended."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return ones."""
        return np.where(robots.ended, 0.0, 1.0)


@dataclass(frozen=True)
class Energy:
    """Sum of the powers of all joints, whatever their signs, as a share of weight × 1 m/s."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the power."""
        return robots.power()


@dataclass(frozen=True)
class ActionRate:
    """The mean square of how actions changed since the period before."""

    def __call__(self, robots: RobotLanes) -> Array:
        """Return the means."""
        return mean_square(robots.action - robots.last_action)


@dataclass(frozen=True)
class FootClearance:
    """How far feet that move are from `height` [m] above the ground: Σ (h − height)² × speed."""

    height: float = 0.06

    def __call__(self, robots: RobotLanes) -> Array:
        """Return sums [m³/s]."""
        velocity = robots.feet_velocities()
        speed = np.hypot(velocity[:, :, 0], velocity[:, :, 1])
        return np.asarray(np.add.reduce((robots.feet_heights() - self.height) ** 2 * speed, axis=1))


@dataclass(frozen=True)
class Trot:
    """How well feet keep the time of a trot, from −1 to 1, in the order of the task's `feet`.

    `phases` are where in the period each foot is in the middle of its flight, from 0 to 1; feet
    that are higher than `lifted` [m] fly.
    """

    frequency: float = 2.0
    phases: tuple[float, ...] = (0.0, 0.5, 0.5, 0.0)
    lifted: float = 0.01

    def __call__(self, robots: RobotLanes) -> Array:
        """Return means over the feet of ±1, weighted with how clear the time is."""
        if len(robots.feet) != len(self.phases):
            count, feet = len(self.phases), ", ".join(robots.feet)
            known = f"the feet {feet}" if feet else "no feet: state frames, feet=(…)"
            raise ValueError(f"Trot has {count} phases, but the task has {known}")
        flies = np.where(robots.feet_heights() > self.lifted, 1.0, -1.0)
        turns = self.frequency * robots.time()[:, None] - np.asarray(self.phases)
        in_time = np.add.reduce(flies * np.cos(2.0 * np.pi * turns), axis=1)
        return np.asarray(in_time / len(self.phases))


def mean_square(values: Array) -> Array:
    """Return the means (B,) of squares of (B, n)."""
    return np.asarray(np.add.reduce(values * values, axis=1) / values.shape[1])
