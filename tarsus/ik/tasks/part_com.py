"""The centre of mass of a part of a machine: an arm's, a leg's."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from tarsus.ik.arguments import names_of
from tarsus.ik.points import PartCentre, Point, carried_by
from tarsus.ik.tasks.point import PointTask
from tarsus.model import Model


class PartComTask(PointTask):
    """Leads the centre of mass of a part to `target` (…, 3) [m].

    `part` is the body that carries the part (a shoulder, for an arm), or the names of all its
    bodies. Mostly it is seen from the centre of mass of the machine, in the axes of its torso:
    `PartComTask("shoulder", relative_to="com", axes="torso")` (Schwienbacher 2013, table 4.2).
    """

    def __init__(
        self,
        part: str | Sequence[str],
        target: ArrayLike | None = None,
        *,
        relative_to: str | None = None,
        axes: str | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        self.part = part if isinstance(part, str) else names_of(part, "part")
        first = part if isinstance(part, str) else self.part[0]
        own = name or f"{first} part com"
        super().__init__(own, target, relative_to, axes, weight, gain, level)

    def point(self, model: Model) -> Point:
        """Return the centre of mass of the bodies."""
        several = not isinstance(self.part, str)
        return PartCentre(model, self.part if several else carried_by(model, str(self.part)))
