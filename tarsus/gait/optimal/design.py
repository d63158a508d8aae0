"""Numbers of a walker that join the search: masses, springs, dampers, lengths, with bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.walkers import Walker
from tarsus.model.checks import find, number

Tie = Callable[[dict[str, float]], Mapping[str, float]]
"""From the numbers that are free to those that follow from them."""

STEP = 1e-4
"""Of differences by a number, as a part of its range: exact for what enters linearly."""


@dataclass(frozen=True, eq=False)
class Design:
    """Which numbers of `walker.but` are free, between which bounds, and what follows from them.

    `bounds` has (least, most) for each name, or (least, most, first) with where the search begins
    instead of the walker's own number. `tie` is a function of the free numbers that returns others,
    so that a mass moves and none is made: `lambda free: {"hip_mass": 7 - 2 * free["leg_mass"]}`.
    """

    bounds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    tie: Tie | None = None

    def __post_init__(self) -> None:
        for name, listed in self.bounds.items():
            values = [number(x, name) for x in listed]
            if len(values) not in (2, 3) or not values[0] < values[1]:
                raise ValueError(f"design: {name} is {listed}, must be (least, most), in order")
            if len(values) == 3 and not values[0] <= values[2] <= values[1]:
                raise ValueError(f"design: {name} begins at {values[2]}, outside of its bounds")

    @property
    def names(self) -> tuple[str, ...]:
        """What is free."""
        return tuple(self.bounds)

    @property
    def lower(self) -> Array:
        """Least values."""
        return np.array([each[0] for each in self.bounds.values()])

    @property
    def upper(self) -> Array:
        """Largest values."""
        return np.array([each[1] for each in self.bounds.values()])

    @property
    def ranges(self) -> Array:
        """How far values are apart at most."""
        return self.upper - self.lower

    def first(self, walker: Walker) -> Array:
        """Return where the search begins."""
        found = []
        for name, listed in self.bounds.items():
            own = find(walker.numbers, name, "number of the walker")
            found.append(listed[2] if len(listed) == 3 else min(max(own, listed[0]), listed[1]))
        return np.array(found)

    def walker(self, walker: Walker, values: Array) -> Walker:
        """Return the walker with these numbers."""
        if not self.bounds:
            return walker
        free = {name: float(x) for name, x in zip(self.names, values, strict=True)}
        return walker.but(**free, **({} if self.tie is None else self.tie(free)))

    def steps(self, values: Array) -> list[tuple[float, float]]:
        """Return for each number where the other two values of its difference are, from it."""
        found = []
        for x, low, high in zip(values, self.lower, self.upper, strict=True):
            h = STEP * min(high - low, 1.0)
            if x - h < low:
                found.append((h, 2.0 * h))
            elif x + h > high:
                found.append((-h, -2.0 * h))
            else:
                found.append((h, -h))
        return found


def slope(here: Array, one: Array, two: Array, steps: tuple[float, float]) -> Array:
    """Return the derivative of the parabola through values at zero and at two steps."""
    a, b = steps
    return np.asarray((b * b * (one - here) - a * a * (two - here)) / (a * b * (b - a)))
