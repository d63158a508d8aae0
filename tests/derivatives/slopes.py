"""Seven-point differences along steps of a model: slopes of whatever depends on q."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from oracle import Array

import tarsus as ts

STENCIL = ((1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0))
"""Offsets and weights of the central seven-point difference."""


def slopes(function: Callable[[float], Array], step: float) -> Array:
    """Return the derivative at 0 of a function of one number."""
    terms = [w * (function(k * step) - function(-k * step)) for k, w in STENCIL]
    return np.asarray(np.sum(terms, axis=0) / step)


def along_q(model: ts.Model, q: Array, function: Callable[[Array], Array]) -> Array:
    """Return the derivatives (…, nv) of a function of q (n, nq) along unit tangent steps.

    Where rotors turn fast the steps are short, and where a loop is almost singular, too: what
    depends on it is fast there and bends even more.
    """
    units, speeds = np.eye(model.nv), np.abs(model.coupling_matrix(q))
    bound = [speeds[j.velocity_slice].max() for j in model.joints if j.dependent == "loop"]
    step = 5e-4 / max(1.0, 0.1 * float(speeds.max()), 0.06 * max(bound, default=0.0) ** 2)
    return np.moveaxis(slopes(lambda s: function(model.integrate(q, s * units)), step), 0, -1)
