"""Contact as a linear complementarity problem, solved by pivoting: exact, and without a tolerance.

C. E. Lemke, "Bimatrix equilibrium points and mathematical programming", Management Science 11,
1965; friction by a polyhedral cone after Stewart and Trinkle 1996.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarsus import _core
from tarsus._lib.checks import count
from tarsus._lib.files import Array
from tarsus.model import Model


@dataclass(frozen=True)
class Lemke:
    """Lemke's method, for few contacts: its cost grows with the third power of their number.

    `facets` is the number of sides of the cone that stands for the friction cone, an even number
    from 4 on; friction then acts along its edges and is up to 1 − cos(π/facets) too weak. With 0
    there is no friction. `ahead` is as in `Exact`.
    """

    name: ClassVar[str] = "lemke"
    ignores: ClassVar[tuple[str, ...]] = ("stiffness", "damping")

    facets: int = 8
    ahead: bool = True

    def __post_init__(self) -> None:
        count(self.facets, "facets", 0)
        if self.facets in (1, 2, 3) or self.facets % 2:
            raise ValueError(f"facets is {self.facets}, must be 0 or an even number from 4 on")

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        return {"facets": self.facets, "ahead": float(self.ahead)}

    def start_depth(self, model: Model, softest: float | None = None) -> float:
        """Return how deep shapes may be in each other when a run starts [m]."""
        return 1e-3 if self.ahead else 1e-2

    def check(self, world: _core.World, q: Array, dt: float) -> tuple[str, ...]:
        """Return warnings about a run: none, there is nothing to tune."""
        return ()
