"""References of a step, and turning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.spatial import skew, vector_from_rotation
from tarsus.walking.plans.swing import Way

# What a cycle of walking is told, and what it asks for.


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


# How feet turn in the air: about a fixed axis, from one rotation to another.


LEAST = 1e-12
"""Smaller angles [rad] have no axis."""


@dataclass(frozen=True, eq=False)
class Turning:
    """Turns of feet (B,): a share s of it is `start` + sin(s angle) `first` + (1 − cos) `second`.

    Rodrigues' formula with the matrices K and K² of the axis, which all cycles of a swing share.
    """

    start: Array
    """(B, 3, 3), as are the others."""
    first: Array
    second: Array
    angle: Array
    """(B, 1, 1) [rad]."""
    axis: Array
    """Angle times axis (B, 3), in world axes: the angular velocity of a turn in one second."""

    @classmethod
    def from_to(cls, start: Array, end: Array) -> Self:
        """Return the shortest turns between rotations (B, 3, 3)."""
        turned = vector_from_rotation(np.swapaxes(start, -1, -2) @ end)
        angle = np.linalg.norm(turned, axis=-1, keepdims=True)
        k = skew(turned / np.maximum(angle, LEAST))
        first = start @ k
        axis = (start @ turned[..., None])[..., 0]
        return cls(start, first, first @ k, angle[..., None], axis)

    def where(self, these: NDArray[np.bool_], other: Turning) -> Turning:
        """Return these turns for the feet `these` (B,), others for the rest."""
        parts = zip(vars(self).values(), vars(other).values(), strict=True)
        return Turning(*(np.where(these.reshape(-1, *[1] * (a.ndim - 1)), a, b) for a, b in parts))

    def at(self, these: NDArray[np.int64], share: Array) -> tuple[Array, Array]:
        """Return rotations (n, 3, 3) and axes (n, 3) of feet at shares (n, 1) of their turns."""
        angle = self.angle[these] * share[..., None]
        found = self.first[these] * np.sin(angle) + self.second[these] * (1.0 - np.cos(angle))
        return self.start[these] + found, self.axis[these]
