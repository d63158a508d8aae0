"""What touches a foot: force and moment at a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.sensors.sensor import SIX, FrameSensor, Sample, in_frame


@dataclass(frozen=True)
class ContactWrench(FrameSensor):
    """Force [N] and moment [N·m] of all contacts on the body of a frame (6,), in its axes."""

    unit: ClassVar[str] = "N, N m"
    needs: ClassVar[tuple[str, ...]] = ("q", "v", "contacts")

    @property
    def parts(self) -> tuple[str, ...]:
        """Force, then moment."""
        return SIX

    def measure(self, sample: Sample) -> Array:
        """Return the wrench (…, 6)."""
        pose = np.asarray(sample.model.frame_pose(sample.q, self.frame))
        return in_frame(sample.contacts.wrench(sample.model.frame(self.frame).body), pose)
