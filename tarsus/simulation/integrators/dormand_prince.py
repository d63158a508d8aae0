"""Adaptive explicit steps of order eight by J. Dormand and P. Prince, with output of order seven
between them: E. Hairer, S. P. Nørsett, G. Wanner, "Solving ordinary differential equations I",
section II.10; in the core (`core/flow/dormand_prince.cpp`).

The numbers of q follow their rates, and each step brings quaternions and loops back to where they
belong, which takes away errors of the order of the step's own: E. Hairer, C. Lubich, G. Wanner,
"Geometric numerical integration", section IV.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.simulation.integrators.adaptive import Adaptive
from tarsus.simulation.integrators.core_solver import CoreSolver
from tarsus.simulation.integrators.motion import SmoothMotion


@dataclass(frozen=True)
class DormandPrince(Adaptive):
    """Explicit steps as long as errors of q and v, rtol relative and atol absolute, allow.

    Samples lie on a polynomial between steps, so they do not shorten them. No step crosses one of
    the times `tcrit` [s], where forces may jump.
    """

    name: ClassVar[str] = "dormand_prince"

    def solver(self, motion: SmoothMotion, dt: float) -> CoreSolver:
        """Return what moves one state."""
        return CoreSolver(motion, "dormand_prince", 8, rtol=self.rtol, atol=self.atol)
