"""Derivatives by central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.files import Array

STEP = 1e-3
"""Balances rounding (1e-16 / step) and truncation (step⁶) for motions of about 1 rad/s."""

WEIGHTS = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))


class Moving(Protocol):
    """A model, of which only the motion of its joints matters here."""

    @property
    def nv(self) -> int: ...

    def integrate(self, q: Any, v: Any, /) -> Any: ...

    def joint_velocities(self, q: Any, v: Any, /) -> Any: ...

    def joint_accelerations(self, q: Any, v: Any, a: Any, /) -> Any: ...


def derivative(function: Callable[[Array], Array | float], step: ArrayLike = STEP) -> Array:
    """Return the derivative of a function of one number at zero, of sixth order.

    A step (…) for each state asks for a function that takes a number for each state.
    """
    step = np.asarray(step, float)
    terms = [
        weight * (np.asarray(function(k * step)) - np.asarray(function(-k * step)))
        for k, weight in WEIGHTS
    ]
    total = np.asarray(sum(terms))
    return np.asarray(total / step.reshape(step.shape + (1,) * (total.ndim - step.ndim)))


def rate(model: Moving, q: Array, v: Array, function: Callable[[Array], Array | float]) -> Array:
    """Return the time derivative of a function of the configuration while it moves with v."""

    def along(time: Array) -> Array | float:
        return function(model.integrate(q, time[..., None] * v))

    return derivative(along, steps(model, q, v))


def steps(model: Moving, q: Array, v: Array) -> Array:
    """Return steps (…) [s] for differences along v.

    They are shorter where rotors and screws turn faster than the joints that v is of, and near
    positions where a loop locks: there the velocities of its joints change quickly.
    """
    joint_velocities = np.asarray(model.joint_velocities(q, v))
    drift = np.asarray(model.joint_accelerations(q, v, np.zeros(model.nv)))
    own, speed, change = (np.abs(x).max(axis=-1) for x in (v, joint_velocities, drift))
    with np.errstate(divide="ignore", invalid="ignore"):
        haste = np.fmax(np.fmax(speed / own, change / speed), 1.0)  # fmax: rest is no haste
    return np.asarray(STEP / haste)
