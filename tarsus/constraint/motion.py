"""Prescribed motion of a joint or of a body: it goes as the target goes, whatever that takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from tarsus.constraint.rigid import Rigid
from tarsus.model import Model
from tarsus.model.checks import number
from tarsus.parts import IN_WORLD, Statement, Where, place_of
from tarsus.parts.joints import one_coordinate
from tarsus.parts.part import POINT, TURNS
from tarsus.parts.place import pose_of


@dataclass(frozen=True, eq=False, repr=False)
class JointMotion(Rigid):
    """Moves a joint of one coordinate to its `target` [rad or m], or holds it where it is.

    Targets that change while it runs, by the handle or a plan, are followed from step to step.
    """

    kind: ClassVar[str] = "joint_motion"

    joint: str
    target: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target is not None:
            number(self.target, "target")

    def statement(self, model: Model) -> Statement:
        """Return the joint's coordinate, held."""
        one_coordinate(model, self.joint, "; use BodyMotion")
        return Statement(
            "joint",
            "rigid",
            joints=((self.joint, 1.0),),
            target=self.target,
            numbers=self.numbers,
        )


@dataclass(frozen=True, eq=False, repr=False)
class BodyMotion(Rigid):
    """Moves the frame `where` to its `target` pose (4, 4) of the world, or holds it where it is."""

    kind: ClassVar[str] = "body_motion"

    where: Where
    target: ArrayLike | None = None

    def statement(self, model: Model) -> Statement:
        """Return all six coordinates of the frame in the world, held."""
        return Statement(
            "frame",
            "rigid",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=(*POINT, *TURNS),
            target=None if self.target is None else pose_of(self.target, "target"),
            numbers=self.numbers,
        )
