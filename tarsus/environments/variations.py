"""What differs from episode to episode, so that policies do not rely on it.

A variation is a frozen dataclass with `draw`, which returns some numbers (k,) of one robot from its
own generator; `apply`, which gives the numbers (n, k) of those that start to them; and `act`,
which is called before each period with the numbers (B, k) of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.checks import not_negative, number
from tarsus._lib.files import Array
from tarsus.environments.impact import struck

if TYPE_CHECKING:
    from tarsus.environments.lanes import MASK
    from tarsus.environments.robot_lanes import RobotLanes


@dataclass(frozen=True)
class Variation:
    """A range of numbers, one of which is drawn."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0.0 <= number(self.low, "low") <= number(self.high, "high"):
            name = type(self).__name__
            raise ValueError(f"{name} is from {self.low} to {self.high}, must be a range from 0 on")

    def draw(self, rng: np.random.Generator, robots: RobotLanes) -> Array:
        """Return one number (1,)."""
        return rng.uniform(self.low, self.high, 1)

    def apply(self, robots: RobotLanes, which: MASK, drawn: Array) -> None:
        """Give the numbers (n, k) to those that start."""

    def act(self, robots: RobotLanes, drawn: Array) -> None:
        """Do something to robots before a period, with the numbers (B, k) of all."""


@dataclass(frozen=True)
class Friction(Variation):
    """The coefficient of friction of the ground."""

    def apply(self, robots: RobotLanes, which: MASK, drawn: Array) -> None:
        """Set the coefficients."""
        robots.parameters[which, 0] = drawn[:, 0]


@dataclass(frozen=True)
class Masses(Variation):
    """Factors of masses and inertias: one for a robot, or one for `each` of its bodies."""

    each: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low == 0.0:
            raise ValueError("Masses is from 0.0: bodies must have mass")

    def draw(self, rng: np.random.Generator, robots: RobotLanes) -> Array:
        """Return a factor, or n_bodies of them."""
        return rng.uniform(self.low, self.high, robots.model.n_bodies if self.each else 1)

    def apply(self, robots: RobotLanes, which: MASK, drawn: Array) -> None:
        """Set the factors."""
        robots.parameters[which, -robots.model.n_bodies :] = drawn


@dataclass(frozen=True)
class Gains(Variation):
    """Factors of kp and of kd, drawn apart."""

    def draw(self, rng: np.random.Generator, robots: RobotLanes) -> Array:
        """Return both."""
        if not robots.nominal[4 : 4 + 2 * robots.model.nv].any():
            raise ValueError("Gains needs gains: actions are efforts")
        return rng.uniform(self.low, self.high, 2)

    def apply(self, robots: RobotLanes, which: MASK, drawn: Array) -> None:
        """Scale the gains, which come after the four numbers of the ground."""
        nv = robots.model.nv
        for k in range(2):
            columns = slice(4 + k * nv, 4 + (k + 1) * nv)
            robots.parameters[which, columns] = drawn[:, k : k + 1] * robots.nominal[columns]


@dataclass(frozen=True)
class StartAngles(Variation):
    """Joints start away from the stance, by up to `high` [rad, m] to either side."""

    low: float = 0.0
    high: float = 0.05

    def draw(self, rng: np.random.Generator, robots: RobotLanes) -> Array:
        """Return how far (n,) joints are moved."""
        return rng.uniform(-self.high, self.high, len(robots.joints))

    def apply(self, robots: RobotLanes, which: MASK, drawn: Array) -> None:
        """Move the joints."""
        rows = np.flatnonzero(which)[:, None]
        robots.q[rows, robots.joints] += drawn


@dataclass(frozen=True)
class Pushes(Variation):
    """The base is pushed to any side once in `every` [s], by `low` to `high` [m/s] × mass."""

    every: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not_negative(self.every, "every") == 0.0:
            raise ValueError("every is 0.0, must be positive")

    def draw(self, rng: np.random.Generator, robots: RobotLanes) -> Array:
        """Return periods of the pushes, then their sides [rad], then their sizes (3 n,)."""
        window = max(1, round(self.every / robots.period))
        first = np.arange(0, robots.periods, window)
        when = first + rng.integers(0, window, len(first))
        sides = rng.uniform(0.0, 2.0 * np.pi, len(first))
        return np.concatenate([when, sides, rng.uniform(self.low, self.high, len(first))])

    def act(self, robots: RobotLanes, drawn: Array) -> None:
        """Change the velocities of those whose time it is."""
        when, side, size = np.split(drawn, 3, axis=1)
        row, push = np.nonzero(when == robots.age[:, None])
        if len(row):
            angle, size = side[row, push], size[row, push]
            change = size[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
            robots.strike(row, struck(robots.model, robots.q[row], robots.base_body(), change))
