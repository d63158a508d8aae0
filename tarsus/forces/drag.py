"""Drag in air at a point: F = −(d + c |V|) V."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.forces.damping import at_center
from tarsus.model import Model
from tarsus.parts import IN_WORLD, Part, Statement, Where
from tarsus.parts.part import POINT


@dataclass(frozen=True, eq=False, repr=False)
class Drag(Part):
    """Drag on a body: `quadratic` [N s²/m²] (½ ρ c_w A) and `linear` [N s/m], at `where`.

    The name of a body stands for its centre of mass.
    """

    kind: ClassVar[str] = "drag"

    where: Where
    quadratic: float
    linear: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(linear=0.0, quadratic=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the three coordinates of the point in the world with the law of drag."""
        return Statement(
            "frame",
            "drag",
            IN_WORLD,
            at_center(model, self.where),
            rows=POINT,
            numbers={"linear": self.linear, "quadratic": self.quadratic, "angular": 0.0},
        )
