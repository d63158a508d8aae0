"""A step of the compass walker as one writes it for SciPy: equations by hand, in plain floats.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.2. Legs have unit length; q₃ is the lean of the stance leg, back from the
normal of the slope, and q₄ the angle from it to the swing leg. Nothing is shared with Tarsus, and
nothing is slower than it has to be: arrays of two numbers cost NumPy more than all of this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

LEG, HIP = 1.0, 5.0
"""Masses [kg]."""
SLOPE, GRAVITY = math.radians(3.0), 9.8
LONGEST = 3.0
"""Of a step [s]."""
NEAR = 1e-5
"""Of differences of the return map: errors of the integrator and of third order are alike."""


def rates(_: float, y: Sequence[float]) -> list[float]:
    """Return the rates of (q₃, q₄, q̇₃, q̇₄) while the stance foot is a pivot."""
    q3, q4, w3, w4 = float(y[0]), float(y[1]), float(y[2]), float(y[3])
    c, s = math.cos(q4), math.sin(q4)
    m33, m34, m44 = HIP + LEG * (1.5 - c), LEG * (0.25 - 0.5 * c), 0.25 * LEG
    swing = 0.5 * LEG * GRAVITY * math.sin(q3 + q4 - SLOPE)
    pull = (1.5 * LEG + HIP) * GRAVITY * math.sin(q3 - SLOPE)
    f3 = pull - swing - LEG * s * w4 * (w3 + 0.5 * w4)
    f4 = 0.5 * LEG * s * w3 * w3 - swing
    det = m33 * m44 - m34 * m34
    return [w3, w4, (m44 * f3 - m34 * f4) / det, (m33 * f4 - m34 * f3) / det]


def strike(_: float, y: Sequence[float]) -> float:
    """Return e = 2 q₃ + q₄, which falls to zero at a strike; a foot behind the hip only scuffs."""
    return 2.0 * float(y[0]) + float(y[1]) if y[1] > 0.0 else 1.0


strike.terminal, strike.direction = True, -1.0  # type: ignore[attr-defined]


def impact(y: Sequence[float]) -> list[float]:
    """Return the state after a strike, legs relabelled: (4.10) and (4.15)."""
    q3, q4, w3, w4 = float(y[0]), float(y[1]), float(y[2]), float(y[3])
    c = math.cos(2 * q3)
    d = -3 * LEG - 4 * HIP + 2 * LEG * math.cos(4 * q3)
    new3 = ((LEG - 2 * (LEG + 2 * HIP) * c) * w3 + LEG * w4) / d
    kept = 8 * (LEG + HIP) * (1 + 2 * c) * math.sin(q3) ** 2
    return [q3 + q4, -q4, new3, (kept * w3 + LEG * (2 * c - 1) * w4) / d]


def step(y: Sequence[float], rtol: float, atol: float) -> tuple[float, list[float]]:
    """Return when the swing foot strikes [s], and the state (q₃, q₄, q̇₃, q̇₄) after that."""
    found = solve_ivp(
        rates, (0.0, LONGEST), y, method="DOP853", rtol=rtol, atol=atol, events=strike
    )
    if not len(found.t_events[0]):
        raise ValueError(f"the walker does not step within {LONGEST:g} s")
    return float(found.t_events[0][0]), impact(found.y_events[0][0])


def returned(x: Sequence[float], rtol: float, atol: float) -> np.ndarray:
    """Return where a step leads on the section (q₃, q̇₃, q̇₄), both feet on the slope."""
    q3, w3, w4 = (float(each) for each in x)
    _, y = step([q3, -2.0 * q3, w3, w4], rtol, atol)
    return np.array([y[0], y[2], y[3]])


def gait(
    guess: Sequence[float], rtol: float, atol: float, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the state (q₃, q̇₃, q̇₄) of a passive gait near a guess, and its multipliers (3,)."""
    x = fsolve(lambda x: returned(x, rtol, atol) - x, guess, xtol=tolerance)
    sides = [[returned(x + side * h, rtol, atol) for side in (1.0, -1.0)] for h in NEAR * np.eye(3)]
    slopes = np.array([(ahead - behind) / (2.0 * NEAR) for ahead, behind in sides]).T
    return x, np.linalg.eigvals(slopes)
