"""Swing-foot trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import number
from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain

# The way of a foot in the air: quintics from where it is to where it shall land, at any instant.
#
# A foot has a position, velocity and acceleration on its way. Each cycle the quintic from these to
# the landing is made anew: as long as nothing changes it is the same curve, and a landing that
# moves, in place or in time, bends it without a jump in acceleration. Along the ground it goes
# straight to the landing; in height it goes up to what clears the ground, then down, and it lands
# with a small speed with which it goes on if the ground is lower than told.


PLACES = np.linspace(0.0, 1.0, 17)
"""Where along a way the ground is looked at."""


class Way(NamedTuple):
    """Position, velocity and acceleration of a point, (…, 3) each."""

    position: Array
    velocity: Array
    acceleration: Array

    @staticmethod
    def at_rest(position: ArrayLike) -> Way:
        """Return a point that does not move."""
        place = np.array(position, float)
        return Way(place, np.zeros_like(place), np.zeros_like(place))

    def where(self, these: NDArray[np.bool_], other: Way) -> Way:
        """Return this way for the states `these` (…), another one for the others."""
        pick = these[..., None]
        return Way(*(np.where(pick, a, b) for a, b in zip(self, other, strict=True)))


def bend(now: Way, end: Way, left: ArrayLike, dt: float) -> Way:
    """Return where points are after `dt` on quintics to `end`, which they reach in `left` [s].

    `left` is (…, n) for ways (…, n), or what broadcasts to it: coordinates may have times of their
    own. Beyond the end they go on with the velocity that they have there.
    """
    total = np.asarray(left, float)
    long = np.maximum(total, 1e-6)
    x0, v0, a0 = now
    x1, v1, a1 = end
    # with s = t/long from 0 to 1, and velocities and accelerations by s
    first, second = v0 * long, a0 * long**2
    way = x1 - x0 - first - second / 2
    faster = v1 * long - first - second
    more = (a1 * long**2 - second) / 2
    c3 = 10.0 * way - 4.0 * faster + more
    c4 = -15.0 * way + 7.0 * faster - 2.0 * more
    c5 = 6.0 * way - 3.0 * faster + more
    s = np.minimum(dt / long, 1.0)
    position = x0 + s * (first + s * (second / 2 + s * (c3 + s * (c4 + s * c5))))
    velocity = (first + s * (second + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / long
    acceleration = (second + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / long**2
    after = dt >= total
    if not after.any():
        return Way(position, velocity, acceleration)
    beyond = np.maximum(dt - np.maximum(total, 0.0), 0.0)
    # a point that is beyond its end already goes on from where it is
    ends = np.where(total > 0.0, x1, np.where(v1 == 0.0, x1, x0))
    return Way(
        np.where(after, ends + v1 * beyond, position),
        np.where(after, v1, velocity),
        np.where(after, 0.0, acceleration),
    )


@dataclass(frozen=True)
class Swing:
    """How feet swing: `lift` [m] over the ground, and how they land.

    A foot rises until the share `rise` of its time and sinks from the share `sink` on; until the
    share `wait` it goes straight up, past steps ahead. `land` [m/s] is how fast it comes down in
    the end, `settle` [s] how long before the end it is above its landing.
    """

    lift: float = 0.06
    rise: float = 0.4
    sink: float = 0.5
    wait: float = 0.0
    land: float = 0.08
    settle: float = 0.03

    def __post_init__(self) -> None:
        for name in ("lift", "rise", "sink", "wait", "land", "settle"):
            if not number(getattr(self, name), name) >= 0.0:
                raise ValueError(f"{name} is {getattr(self, name)}, must not be negative")
        if not 0.0 < self.rise <= self.sink < 1.0:
            raise ValueError(
                f"rise and sink are {self.rise}, {self.sink}: must be 0 < rise ≤ sink < 1"
            )

    def top(self, ground: Terrain | None, start: Array, end: Array, length: float) -> Array:
        """Return how high (…) the sole must go on its way from `start` to `end` (…, 3) [m].

        It clears the ground under a sole of `length` [m] all along; without a ground, the higher
        of both ends.
        """
        high = np.maximum(start[..., 2], end[..., 2])
        if ground is None:
            return np.asarray(high + self.lift)
        way = end[..., :2] - start[..., :2]
        long = np.linalg.norm(way, axis=-1, keepdims=True)
        # toes and heels reach beyond the middles of soles
        share = PLACES * (1.0 + length / np.maximum(long, 1e-3)) - length / 2 / np.maximum(
            long, 1e-3
        )
        places = start[..., None, :2] + way[..., None, :] * share[..., None]
        under = ground.height(places[..., 0], places[..., 1]).max(axis=-1)
        return np.asarray(np.maximum(high, under) + self.lift)

    def aim(
        self, now: Array, target: Array, top: Array, since: Array, left: Array
    ) -> tuple[Way, Array]:
        """Return to where feet go next (…, 3), and in which time each coordinate is there (…, 3).

        They are `now` (…, 3); `target` (…, 3) is where they shall land, `top` (…) how high they go
        in between; `since` (…) [s] they left the ground, and `left` remains.
        """
        total = since + left
        sinking = since >= self.sink * total
        place, speed = target.copy(), np.zeros_like(target)
        if self.wait > 0.0:
            # downwards nothing is in the way
            ahead = top < target[..., 2] + 1.5 * self.lift
            waits = ((since < self.wait * total) & ahead)[..., None]
            place[..., :2] = np.where(waits, now[..., :2], target[..., :2])
        place[..., 2] = np.where(sinking, target[..., 2], top)
        speed[..., 2] = np.where(sinking, -self.land, 0.0)
        times = np.repeat((left - self.settle)[..., None], 3, axis=-1)
        times[..., 2] = np.where(sinking, left, self.rise * total - since)
        return Way(place, speed, np.zeros_like(target)), times


# Smooth ways from 0 to 1 and back, as functions of a phase from 0 to 1.


def quintic(phase: ArrayLike) -> Array:
    """Return 10 s³ − 15 s⁴ + 6 s⁵ (…,): from 0 to 1, at both ends at rest and not accelerated."""
    s = np.clip(np.asarray(phase, float), 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s**2))


def raised_cosine(phase: ArrayLike) -> Array:
    """Return (1 − cos 2πs)/2: from 0 up to 1 and back to 0, at rest at both ends."""
    s = np.clip(np.asarray(phase, float), 0.0, 1.0)
    return np.asarray(0.5 - 0.5 * np.cos(2.0 * np.pi * s))
