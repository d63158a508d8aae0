"""A grip that pulls a point to a target through a spring with a damper: the hand of the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.model import Model
from tarsus.parts import IN_WORLD, Part, Statement, Where, place_of
from tarsus.parts.part import POINT
from tarsus.parts.place import placement_of


@dataclass(frozen=True, eq=False, repr=False)
class Grab(Part):
    """Pulls the point `where` to `target` (3,) of the world, with at most `limit` [N].

    Stiffness [N/m]; the damping [N s/m] is critical for the mass of the whole model unless stated.
    The handle's `target` follows the hand, its `force` is what the hand feels.
    """

    kind: ClassVar[str] = "grab"

    where: Where
    target: ArrayLike | None = None
    stiffness: float = 1000.0
    damping: float | None = None
    limit: float = float("inf")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, limit=0.0)
        if self.damping is not None:
            self._check(damping=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the three coordinates of the point in the world with the law of a spring."""
        damping = self.damping
        if damping is None:
            damping = 2.0 * float(np.sqrt(self.stiffness * model.total_mass))
        return Statement(
            "frame",
            "spring",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=POINT,
            target=None if self.target is None else placement_of(self.target, "target"),
            numbers={"stiffness": self.stiffness, "damping": damping, "limit": self.limit},
        )
