"""Viscous damping of a body's motion: −d v at its centre of mass, and −d_t ω."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.model import Model
from tarsus.parts import Part, Statement, Where
from tarsus.parts.part import POINT, TURNS
from tarsus.parts.place import Place, place_of


@dataclass(frozen=True, eq=False, repr=False)
class Damping(Part):
    """Damping of a body: `linear` [N s/m] at `where` (its centre of mass), `angular` [N m s/rad].

    Without an `angular` number it has the same as `linear` (Schröder 1990, section 6.6).
    """

    kind: ClassVar[str] = "damping"

    where: Where
    linear: float
    angular: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(linear=0.0)
        if self.angular is not None:
            self._check(angular=0.0)

    def statement(self, model: Model) -> Statement:
        """Return all six coordinates of the body in the world with the law of drag."""
        angular = self.linear if self.angular is None else self.angular
        return Statement(
            "frame",
            "drag",
            Place(-1, place_of(model, (0.0, 0.0, 0.0), "where").placement),
            at_center(model, self.where),
            rows=(*POINT, *TURNS),
            numbers={"linear": self.linear, "quadratic": 0.0, "angular": angular},
        )


def at_center(model: Model, where: Where) -> Place:
    """Return a place; that of a body's name is its centre of mass."""
    if isinstance(where, str) and where in model.body_names:
        return place_of(model, (where, model.body(where).com), "where")
    return place_of(model, where, "where")
