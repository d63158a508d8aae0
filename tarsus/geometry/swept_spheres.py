"""Swept spheres (points, lines and triangles with a radius) and the distance of two of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus._lib.checks import number, numbers, reals
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model.description import Record

# Swept spheres: what a ball fills that moves along a point, a line or a triangle.
#
# Their surfaces are smooth and they are convex; how far two of them are apart is how far their
# points, lines or triangles are apart, less both radii (Schwienbacher 2013, section 6.3).


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


# Distances of single swept spheres, for arrays of pairs.


class SweptDistance(NamedTuple):
    """How far pairs of swept spheres are apart, and where they are nearest.

    `distance` (…) [m] is negative where they overlap. `point_a` and `point_b` (…, 3) lie on the
    surfaces, `normal` (…, 3) points from a to b. `weights_a` (…, m) and `weights_b` (…, n) tell the
    nearest points of what is swept over: `weights_a @ points_a`.
    """

    distance: Array
    point_a: Array
    point_b: Array
    normal: Array
    weights_a: Array
    weights_b: Array


def swept_distance(
    points_a: ArrayLike, radius_a: ArrayLike, points_b: ArrayLike, radius_b: ArrayLike
) -> SweptDistance:
    """Return the distances of swept spheres over points (…, 1 to 3, 3) with radii (…) [m].

    Leading dimensions are broadcast. What the spheres are swept over is compared exactly, and both
    radii are taken off. Where points, lines or triangles meet, the distance is −(radius_a +
    radius_b) and `normal` a direction in which they come apart (Schwienbacher 2013, section 6.4,
    with its cases repaired that over-estimate distances).
    """
    corners = [_points(points_a, "points_a"), _points(points_b, "points_b")]
    radii = [_radii(radius_a, "radius_a"), _radii(radius_b, "radius_b")]
    leads = [each.shape[:-2] for each in corners] + [each.shape for each in radii]
    try:
        lead = np.broadcast_shapes(*leads)
    except ValueError:
        raise ValueError(
            f"points_a, points_b, radius_a and radius_b have leading shapes {leads}, "
            "which do not go together"
        ) from None
    a, b = (
        np.ascontiguousarray(np.broadcast_to(each, (*lead, *each.shape[-2:]))) for each in corners
    )
    r, s = (np.ascontiguousarray(np.broadcast_to(each, lead)).reshape(-1) for each in radii)
    a, b = a.reshape(-1, *a.shape[-2:]), b.reshape(-1, *b.shape[-2:])
    # the core knows pairs with no fewer corners on b
    swap = a.shape[1] > b.shape[1]
    found = _core.swept_distance(b, s, a, r) if swap else _core.swept_distance(a, r, b, s)
    found = found.reshape(*lead, found.shape[-1])
    point_a, point_b, normal = found[..., 1:4], found[..., 4:7], found[..., 7:10]
    on_a, on_b = found[..., 10:12], found[..., 12:14]
    if swap:
        point_a, point_b, normal, on_a, on_b = point_b, point_a, -normal, on_b, on_a
    weights = _weights(on_a, a.shape[1]), _weights(on_b, b.shape[1])
    return SweptDistance(found[..., 0], point_a, point_b, normal, *weights)


def _weights(coordinates: Array, corners: int) -> Array:
    """Weights of the corners for p = p₀ + x (p₁ − p₀) + y (p₂ − p₀)."""
    others = coordinates[..., : corners - 1]
    return np.concatenate([1.0 - others.sum(axis=-1, keepdims=True), others], axis=-1)


def _points(value: ArrayLike, what: str) -> Array:
    points = reals(value, what)
    if points.ndim < 2 or points.shape[-1] != 3 or points.shape[-2] not in (1, 2, 3):
        raise ValueError(f"{what} has shape {points.shape}, must be (…, 1 to 3, 3)")
    if not np.isfinite(points).all():
        raise ValueError(f"{what} holds NaN or infinite numbers")
    return points


def _radii(value: ArrayLike, what: str) -> Array:
    radii = reals(value, what)
    if not ((radii >= 0.0) & np.isfinite(radii)).all():
        raise ValueError(f"{what} must be finite and not negative")
    return radii


# Swept spheres as what touches: on moving bodies, as shapes are.


@dataclass(frozen=True, eq=False)
class VolumeOnBody:
    """A `volume` in the frame of the moving `body` that carries its link."""

    body: str
    volume: SweptSphere

    @property
    def name(self) -> str:
        """The name of the volume, or an empty one."""
        return self.volume.name

    @property
    def kind(self) -> str:
        """What is swept over: "ball", "line" or "triangle"."""
        return self.volume.kind


# Numbers of one swept sphere: all points within a radius of a core, which is a point, a line or a
# triangle, given by its corners (1 … 3, 3).


def volume(core: Array, radius: float) -> float:
    """Return the volume of a swept sphere [m³].

    Steiner's formula for a flat convex core: 2 A r + π/2 P r² + 4/3 π r³ with its area A and its
    perimeter P, which for a line is twice its length.
    """
    area, perimeter, _, _ = _measures(core)
    return 2 * area * radius + pi * radius**2 * (perimeter / 2 + 4 / 3 * radius)


def volume_slopes(core: Array, radius: float) -> tuple[Array, float]:
    """Return how the volume changes with each corner (k, 3), and with the radius."""
    area, perimeter, by_area, by_perimeter = _measures(core)
    by_core = 2 * radius * by_area + pi / 2 * radius**2 * by_perimeter
    return by_core, 2 * area + pi * radius * (perimeter + 4 * radius)


def nearest(core: Array, points: Array) -> tuple[Array, Array]:
    """Return the distances (n,) of points (n, 3) from a core, and the weights (n, k) of its corners
    that make the nearest place of the core.
    """
    count, none = len(points), np.zeros(len(points))
    cores = np.ascontiguousarray(np.broadcast_to(core, (count, *core.shape)))
    found = _core.swept_distance(np.ascontiguousarray(points)[:, None], none, cores, none)
    others = found[:, 12 : 11 + len(core)]
    return found[:, 0], np.column_stack([1.0 - others.sum(axis=1), others])


def _measures(core: Array) -> tuple[float, float, Array, Array]:
    """Area and perimeter of a core, and how they change with its corners (k, 3)."""
    if len(core) == 1:
        return 0.0, 0.0, np.zeros((1, 3)), np.zeros((1, 3))
    after = [1, 0] if len(core) == 2 else [1, 2, 0]
    before = [1, 0] if len(core) == 2 else [2, 0, 1]
    sides = core[after] - core
    lengths = np.sqrt((sides * sides).sum(axis=1))
    units = sides / np.maximum(lengths, 1e-300)[:, None]
    by_perimeter = units[before] - units
    if len(core) == 2:
        return 0.0, float(lengths.sum()), np.zeros((2, 3)), by_perimeter
    normal = _cross(sides[0], sides[1])
    twice = float(np.sqrt(normal @ normal))
    # a corner moves the area by half the opposite side, across it in the plane
    by_area = np.array([_cross(side, normal) for side in sides[after]]) / (-2 * max(twice, 1e-300))
    return twice / 2, float(lengths.sum()), by_area, by_perimeter


def _cross(a: Array, b: Array) -> Array:
    """The product of two vectors (3,); that of NumPy takes ten times as long."""
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
