"""The transposed jacobian: no equations to solve, no singular positions, and slow.

v = η W⁻¹ Jᵀ Ω r follows the gradient of the error (W. Wolovich, H. Elliott, "A computational
technique for inverse kinematics", CDC 1984); the factor η is that after which the rows come
nearest to r, so that no gain has to be tuned.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.ik.levels import Level


def transposed(level: Level, weight: Array) -> Array:
    """Return velocities (…, nv) for the rows of a level; `weight` (…, nv) is of velocities."""
    pull = (level.weight * level.rate)[..., None, :] @ level.jacobian
    direction = pull[..., 0, :] / weight
    moved = (level.jacobian @ direction[..., None])[..., 0]
    upper = (level.weight * moved * level.rate).sum(axis=-1)
    lower = (level.weight * moved * moved).sum(axis=-1)
    share = np.where(lower > 0.0, upper, 0.0) / np.where(lower > 0.0, lower, 1.0)
    return np.asarray(share[..., None] * direction)
