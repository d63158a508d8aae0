"""A string: a spring with a damper that pulls and never pushes.

    T = max(0, k (l − l₀) + d l̇)   where l > l₀, else 0

The damper is what a one-sided law of Schröder (1990, section 7.2) does by a jump in its stiffness,
without the jump, and without a stiff damper near rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.model import Model
from tarsus.parts import Part, Statement, Where, place_of


@dataclass(frozen=True, eq=False, repr=False)
class String(Part):
    """A string from place `a` to place `b`: stiffness [N/m], rest length [m], damping [N s/m].

    Without a `rest_length` it is just straight where it is added.
    """

    kind: ClassVar[str] = "string"

    a: Where
    b: Where
    stiffness: float
    rest_length: float | None = None
    damping: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, damping=0.0)
        if self.rest_length is not None:
            self._check(rest_length=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points with the law of a string."""
        return Statement(
            "line",
            "string",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            target=self.rest_length,
            numbers={"stiffness": self.stiffness, "damping": self.damping},
        )
