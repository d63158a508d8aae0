"""The position of a frame."""

from __future__ import annotations

from numpy.typing import ArrayLike

from tarsus.ik.points import FrameOrigin, Point
from tarsus.ik.tasks.point import PointTask
from tarsus.model import Model
from tarsus.model.checks import numbers


class PositionTask(PointTask):
    """Leads the origin of `frame`, or the point at `offset` (3,) [m] in its axes, to `target`.

    `target` (…, 3) [m] is in world axes; with `relative_to` (a frame, or "com") it is seen from
    there, in the axes of that frame or in those of the frame `axes`. Without a target the point
    stays where the neutral configuration has it.
    """

    def __init__(
        self,
        frame: str,
        target: ArrayLike | None = None,
        *,
        offset: ArrayLike | None = None,
        relative_to: str | None = None,
        axes: str | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        self.frame = frame
        self.offset = None if offset is None else numbers(offset, (3,), "offset")
        super().__init__(
            name or f"{frame} position", target, relative_to, axes, weight, gain, level
        )

    def point(self, model: Model) -> Point:
        """Return the point of the frame."""
        return FrameOrigin(model, self.frame, self.offset)
