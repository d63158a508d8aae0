"""A brake at a point of a body: viscous, F = −d V (Schröder 1990, section 6.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.model import Model
from tarsus.parts import IN_WORLD, Part, Statement, Where, place_of
from tarsus.parts.part import POINT


@dataclass(frozen=True, eq=False, repr=False)
class Brake(Part):
    """A brake at `where`, damping [N s/m]: against all motion of that point in the world."""

    kind: ClassVar[str] = "brake"

    where: Where
    damping: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(damping=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the three coordinates of the point in the world with the law of drag."""
        return Statement(
            "frame",
            "drag",
            IN_WORLD,
            place_of(model, self.where, "where"),
            rows=POINT,
            numbers={"linear": self.damping, "quadratic": 0.0, "angular": 0.0},
        )
