"""Deformations that grow up to a largest one, without any loss.

V. Duindam, "Port-based modeling and control for efficient bipedal walking robots", University of
Twente, 2006, eq. 3.25 and 3.26: what slides loads the deformation a by (1 − |a| / a_max) of its
velocity, and unloads it by all. Forces pass by the same matrix, transposed, so nothing is
dissipated: the friction force grows to k a_max / 4 and then fades to zero. For friction that turns
to heat take `Bristle`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarsus._lib.checks import positive


@dataclass(frozen=True)
class Saturation:
    """Surfaces that deform by `length` [m] while they slide and by `angle` [rad] while they twist.

    Either may be infinite: then there is no slip.
    """

    name: ClassVar[str] = "saturation"

    length: float = 1e-3
    angle: float = math.inf

    def __post_init__(self) -> None:
        positive(self.length, "length", infinite=True)
        positive(self.angle, "angle", infinite=True)

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        return {"slide_limit": 1.0 / self.length, "twist_limit": 1.0 / self.angle}
