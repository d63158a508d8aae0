"""A field of gravity, beside the model's own: uniform, or towards a centre.

f = m (g + μ (c − x) / |c − x|³)   at the centre of mass x of every body
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from tarsus.model import Model
from tarsus.model.checks import numbers
from tarsus.parts import Part, Statement


@dataclass(frozen=True, eq=False, repr=False)
class GravityField(Part):
    """An `acceleration` (3,) [m/s²] of all bodies, and one to `center` (3,) by `mu` [m³/s²]."""

    kind: ClassVar[str] = "gravity"

    acceleration: ArrayLike = (0.0, 0.0, 0.0)
    center: ArrayLike = (0.0, 0.0, 0.0)
    mu: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers(self.acceleration, (3,), "acceleration")
        numbers(self.center, (3,), "center")
        self._check(mu=0.0)

    def statement(self, model: Model) -> Statement:
        """Return a force on every body."""
        return Statement(
            "field",
            "gravity",
            numbers={
                "acceleration": numbers(self.acceleration, (3,), "acceleration"),
                "center": numbers(self.center, (3,), "center"),
                "mu": self.mu,
            },
        )
