"""Dry friction by bristles that bend and slip, with the ground's coefficient.

C. Canudas de Wit, H. Olsson, K. Åström, P. Lischinsky, "A new model for control of systems with
friction", IEEE Transactions on Automatic Control 40, 1995 (the LuGre model), in a form that never
gives energy: N. Barabanov, R. Ortega, "Necessary and sufficient conditions for passivity of the
LuGre friction model", ibid. 45, 2000. The deflection of the bristles is the deformation of the
surfaces:

    ė = v − (k ‖v‖ / g) e,      F = k e + d ė,      g = μ(‖v‖) N + min(μ_v ‖v‖, 10 N),

    μ(‖v‖) = μ (1 + (s − 1) exp(−(‖v‖ / v_s)²))

with friction μ and viscous friction μ_v of the ground, the load N, and stiction s. A damper d is
weakened where d ‖v‖ comes near 4 g. Twisting is the same with the moment `torsion` N of the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarsus._lib.checks import positive


@dataclass(frozen=True)
class Bristle:
    """Coulomb's friction of the ground, `stiction` times as much at rest.

    It falls from the one to the other around `stribeck_speed` [m/s].
    """

    name: ClassVar[str] = "bristle"

    stiction: float = 1.0
    stribeck_speed: float = 0.01

    def __post_init__(self) -> None:
        positive(self.stiction, "stiction")
        if self.stiction < 1.0:
            raise ValueError(f"stiction is {self.stiction}, must be at least 1")
        positive(self.stribeck_speed, "stribeck_speed")

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        return {"stiction": self.stiction, "stribeck": 1.0 / self.stribeck_speed}
