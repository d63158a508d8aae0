"""Derivatives by central differences of sixth order, to check exact ones against."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus.model import Model
from tarsus.model.description import Array

STEP = 1e-3
"""Balances rounding (1e-16 / step) and truncation (step⁶) for motions of about 1 rad/s."""

WEIGHTS = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))


def derivative(function: Callable[[float], Array | float]) -> Array:
    """Return the derivative of a function of one number at zero."""
    terms = [
        weight / STEP * (np.asarray(function(k * STEP)) - np.asarray(function(-k * STEP)))
        for k, weight in WEIGHTS
    ]
    return np.asarray(sum(terms))


def rate(model: Model, q: Array, v: Array, function: Callable[[Array], Array | float]) -> Array:
    """Return the time derivative of a function of the configuration while it moves with v."""
    return derivative(lambda time: function(model.integrate(q, time * v)))
