"""How far multistep methods have left the manifold.

They have a memory, which steps back to it would spoil. So samples are brought back, and the method
starts anew from one where that moves it by as much as its errors may be.
"""

from __future__ import annotations

import numpy as np

from tarsus._lib.files import Array
from tarsus.simulation.errors import FASTEST, diverged
from tarsus.simulation.integrators.adaptive import Parts
from tarsus.simulation.integrators.linkages import LinkageNorm
from tarsus.simulation.integrators.motion import SmoothMotion


class Drift:
    """Samples on the manifold; `restarts` says whether the method must start from the last one."""

    def __init__(self, motion: SmoothMotion, rtol: float, atol: float) -> None:
        self.motion, self.rtol, self.atol = motion, rtol, atol
        self._norm = LinkageNorm(motion.model, motion.works)
        self.weights = self._norm.weights
        """Factors on tolerances, so that linkages at rest do not loosen those that move."""
        self.restarts = False

    def checked(self, time: float, y: Array) -> Parts:
        """Return y = (q, v, works) on the manifold, or raise if it moves beyond all bounds."""
        v = self.motion.split(y)[1]
        if not np.abs(v).max(initial=0.0) < FASTEST:
            raise diverged(self.motion.model, v, time)
        parts = self.motion.on_group(y)
        moved = (np.concatenate(parts) - y) / (self.atol + self.rtol * np.abs(y))
        self.restarts = self._norm(moved) > 1.0
        return parts
