"""What a cycle of walking is told, and what it asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.plans.swing import Way


@dataclass(frozen=True, eq=False)
class Measured:
    """What a cycle is told of walkers (B,): centre of mass and velocity (B, 3), feet, and touch.

    `soles` (B, 2, 4, 4) are the frames of the soles, left and right; `touching` (B, 2) tells which
    of them feel the ground.
    """

    com: Array
    velocity: Array
    soles: Array
    touching: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Aims:
    """What walkers (B,) shall do in a cycle; feet are left and right."""

    pressure: Array
    """The zero moment point (B, 2) [m]."""
    height: Way
    """Of the centre of mass, (B, 1) each."""
    feet: Way
    """Of the soles, (B, 2, 3) each."""
    rotation: Array
    """Of the soles (B, 2, 3, 3)."""
    spin: Array
    """Angular velocities (B, 2, 3) of the soles in world axes, and their rates."""
    spin_rate: Array
    loads: Array
    """Which share of its largest force each foot may carry (B, 2)."""
    swinging: NDArray[np.bool_]
    """(B, 2)."""
    heading: Way
    """The yaw of the trunk (B, 1)."""
    divergent: Array
    """Where the divergent component shall be (B, 3)."""

    def shifted(self, by: Array) -> Aims:
        """Return the aims with zero moment point and height moved by (B, 3): ahead, left, up [m].

        Ahead is where the trunk shall look to.
        """
        yaw = self.heading.position[:, 0]
        c, s = np.cos(yaw), np.sin(yaw)
        x, y = by[:, 0], by[:, 1]
        pressure = self.pressure + np.stack([c * x - s * y, s * x + c * y], axis=-1)
        place, rate, faster = self.height
        return replace(self, pressure=pressure, height=Way(place + by[:, 2:], rate, faster))
