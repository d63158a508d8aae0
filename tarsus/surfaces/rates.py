"""How fast nearest points move on two surfaces that move (Duindam 2006, theorem 3.6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.spatial.checks import shaped
from tarsus.surfaces.closest import Pair, Places, conditions
from tarsus.surfaces.search import ClosestPoints, pair_of
from tarsus.surfaces.surface import Surface, tangent_plane


@dataclass(frozen=True, eq=False)
class ContactRates:
    """Rates of nearest points: `distance` Δ̇ [m/s], and how they move over their surfaces.

    `velocity_a` (3,) is the velocity of the point on a in a's frame, `velocity_b` (3,) that of
    the point on b in b's frame [m/s].
    """

    distance: float
    velocity_a: Array
    velocity_b: Array


def contact_rates(
    a: Surface, b: Surface, at: ClosestPoints, pose_of_b: ArrayLike, twist: ArrayLike
) -> ContactRates:
    """Return the rates of nearest points `at`, while b at its pose (4, 4) has a twist (6,) over a.

    The twist [linear, angular] is in the frame of a: a point x of b has the velocity
    linear + angular × x there [m/s, rad/s].
    """
    pair = pair_of(a, b, pose_of_b)
    motion = shaped(twist, (6,), "twist")
    if motion.ndim != 1:
        raise ValueError(f"twist has shape {motion.shape}, must be (6,)")
    places = Places(at.u_a, at.u_b, np.asarray(at.distance))
    step = rates(pair, places, motion)
    moves_a, _ = a.moves(at.u_a)
    moves_b, _ = b.moves(at.u_b)
    return ContactRates(float(step[4]), moves_a @ step[:2], moves_b @ step[2:4])


def rates(pair: Pair, at: Places, twist: Array) -> Array:
    """Return the rates (…, 5) of steps on a, on b and of Δ: theorem 3.6 before elimination.

    Where points are not unique, those that move least.
    """
    here = conditions(pair, at)
    linear, angular = twist[..., :3], twist[..., 3:]
    moved = linear + np.cross(angular, here.point_b)
    turned = -np.cross(angular, here.normal_b)
    across = np.swapaxes(tangent_plane(here.normal_a), -1, -2)
    right = np.concatenate([moved / pair.size, (across @ turned[..., None])[..., 0]], axis=-1)
    return np.asarray((np.linalg.pinv(here.matrix, rcond=1e-12) @ right[..., None])[..., 0])
