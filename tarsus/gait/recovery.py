"""Steps of machines that stand and are pushed: taken when the divergent component leaves the feet.

While ξ is within the soles, ankles lead it back. Beyond them only a step does. It is that of the
foot which carries less, and a second one brings the feet side by side again; where and when they
land, adaptation finds as it does in a walk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.foot_swing import between_feet

if TYPE_CHECKING:
    from tarsus.gait.stepping import Stepping

BEYOND = 0.01
"""Steps are taken when ξ is further than this from where the zero moment point may be [m]."""
AFTER = 0.1
"""… and so long after the last foot has landed [s]."""
SOON = 0.4
"""The share of double support in which weight is shifted before the first of these steps."""
NEEDED = 4
"""Footsteps that are laid anew: two where the feet are, two to come."""


def recover(walk: Stepping, xi: Array, soles: Array) -> None:
    """Let walkers that have made their steps make more, if they would fall: ξ (B, 3), soles."""
    stands = (walk.step > walk.last) & (walk.since > AFTER)
    if not stands.any() or len(walk.side) < NEEDED:
        return
    can = between_feet(xi[:, :2], soles, walk.swings, walk.single, walk.half)
    falls = stands & (np.linalg.norm(xi[:, :2] - can, axis=1) > BEYOND)
    if not falls.any():
        return
    lifted = 0 if walk.side[-2] > 0 else 1
    apart = np.linalg.norm(soles[:, :, :2, 3] - xi[:, None, :2], axis=-1)
    # the last foot alone steps if the one before carries more
    alone = falls & (apart[:, lifted] < apart[:, 1 - lifted] - walk.half[1])
    _lay(walk, falls, soles, lifted)
    walk.step = np.where(falls, walk.last - 1 + alone, walk.step)
    walk.swings = walk._swings()
    walk._begin(falls, SOON * walk.supports.double)


def _lay(walk: Stepping, these: NDArray[np.bool_], soles: Array, lifted: int) -> None:
    """Put the last footsteps where the feet are, then beside each other."""
    first, second = (soles[these, k, :3, 3] for k in (lifted, 1 - lifted))
    yaw = walk.yaw[these, -1]
    width = np.linalg.norm(walk.planned[these, -1, :2] - walk.planned[these, -2, :2], axis=-1)
    aside = walk.side[-2] * width[:, None] * np.stack([-np.sin(yaw), np.cos(yaw)], axis=-1)
    beside = second.copy()
    beside[:, :2] += aside
    laid = np.stack([first, second, beside, second], axis=1)
    walk.position[these, -NEEDED:] = laid
    walk.planned[these, -NEEDED:] = laid
    walk.yaw[these, -NEEDED:] = yaw[:, None]
    walk.rotation[these, -NEEDED:] = walk.rotation[these, -1:]
