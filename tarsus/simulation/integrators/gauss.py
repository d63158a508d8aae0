"""Gauss collocation with eight stages in positions and momenta, for hours of true energy.

Steps of one length, dt, that are symplectic or at least symmetric, of order sixteen: energy is kept
up to rounding as long as dt is a small part of any oscillation. E. Hairer, C. Lubich, G. Wanner,
"Geometric numerical integration", chapters VI and IX; in the core (`core/flow/gauss.cpp`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.simulation.integrators.core_solver import CoreSolver
from tarsus.simulation.integrators.motion import SmoothMotion


@dataclass(frozen=True)
class Gauss:
    """Steps of dt that keep the energy of long motions."""

    name: ClassVar[str] = "gauss"

    def solver(self, motion: SmoothMotion, dt: float) -> CoreSolver:
        """Return what moves one state."""
        return CoreSolver(motion, "gauss", 16, step=dt)
