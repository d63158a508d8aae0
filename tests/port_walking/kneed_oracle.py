"""A planar walker with knees, by Lagrange's equations from places of its masses: two phases a step.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 4.3 (the robot Dribbel, with its rounded parameters). The stance leg is
straight; the swing knee is free until it strikes its stop, then locked until the foot strikes.
Coordinates (q₃, q₅, q₆): stance leg back from the slope's normal, hip, swing knee. Plain NumPy and
SciPy, derivatives by complex steps: nothing is shared with the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = NDArray[Any]

UPPER, LOWER = 0.47, 0.43
MASSES = np.array([1.6, 3.0, 3.0, 1.6])
TURNING = np.array([0.059, 0.108, 0.108, 0.059])
"""Stance shank and thigh, swing thigh and shank [kg, kg m²]."""
ABOVE_KNEE = 0.35
"""Where the thigh's centre of mass is [m]; the shank's is in its middle."""
LONG = (0.268905, -1.145241, 0.339580)
SHORT = (0.254846, -1.144223, 0.280173)
"""Two passive gaits (q₃, q̇₃, q̇₅) just after a strike; 9.81 m/s², 3° down."""


REACH = np.array(
    [
        [LOWER / 2, 0.0, 0.0],
        [LOWER + ABOVE_KNEE, 0.0, 0.0],
        [UPPER + LOWER, UPPER - ABOVE_KNEE, 0.0],
        [UPPER + LOWER, UPPER, LOWER / 2],
        [UPPER + LOWER, UPPER, LOWER],
    ]
)
"""How far each centre of mass, and the swing foot, is along stance leg, thigh and shank [m]."""
SIGNS = np.array([-1.0, 1.0, 1.0])
"""The stance leg leads up from the foot, the others down from the hip."""
SUMS = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
"""From (q₃, q₅, q₆) to absolute angles of stance leg, thigh and shank."""


@dataclass(frozen=True)
class Step:
    """One step: when the knee and the foot strike [s], and the state (q₃, q̇₃, q̇₅) afterwards."""

    knee: float
    foot: float
    after: Array
    knee_before: Array
    """(q₃, q₅, q₆, and their rates) when the knee strikes."""
    knee_after: Array
    """Rates of all three afterwards."""


@dataclass(frozen=True)
class Kneed:
    """Slope [rad], gravity [m/s²]."""

    slope: float = np.radians(3.0)
    g: float = 9.81

    def jacobians(self, q: Array) -> Array:
        """Return rates of the places along and normal to the slope (5, 2, 5), the foot's first."""
        angles = SUMS @ q
        turned = np.stack([np.cos(angles), np.sin(angles)]) * SIGNS  # of (sin a, −cos a)
        own = np.einsum("pa,ca,aj->pcj", REACH, turned, SUMS)
        foot = np.broadcast_to(np.eye(2), (5, 2, 2))
        return np.concatenate([foot, own], axis=-1)

    def mass_matrix(self, q: Array) -> Array:
        """Return M (5, 5) with the stance foot's two coordinates first."""
        j = self.jacobians(q)[:4]
        turning = np.zeros((4, 5))
        turning[:, 2:] = SUMS[[0, 0, 1, 2]]
        moving = np.einsum("b,bci,bcj->ij", MASSES, j, j)
        return np.asarray(moving + np.einsum("b,bi,bj->ij", TURNING, turning, turning))

    def rates(self, t: float, y: Array, free: int) -> Array:
        """Return the rates of `free` coordinates and their rates; the others are locked at zero."""
        q, v = np.zeros(3), np.zeros(3)
        q[:free], v[:free] = y[:free], y[free:]
        own = slice(2, 2 + free)
        slopes = np.stack([self.mass_matrix(q + 1e-30j * e).imag * 1e30 for e in np.eye(3)])[
            :, 2:, 2:
        ]
        bias = np.einsum("kij,k,j->i", slopes, v, v) - 0.5 * np.einsum("kij,i,j->k", slopes, v, v)
        down = self.g * np.array([-np.sin(self.slope), np.cos(self.slope)])
        gravity = np.einsum("b,c,bcj->j", MASSES, down, self.jacobians(q)[:4])
        mass = self.mass_matrix(q)[own, own]
        force = -(bias[:free] + gravity[own])
        return np.concatenate([v[:free], np.linalg.solve(mass, force)])

    def knee_strike(self, q: Array, v: Array) -> Array:
        """Return all rates (3,) after the knee has stopped."""
        column = np.linalg.solve(self.mass_matrix(q)[2:, 2:], np.array([0.0, 0.0, 1.0]))
        return np.asarray(v - column * v[2] / column[2])

    def foot_strike(self, q: Array, v: Array) -> Array:
        """Return (q₃, q̇₃, q̇₅) after a strike with both knees locked, legs relabelled (4.29)."""
        mass = self.mass_matrix(np.array([*q, 0.0]))[:4, :4]
        a = self.jacobians(np.array([*q, 0.0]))[4][:, :4].T
        before = np.array([0.0, 0.0, *v])
        back = np.linalg.solve(mass, a)
        new = before - back @ np.linalg.solve(a.T @ back, a.T @ before)
        return np.array([q[0] + q[1], new[2] + new[3], -new[3]])

    def step(self, z: Array) -> Step:
        """Return one step from (q₃, q̇₃, q̇₅) just after a strike."""
        start = np.array([z[0], -2.0 * z[0], 0.0, z[1], z[2], 0.0])
        first = self._until(start, 3, lambda y: float(y[2]), 1.0, 0.1)
        q, v = first[1][:3], first[1][3:]
        locked = self.knee_strike(q, v)
        second = self._until(
            np.array([*q[:2], *locked[:2]]), 2, lambda y: float(2.0 * y[0] + y[1]), -1.0, 0.0
        )
        after = self.foot_strike(second[1][:2], second[1][2:])
        return Step(first[0], first[0] + second[0], after, first[1], locked)

    def _until(
        self, y: Array, free: int, guard: Any, direction: float, blind: float
    ) -> tuple[float, Array]:
        """Return when a guard crosses zero, not before `blind` [s], and the state there."""
        options: dict[str, Any] = {
            "method": "DOP853",
            "rtol": 1e-12,
            "atol": 1e-13,
            "args": (free,),
        }
        begin = y
        if blind:
            begin = solve_ivp(self.rates, (0.0, blind), y, **options).y[:, -1]

        def event(t: float, y: Array, _: int) -> float:
            return guard(y)  # type: ignore[no-any-return]

        event.terminal, event.direction = True, direction  # type: ignore[attr-defined]
        found = solve_ivp(self.rates, (blind, 3.0), begin, events=event, **options)
        if not len(found.t_events[0]):
            raise ValueError("no strike")
        last = len(found.t) - 2

        def at(t: float) -> Array:
            span = (found.t[last], t)
            return np.asarray(solve_ivp(self.rates, span, found.y[:, last], **options).y[:, -1])

        near = found.t_events[0][0]
        time = brentq(lambda t: guard(at(t)), near - 1e-6, near + 1e-6, xtol=1e-15)
        return float(time), at(time)
