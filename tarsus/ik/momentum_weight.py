"""A weight of velocities in which angular momentum costs: W = δ 1 + aᵀ a.

a is the row of the angular momentum about one axis, a v = L. Where tasks leave velocities free they
are such that little momentum is left (Schwienbacher 2013, section 7.5, with the scalar a aᵀ in the
denominator of the inverse).
"""

from __future__ import annotations

from dataclasses import dataclass

from tarsus.arrays import Array
from tarsus.ik.arguments import positive
from tarsus.ik.one_solve import RankOne
from tarsus.model import Model


@dataclass(frozen=True)
class MomentumWeight:
    """Makes angular momentum about `axis` ("x", "y" or "z") cost; `delta` is what velocities do."""

    delta: float = 0.5
    axis: str = "z"

    def __post_init__(self) -> None:
        positive(self.delta, "delta")
        if self.axis not in ("x", "y", "z"):
            raise ValueError(f"axis is {self.axis!r}, must be 'x', 'y' or 'z'")

    def inverse(self, model: Model, q: Array) -> RankOne:
        """Return the inverse of the weight at configurations (…, nq)."""
        row = model.centroidal_momentum_matrix(q)[..., 3 + "xyz".index(self.axis), :]
        return RankOne(row, self.delta)
