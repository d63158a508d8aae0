"""Motions in contact with closed answers: a ball that bounces, bodies that slide until they hold.

Newton's restitution and Coulomb's friction; formulas in plain floats, nothing of the library.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bounces:
    """A body that falls from `height` [m] and keeps a share `restitution` of its speed."""

    height: float
    restitution: float
    g: float = 9.81

    @property
    def first(self) -> float:
        """When it strikes first [s]."""
        return math.sqrt(2.0 * self.height / self.g)

    def times(self, count: int) -> Array:
        """Return when it strikes (count,) [s]."""
        flights = 2.0 * self.first * self.restitution ** np.arange(1, count)
        return np.asarray(self.first + np.concatenate([[0.0], np.cumsum(flights)]))

    def speeds(self, count: int) -> Array:
        """Return how fast it is before each strike (count,) [m/s]."""
        return np.asarray(self.g * self.first * self.restitution ** np.arange(count))

    def losses(self, count: int, mass: float) -> Array:
        """Return the energy that each strike takes (count,) [J]."""
        return np.asarray(0.5 * mass * self.speeds(count) ** 2 * (1.0 - self.restitution**2))

    @property
    def end(self) -> float:
        """When infinitely many strikes are over, and it lies [s]."""
        e = self.restitution
        return self.first * (1.0 + 2.0 * e / (1.0 - e))


@dataclass(frozen=True)
class Slide:
    """A block that slides along a slope [rad], downhill positive, until it holds."""

    speed: float
    friction: float
    slope: float = 0.0
    g: float = 9.81

    @property
    def acceleration(self) -> float:
        """While it slides towards where it is going [m/s²]."""
        along, across = self.g * math.sin(self.slope), self.g * math.cos(self.slope)
        return along - math.copysign(self.friction * across, self.speed)

    @property
    def time(self) -> float:
        """When its speed is zero [s]."""
        return -self.speed / self.acceleration

    @property
    def way(self) -> float:
        """How far it is then [m]."""
        return self.speed * self.time + 0.5 * self.acceleration * self.time**2

    @property
    def holds(self) -> bool:
        """Whether friction can hold it there."""
        return math.tan(abs(self.slope)) <= self.friction

    @property
    def back(self) -> float:
        """With which it slides back if it does not hold [m/s²]."""
        along, across = self.g * math.sin(self.slope), self.g * math.cos(self.slope)
        return along - math.copysign(self.friction * across, along)


@dataclass(frozen=True)
class Roll:
    """An even ball that slides down a slope without spin, until it rolls."""

    speed: float
    friction: float
    slope: float
    radius: float
    g: float = 9.81

    @property
    def time(self) -> float:
        """When it begins to roll [s]: friction slows it, and turns it by 5/2 of that."""
        along, across = self.g * math.sin(self.slope), self.g * math.cos(self.slope)
        return self.speed / (3.5 * self.friction * across - along)

    def state(self, t: float) -> tuple[float, float, float]:
        """Return way [m], speed [m/s] and spin [rad/s] at a time."""
        along, across = self.g * math.sin(self.slope), self.g * math.cos(self.slope)
        slide, turn = along - self.friction * across, 2.5 * self.friction * across / self.radius
        early = min(t, self.time)
        speed, spin = self.speed + slide * early, turn * early
        way = self.speed * early + 0.5 * slide * early**2
        late, rolling = t - early, 5.0 / 7.0 * along
        way += speed * late + 0.5 * rolling * late**2
        return way, speed + rolling * late, spin + rolling / self.radius * late
