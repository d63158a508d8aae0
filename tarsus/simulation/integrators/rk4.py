"""The classical Runge–Kutta method of order four, a tableau of the core's explicit steps
(`core/flow/runge_kutta.cpp`): E. Hairer, S. P. Nørsett, G. Wanner, "Solving ordinary differential
equations I", section II.1.

The numbers of q follow their rates, and each step brings quaternions and loops back to where they
belong, so that order four is order four for bodies that spin, and for joints that roll: E. Hairer,
C. Lubich, G. Wanner, "Geometric numerical integration", section IV.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.simulation.integrators.core_solver import CoreSolver
from tarsus.simulation.integrators.motion import SmoothMotion


@dataclass(frozen=True)
class RK4:
    """Four stages a step of dt, for smooth motions; states of a batch are computed in lanes."""

    name: ClassVar[str] = "rk4"

    def solver(self, motion: SmoothMotion, dt: float) -> CoreSolver:
        """Return what moves some states with the same parts together, as rows of q and v."""
        return CoreSolver(motion, "rk4", 4, step=dt)
