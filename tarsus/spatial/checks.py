"""Arrays of the right shape, before anything is computed with them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array


def shaped(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return an array of numbers (…, *shape)."""
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is not an array of numbers: {value!r}") from None
    if array.shape[-len(shape) :] != shape:
        sizes = ", ".join(map(str, shape))
        raise ValueError(f"{name} has shape {array.shape}, must be (…, {sizes})")
    return array


def unit(value: ArrayLike, name: str) -> Array:
    """Return a vector (3,) of length one."""
    vector = shaped(value, (3,), name)
    if vector.ndim != 1 or not abs(np.linalg.norm(vector) - 1.0) < 1e-6:
        raise ValueError(f"{name} is {vector.tolist()}, must be one vector of length 1")
    return vector
