"""Gyroscope: the angular velocity of a frame, in its axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.sensors.sensor import FrameSensor, Sample


@dataclass(frozen=True)
class Gyroscope(FrameSensor):
    """The rates at which a frame turns (3,), in its axes [rad/s]."""

    unit: ClassVar[str] = "rad/s"

    def measure(self, sample: Sample) -> Array:
        """Return the angular velocity (…, 3)."""
        return np.asarray(sample.model.frame_velocity(sample.q, sample.v, self.frame)[..., 3:])
