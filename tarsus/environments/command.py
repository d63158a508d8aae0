"""What a robot is asked to do in an episode: a velocity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus._lib.checks import numbers
from tarsus._lib.files import Array

Range = tuple[float, float]


@dataclass(frozen=True)
class Command:
    """Ranges from which velocities are drawn: `ahead`, to the left [m/s], and `turn` [rad/s]."""

    ahead: Range = (0.0, 0.0)
    aside: Range = (0.0, 0.0)
    turn: Range = (0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("ahead", "aside", "turn"):
            low, high = numbers(getattr(self, name), (2,), name).tolist()
            if low > high:
                raise ValueError(
                    f"{name} is {(low, high)}, must be a range: the lower number first"
                )

    def draw(self, rng: np.random.Generator) -> Array:
        """Return a command (3,)."""
        low, high = zip(self.ahead, self.aside, self.turn, strict=True)
        return rng.uniform(low, high)
