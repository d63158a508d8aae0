"""Where the body and the feet of a walking machine are: a plan in the world, before any joints.

The body moves at a constant speed after a ramp of one stride. A foot stands still on the ground,
below its hip in the middle of its stance, then swings to its next foothold: a quintic along the
ground, a raised cosine in height.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.gait.plans.footfalls import TROT, Footfalls
from tarsus.gait.plans.preview import ZmpPreview
from tarsus.gait.plans.profiles import quintic, raised_cosine
from tarsus.model.checks import expect


@dataclass(frozen=True)
class Walk:
    """A walk on level ground: `speed` along x and y [m/s], `period` of a stride [s], `lift` [m].

    It begins at the time `start` [s]; before, the machine stands. With `preview` the body follows
    the zero moment point in the middle of the feet that stand, instead of a constant speed.
    """

    footfalls: Footfalls = field(default=TROT)
    speed: tuple[float, float] = (0.1, 0.0)
    period: float = 0.5
    lift: float = 0.03
    start: float = 1.0
    preview: ZmpPreview | None = None

    def __post_init__(self) -> None:
        expect(self.footfalls, Footfalls, "footfalls")
        if np.shape(self.speed) != (2,) or not np.isfinite(self.speed).all():
            raise ValueError(f"speed is {self.speed!r}, must be two numbers, along x and y [m/s]")
        if not self.period > 0.0:
            raise ValueError(f"period is {self.period}, must be above 0")

    def steady(self, t: ArrayLike) -> Array:
        """Return how far the body has moved (…, 2) [m] at the wanted speed."""
        strides = np.maximum((np.asarray(t, float) - self.start) / self.period, 0.0)
        ramped = np.where(strides < 1.0, strides**2 / 2, strides - 0.5)
        return np.asarray(np.multiply.outer(self.period * ramped, self.speed))

    def feet(self, t: ArrayLike, stance: ArrayLike) -> Array:
        """Return where the feet are (…, legs, 3) that stand at `stance` (legs, 3) in the beginning.

        The legs are those of the footfalls, in their order.
        """
        count, swing = self.footfalls.strides((np.asarray(t, float) - self.start) / self.period)
        before, after = self._foothold(count - 1), self._foothold(count)
        offset = np.zeros((*swing.shape, 3))
        offset[..., :2] = before + (after - before) * quintic(swing)[..., None]
        offset[..., 2] = self.lift * raised_cosine(swing)
        return np.asarray(stance, float) + offset

    def body(self, t: ArrayLike, stance: ArrayLike) -> Array:
        """Return how far the body has moved (…, 2) [m]; `t` (T,) is even if there is a preview."""
        if self.preview is None:
            return self.steady(t)
        times = np.asarray(t, float)
        grid = np.arange(0.0, times[-1] + self.preview.horizon, self.preview.dt)
        sway = self.preview.follow(self.zmp(grid, stance))
        moved = sway.com - np.asarray(stance, float)[:, :2].mean(axis=0)
        return np.stack([np.interp(times, grid, column) for column in moved.T], axis=-1)

    def zmp(self, t: ArrayLike, stance: ArrayLike) -> Array:
        """Return the middle (…, 2) of the feet that stand: where the zero moment point should be.

        While all legs are in the air it is the middle of all feet.
        """
        feet = self.feet(t, stance)[..., :2]
        standing = self.footfalls.standing((np.asarray(t, float) - self.start) / self.period)
        weight = np.where(standing.any(-1, keepdims=True), standing, True)[..., None]
        return np.asarray((feet * weight).sum(-2) / weight.sum(-2))

    def _foothold(self, count: NDArray[np.int64]) -> Array:
        """Return how far (…, legs, 2) the footholds after so many lifts are from the first ones."""
        swing = self.footfalls.swing
        lifts = np.array(list(self.footfalls.lifts.values()))
        middle = self.start + (lifts + count + (1.0 + swing) / 2) * self.period
        return np.asarray(np.where((count < 0)[..., None], 0.0, self.steady(middle)))
