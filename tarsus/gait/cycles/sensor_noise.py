"""What sensors tell of a state: the state and an error that wanders, within a band of frequencies.

A sum of sines with random phases is smooth, so that motions under controllers that feel it are
integrated as well as without, and as good as normal after a dozen of them (S. O. Rice, 1944).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.events.phase import Efforts
from tarsus.model import Model

SINES = 16
BAND = (0.5, 20.0)
"""Of frequencies of the error [Hz]."""


@dataclass(frozen=True, eq=False)
class SensorNoise:
    """An error of `size` [rad, m; rad/s, m/s] in the quadratic mean of each coordinate and rate."""

    model: Model
    size: float
    frequencies: Array
    """(2 nv, n) [Hz]."""
    phases: Array
    """(2 nv, n) [rad]."""

    @classmethod
    def drawn(cls, model: Model, size: float, rng: np.random.Generator) -> SensorNoise:
        """Return an error that is one of all that there could be."""
        shape = (2 * model.nv, SINES)
        return cls(model, size, rng.uniform(*BAND, shape), rng.uniform(0.0, 2.0 * math.pi, shape))

    def error(self, t: float) -> Array:
        """Return steps of q and changes of v (2 nv,) at a time [s]."""
        waves = np.sin(2.0 * math.pi * self.frequencies * t + self.phases)
        return np.asarray(self.size * math.sqrt(2.0 / SINES) * waves.sum(axis=1))

    def sensed(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """Return what sensors tell of a state q (nq,), v (nv,)."""
        step, change = np.split(self.error(t), 2)
        return np.asarray(self.model.integrate(q, step)), v + change

    def misled(self, controller: Efforts) -> Efforts:
        """Return a controller that goes by what sensors tell."""
        return lambda t, q, v: controller(t, *self.sensed(t, q, v))
