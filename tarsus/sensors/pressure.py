"""The point of a plane about which a wrench has no moment along the plane."""

from __future__ import annotations

import numpy as np

from tarsus._lib.files import Array

LEAST = 1e-9
"""Normal forces below this [N] press nowhere."""


def pressed_point(wrench: Array, height: float) -> Array:
    """Return points (…, 3) of the level plane at a height [m]; NaN where nothing presses.

    Wrenches (…, 6) are about the world's origin (P. Sardain and G. Bessonnet 2004, eq. 8).
    """
    force, moment = wrench[..., :3], wrench[..., 3:]
    origin = np.array([0.0, 0.0, height])
    about = moment - np.cross(origin, force)
    normal = force[..., 2]
    presses = np.abs(normal) > LEAST
    safe = np.where(presses, normal, 1.0)
    x, y = -about[..., 1] / safe, about[..., 0] / safe
    point = np.stack([x, y, np.full_like(x, height)], axis=-1)
    return np.where(presses[..., None], point, np.nan)
