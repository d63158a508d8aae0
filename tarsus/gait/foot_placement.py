"""Where a walker with light legs puts its next foot, so that it neither falls aside nor strays.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 5.4.3: (5.40) to (5.42), in a frame that looks along a heading, which the
thesis describes and does not try.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.control.arguments import not_negative
from tarsus.gait.push_off import leg_direction, leg_rates
from tarsus.model.checks import number


@dataclass(frozen=True)
class FootPlacement:
    """The law: lean (pitch, roll) from the next foot, by the state at mid-stance.

    `pitch` and `roll` [rad] are how the hip leans from a foot that is put down in a gait, `gain`
    [s] how much further aside it is put for each unit of how fast the stance leg leans aside.
    `kp` [rad/s/m] and `kd` [rad/m] lead the hip to a line by leaning on purpose, at most so fast
    as `most` [rad/s]; without a `line` the walker goes where it looks. `heading` [rad] is where it
    looks, from +x to the left, and `line` [m] how far left of the origin it shall walk: numbers, or
    functions of time [s].
    """

    pitch: float = -0.3
    roll: float = 0.1
    gain: float = 0.3
    kp: float = 1.0
    kd: float = 1.5
    most: float = 0.3
    heading: float | Callable[[float], float] = 0.0
    line: float | Callable[[float], float] | None = None

    def __post_init__(self) -> None:
        for name in ("pitch", "roll"):
            if not abs(number(getattr(self, name), name)) < math.pi / 2:
                raise ValueError(f"{name} is {getattr(self, name)}, must be within ±π/2")
        if self.pitch >= 0.0:
            raise ValueError(f"pitch is {self.pitch}, must be negative: the hip behind the foot")
        for name in ("gain", "kp", "kd", "most"):
            not_negative(getattr(self, name), name)
        for name in ("heading", "line"):
            given = getattr(self, name)
            if given is not None and not callable(given):
                number(given, name)

    def looks(self, t: float) -> Array:
        """Return the rotation (3, 3) from the frame of the heading at a time to the world."""
        angle = self.heading(t) if callable(self.heading) else self.heading
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def aim(self, t: float, side: int, foot: Array, over: Array, velocity: Array) -> Array:
        """Return the direction (3,) from the next foot to the hip at the strike, in the world.

        `side` is 1 while the right foot stands and −1 for the left one; `foot` (3,) is where it
        stands, `over` (3,) the hip from there at mid-stance, `velocity` (3,) that of the hip.
        """
        turn = self.looks(t)
        own, moving = turn.T @ over, turn.T @ velocity
        leaning = float(leg_rates(0.0, -math.asin(own[1]), moving)[1])
        wanted = 0.0
        if self.line is not None:
            line = self.line(t) if callable(self.line) else self.line
            aside = float((turn.T @ (foot + over))[1])
            wanted = self.kp * (aside - line) + self.kd * float(moving[1])
            wanted = min(max(wanted, -self.most), self.most)
        roll = self.roll * side + self.gain * (wanted - leaning)
        return np.asarray(turn @ leg_direction(self.pitch, roll))
