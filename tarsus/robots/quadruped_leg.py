"""Inverse kinematics of a leg with a roll hip and three pitch joints, as a formula.

At zero the leg hangs straight down; a segment with absolute pitch φ points along (−sin φ, −cos φ)
in the plane (x, z) of the leg. Four joints for three numbers: the pitch of the foot is free.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.robots.quadruped import LENGTHS
from tarsus.robots.solids import Triple


def leg_angles(foot: ArrayLike, pitch: ArrayLike = 0.35, lengths: Triple = LENGTHS) -> Array:
    """Return hip roll, hip pitch, knee and ankle (…, 4) [rad] that bring the tip to `foot`.

    `foot` (…, 3) is relative to the hip, in the axes of the torso [m]. `pitch` (…) is that of the
    foot [rad]; the knee bends to the other side, as the legs of Ayit's quadruped do: a pitch above
    zero has the knee behind the line from hip to ankle.
    """
    x, y, z = np.moveaxis(np.asarray(foot, float), -1, 0)
    phi, (thigh, shank, last) = np.asarray(pitch, float), lengths
    side = np.where(phi < 0.0, -1.0, 1.0)
    ankle_x = x + last * np.sin(phi)
    ankle_z = last * np.cos(phi) - np.hypot(y, z)
    cosine = (ankle_x**2 + ankle_z**2 - thigh**2 - shank**2) / (2.0 * thigh * shank)
    if not (np.abs(cosine) <= 1.0).all():
        farthest = np.sqrt((ankle_x**2 + ankle_z**2).max())
        reach = f"{abs(thigh - shank):.3g} to {thigh + shank:.3g} m"
        raise ValueError(
            f"foot is out of reach: the ankle is {farthest:.3g} m from the hip, it gets {reach}"
        )
    knee = -side * np.arccos(cosine)
    hip = np.arctan2(-ankle_x, -ankle_z)
    hip = hip - np.arctan2(shank * np.sin(knee), thigh + shank * np.cos(knee))
    roll = np.arctan2(y, -z)
    return np.stack(np.broadcast_arrays(roll, hip, knee, phi - hip - knee), axis=-1)
