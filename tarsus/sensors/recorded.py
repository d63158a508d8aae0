"""A sensor of which only readings are left, as a file of a run has them."""

from __future__ import annotations

from dataclasses import dataclass

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors.sensor import Sample, Sensor


@dataclass(frozen=True)
class Recorded(Sensor):
    """What its numbers were called, and their unit; it cannot measure anew."""

    names: tuple[str, ...]
    told: str
    """The unit of its numbers."""

    @property
    def unit(self) -> str:  # type: ignore[override]
        """The unit of its numbers."""
        return self.told

    @property
    def parts(self) -> tuple[str, ...]:
        """What its numbers are called."""
        return self.names

    def check(self, model: Model) -> None:
        """Any model will do."""

    def measure(self, sample: Sample) -> Array:
        """Raise: a file tells readings, not how they came about."""
        raise ValueError("a sensor from the file of a run has its readings only")
