"""How the motion of a frame changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.sensors.sensor import SIX, FrameSensor, Sample


@dataclass(frozen=True)
class FrameAcceleration(FrameSensor):
    """Linear [m/s²] and angular [rad/s²] acceleration of a frame (6,), without gravity."""

    reference: str = "local_world_aligned"
    unit: ClassVar[str] = "m/s², rad/s²"

    @property
    def parts(self) -> tuple[str, ...]:
        """Linear, then angular."""
        return SIX

    def measure(self, sample: Sample) -> Array:
        """Return the acceleration (…, 6)."""
        state = sample.q, sample.v, sample.a
        return np.asarray(
            sample.model.frame_acceleration(*state, self.frame, self.reference)  # type: ignore[arg-type]
        )
