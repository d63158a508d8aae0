"""How far frames are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.sensors.sensor import FrameSensor, Sample


@dataclass(frozen=True)
class Distance(FrameSensor):
    """The distance of the origins of two frames (1,) [m], or of one from the world's origin."""

    other: str | None = None
    unit: ClassVar[str] = "m"

    @property
    def parts(self) -> tuple[str, ...]:
        """One number."""
        return ("d",)

    def check(self, model: Model) -> None:
        """Raise unless the model has both frames."""
        super().check(model)
        if self.other is not None:
            model.frame(self.other)

    def measure(self, sample: Sample) -> Array:
        """Return the distance (…, 1)."""
        names = [self.frame, *([] if self.other is None else [self.other])]
        places = sample.model.frame_poses(sample.q, names)[..., :3, 3]
        way = places[..., 0, :] if self.other is None else places[..., 0, :] - places[..., 1, :]
        return np.asarray(np.linalg.norm(way, axis=-1, keepdims=True))
