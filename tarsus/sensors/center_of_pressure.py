"""Centre of pressure: where the forces of the ground act together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors.pressure import pressed_point
from tarsus.sensors.sensor import Sample, Sensor


@dataclass(frozen=True)
class CenterOfPressure(Sensor):
    """The point of level ground at `height` [m] where contacts press (3,), of a body or of all.

    NaN where nothing touches.
    """

    body: str | None = None
    height: float = 0.0
    unit: ClassVar[str] = "m"
    needs: ClassVar[tuple[str, ...]] = ("q", "v", "contacts")

    def check(self, model: Model) -> None:
        """Raise unless the model has the body."""
        if self.body is not None:
            model.frame(self.body)

    def measure(self, sample: Sample) -> Array:
        """Return the point (…, 3)."""
        return pressed_point(sample.contacts.wrench(self.body), self.height)
