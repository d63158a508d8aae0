"""Bounds of numbers by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tarsus._lib.checks import find
from tarsus._lib.files import Array


def bounds_of(
    names: Sequence[str], bounds: Mapping[str, tuple[float, float]] | None
) -> tuple[Array, Array]:
    """Return lower and upper bounds (p,) of all numbers, infinite where none are stated."""
    places = {name: k for k, name in enumerate(names)}
    both = np.tile([[-np.inf], [np.inf]], len(places))
    for name, (lower, upper) in (bounds or {}).items():
        k = find(places, name, "parameter")
        if not lower < upper:
            raise ValueError(f"bounds[{name!r}] is ({lower}, {upper}), must grow")
        both[:, k] = lower, upper
    return both[0], both[1]
