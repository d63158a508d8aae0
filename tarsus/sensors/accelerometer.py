"""Accelerometer: the specific force Rᵀ (a − g) at a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.sensors.sensor import FrameSensor, Sample, into


@dataclass(frozen=True)
class Accelerometer(FrameSensor):
    """What a mass at a frame feels (3,), in its axes [m/s²]: at rest, gravity upwards."""

    unit: ClassVar[str] = "m/s²"

    def measure(self, sample: Sample) -> Array:
        """Return the specific force (…, 3)."""
        model = sample.model
        state = sample.q, sample.v, sample.a
        rise = model.frame_acceleration(*state, self.frame, "local_world_aligned")[..., :3]
        rotation = np.asarray(model.frame_pose(sample.q, self.frame))[..., :3, :3]
        return into(rotation, rise - model.gravity)
