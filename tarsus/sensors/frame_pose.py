"""Where a frame is in the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.sensors.sensor import XYZ, FrameSensor, Sample
from tarsus.spatial import quaternion_from_rotation


@dataclass(frozen=True)
class FramePose(FrameSensor):
    """Position [m] and quaternion [x y z w] of a frame in the world (7,)."""

    unit: ClassVar[str] = "m, 1"

    @property
    def parts(self) -> tuple[str, ...]:
        """Position and quaternion."""
        return (*XYZ, "qx", "qy", "qz", "qw")

    def measure(self, sample: Sample) -> Array:
        """Return position and quaternion (…, 7)."""
        pose = np.asarray(sample.model.frame_pose(sample.q, self.frame))
        turned = quaternion_from_rotation(pose[..., :3, :3])
        return np.concatenate([pose[..., :3, 3], turned], axis=-1)
