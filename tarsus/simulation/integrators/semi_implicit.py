"""Semi-implicit Euler: new velocities first, then positions with the new velocities.

    v⁺ = v + dt H̃⁻¹ (τ − bias + …) + H̃⁻¹ Jᵀ p,      q⁺ = q exp(dt v⁺)

Of first order, and the energy of a spring stays bounded for all times below its stability limit
(it is symplectic for constant inertia). The default, and the one for contacts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class SemiImplicit:
    """Positions move with the new velocities."""

    name: ClassVar[str] = "semi_implicit"
    explicit: ClassVar[bool] = False
