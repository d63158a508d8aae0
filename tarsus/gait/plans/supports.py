"""Where the divergent component shall be at any instant of a walk: a sum of the supports to come.

Supports are the soles that carry in single support, one after the other, and in the end the middle
of both feet. With phases of known lengths the divergent component is the same sum of them in each
step, whose weights fade so fast that a few are enough (`divergent.py` has the closed forms).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.plans.divergent import (
    Divergent,
    DivergentPlan,
    end_weights,
    support_weights,
)

AHEAD = 4
"""Supports that are looked at beyond the present one: e^{−4ωT} is below 1e-4 for any walk."""

FOLLOWING = np.arange(AHEAD + 1)


@dataclass(frozen=True)
class Supports:
    """The pendulum of a walk: `omega` [1/s], and how long phases last [s].

    `single` and `double` are the usual phases; `start` is the first double support, in which the
    weight is shifted onto one foot.
    """

    omega: float
    single: float
    double: float
    start: float

    @cached_property
    def _begin(self) -> Array:
        """Weights (AHEAD + 1,) of ξ when single support on the first of the supports begins."""
        return support_weights(self.omega, self.single, self.double, AHEAD)

    @cached_property
    def _end(self) -> Array:
        """Weights (AHEAD + 1,) of ξ when it ends."""
        following = np.concatenate([[0.0], self._begin[:-1]])
        following[-1] += self._begin[-1]
        return end_weights(self.omega, self.double, following, 0)

    def plan(self, position: Array) -> DivergentPlan:
        """Return the plan of a whole walk along footsteps at `position` (…, N, 3) [m], from t = 0.

        Its repellent points are the supports themselves: add the height of the centre of mass.
        """
        first = position[..., :2, :].mean(axis=-2, keepdims=True)
        stands = np.repeat(position[..., 1:-1, :], 2, axis=-2)
        last = position[..., -2:, :].mean(axis=-2, keepdims=True)
        steps = position.shape[-2] - 2
        phases = np.tile([self.single, self.double], steps)
        times = np.concatenate([[0.0, self.start], self.start + np.cumsum(phases)])
        return DivergentPlan(times, np.concatenate([first, stands, last], axis=-2), self.omega)

    def ahead(self, position: Array, k: NDArray[np.int64]) -> Array:
        """Return the supports (B, AHEAD + 1, 3) from footstep k (B,) on, of all (B, N, 3).

        The last one is the middle of the feet that end the walk.
        """
        last = position.shape[1] - 1
        at = k[:, None] + FOLLOWING
        found = position[np.arange(len(k))[:, None], np.minimum(at, last)]
        ends = at >= last
        if ends.any():
            middle = (position[:, -2] + position[:, -1]) / 2
            found = np.where(ends[..., None], middle[:, None], found)
        return np.asarray(found)

    def in_single(self, ahead: Array, left: Array) -> tuple[Divergent, Array]:
        """Return where ξ shall be (B, 3) in single support with `left` (B,) [s] to go, and its end.

        `ahead` (B, AHEAD + 1, 3) begins with the support that carries.
        """
        here, end = ahead[:, 0], self._end @ ahead
        fade = np.exp(-self.omega * np.maximum(left, 0.0))[:, None]
        point = here + (end - here) * fade
        return Divergent(point, self.omega * (point - here), here), end

    def in_double(self, before: Array, ahead: Array, left: Array, long: Array) -> Divergent:
        """Return where ξ shall be (B, 3) in double support from `before` (B, 3) to the next.

        `left` (B,) of its length `long` (B,) [s] is to go.
        """
        w, here = self.omega, ahead[:, 0]
        rate = (here - before) / long[:, None]
        rest = np.maximum(left, 0.0)[:, None]
        repellent = here - rate * rest
        end = self._begin @ ahead
        point = repellent + rate / w + (end - here - rate / w) * np.exp(-w * rest)
        return Divergent(point, w * (point - repellent), repellent)

    def offset(self, ahead: Array) -> Array:
        """Return ξ less the support (B, 3) when single support on the second one begins."""
        return (
            np.asarray(self._begin[:-1] @ ahead[:, 1:] + self._begin[-1] * ahead[:, -1])
            - ahead[:, 1]
        )
