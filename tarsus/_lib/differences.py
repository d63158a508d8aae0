"""Derivatives by central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.files import Array

STEP = 1e-3
"""Balances rounding (1e-16 / step) and truncation (step⁶) for motions of about 1 rad/s."""

Derivative = Callable[[float, Array, Array], Array]
"""(t, q, v) → (n, 2 nv + 1): by steps of q, by v, and by t."""

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


def differences(
    function: Callable[[float, Array, Array], Array], model: Moving | None
) -> Derivative:
    """Return the derivatives (n, 2 nv + 1) of a function of states, (t, q, v) → (n,), of order 4.

    Without a model positions simply add up. Errors are some 1e-13 of the function, and 1e-13 of its
    fifth derivative.
    """

    def derivative(t: float, q: Array, v: Array) -> Array:
        columns = []
        for k in range(2 * len(v) + 1):
            unit = np.zeros(2 * len(v) + 1)
            unit[k] = STEP
            dq, dv, dt = unit[: len(v)], unit[len(v) : -1], float(unit[-1])
            one, two, back, far = (
                function(t + x * dt, stepped(model, q, x * dq), v + x * dv)
                for x in (1.0, 2.0, -1.0, -2.0)
            )
            columns.append((8.0 * (one - back) - (two - far)) / (12.0 * STEP))
        return np.stack(columns, axis=-1)

    return derivative


def stepped(model: Moving | None, q: Array, step: Array) -> Array:
    """Return q after a tangent step."""
    if not step.any():
        return q
    return q + step if model is None else np.asarray(model.integrate(q, step))
