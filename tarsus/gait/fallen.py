"""When a walk is over: the machine has fallen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.simulation.contact_record import Place
from tarsus.simulation.until.condition import Condition, Mask, Samples

TILTED = float(np.cos(np.radians(50.0)))
"""The trunk of a machine that has not fallen is less tilted."""


@dataclass(frozen=True, eq=False)
class Fallen(Condition):
    """The `trunk` is less than `height` [m] above the lowest sole, or far from upright."""

    trunk: str
    feet: tuple[str, ...]
    soles: Array
    """Where the middles of the soles are on the feet (feet, 3) [m]."""
    height: float

    def holds(self, samples: Samples, model: Model, places: Sequence[Place]) -> Mask:
        """Return whether it holds (B, K)."""
        return self.of(model, samples.recorded["q"])

    def of(self, model: Model, q: Array) -> Mask:
        """Return whether machines have fallen in configurations (…, nq)."""
        pose = model.frame_pose(q, self.trunk)
        feet = (model.frame_pose(q, foot)[..., 2, :] for foot in self.feet)
        heights = [
            row[..., :3] @ sole + row[..., 3] for row, sole in zip(feet, self.soles, strict=True)
        ]
        low = pose[..., 2, 3] - np.min(heights, axis=0) < self.height
        return np.asarray(low | (pose[..., 2, 2] < TILTED))

    def __str__(self) -> str:
        return f"{self.trunk!r} has fallen"
