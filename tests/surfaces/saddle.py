"""A surface that users would write: z = x y², with its derivatives."""

from __future__ import annotations

import numpy as np

from tarsus._lib.files import Array
from tarsus.geometry import surfaces as sf


def saddle(u: Array) -> Array:
    return np.stack([u[:, 0], u[:, 1], u[:, 0] * u[:, 1] ** 2], axis=-1)


def saddle_first(u: Array) -> Array:
    x, y = u.T
    one, zero = np.ones_like(x), np.zeros_like(x)
    return np.array([[one, zero], [zero, one], [y**2, 2 * x * y]]).transpose(2, 0, 1)


def saddle_second(u: Array) -> Array:
    found = np.zeros((len(u), 3, 2, 2))
    found[:, 2, 0, 1] = found[:, 2, 1, 0] = 2 * u[:, 1]
    found[:, 2, 1, 1] = 2 * u[:, 0]
    return found


SADDLE = sf.Parametric(saddle, saddle_first, saddle_second, low=[-1, -1], high=[1, 1])
