"""The way of a foot in the air: quintics from where it is to where it shall land, at any instant.

A foot has a position, velocity and acceleration on its way. Each cycle the quintic from these to the
landing is made anew: as long as nothing changes it is the same curve, and a landing that moves, in
place or in time, bends it without a jump in acceleration. Along the ground it goes straight to the
landing; in height it goes up to what clears the ground, then down, and it lands with a small speed
with which it goes on if the ground is lower than told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry.terrain import Terrain
from tarsus.model.checks import number

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

    def where(self, these: Array, other: Way) -> Way:
        """Return this way for the states `these` (…), another one for the others."""
        pick = np.asarray(these)[..., None]
        return Way(*(np.where(pick, a, b) for a, b in zip(self, other, strict=True)))


def bend(now: Way, end: Way, left: ArrayLike, dt: float) -> Way:
    """Return where a point is after `dt` on the quintic to `end`, which it reaches in `left` (…).

    Beyond the end it goes on with the velocity that it has there.
    """
    total = np.asarray(left, float)[..., None]
    long = np.maximum(total, 1e-9)
    x0, v0, a0 = now
    x1, v1, a1 = end
    way = x1 - x0 - v0 * long - a0 * long**2 / 2
    faster = v1 - v0 - a0 * long
    more = a1 - a0
    # coefficients of t³, t⁴, t⁵
    c3 = (10.0 * way - 4.0 * faster * long + 0.5 * more * long**2) / long**3
    c4 = (-15.0 * way + 7.0 * faster * long - more * long**2) / long**4
    c5 = (6.0 * way - 3.0 * faster * long + 0.5 * more * long**2) / long**5
    t = np.minimum(dt, long)
    position = x0 + t * (v0 + t * (a0 / 2 + t * (c3 + t * (c4 + t * c5))))
    velocity = v0 + t * (a0 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5)))
    acceleration = a0 + t * (6.0 * c3 + t * (12.0 * c4 + t * 20.0 * c5))
    after = dt >= total
    beyond = np.maximum(dt - total, 0.0)
    return Way(
        np.where(after, x1 + v1 * beyond, position),
        np.where(after, v1 + 0.0 * x1, velocity),
        np.where(after, 0.0 * x1, acceleration),
    )


@dataclass(frozen=True)
class Swing:
    """How feet swing: `lift` [m] over the ground, and how they land.

    A foot rises until the share `rise` of its time and sinks from the share `sink` on. `land` [m/s]
    is how fast it comes down in the end, `settle` [s] how long before the end it is above its
    landing: from then on its place is not changed any more.
    """

    lift: float = 0.06
    rise: float = 0.4
    sink: float = 0.5
    land: float = 0.08
    settle: float = 0.06

    def __post_init__(self) -> None:
        for name in ("lift", "rise", "sink", "land", "settle"):
            if not number(getattr(self, name), name) >= 0.0:
                raise ValueError(f"{name} is {getattr(self, name)}, must not be negative")
        if not 0.0 < self.rise <= self.sink < 1.0:
            raise ValueError(f"rise and sink are {self.rise}, {self.sink}: must be 0 < rise ≤ sink < 1")

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
        share = PLACES * (1.0 + length / np.maximum(long, 1e-3)) - length / 2 / np.maximum(long, 1e-3)
        places = start[..., None, :2] + way[..., None, :] * share[..., None]
        under = ground.height(places[..., 0], places[..., 1]).max(axis=-1)
        return np.asarray(np.maximum(high, under) + self.lift)

    def move(self, now: Way, target: Array, top: Array, since: Array, left: Array, dt: float) -> Way:
        """Return where feet are after `dt`; `since` (…) [s] they left the ground, `left` remains.

        `target` (…, 3) is where they shall land, `top` (…) how high they go in between.
        """
        total = since + left
        flat = bend(_flat(now), _flat(Way.at_rest(target)), left - self.settle, dt)
        height = _height(now)
        summit = Way.at_rest(np.asarray(top)[..., None])
        up = bend(height, summit, self.rise * total - since, dt)
        ground = np.asarray(target)[..., 2:]
        landing = Way(ground, np.full_like(ground, -self.land), np.zeros_like(ground))
        # while it waits at the top the way down has not begun
        down = bend(height, landing, left, dt)
        rising, sinking = since < self.rise * total, since >= self.sink * total
        wait = summit if np.ndim(since) == 0 else Way(*(np.broadcast_to(x, ground.shape) for x in summit))
        vertical = up.where(rising, down.where(sinking, wait))
        return Way(*(np.concatenate([a, b], -1) for a, b in zip(flat, vertical, strict=True)))


def _flat(way: Way) -> Way:
    return Way(*(part[..., :2] for part in way))


def _height(way: Way) -> Way:
    return Way(*(part[..., 2:] for part in way))
