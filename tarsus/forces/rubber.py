"""Rubber after Schröder (1990, section 7.2): a string that pulls less when it gets shorter.

    T = k max(0, l − l₀) σ(l̇),   σ = e + (1 − e) x² (3 − 2 x),   x = clamp((l̇ + ε) / 2 ε, 0, 1)

σ is 1 when it is stretched and e when it returns. At rest σ is (1 + e) / 2, and near rest the law
is a strong damper, of 0.75 k (l − l₀) (1 − e) / ε: stiff, if ε is small. `String` has neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarsus.model import Model
from tarsus.parts import Part, Statement, Where, place_of


@dataclass(frozen=True, eq=False, repr=False)
class Rubber(Part):
    """Rubber from place `a` to place `b`: stiffness [N/m], rest length [m].

    It returns with the part `return_ratio` (e) of its force, and changes from one to the other
    within rates of ± `smoothing` (ε) [m/s].
    """

    kind: ClassVar[str] = "rubber"

    a: Where
    b: Where
    stiffness: float
    rest_length: float | None = None
    return_ratio: float = 0.1
    smoothing: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(stiffness=0.0, return_ratio=0.0, smoothing=1e-12)
        if self.return_ratio > 1.0:
            raise ValueError(f"return_ratio is {self.return_ratio}, must be from 0 to 1")
        if self.rest_length is not None:
            self._check(rest_length=0.0)

    def statement(self, model: Model) -> Statement:
        """Return the line between the points with the law of rubber."""
        return Statement(
            "line",
            "rubber",
            place_of(model, self.a, "a"),
            place_of(model, self.b, "b"),
            target=self.rest_length,
            numbers={
                "stiffness": self.stiffness,
                "return_ratio": self.return_ratio,
                "smoothing": self.smoothing,
            },
        )
