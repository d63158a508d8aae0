"""A normal force whose damping grows with the depth, F = k δⁿ (1 + c δ̇).

K. Hunt, F. Crossley, "Coefficient of restitution interpreted as damping in vibroimpact", Journal of
Applied Mechanics 42, 1975. Forces start from zero and end there, and never pull. For slow impacts
the coefficient of restitution is about 1 − ⅔ c v.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarsus._lib.checks import positive


@dataclass(frozen=True)
class HuntCrossley:
    """Surfaces with `stiffness` k [N/m^n], `exponent` n from 1 to 5, and `dissipation` c [s/m]."""

    name: ClassVar[str] = "hunt_crossley"

    stiffness: float = 1e7
    exponent: float = 1.5
    dissipation: float = 0.3

    def __post_init__(self) -> None:
        positive(self.stiffness, "stiffness")
        positive(self.exponent, "exponent")
        positive(self.dissipation, "dissipation", zero=True)
        if not 1.0 <= self.exponent <= 5.0:
            raise ValueError(f"exponent is {self.exponent}, must be from 1 to 5")

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        return {
            "normal_stiffness": self.stiffness,
            "exponent": self.exponent,
            "dissipation": self.dissipation,
        }

    def depth(self, load: float, stiffness: float) -> float:
        """Return the depth [m] that carries a load [N]."""
        return float((load / self.stiffness) ** (1.0 / self.exponent))
