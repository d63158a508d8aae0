"""A closet that rocks from edge to edge, as a pendulum upside down with two pivots.

About an edge I θ̈ = −m g R sin(α − θ) with tan α = w/h, R² = w² + h², I = J + m R², for a tilt θ
towards that edge. A strike at θ = 0 leaves (J + m (h² − w²))/I of its rate (V. Duindam, University
of Twente 2006, (3.65); G. Housner, "The Behavior of Inverted Pendulum Structures During
Earthquakes", Bulletin of the Seismological Society of America 53, 1963). Plain NumPy and SciPy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rocking:
    """Half width and height [m], mass [kg], moment of inertia about the centre [kg m²]."""

    w: float
    h: float
    m: float
    j: float
    g: float = 9.81

    @property
    def about_edge(self) -> float:
        """Moment of inertia about an edge [kg m²]."""
        return self.j + self.m * (self.w**2 + self.h**2)

    @property
    def kept(self) -> float:
        """Share of the rate that a strike leaves, negative if it stands instead."""
        return (self.j + self.m * (self.h**2 - self.w**2)) / self.about_edge

    def height(self, tilt: float) -> float:
        """Return how much higher the centre is than when it stands [m]."""
        return float(self.w * np.sin(tilt) + self.h * (np.cos(tilt) - 1.0))

    def rate(self, tilt: float) -> float:
        """Return the rate [rad/s] with which it strikes when it is let go at a tilt."""
        return float(np.sqrt(2.0 * self.m * self.g * self.height(tilt) / self.about_edge))

    def tilt(self, rate: float) -> float:
        """Return to which tilt it rises with a rate [rad/s]: w sin θ + h cos θ = h + rise."""
        rise = self.about_edge * rate**2 / (2.0 * self.m * self.g)
        radius, alpha = np.hypot(self.w, self.h), np.arctan2(self.w, self.h)
        return float(alpha - np.arccos((self.h + rise) / radius))

    def fall(self, tilt: float) -> float:
        """Return how long it takes to fall from a tilt [s]."""
        radius, alpha = np.hypot(self.w, self.h), np.arctan2(self.w, self.h)
        speed = np.sqrt(2.0 * self.m * self.g * radius / self.about_edge)

        def inverse(s: float) -> float:
            # θ = tilt (1 − s²) takes the root out of the integrand
            angle = tilt * (1.0 - s * s)
            # cos(α − tilt) − cos(α − θ), without cancellation
            fallen = 2.0 * np.sin(alpha - (angle + tilt) / 2) * np.sin((tilt - angle) / 2)
            return float(2.0 * tilt * s / (speed * np.sqrt(fallen))) if s > 0.0 else 0.0

        return float(quad(inverse, 0.0, 1.0, epsabs=1e-13, epsrel=1e-13)[0])

    def strikes(self, tilt: float, count: int) -> tuple[Array, Array]:
        """Return times [s] of strikes, and rates before them [rad/s]."""
        times, rates = [self.fall(tilt)], [self.rate(tilt)]
        for _ in range(count - 1):
            rate = self.kept * rates[-1]
            times.append(times[-1] + 2.0 * self.fall(self.tilt(rate)))
            rates.append(rate)
        return np.array(times), np.array(rates)
