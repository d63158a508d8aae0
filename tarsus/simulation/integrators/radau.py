"""Radau IIA of order five, for stiff drives, springs and strings: E. Hairer, G. Wanner, "Solving
ordinary differential equations II", section IV.8; in the core (`core/flow/radau.cpp`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.simulation.integrators.adaptive import Adaptive
from tarsus.simulation.integrators.core_solver import CoreSolver
from tarsus.simulation.integrators.motion import SmoothMotion


@dataclass(frozen=True)
class Radau(Adaptive):
    """Implicit steps as long as errors of q and v, rtol relative and atol absolute, allow.

    No step crosses one of the times `tcrit` [s], where forces may jump.
    """

    name: ClassVar[str] = "radau"

    rtol: float = 1e-6
    atol: float = 1e-8

    def solver(self, motion: SmoothMotion, dt: float) -> CoreSolver:
        """Return what moves one state."""
        return CoreSolver(motion, "radau", 5, rtol=self.rtol, atol=self.atol)
