"""A nail: a point of a body stays where it is in the world, or its whole pose does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from tarsus.constraint.rigid import Rigid
from tarsus.model import Model
from tarsus.model.checks import flag
from tarsus.parts import IN_WORLD, Statement, Where, place_of
from tarsus.parts.part import POINT, TURNS
from tarsus.parts.place import placement_of, pose_of


@dataclass(frozen=True, eq=False, repr=False)
class Nail(Rigid):
    """Holds the point `where` at `target`, (3,) or (4, 4) in the world, or where it is.

    With `pose` it holds the orientation, too, and a target is a pose (4, 4). The handle's `target`
    may be moved.
    """

    kind: ClassVar[str] = "nail"

    where: Where
    target: ArrayLike | None = None
    pose: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        flag(self.pose, "pose")

    def statement(self, model: Model) -> Statement:
        """Return three or six coordinates of the place in the world, held."""
        target = self.target
        if target is not None:
            target = (pose_of if self.pose else placement_of)(target, "target")
        return Statement(
            "frame",
            "rigid",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=(*POINT, *TURNS) if self.pose else POINT,
            target=target,
            numbers=self.numbers,
        )
