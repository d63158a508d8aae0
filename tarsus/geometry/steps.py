"""Stairs along x."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field

import numpy as np

from tarsus.geometry.profile import Profile
from tarsus.model.checks import count, number
from tarsus.model.description import Array

MOST = 100_000
"""More steps than this are a mistake."""


@dataclass(frozen=True, eq=False)
class Steps(Profile):
    """Stairs of `count` steps of height `rise` and length `depth` [m], the first at x = `start`.

    The ground is level at z = 0 before them and at the height of the last step behind them. With
    a negative rise they go down.
    """

    points: Array = field(init=False, repr=False)
    rise: float = 0.15
    depth: float = 0.3
    count: int = 5
    start: float = 0.5

    def __post_init__(self) -> None:
        for name in ("rise", "depth", "start"):
            self._set(name, number(getattr(self, name), name))
        if self.rise == 0.0 or not self.depth > 0.0:
            message = "rise must not be zero and depth must be above zero"
            raise ValueError(f"{message}, got {self.rise} and {self.depth}")
        count(self.count, "count", most=MOST)
        self._set("count", operator.index(self.count))
        edges = self.start + self.depth * np.arange(self.count)
        levels = self.rise * np.arange(self.count + 1)
        x, z = np.repeat(edges, 2), np.repeat(levels, 2)[1:-1]
        self._set("points", np.column_stack([x, z]))
        super().__post_init__()
