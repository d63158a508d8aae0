"""A switch or a pad under a foot: how hard it is pressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus._lib.files import Array
from tarsus.sensors.sensor import FrameSensor, Sample


@dataclass(frozen=True)
class Touch(FrameSensor):
    """The sum of normal forces [N] of all contacts on the body of a frame (1,), zero in the air."""

    unit: ClassVar[str] = "N"
    needs: ClassVar[tuple[str, ...]] = ("q", "v", "contacts")

    @property
    def parts(self) -> tuple[str, ...]:
        """One number."""
        return ("normal",)

    def measure(self, sample: Sample) -> Array:
        """Return the forces (…, 1)."""
        return sample.contacts.normal_force(sample.model.frame(self.frame).body)[..., None]
