"""How a frame moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.sensors.sensor import SIX, FrameSensor, Sample


@dataclass(frozen=True)
class FrameVelocity(FrameSensor):
    """Linear [m/s] and angular [rad/s] velocity of a frame (6,), in world axes unless stated."""

    reference: str = "local_world_aligned"
    unit: ClassVar[str] = "m/s, rad/s"

    @property
    def parts(self) -> tuple[str, ...]:
        """Linear, then angular."""
        return SIX

    def measure(self, sample: Sample) -> Array:
        """Return the velocity (…, 6)."""
        return np.asarray(
            sample.model.frame_velocity(sample.q, sample.v, self.frame, self.reference)  # type: ignore[arg-type]
        )
