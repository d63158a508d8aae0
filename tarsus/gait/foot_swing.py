"""Both feet of walkers in a cycle: the one that swings, and where the weight is between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.plans.swing import Way
from tarsus.spatial import rotation_from_vector


class FootSwing(NamedTuple):
    """The feet that swing (B,): their ways, and their turns from a rotation on.

    `turned` (B, 3) is the rotation vector of the whole turn in axes of `start` (B, 3, 3), `share`
    (B, 1) how much of it is done.
    """

    way: Way
    start: Array
    turned: Array
    share: Way

    def feet(self, soles: Array, swinging: NDArray[np.bool_]) -> tuple[Way, Array, Array, Array]:
        """Return ways, rotations, angular velocities and their rates of both feet, (B, 2, …).

        Those that stand are where `soles` (B, 2, 4, 4) are measured, at rest.
        """
        pick = swinging[..., None]
        place = np.where(pick, self.way.position[:, None], soles[..., :3, 3])
        motion = (np.where(pick, part[:, None], 0.0) for part in self.way[1:])
        own = self.start @ rotation_from_vector(self.turned * self.share.position)
        rotation = np.where(pick[..., None], own[:, None], soles[..., :3, :3])
        axis = (self.start @ self.turned[..., None])[..., 0]
        spin, faster = (np.where(pick, (axis * part)[:, None], 0.0) for part in self.share[1:])
        return Way(place, *motion), rotation, spin, faster


def between_feet(
    pressure: Array, soles: Array, swings: NDArray[np.int64], single: NDArray[np.bool_], half: Array
) -> Array:
    """Return zero moment points (B, 2) near `pressure` that the feet which carry can have.

    In single support it is within `half` (2,) [m] of the middle of the sole that does not swing,
    in double support within a sole that is moved from one foot to the other.
    """
    rows = np.arange(len(pressure))
    near, far = soles[rows, 1 - swings], soles[rows, swings]
    turn, origin = near[:, :2, :2], near[:, :2, 3]
    way = far[:, :2, 3] - origin
    along = ((pressure - origin) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-9)
    share = np.where(single, 0.0, np.clip(along, 0.0, 1.0))
    middle = origin + share[:, None] * way
    local = (np.swapaxes(turn, -1, -2) @ (pressure - middle)[..., None])[..., 0]
    kept = np.minimum(np.maximum(local, -half), half)
    return np.asarray(middle + (turn @ kept[..., None])[..., 0])
