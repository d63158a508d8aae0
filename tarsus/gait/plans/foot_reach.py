"""Where a foot in the air can still land, the further the later it lands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.arrays import Array


class FootReach(NamedTuple):
    """What a foot in the air can do: it is at `place` (…, 2) and has the `speed` (…, 2) [m/s].

    By itself it comes to rest evenly; from there it can be led away by `agile` [m/s²] times the
    square of the time that is left. So long before it lands, `settle` [s], it is above its landing.
    """

    place: Array
    speed: Array
    agile: float
    settle: float

    def at(self, left: Array) -> tuple[Array, Array]:
        """Return where it stops (…, 2) in the time `left` (…) [s], and how far around it gets."""
        rest = np.maximum(left - self.settle, 0.0)
        return self.place + self.speed * rest[..., None] / 2, self.agile * rest**2

    def rows(self, stance: Array, turn: Array, omega: float, low: Array, high: Array) -> Rows:
        """Return rows of a programme in u and τ = e^{ωt} that keep u where the foot gets in t.

        u is in axes `turn` (…, 2, 2) at `stance` (…, 2), τ between `low` and `high` (…). Between
        these the reach is taken for linear in τ, which is less than it is but for short times.
        """
        first, last = (self._bounds(stance, turn, np.log(tau) / omega) for tau in (low, high))
        slope = (last - first) / np.maximum(high - low, 1e-9)[..., None]
        rows = np.zeros((*slope.shape, 3))
        rows[..., 0, 0] = rows[..., 1, 1] = 1.0
        rows[..., 2, 0] = rows[..., 3, 1] = -1.0
        rows[..., 2] = -slope
        return Rows(rows, first - slope * low[..., None])

    def _bounds(self, stance: Array, turn: Array, left: Array) -> Array:
        """Return what u and −u may be at most (…, 4) after a time (…)."""
        stop, far = self.at(left)
        middle = (turn @ (stop - stance)[..., None])[..., 0]
        return np.concatenate([middle, -middle], axis=-1) + far[..., None]


class Rows(NamedTuple):
    """Rows (…, 4, 3) of a programme, and what they may be at most (…, 4)."""

    rows: Array
    upper: Array
