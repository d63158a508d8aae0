"""Whether stated derivatives of a surface are those of its function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import derivative

PLACES = 24
"""Derivatives are compared at so many places of the chart."""
STEP = 2e-4
"""Differences reach three times that share of the chart to both sides."""
TOLERANCE = 1e-6
"""A derivative may be off by this much of the largest one of its function."""

AXES = "xyz"


def check_derivatives(
    function: Callable[[Array], Any],
    first: Callable[[Array], Any],
    second: Callable[[Array], Any],
    low: Array,
    high: Array,
) -> None:
    """Raise ValueError if a function is not finite, has a wrong shape or a wrong derivative.

    They are compared with central differences of sixth order at places all over the chart, and
    the error names the entry that is wrong most, where, and by how much.
    """
    rng = np.random.default_rng(0)
    u = rng.uniform(low + 4 * STEP * (high - low), high - 4 * STEP * (high - low), (PLACES, 2))
    called("function", function, u, (3,))
    tangents = called("first", first, u, (3, 2))
    bends = called("second", second, u, (3, 2, 2))
    _compare("first", tangents, _differences("function", function, u, high - low), u)
    _compare("second", bends, _differences("first", first, u, high - low), u)
    flat = np.linalg.norm(np.cross(tangents[..., 0], tangents[..., 1]), axis=-1)
    if not (flat > 1e-12 * np.linalg.norm(tangents, axis=(-2, -1)) ** 2).all():
        where = u[np.argmin(flat)].tolist()
        raise ValueError(f"the chart is singular at u = {where}: its tangents are parallel")


def _differences(name: str, function: Callable[[Array], Any], u: Array, span: Array) -> Array:
    """Derivatives (n, …, 2) by both coordinates."""
    shape = (3,) if name == "function" else (3, 2)

    def along(axis: Array) -> Array:
        return derivative(
            lambda step: called(name, function, u + step * axis, shape), STEP * (span @ axis)
        )

    return np.stack([along(axis) for axis in np.eye(2)], axis=-1)


def called(name: str, function: Callable[[Array], Any], u: Array, shape: tuple[int, ...]) -> Array:
    """Return what a function of u (n, 2) returns, if it is finite and of the shape (n, *shape)."""
    found = np.asarray(function(u), np.float64)
    if found.shape != (len(u), *shape):
        raise ValueError(
            f"{name} returned shape {found.shape} for u {u.shape}, must be {(len(u), *shape)}"
        )
    wrong = ~np.isfinite(found)
    if wrong.any():
        place, *entry = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"{name}{entry} is {found[(place, *entry)]} at u = {u[place].tolist()}, must be finite"
        )
    return found


def _compare(name: str, stated: Array, expected: Array, u: Array) -> None:
    off = np.abs(stated - expected)
    if (off <= TOLERANCE * max(float(np.abs(expected).max()), 1e-12)).all():
        return
    place, axis, *by = (int(k) for k in np.unravel_index(np.argmax(off), off.shape))
    entry = (place, axis, *by)
    power = "²" if len(by) == 2 else ""
    what = f"{name}{[axis, *by]}, ∂{power}{AXES[axis]}/{''.join(f'∂u{k}' for k in by)}"
    raise ValueError(
        f"{what}, is {stated[entry]:.9g} at u = {u[place].tolist()}, "
        f"but differences say {expected[entry]:.9g}: it is off by {off[entry]:.3g}"
    )
