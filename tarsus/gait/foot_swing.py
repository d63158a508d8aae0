"""Both feet of walkers in a cycle: the one that swings, and where the weight is between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.plans.swing import Way
from tarsus.gait.turning import Turning


class FootSwing(NamedTuple):
    """The feet that swing (B,): their ways, their turns, and the share (B, 1) that is done."""

    way: Way
    turn: Turning
    share: Way

    def feet(self, soles: Array, swinging: NDArray[np.bool_]) -> tuple[Way, Array, Array, Array]:
        """Return ways, rotations, angular velocities and their rates of both feet, (B, 2, …).

        Those that stand are where `soles` (B, 2, 4, 4) are measured, at rest.
        """
        place, rotation = soles[..., :3, 3], soles[..., :3, :3]
        velocity, acceleration, spin, faster = np.zeros((4, *place.shape))
        at = swinging.nonzero()
        if len(at[0]):
            these, place, rotation = at[0], place.copy(), rotation.copy()
            place[at], velocity[at], acceleration[at] = (part[these] for part in self.way)
            share, rate, more = (part[these] for part in self.share)
            rotation[at], axis = self.turn.at(these, share)
            spin[at], faster[at] = axis * rate, axis * more
        return Way(place, velocity, acceleration), rotation, spin, faster


def between_feet(
    pressure: Array, soles: Array, swings: NDArray[np.int64], single: NDArray[np.bool_], half: Array
) -> Array:
    """Return zero moment points (B, 2) near `pressure` that the feet which carry can have.

    In single support it is within `half` (2,) [m] of the middle of the sole that does not swing,
    in double support within a sole that is moved from one foot to the other.
    """
    rows = np.arange(len(pressure))
    near = soles[rows, 1 - swings, :2]
    turn, middle = near[..., :2], near[..., 3]
    if not single.all():
        way = soles[rows, swings, :2, 3] - middle
        along = ((pressure - middle) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-9)
        share = np.where(single, 0.0, np.minimum(np.maximum(along, 0.0), 1.0))
        middle = middle + share[:, None] * way
    local = ((pressure - middle)[:, None] @ turn)[:, 0]
    kept = np.minimum(np.maximum(local, -half), half)
    return np.asarray(middle + (turn @ kept[..., None])[..., 0])
