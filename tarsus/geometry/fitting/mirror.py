"""Links that are mirror images of others, or the same: left and right limbs get the same volumes.

What two links look like decides, not what they are called: boxes around them and volumes must
agree, and then the image of the one's volumes must hold the other, with radii that hardly grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.fitting.enclose import SLACK, Fit
from tarsus.geometry.fitting.pieces import Pieces
from tarsus.geometry.fitting.skins import Skin
from tarsus.geometry.fitting.swept import volume
from tarsus.geometry.fitting.tightness import hull_volume

ALIKE = 5e-3
"""By how much of their size links may differ and radii may grow; volumes by twice as much."""
SIGNS = sorted(product((1.0, -1.0), repeat=3), key=lambda signs: -sum(signs))
"""The same place first, then images about one plane, about two, about three."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """What of a link is compared: the corners (2, 3) of the box around it, its hull's volume."""

    box: Array
    volume: float

    @classmethod
    def of(cls, skins: Sequence[Skin]) -> Outlook:
        """Return what the surfaces of a link look like together."""
        vertices = np.concatenate([skin.vertices for skin in skins])
        return cls(np.array([vertices.min(axis=0), vertices.max(axis=0)]), hull_volume(vertices))

    def images(self, other: Outlook) -> list[Array]:
        """Return the signs (3,) of axes with which this link may look like another."""
        size = float(np.ptp(self.box, axis=0).max())
        if abs(self.volume - other.volume) > 2 * ALIKE * max(self.volume, other.volume):
            return []
        return [
            np.array(signs)
            for signs in SIGNS
            if np.abs(np.sort(self.box * signs, axis=0) - other.box).max() <= ALIKE * size
        ]


def image(fits: Sequence[Fit], signs: Array, pieces: Pieces) -> list[Fit] | None:
    """Return the image of volumes, grown a little so that they hold all; None if that is much.

    `pieces` are those of the link whose volumes they become, seen in the image.
    """
    size = float(np.ptp(pieces.points, axis=0).max())
    outside = np.array([pieces.reach(fit.core) - fit.radius for fit in fits])
    owner, least = outside.argmin(axis=0), outside.min(axis=0)
    if float(least.max()) > ALIKE * size:
        return None
    found = []
    for number, fit in enumerate(fits):
        grown = max(float(least[owner == number].max(initial=0.0)), 0.0)
        radius = fit.radius + grown + (SLACK * size if grown else 0.0)
        found.append(Fit(fit.core * signs, radius, volume(fit.core, radius)))
    return found


def described(signs: Array) -> str:
    """Return how an image came about, in words."""
    if (signs > 0.0).all():
        return "same as"
    axes = " and ".join(axis for axis, sign in zip("xyz", signs, strict=True) if sign < 0.0)
    return f"image across {axes} of"
