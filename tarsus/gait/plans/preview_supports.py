"""Preview control along supports, cycle by cycle from the measured state.

The regulator of `preview.py` answers a state x = (c, ċ, c̈) that is measured and references r of the
zero moment point ahead with a jerk −K x − Σ f_j r_j. With the zero moment point p = c − c̈/ω² its
gains are, but for what the weight of jerk adds,

    K x = k₁ ω ξ − k₂ ω² p,      ξ = c + ċ/ω,

so that it leads the divergent component to one of its own: ξ̄ = (k₂ ω² r₀ − Σ f_j r_j)/(k₁ ω).
Footsteps are adapted to what is measured as those of the closed form are (`adaptation.py`), by the
offset of ξ̄ in the step to come. K. Nishiwaki, S. Kagami, "Online walking control system for
humanoids with short cycle pattern generation", International Journal of Robotics Research 28, 2009,
begin anew from the measured state in each cycle; J. Urata and others, "Online decision of foot
placement using singular LQ preview regulation", Humanoids 2011, move footsteps by what diverges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.plans.preview import ZmpPreview
from tarsus.gait.plans.supports import AHEAD, Supports

SHORTEST = 1e-4
"""A phase that is over is taken to last so long [s]."""


class Reference(NamedTuple):
    """The zero moment point to come: lines between `points` (B, K, 2), `times` (B, K) from now."""

    times: Array
    points: Array


@dataclass(frozen=True)
class PreviewSupports:
    """Preview control of walkers (B,) along the supports of a walk."""

    supports: Supports
    preview: ZmpPreview

    def in_single(self, ahead: Array, left: Array) -> Reference:
        """Return what is to come in single support with `left` (B,) [s] to go.

        `ahead` (B, AHEAD + 1, 3) begins with the support that carries.
        """
        phases = np.tile([self.supports.double, self.supports.single], AHEAD)[:-1]
        rest = np.maximum(left, SHORTEST)[:, None]
        times = np.concatenate([0.0 * rest, rest, rest + np.cumsum(phases)], axis=1)
        return Reference(times, np.repeat(ahead[..., :2], 2, axis=1)[:, : times.shape[1]])

    def in_double(self, before: Array, ahead: Array, left: Array, long: Array) -> Reference:
        """Return what is to come in double support from `before` (B, 3) to the next, alike.

        `left` (B,) of its length `long` (B,) [s] is to go.
        """
        rest = np.maximum(left, SHORTEST)[:, None]
        share = np.minimum(rest / long[:, None], 1.0)
        here = ahead[:, 0, :2] + share * (before[:, :2] - ahead[:, 0, :2])
        single = self.in_single(ahead, np.full(len(ahead), self.supports.single))
        return Reference(
            np.concatenate([0.0 * rest, rest + single.times], axis=1),
            np.concatenate([here[:, None], single.points], axis=1),
        )

    def to_come(
        self, single: NDArray[np.bool_], before: Array, ahead: Array, left: Array, long: Array
    ) -> Reference:
        """Return what is to come for walkers of which some are in `single` support (B,)."""
        one, two = self.in_single(ahead, left), self.in_double(before, ahead, left, long)
        # double support has a phase more to come, which is far beyond the horizon
        count = one.times.shape[1]
        return Reference(
            np.where(single[:, None], one.times, two.times[:, :count]),
            np.where(single[:, None, None], one.points, two.points[:, :count]),
        )

    def divergent(self, to_come: Reference) -> Array:
        """Return where the regulator leads the divergent component (B, 2) at the time of now."""
        w, gain = self.supports.omega, self.preview.measured_gains[0]
        first = to_come.points[:, 0]
        return np.asarray(first - self._coming(to_come) / (gain[1] * w))

    def offset(self, ahead: Array) -> Array:
        """Return ξ̄ less the support (B, 2) when single support on the second one begins."""
        later = np.concatenate([ahead[:, 1:], ahead[:, -1:]], axis=1)
        begin = self.in_single(later, np.full(len(ahead), self.supports.single))
        return self.divergent(begin) - ahead[:, 1, :2]

    def accelerate(
        self, com: Array, velocity: Array, acceleration: Array, to_come: Reference
    ) -> Array:
        """Return the acceleration (B, 2) after a cycle, of states (B, 2) that are measured."""
        gain, _ = self.preview.measured_gains
        state = com - to_come.points[:, 0], velocity, acceleration
        jerk = -sum(k * x for k, x in zip(gain, state, strict=True)) - self._coming(to_come)
        return np.asarray(acceleration + self.preview.dt * jerk)

    def _coming(self, to_come: Reference) -> Array:
        """Return Σ f_j r_j (B, 2), seen from the first point; a line has a closed form."""
        times, points = to_come
        after = np.interp(times, self._ramps[0], self._ramps[1])
        weights = -np.diff(after, axis=1) / np.diff(times, axis=1)
        return np.asarray((weights[..., None] * np.diff(points, axis=1)).sum(axis=1))

    @cached_property
    def _ramps(self) -> tuple[Array, Array]:
        """Times a, and Σ f_j max(t_j − a, 0): lines between them, zero beyond the horizon."""
        _, ahead = self.preview.measured_gains
        t = self.preview.dt * np.arange(len(ahead) + 1)
        beyond = np.concatenate([np.cumsum(ahead[::-1])[::-1], [0.0]])
        # from a time to the one before, all that is beyond has a step longer to go
        return np.asarray(t), self.preview.dt * np.cumsum(beyond[::-1])[::-1]
