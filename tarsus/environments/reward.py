"""What walking well is worth: a sum of terms, each with a weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array


@dataclass(frozen=True)
class Outcome:
    """What a control period brought, for all robots of a batch."""

    velocity: Array
    """Of the base (B, 3) in axes that turn with its heading: ahead, to the left, up [m/s]."""
    yaw_rate: Array
    """(B,) [rad/s]."""
    power: Array
    """Sum of `|torque × velocity|` of all joints, as a share of weight × 1 m/s (B,)."""
    action: Array
    """(B, n), in −1 … 1."""
    last_action: Array
    """That of the period before (B, n)."""
    fallen: NDArray[np.bool_]
    """(B,)."""


@dataclass(frozen=True)
class WalkReward:
    """Walk ahead at `speed` [m/s], straight, with little power and without jerks.

    Any function from an `Outcome` to rewards (B,) can take its place.
    """

    speed: float = 0.5
    ahead: float = 1.0
    """For walking at the speed; it falls to zero at twice the speed, and backwards."""
    alive: float = 0.25
    sideways: float = 0.5
    """Against velocity to the side [1/(m/s)²] and turning [1/(rad/s)²]."""
    power: float = 0.05
    smooth: float = 0.05
    """Against changes of the action."""

    def __call__(self, outcome: Outcome) -> Array:
        """Return the rewards (B,) of a control period."""
        ahead = 1.0 - np.abs(outcome.velocity[:, 0] - self.speed) / self.speed
        aside = outcome.velocity[:, 1] ** 2 + outcome.yaw_rate**2
        change = outcome.action - outcome.last_action
        change = np.add.reduce(change * change, axis=1) / change.shape[1]
        total = (
            self.ahead * np.maximum(ahead, 0.0)
            + self.alive
            - self.sideways * np.minimum(aside, 1.0)
            - self.power * outcome.power
            - self.smooth * change
        )
        return np.where(outcome.fallen, 0.0, total)
