"""A motor whose current is controlled, behind a gear: what it pulls, and what it costs.

    τ = N η k i,      P = R i² + N k q̇ i      (nothing is fed back)

`ts.forces.Motor` is one whose voltage is given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import number
from tarsus._lib.files import Array


@dataclass(frozen=True)
class CurrentMotor:
    """A motor with a gear of `ratio` N, whose current is at most `limit` [A].

    `constant` k is torque for current [N m/A] and voltage for speed [V s/rad], `resistance` R [Ω]
    of the winding, and `efficiency` the share of torque that the gear passes on.
    """

    constant: float
    resistance: float
    ratio: float = 1.0
    efficiency: float = 1.0
    limit: float = np.inf

    def __post_init__(self) -> None:
        for name in ("constant", "resistance", "ratio"):
            if number(getattr(self, name), name) <= 0.0:
                raise ValueError(f"{name} is {getattr(self, name)}, must be positive")
        if not 0.0 < self.efficiency <= 1.0:
            raise ValueError(f"efficiency is {self.efficiency}, must be above 0 and at most 1")
        if not self.limit > 0.0:
            raise ValueError(f"limit is {self.limit}, must be positive")

    def torque(self, current: ArrayLike) -> Array:
        """Return the torque at the joint (…) [N m] for currents (…) [A]."""
        return np.asarray(self.ratio * self.efficiency * self.constant * np.asarray(current))

    def current(self, torque: ArrayLike) -> Array:
        """Return the current (…) [A] that gives torques (…) at the joint [N m]."""
        return np.asarray(np.asarray(torque, float) / self.torque(1.0))

    def power(self, current: ArrayLike, rate: ArrayLike) -> Array:
        """Return the electrical power (…) [W], at rates (…) of the joint [rad/s]."""
        i = np.asarray(current, float)
        voltage = self.resistance * i + self.ratio * self.constant * np.asarray(rate, float)
        return np.asarray(np.maximum(voltage * i, 0.0))


RE40_GP42C = CurrentMotor(constant=0.0302, resistance=0.299, ratio=43.0, efficiency=0.72, limit=8.0)
"""Maxon RE 40, 150 W, 24 V (148867: 30.2 mN m/A, 0.299 Ω), and the planetary gear GP 42 C with
three stages of 43:1 in all, 72 %: data sheets of Maxon. Those of Dribbel, whose ratio and winding
the thesis does not tell; its amplifier gives 8 A."""
