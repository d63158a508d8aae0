"""A linear spring with a damper beside it (Kelvin–Voigt) between two points.

    T = k (l − l₀) + d l̇

pulls the points together, or apart where it is compressed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.model import Model
from tarsus.parts import Part, Statement, Where, place_of


@dataclass(frozen=True, eq=False, repr=False)
class Spring(Part):
    """A spring from place `a` to place `b`: stiffness [N/m], rest length [m], damping [N s/m].

    Without a `rest_length` it is relaxed where it is added. Its force is at most `limit` [N].
    """

    kind: ClassVar[str] = "spring"

    a: Where
    b: Where
    stiffness: float
    rest_length: float | None = None
    damping: float = 0.0
    limit: float = float("inf")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, damping=0.0, limit=0.0)
        if self.rest_length is not None:
            self._check(rest_length=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points with the law of a spring."""
        return Statement(
            "line",
            "spring",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            target=self.rest_length,
            numbers={
                "stiffness": self.stiffness,
                "damping": self.damping,
                "limit": self.limit,
            },
        )
