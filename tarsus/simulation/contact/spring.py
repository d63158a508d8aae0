"""A linear normal force, F = k δ: with a damper beside it the model of Kelvin and Voigt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarsus._lib.checks import positive


@dataclass(frozen=True)
class Spring:
    """Surfaces that push apart in proportion to their depth.

    `stiffness` [N/m] is that of the compliant contact unless stated.
    """

    name: ClassVar[str] = "spring"

    stiffness: float | None = None

    def __post_init__(self) -> None:
        if self.stiffness is not None:
            positive(self.stiffness, "stiffness")

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        return {} if self.stiffness is None else {"normal_stiffness": self.stiffness}

    def depth(self, load: float, stiffness: float) -> float:
        """Return the depth [m] that carries a load [N]."""
        return load / (stiffness if self.stiffness is None else self.stiffness)
