"""The centre of mass of a machine."""

from __future__ import annotations

from numpy.typing import ArrayLike

from tarsus.ik.points import CentreOfMass, Point
from tarsus.ik.tasks.point import PointTask
from tarsus.model import Model


class ComTask(PointTask):
    """Leads the centre of mass to `target` (…, 3) [m], in the world or seen from `relative_to`.

    Without a target it stays where the neutral configuration has it.
    """

    def __init__(
        self,
        target: ArrayLike | None = None,
        *,
        relative_to: str | None = None,
        axes: str | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str = "com",
    ) -> None:
        super().__init__(name, target, relative_to, axes, weight, gain, level)

    def point(self, model: Model) -> Point:
        """Return the centre of mass."""
        return CentreOfMass(model)
