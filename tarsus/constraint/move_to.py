"""Move-to-point: a point comes to a target, critically damped (Schröder 1990, section 5.5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.constraint.rigid import Rigid
from tarsus.model import Model
from tarsus.parts import IN_WORLD, Statement, Where, place_of
from tarsus.parts.part import POINT, TURNS
from tarsus.parts.place import placement_of


@dataclass(frozen=True, eq=False, repr=False)
class MoveTo(Rigid):
    """Brings the place `where` to `target`, a point (3,) or a pose (4, 4) of the world.

    It goes as (1 + t/τ) exp(−t/τ) of the way by the `time_constant` τ [s].
    """

    kind: ClassVar[str] = "move_to"

    where: Where
    target: ArrayLike

    def statement(self, model: Model) -> Statement:
        """Return three or six coordinates of the place in the world, brought to zero."""
        return Statement(
            "frame",
            "rigid",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=(*POINT, *TURNS) if np.ndim(self.target) == 2 else POINT,
            target=placement_of(self.target, "target"),
            numbers=self.numbers,
        )
