"""Two points keep their distance, as by a rod with ball joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.constraint.rigid import Rigid
from tarsus.model import Model
from tarsus.parts import Statement, Where, place_of


@dataclass(frozen=True, eq=False, repr=False)
class Distance(Rigid):
    """Holds the distance of the points `a` and `b` at `length` [m], or as it is when added."""

    kind: ClassVar[str] = "distance"

    a: Where
    b: Where
    length: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length is not None:
            self._check(length=1e-9)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points, held."""
        return Statement(
            "line",
            "rigid",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            target=self.length,
            numbers=self.numbers,
        )
