"""The normal force of elastic bodies with curved surfaces, F = k δ^(3/2).

H. Hertz, "Über die Berührung fester elastischer Körper", 1882; K. Johnson, "Contact mechanics",
1985, section 4.2: k = 4/3 E* √R with 1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂ and 1/R = 1/R₁ + 1/R₂.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarsus._lib.checks import positive


@dataclass(frozen=True)
class Hertz:
    """Surfaces that push apart with `stiffness` [N/m^1.5] times the depth to the power of 3/2."""

    name: ClassVar[str] = "hertz"

    stiffness: float = 1e7

    def __post_init__(self) -> None:
        positive(self.stiffness, "stiffness")

    @classmethod
    def of(cls, modulus: float, radius: float) -> Hertz:
        """Return the law of an effective modulus E* [Pa] and an effective radius R [m]."""
        positive(modulus, "modulus")
        positive(radius, "radius")
        return cls(4.0 / 3.0 * modulus * radius**0.5)

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        return {"normal_stiffness": self.stiffness}

    def depth(self, load: float, stiffness: float) -> float:
        """Return the depth [m] that carries a load [N]."""
        return float((load / self.stiffness) ** (2.0 / 3.0))
