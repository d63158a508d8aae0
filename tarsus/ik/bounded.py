"""Bounds for methods that know none: joints that would go too far are held at their bounds.

What is held stays held, and the others make up for it (F. Flacco, A. De Luca, O. Khatib, "Control
of redundant robots under hard joint constraints: saturation in the null space", IEEE Transactions
on Robotics 31, 2015, in its simplest form). Bounds always hold; the velocities are not always the
best ones that do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tarsus.arrays import Array
from tarsus.ik.levels import Level
from tarsus.ik.qp import Bounds

Method = Callable[[list[Level], Array, Array], Array]
"""From levels, the weight of velocities and a wish to velocities."""


def bounded(
    method: Method,
    levels: list[Level],
    weight: Array,
    wish: Array,
    bounds: Bounds | None,
) -> Array:
    """Return velocities (…, nv) within the bounds of joints."""
    v = method(levels, weight, wish)
    if bounds is None:
        return v
    low, high = bounds.low, bounds.high
    held = np.zeros(v.shape, bool)
    fixed = np.zeros_like(v)
    for _ in range(v.shape[-1]):
        beyond = ~held & ((v < low) | (v > high))
        if not beyond.any():
            break
        fixed = np.where(beyond, np.clip(v, low, high), fixed)
        held |= beyond
        rest = [
            replace(
                level,
                jacobian=np.where(held[..., None, :], 0.0, level.jacobian),
                rate=level.rate - (level.jacobian @ fixed[..., None])[..., 0],
            )
            for level in levels
        ]
        v = np.where(held, fixed, method(rest, weight, np.where(held, 0.0, wish)))
    return np.clip(v, low, high)
