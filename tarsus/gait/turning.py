"""How feet turn in the air: about a fixed axis, from one rotation to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.spatial import skew, vector_from_rotation

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
