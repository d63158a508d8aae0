"""The compass walker in equations written by hand: motion, strike, impact, and steps of a gait.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.2. Coordinates are those of the thesis: foot c₁ at (q₁ along the slope, q₂
normal to it), stance leg q₃ back from the normal, inter-leg angle q₄; legs have unit length.
Plain NumPy and SciPy: nothing is shared with the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = NDArray[np.float64]

STABLE = (0.299294, -1.072963, 0.708407)
UNSTABLE = (0.279554, -1.164771, 0.569874)
"""Both passive gaits (q₃, q̇₃, q̇₄) just after a strike; g = 9.8 m/s², 3° down."""


@dataclass(frozen=True)
class Step:
    """What happens from one strike to the next: duration [s], states (4,) = (q₃, q₄, q̇₃, q̇₄)."""

    time: float
    before: Array
    after: Array
    lost: float
    """Kinetic energy lost at the strike [J]."""


@dataclass(frozen=True)
class Compass:
    """Masses [kg], slope [rad], gravity [m/s²]."""

    m: float = 1.0
    hip: float = 5.0
    slope: float = np.radians(3.0)
    g: float = 9.8

    def mass_matrix(self, q: Array) -> Array:
        """Return M (4, 4): (4.6), and the same for a free foot."""
        m, hip = self.m, self.hip
        q3, q4 = q[2], q[3]
        first, second = 1.5 * m + hip, 0.5 * m
        m13 = -first * np.cos(q3) + second * np.cos(q3 + q4)
        m23 = -first * np.sin(q3) + second * np.sin(q3 + q4)
        m14, m24 = second * np.cos(q3 + q4), second * np.sin(q3 + q4)
        m33, m34, m44 = hip + 1.5 * m - m * np.cos(q4), 0.25 * m * (1 - 2 * np.cos(q4)), 0.25 * m
        whole = 2 * m + hip
        return np.array(
            [[whole, 0, m13, m14], [0, whole, m23, m24], [m13, m23, m33, m34], [m14, m24, m34, m44]]
        )

    def potential(self, q: Array) -> float:
        """Return V (4.7)."""
        m, hip, g, slope = self.m, self.hip, self.g, self.slope
        ahead = (2 * m + hip) * g * (-q[0] * np.sin(slope) + q[1] * np.cos(slope))
        leg, other = np.cos(q[2] - slope), np.cos(q[2] + q[3] - slope)
        return float(ahead + (1.5 * m + hip) * g * leg - 0.5 * m * g * other)

    def rates(self, t: float, y: Array) -> Array:
        """Return the rates of (q₃, q₄, q̇₃, q̇₄) while c₁ is a pivot."""
        m, hip, g, slope = self.m, self.hip, self.g, self.slope
        q3, q4, w3, w4 = y
        matrix = self.mass_matrix(np.array([0.0, 0.0, q3, q4]))[2:, 2:]
        coriolis = np.array(
            [m * np.sin(q4) * w4 * w3 + 0.5 * m * np.sin(q4) * w4**2, -0.5 * m * np.sin(q4) * w3**2]
        )
        swing = 0.5 * m * g * np.sin(q3 + q4 - slope)
        gravity = np.array([-(1.5 * m + hip) * g * np.sin(q3 - slope) + swing, swing])
        return np.concatenate([[w3, w4], -np.linalg.solve(matrix, coriolis + gravity)])

    def impact(self, y: Array) -> Array:
        """Return the state after a strike, legs relabelled: (4.10) and (4.15)."""
        m, hip = self.m, self.hip
        q3, q4, w3, w4 = y
        d = -3 * m - 4 * hip + 2 * m * np.cos(4 * q3)
        new3 = ((m - 2 * (m + 2 * hip) * np.cos(2 * q3)) * w3 + m * w4) / d
        swing = 8 * (m + hip) * (1 + 2 * np.cos(2 * q3)) * np.sin(q3) ** 2
        new4 = (swing * w3 + (2 * m * np.cos(2 * q3) - m) * w4) / d
        return np.array([q3 + q4, -q4, new3, new4])

    def energy(self, y: Array) -> float:
        """Return kinetic and potential energy with c₁ at the origin [J]."""
        q = np.array([0.0, 0.0, y[0], y[1]])
        return self.kinetic(y) + self.potential(q)

    def kinetic(self, y: Array) -> float:
        q = np.array([0.0, 0.0, y[0], y[1]])
        return float(0.5 * y[2:] @ self.mass_matrix(q)[2:, 2:] @ y[2:])

    def step(self, y: Array, longest: float = 3.0) -> Step:
        """Return one step: e = 2 q₃ + q₄ falls to zero (the other root of the height scuffs)."""

        def strike(t: float, y: Array) -> float:
            return float(2.0 * y[0] + y[1])

        strike.terminal, strike.direction = True, -1.0  # type: ignore[attr-defined]
        # the state after an impact has e = 0 to rounding: leave it before the event is watched
        options: dict[str, Any] = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
        begin = solve_ivp(self.rates, (0.0, 0.05), np.asarray(y, float), **options)
        found = solve_ivp(
            self.rates,
            (0.05, longest),
            begin.y[:, -1],
            events=strike,
            dense_output=True,
            **options,
        )
        if not len(found.t_events[0]):
            raise ValueError("no strike")
        # the event again, with a step that ends on it: dense output has a lower order
        time = float(found.t_events[0][0])

        def at(t: float) -> Array:
            last = int(np.searchsorted(found.t, t, side="left")) - 1
            start = (found.t[last], found.y[:, last])
            return np.asarray(solve_ivp(self.rates, (start[0], t), start[1], **options).y[:, -1])

        if strike(time, at(time)) != 0.0:
            time = brentq(lambda t: strike(t, at(t)), time - 1e-6, time + 1e-6, xtol=1e-15)
        before = at(time)
        after = self.impact(before)
        return Step(time, before, after, self.kinetic(before) - self.kinetic(after))


def start(gait: tuple[float, float, float]) -> Array:
    """Return the state (q₃, q₄, q̇₃, q̇₄) of a gait (q₃, q̇₃, q̇₄): both feet are down."""
    return np.array([gait[0], -2.0 * gait[0], gait[1], gait[2]])
