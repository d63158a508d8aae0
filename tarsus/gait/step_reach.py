"""How far, how high and how sharp the steps of legs are at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array

FURTHEST = 0.65
"""A step is at most this share of a leg's reach long."""
HIGHEST = 0.4
"""… and leads up or down by at most this share."""
SHARPEST = 0.8
"""A step turns by so much at most [rad]."""


@dataclass(frozen=True)
class StepReach:
    """What legs of a reach [m] can step."""

    leg: float

    @property
    def furthest(self) -> float:
        """The length of the longest step [m]."""
        return FURTHEST * self.leg

    def check_rates(self, speed: Array, turn: Array, step_time: float) -> None:
        """Raise if a step at speeds [m/s] and turns [rad/s] is longer or sharper than legs make."""
        limits = (("speed", speed, self.furthest, "m"), ("turn", turn, SHARPEST, "rad"))
        for name, rates, most, unit in limits:
            own = float(np.abs(rates).max()) * step_time
            if own > most:
                raise ValueError(
                    f"{name} is {rates} {unit}/s: steps of {own:.2f} {unit} in {step_time:.2f} s "
                    f"are longer than {most:.2f} {unit}, which legs of {self.leg:.2f} m reach"
                )

    def check_rise(self, heights: Array) -> None:
        """Raise if legs do not reach from a footstep to the next, by their heights (…, n) [m]."""
        rise = np.abs(np.diff(heights, axis=-1))
        most = HIGHEST * self.leg
        if rise.max() > most:
            raise ValueError(
                f"ground rises or sinks by {rise.max():.2f} m from a footstep to the next; legs of "
                f"{self.leg:.2f} m reach {most:.2f} m"
            )
