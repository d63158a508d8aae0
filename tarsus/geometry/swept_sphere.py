"""Swept spheres: what a ball fills that moves along a point, a line or a triangle.

Their surfaces are smooth and they are convex; how far two of them are apart is how far their
points, lines or triangles are apart, less both radii (Schwienbacher 2013, section 6.3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry.pair_distance import swept_distance
from tarsus.model.checks import number, numbers, reals
from tarsus.model.description import ModelError, Record

KINDS = ("ball", "line", "triangle")
"""What one, two and three points span."""
AXES = ("x", "y", "z")


@dataclass(frozen=True, eq=False, init=False)
class SweptSphere(Record):
    """A ball of `radius` [m] swept over one, two or three `points` (n, 3) [m] of a link's frame.

    One point makes a ball, two make a line with round ends, three a triangle with round edges.
    Points may coincide. `groups` are names by which pairs of links choose among volumes; one
    without groups belongs to all.
    """

    points: Array
    radius: float
    name: str = ""
    groups: tuple[str, ...] = ()

    def __init__(
        self, points: ArrayLike, radius: float, name: str = "", groups: Iterable[str] = ()
    ) -> None:
        if not isinstance(name, str):
            raise ModelError(f"the name of a swept sphere is {name!r}, must be a string")
        what = f"swept sphere {name!r}" if name else "a swept sphere"
        size = number(radius, f"{what}: radius")
        if size < 0.0:
            raise ModelError(f"{what}: radius is {size}, must not be negative")
        object.__setattr__(self, "points", _corners(points, what))
        object.__setattr__(self, "radius", size)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "groups", _names(groups, what))

    @property
    def kind(self) -> str:
        """What is swept over: "ball", "line" or "triangle"."""
        return KINDS[len(self.points) - 1]

    @property
    def volume(self) -> float:
        """The volume [m³], by Steiner's formula for the parallel body of a flat convex set."""
        corners = self.points[[0, len(self.points) // 2, -1]]
        edges = np.roll(corners, -1, axis=0) - corners
        area = float(np.linalg.norm(np.cross(edges[0], edges[1]))) / 2
        around = float(np.linalg.norm(edges, axis=1).sum())
        r = self.radius
        return 2 * area * r + math.pi / 2 * around * r**2 + 4 / 3 * math.pi * r**3

    def mirrored(self, axis: str = "y") -> SweptSphere:
        """Return the mirror image about the plane through the origin across x, y or z."""
        if axis not in AXES:
            raise ValueError(f"axis is {axis!r}, must be one of {', '.join(AXES)}")
        return replace(self, points=self.points * (1.0 - 2.0 * np.eye(3)[AXES.index(axis)]))

    def moved(self, placement: ArrayLike) -> SweptSphere:
        """Return it as seen from a frame in which its own frame has this placement (4, 4)."""
        pose = numbers(placement, (4, 4), "placement")
        return replace(self, points=self.points @ pose[:3, :3].T + pose[:3, 3])

    def distance_to_points(self, points: ArrayLike) -> Array:
        """Return the signed distances (…) [m] of points (…, 3) from the surface, inside negative.

        They are exact outside and at any depth: the set is convex about what is swept over.
        """
        at = reals(points, "points")
        if at.ndim < 1 or at.shape[-1] != 3:
            raise ValueError(f"points has shape {at.shape}, must be (…, 3)")
        if not np.isfinite(at).all():
            raise ValueError("points holds NaN or infinite numbers")
        return swept_distance(at[..., None, :], 0.0, self.points, self.radius).distance


def _corners(points: ArrayLike, what: str) -> Array:
    try:
        shape = np.shape(points)
    except ValueError:  # nested lists of different lengths
        shape = ()
    rows = shape[0] if len(shape) == 2 and shape[0] in (1, 2, 3) else 1
    accepted = "(1, 3), (2, 3) or (3, 3)"
    return numbers(points, (rows, 3), f"{what}: points", accepted=accepted)


def _names(groups: Iterable[str], what: str) -> tuple[str, ...]:
    listed = () if isinstance(groups, str) else tuple(groups)
    if isinstance(groups, str) or not all(isinstance(each, str) and each for each in listed):
        raise ModelError(f"{what}: groups is {groups!r}, must be names in a list or a tuple")
    return listed
