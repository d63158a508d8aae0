"""A nail: a point of a body stays where it is in the world, or its whole pose does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.constraint.rigid import Rigid
from tarsus.model import Model
from tarsus.parts import Place, Statement, Where, place_of
from tarsus.parts.part import POINT, TURNS
from tarsus.parts.place import placement_of


@dataclass(frozen=True, eq=False, repr=False)
class Nail(Rigid):
    """Holds the point `where` at `target`, (3,) or (4, 4) in the world, or where it is.

    With `pose` it holds the orientation, too. The handle's `target` may be moved.
    """

    kind: ClassVar[str] = "nail"

    where: Where
    target: ArrayLike | None = None
    pose: bool = False

    def statement(self, model: Model) -> Statement:
        """Return three or six coordinates of the place in the world, held."""
        return Statement(
            "frame",
            "rigid",
            Place(-1, np.eye(4)),
            place_of(model, self.where, "where"),
            rows=(*POINT, *TURNS) if self.pose else POINT,
            target=None if self.target is None else placement_of(self.target, "target"),
            numbers=self._numbers,
        )
