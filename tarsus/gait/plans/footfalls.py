"""Footfalls of four legs as tables of phases: when in a stride each leg lifts, and for how long.

O. Ayit, Sabancı University 2015, section 2.2.2: diagonal legs move together in a trot, those of a
side in a pace; in a crawl one leg after the other, so that three feet are always down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.model.description import Array


@dataclass(frozen=True)
class Footfalls:
    """When feet lift and fall: the phase (0 to 1) of each lift, and the share of a stride it takes.

    Where legs take turns, `swing` is a little less than the time between two lifts; what is left
    is the double support.
    """

    name: str
    lifts: Mapping[str, float]
    swing: float

    def __post_init__(self) -> None:
        if not 0.0 < self.swing < 1.0:
            raise ValueError(f"swing is {self.swing}, must be between 0 and 1")
        object.__setattr__(self, "lifts", MappingProxyType(dict(self.lifts)))

    @property
    def legs(self) -> tuple[str, ...]:
        """The names of the legs."""
        return tuple(self.lifts)

    def strides(self, phase: ArrayLike) -> tuple[NDArray[np.int64], Array]:
        """Return for each leg (…, legs) how often it has lifted before, and how far its swing is.

        `phase` (…) counts strides. The second array is from 0 to 1 in the air and 1 on the ground;
        the first is −1 before a leg has lifted for the first time.
        """
        since = np.asarray(phase, float)[..., None] - np.array(list(self.lifts.values()))
        count = np.floor(since).astype(np.int64)
        swing = np.clip((since - count) / self.swing, 0.0, 1.0)
        return np.maximum(count, -1), np.where(count < 0, 1.0, swing)

    def standing(self, phase: ArrayLike) -> NDArray[np.bool_]:
        """Return which legs stand (…, legs)."""
        return np.asarray(self.strides(phase)[1] >= 1.0)


TROT = Footfalls(
    "trot", {"hind_right": 0.0, "hind_left": 0.5, "front_right": 0.5, "front_left": 0.0}, 0.45
)
PACE = Footfalls(
    "pace", {"hind_right": 0.5, "hind_left": 0.0, "front_right": 0.5, "front_left": 0.0}, 0.45
)
CRAWL = Footfalls(
    "crawl", {"hind_right": 0.25, "hind_left": 0.75, "front_right": 0.5, "front_left": 0.0}, 0.225
)

FOOTFALLS = {one.name: one for one in (TROT, PACE, CRAWL)}
