"""A body keeps its orientation, in the world or as seen from another body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from tarsus.constraint.rigid import Rigid
from tarsus.model import Model
from tarsus.model.description import WORLD
from tarsus.parts import Statement, Where, place_of
from tarsus.parts.part import TURNS
from tarsus.parts.place import pose_of


@dataclass(frozen=True, eq=False, repr=False)
class Orientation(Rigid):
    """Holds the orientation of `where` seen from `of`: `target` (4, 4) there, or as it is."""

    kind: ClassVar[str] = "orientation"

    where: Where
    target: ArrayLike | None = None
    of: Where = WORLD

    def statement(self, model: Model) -> Statement:
        """Return the three turns of the frame, held."""
        a = place_of(model, self.of, "of")
        target = None if self.target is None else a.placement @ pose_of(self.target, "target")
        return Statement(
            "frame",
            "rigid",
            a,
            place_of(model, self.where, "where"),
            rows=TURNS,
            target=target,
            numbers=self.numbers,
        )
