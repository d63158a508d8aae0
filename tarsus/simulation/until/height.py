"""The height of a frame: a robot that has fallen, a ball that has been thrown far enough up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.model import Model
from tarsus.simulation.contact_record import Place
from tarsus.simulation.until.condition import (
    Condition,
    Mask,
    Samples,
    beyond,
    bounds_text,
    check_bounds,
)


@dataclass(frozen=True, eq=False)
class Height(Condition):
    """The origin of `frame` has a z in the world [m] that is `below` or `above` a value."""

    frame: str
    below: float | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        check_bounds(self.below, self.above)

    def check(self, model: Model, places: Sequence[Place]) -> None:
        """Raise if there is no such frame."""
        model.frame_pose(model.neutral(), self.frame)

    def holds(self, samples: Samples, model: Model, places: Sequence[Place]) -> Mask:
        """Return whether it holds (B, K)."""
        poses = np.asarray(model.frame_pose(samples.recorded["q"], self.frame))
        return beyond(poses[..., 2, 3], self.below, self.above)

    def __str__(self) -> str:
        return f"height of {self.frame!r} {bounds_text(self.below, self.above)}"
