"""Smooth ways from 0 to 1 and back, as functions of a phase from 0 to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array


def quintic(phase: ArrayLike) -> Array:
    """Return 10 s³ − 15 s⁴ + 6 s⁵ (…,): from 0 to 1, at both ends at rest and not accelerated."""
    s = np.clip(np.asarray(phase, float), 0.0, 1.0)
    return np.asarray(s**3 * (10.0 - 15.0 * s + 6.0 * s**2))


def raised_cosine(phase: ArrayLike) -> Array:
    """Return (1 − cos 2πs)/2: from 0 up to 1 and back to 0, at rest at both ends."""
    s = np.clip(np.asarray(phase, float), 0.0, 1.0)
    return np.asarray(0.5 - 0.5 * np.cos(2.0 * np.pi * s))
