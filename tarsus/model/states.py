"""States of a model as arrays: their checks, and one after the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import reals
from tarsus._lib.files import Array
from tarsus.model import Model


def checked_state(model: Model, q: ArrayLike, v: ArrayLike | None) -> tuple[Array, Array]:
    """Return q (…, nq) and v (…, nv) with the same leading dimensions; v is zero by default."""
    positions = _checked(q, model.nq, "q")
    velocities = _checked(np.zeros(model.nv) if v is None else v, model.nv, "v")
    lead = np.broadcast_shapes(positions.shape[:-1], velocities.shape[:-1])
    return (
        np.broadcast_to(positions, (*lead, model.nq)).copy(),
        np.broadcast_to(velocities, (*lead, model.nv)).copy(),
    )


def each(q: Array, v: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the states one after the other."""
    yield from ((q[index], v[index]) for index in np.ndindex(q.shape[:-1]))


def _checked(value: ArrayLike, size: int, name: str) -> Array:
    array = reals(value, name)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(f"{name} has shape {array.shape}, must be (…, {size})")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} is not finite")
    return array
