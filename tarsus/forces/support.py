"""A support under a point: a spring with a damper that pushes up, and never pulls down.

F = max(0, −k z − d ż)   where z < 0, else 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus.model import Model
from tarsus.parts import IN_WORLD, Part, Statement, Where, place_of


@dataclass(frozen=True, eq=False, repr=False)
class Support(Part):
    """A support under the point `where`: stiffness [N/m], damping [N s/m], from `height` [m] on."""

    kind: ClassVar[str] = "support"

    where: Where
    stiffness: float
    damping: float = 0.0
    height: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, damping=0.0, height=-np.inf)

    def statement(self, model: Model) -> Statement:
        """Return the height of the point with the law of a support."""
        ground = np.eye(4)
        ground[2, 3] = self.height
        return Statement(
            "frame",
            "support",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=(("position", 2, 0),),
            target=ground,
            numbers={"stiffness": self.stiffness, "damping": self.damping},
        )
