"""A viscous damper between two points: T = d l̇."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.model import Model
from tarsus.parts import Part, Statement, Where, place_of


@dataclass(frozen=True, eq=False, repr=False)
class Damper(Part):
    """A damper from place `a` to place `b`, damping [N s/m]; its force is at most `limit` [N]."""

    kind: ClassVar[str] = "damper"

    a: Where
    b: Where
    damping: float
    limit: float = float("inf")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(damping=0.0, limit=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points with the law of a spring without stiffness."""
        return Statement(
            "line",
            "spring",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            numbers={"stiffness": 0.0, "damping": self.damping, "limit": self.limit},
        )
