"""Random numbers of sensors: each robot draws its own, many periods at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tarsus._lib.files import Array

PERIODS = 64
"""Of which numbers are drawn at once: calls of generators cost more than their numbers."""


class Noise:
    """Standard normal numbers of B robots, as many in each period as terms were seen to take."""

    def __init__(self, robots: int) -> None:
        self._own: list[np.random.Generator | None] = [None] * robots
        self._used = np.zeros(robots, np.int64)
        self._now = np.zeros((robots, 0))
        self._block = np.zeros((robots, PERIODS, 0))
        self._taken = 0

    def widen(self, size: int) -> None:
        """Make room for `size` numbers a period."""
        robots = len(self._own)
        self._now = np.zeros((robots, size))
        self._block = np.zeros((robots, PERIODS, size))

    def start(self, rows: Any, generators: Sequence[np.random.Generator]) -> None:
        """Let some robots draw from these generators from now on."""
        for row, rng in zip(rows, generators, strict=True):
            self._own[row] = rng
        self._used[rows] = PERIODS
        self.advance(rows)

    def advance(self, rows: Any) -> None:
        """Go on to the numbers of the next period of some robots."""
        if not self._now.shape[1]:
            return
        for row in rows[self._used[rows] == PERIODS]:
            rng = self._own[row]
            assert rng is not None
            self._block[row] = rng.standard_normal(self._block.shape[1:])
            self._used[row] = 0
        self._now[rows] = self._block[rows, self._used[rows]]
        self._used[rows] += 1

    def rewind(self) -> int:
        """Begin with the first number of the period; return how many were taken before."""
        taken, self._taken = self._taken, 0
        return taken

    def take(self, size: int) -> Array:
        """Return the next numbers (B, size) of this period, zeros where there is no room yet."""
        first, self._taken = self._taken, self._taken + size
        if self._taken > self._now.shape[1]:
            return np.zeros((len(self._own), size))
        return self._now[:, first : self._taken]
