"""Derivatives of users' functions of (t, q, v), by differences of order 4."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus._lib.files import Array
from tarsus.model import Model

Derivative = Callable[[float, Array, Array], Array]
"""(t, q, v) → (n, 2 nv + 1): by steps of q, by v, and by t."""

STEP = 1e-3
"""Of q, v and t: errors are some 1e-13 of the function, and 1e-13 of its fifth derivative."""


def differences(
    function: Callable[[float, Array, Array], Array], model: Model | None
) -> Derivative:
    """Return the derivatives (n, 2 nv + 1) of a function of states, (t, q, v) → (n,).

    Without a model positions simply add up.
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


def stepped(model: Model | None, q: Array, step: Array) -> Array:
    """Return q after a tangent step."""
    if not step.any():
        return q
    return q + step if model is None else np.asarray(model.integrate(q, step))
