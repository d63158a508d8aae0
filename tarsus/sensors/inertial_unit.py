"""Inertial unit: an accelerometer and a gyroscope at one frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.sensors.accelerometer import Accelerometer
from tarsus.sensors.gyroscope import Gyroscope
from tarsus.sensors.sensor import FrameSensor, Sample


@dataclass(frozen=True)
class IMU(FrameSensor):
    """Specific force [m/s²], then angular rates [rad/s] (6,), in the axes of a frame."""

    unit: ClassVar[str] = "m/s², rad/s"

    @property
    def parts(self) -> tuple[str, ...]:
        """Three forces and three rates."""
        return ("fx", "fy", "fz", "wx", "wy", "wz")

    def measure(self, sample: Sample) -> Array:
        """Return force and rates (…, 6)."""
        found = [kind(self.frame).measure(sample) for kind in (Accelerometer, Gyroscope)]
        return np.concatenate(found, axis=-1)
