"""The position of a joint: a knee that bends too far, a pendulum that comes through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tarsus._lib.checks import find
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
class Position(Condition):
    """Coordinate number `index` of `joint` is `below` or `above` a value [rad, m]."""

    joint: str
    below: float | None = None
    above: float | None = None
    index: int = 0

    def __post_init__(self) -> None:
        check_bounds(self.below, self.above)

    def check(self, model: Model, places: Sequence[Place]) -> None:
        """Raise if there is no such joint, or none with such a coordinate."""
        self._place(model)

    def holds(self, samples: Samples, model: Model, places: Sequence[Place]) -> Mask:
        """Return whether it holds (B, K)."""
        return beyond(samples.recorded["q"][..., self._place(model)], self.below, self.above)

    def _place(self, model: Model) -> int:
        found = find({each.name: each for each in model.joints}, self.joint, "joint").q_slice
        size = found.stop - found.start
        if type(self.index) is not int or not 0 <= self.index < size:
            raise ValueError(
                f"index is {self.index!r}, but joint {self.joint!r} has {size} coordinates of its "
                "own in q"
            )
        return int(found.start) + self.index

    def __str__(self) -> str:
        which = f"[{self.index}]" if self.index else ""
        return f"joint {self.joint!r}{which} {bounds_text(self.below, self.above)}"
