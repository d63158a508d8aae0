"""Closest points of two surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, expect, pose
from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array
from tarsus.geometry.surfaces.surface import Surface, tangent_plane

# Where two smooth surfaces are nearest: the conditions, Newton's method and rates.
#
# Surface b has the pose (R, p) in the frame of surface a. Its nearest points fulfil (V. Duindam,
# "Port-based modeling and control for efficient bipedal walking robots", 2006, equation 3.13)
#
#     f_a + Δ g_a = R f_b + p          g_a = −R g_b
#
# five equations for two coordinates on each surface and the distance Δ, which is negative where
# they overlap. Their derivative is the same matrix for Newton's method and for rates (theorem 3.6,
# before velocities are eliminated): with it also a rim, whose normal turns where its point rests,
# is a surface.


EXACT = 1e-10
"""Points that miss the conditions by less than this, in sizes of what is there, are nearest."""


class Pair(NamedTuple):
    """Two surfaces, poses (…, 4, 4) of the second on the first, and a length to measure by [m]."""

    a: Surface
    b: Surface
    pose: Array
    size: float


class Places(NamedTuple):
    """Coordinates (…, 2) on both surfaces and the distance (…) [m] between them."""

    u_a: Array
    u_b: Array
    distance: Array


class Conditions(NamedTuple):
    """What places miss (…, 5), and its derivative (…, 5, 5) by steps on a, on b and by Δ.

    Lengths are in sizes of the pair. Normals (…, 3) of both and the point on b are in a's frame,
    and so are `moves`: how point and normal of a and of b move, four (…, 3, 2).
    """

    missed: Array
    matrix: Array
    normal_a: Array
    point_b: Array
    normal_b: Array
    moves: tuple[Array, Array, Array, Array]

    @property
    def residual(self) -> Array:
        """The largest (…) that is missed: sizes, or radians; normals must not look the same way."""
        same = np.einsum("...i,...i", self.normal_a, self.normal_b) > 0.0
        return np.where(same, np.inf, np.abs(self.missed).max(axis=-1))


def conditions(pair: Pair, at: Places) -> Conditions:
    """Return what places miss of the conditions for nearest points."""
    turn, origin = pair.pose[..., :3, :3], pair.pose[..., :3, 3]
    point_a, normal_a = pair.a.point(at.u_a), pair.a.normal(at.u_a)
    point_b = (turn @ pair.b.point(at.u_b)[..., None])[..., 0] + origin
    normal_b = (turn @ pair.b.normal(at.u_b)[..., None])[..., 0]
    moves_a, turns_a = pair.a.moves(at.u_a)
    moves_b, turns_b = (turn @ each for each in pair.b.moves(at.u_b))
    across = np.swapaxes(tangent_plane(normal_a), -1, -2)
    apart = point_a + at.distance[..., None] * normal_a - point_b
    missed = np.concatenate(
        [apart / pair.size, (across @ (normal_a + normal_b)[..., None])[..., 0]], axis=-1
    )
    offset = moves_a + at.distance[..., None, None] * turns_a
    upper = np.concatenate([offset, -moves_b, normal_a[..., None]], axis=-1) / pair.size
    lower = np.concatenate([across @ turns_a, across @ turns_b], axis=-1)
    lower = np.concatenate([lower, np.zeros((*lower.shape[:-1], 1))], axis=-1)
    matrix = np.concatenate([upper, lower], axis=-2)
    moves = (moves_a, turns_a, moves_b, turns_b)
    return Conditions(missed, matrix, normal_a, point_b, normal_b, moves)


def improved(pair: Pair, at: Places, iterations: int) -> Places:
    """Return places after so many steps of Newton's method, damped a little and none too long.

    K. Levenberg 1944: where places are not unique, it goes to the next one and stays there.
    """
    for _ in range(iterations):
        here = conditions(pair, at)
        across = np.swapaxes(here.matrix, -1, -2)
        square = across @ here.matrix
        damping = 1e-13 * np.trace(square, axis1=-2, axis2=-1)[..., None, None]
        step = -np.linalg.solve(square + damping * np.eye(5), across @ here.missed[..., None])[
            ..., 0
        ]
        # no normal turns by more than half a radian, no distance jumps by more than a size
        _, turns_a, _, turns_b = here.moves
        turn = np.linalg.norm((turns_a @ step[..., :2, None])[..., 0], axis=-1)
        turn = np.maximum(turn, np.linalg.norm((turns_b @ step[..., 2:4, None])[..., 0], axis=-1))
        way = np.linalg.norm(here.matrix[..., :3, :4] @ step[..., :4, None], axis=-2)[..., 0]
        long = np.maximum(np.maximum(turn / 0.5, way), np.abs(step[..., 4]) / pair.size)
        step = step / np.maximum(long, 1.0)[..., None]
        at = Places(
            pair.a.moved(at.u_a, step[..., :2]),
            pair.b.moved(at.u_b, step[..., 2:4]),
            at.distance + step[..., 4],
        )
    return at


def least_curvature(pair: Pair, at: Places) -> Array:
    """Return how fast surfaces part beside their nearest points, the least of all ways (…) [1/m].

    That is the curvature of one and of the other's parallel surface through the same point, in
    sum. It is positive where the points are nearest among their neighbours, zero where neighbours
    are as near, and −inf beyond the centres of curvature of both: there the conditions hold at
    points on far sides.
    """
    here = conditions(pair, at)
    across = np.swapaxes(tangent_plane(here.normal_a), -1, -2)
    moves_a, turns_a, moves_b, turns_b = (across @ each for each in here.moves)
    # rims are tubes of a radius that nobody sees
    thin = 1e-7 * pair.size
    moves_a, moves_b = moves_a + thin * turns_a, moves_b + thin * turns_b
    distance = at.distance[..., None, None]
    found = [
        _parting(distance, *sides)
        for sides in ((moves_a, turns_a, moves_b, turns_b), (moves_b, turns_b, moves_a, turns_a))
    ]
    return np.maximum(*found)


def _parting(distance: Array, moves: Array, turns: Array, moves_b: Array, turns_b: Array) -> Array:
    """The least relative curvature (…) of a parallel surface and another; −inf if there is none."""
    offset = moves + distance * turns
    stretch = np.linalg.eigvals(offset @ np.linalg.pinv(moves)).real
    relative = turns_b @ np.linalg.pinv(moves_b) + turns @ np.linalg.pinv(offset)
    relative = (relative + np.swapaxes(relative, -1, -2)) / 2.0
    return np.where((stretch <= 0.0).any(axis=-1), -np.inf, np.linalg.eigvalsh(relative)[..., 0])


# Nearest points of two smooth surfaces, wherever they are: a global search.
#
# Points are sampled all over both surfaces (Sobol's sequence, scrambled by a seed). Each of them
# starts Newton's method together with the point of the other surface with which it misses least of
# the conditions. What it arrives at is kept if it is nearest among its neighbours.


SAMPLES = 256
"""Points on each surface from which the search starts."""
ITERATIONS = 30
SAME = 1e-6
"""Places nearer to each other than this, in sizes, are one."""
FLAT = 1e-6
"""Surfaces that bend apart by less than this, in one over sizes, are near all along."""


class NoClosestPointsError(TarsusError, ValueError):
    """No pair of points fulfils the conditions for nearest points."""


@dataclass(frozen=True, eq=False)
class ClosestPoints:
    """The nearest points of surfaces a and b, as `closest_points` returns them.

    `distance` is Δ [m], negative where they overlap; `point_a` and `normal` (3,) are in a's frame,
    the normal out of a; `point_b` (3,) is in b's frame; `u_a` and `u_b` (2,) are their coordinates.
    `residual` is what the conditions miss, in sizes and radians. `unique` is False if other points
    are as near, be it beside these or elsewhere; `places` counts pairs of points that are nearest
    among their neighbours, and `margin` [m] is how much farther the next of them is.
    """

    distance: float
    point_a: Array
    point_b: Array
    normal: Array
    u_a: Array
    u_b: Array
    residual: float
    unique: bool
    places: int
    margin: float


def closest_points(
    a: Surface,
    b: Surface,
    pose_of_b: ArrayLike,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
) -> ClosestPoints:
    """Return the nearest points of two surfaces, b at a pose (4, 4) in the frame of a.

    All over both surfaces `samples` points start the search. If both solids are convex, the
    result is their distance, or minus the least way that parts them. If not, and they overlap, it
    is the deepest of the places at which they do. Raises `NoClosestPointsError` if there are
    none: at a border of a chart, for example.
    """
    count(samples, "samples", 8, 4096)
    count(seed, "seed", 0)
    pair, found = searched(a, b, pose_of_b, samples, seed)
    return _chosen(pair, found)


def pair_of(a: Surface, b: Surface, pose_of_b: Any) -> Pair:
    """Return two surfaces with the pose (4, 4) of the second, checked."""
    for name, surface in (("a", a), ("b", b)):
        expect(surface, Surface, name)
    at = pose(pose_of_b, "pose_of_b")
    size = min(a.reach, b.reach)
    if not np.isfinite(size):
        raise ValueError(
            f"a {type(a).__name__} and a {type(b).__name__} have no end both: at least one of two "
            "surfaces must be bounded"
        )
    return Pair(a, b, at, size)


def searched(
    a: Surface, b: Surface, pose_of_b: Any, samples: int, seed: int
) -> tuple[Pair, Places]:
    """Return all places (n, …) that were found, the best first."""
    pair = pair_of(a, b, pose_of_b)
    starts, near = _starts(pair, samples, seed)
    at = improved(pair, starts, ITERATIONS)
    good = np.isfinite(at.distance) & (conditions(pair, at).residual < EXACT)
    at = Places(*(each[good] for each in at))
    convex = a.convex and b.convex
    if not convex:
        bend = least_curvature(pair, at)
        at = Places(*(each[bend > -FLAT / pair.size] for each in at))
    if not len(at.distance):
        raise NoClosestPointsError(
            f"found no nearest points of a {type(a).__name__} and a {type(b).__name__} from "
            f"{samples} starts; are they at a border of a chart, or deep in each other?"
        )
    # convex solids: the normal along which they are farthest apart, or overlap least
    order = np.argsort(-at.distance if convex else at.distance, kind="stable")
    if at.distance[order[0]] > near:  # places elsewhere, while the surfaces cross
        raise NoClosestPointsError(
            f"the {type(a).__name__} and the {type(b).__name__} overlap so deeply that no points "
            "are nearest among their neighbours"
        )
    return pair, Places(*(each[order] for each in at))


def _chosen(pair: Pair, at: Places) -> ClosestPoints:
    points = np.concatenate([pair.a.point(at.u_a), pair.b.point(at.u_b)], axis=-1)
    first = Places(*(each[0] for each in at))
    if pair.a.convex and pair.b.convex:  # all others are on far sides
        level = np.abs(at.distance - first.distance) < SAME * pair.size
        points, distances = points[level], at.distance[level]
    else:
        distances = at.distance
    others = _distinct(points, SAME * pair.size)
    margin = float(distances[others[1]] - first.distance) if len(others) > 1 else np.inf
    bend = float(least_curvature(pair, first))
    here = conditions(pair, first)
    return ClosestPoints(
        float(first.distance),
        pair.a.point(first.u_a),
        pair.b.point(first.u_b),
        here.normal_a,
        first.u_a,
        first.u_b,
        float(here.residual),
        bend > FLAT / pair.size and margin > SAME * pair.size,
        len(others),
        margin,
    )


def _distinct(points: Array, size: float) -> list[int]:
    """The numbers of points (n, k) that are not near one before them."""
    kept: list[int] = []
    for number, point in enumerate(points):
        if not kept or np.abs(points[kept] - point).max(axis=-1).min() > size:
            kept.append(number)
    return kept


def _starts(pair: Pair, samples: int, seed: int) -> tuple[Places, float]:
    """Each sample of a surface with that of the other with which it misses least.

    Second the least distance of two samples: that of the surfaces is not larger.
    """
    turn, origin = pair.pose[:3, :3], pair.pose[:3, 3]
    u_a = _sampled(pair.a, pair.b, origin, pair.size, samples, seed)
    u_b = _sampled(pair.b, pair.a, -turn.T @ origin, pair.size, samples, seed + 1)
    point_a, normal_a = pair.a.point(u_a)[:, None], pair.a.normal(u_a)[:, None]
    point_b, normal_b = pair.b.point(u_b) @ turn.T + origin, pair.b.normal(u_b) @ turn.T
    apart = point_b - point_a
    along = np.einsum("ijk,ijk->ij", apart, np.broadcast_to(normal_a, apart.shape))
    beside = np.linalg.norm(apart - along[..., None] * normal_a, axis=-1)
    missed = beside / (pair.size + np.abs(along)) + np.linalg.norm(normal_a + normal_b, axis=-1)
    every = np.arange(samples)
    i = np.concatenate([every, missed.argmin(axis=0)])
    j = np.concatenate([missed.argmin(axis=1), every])
    least = float(np.linalg.norm(apart, axis=-1).min())
    return Places(u_a[i], u_b[j], along[i, j]), least


def _sampled(
    surface: Surface, other: Surface, center: Array, size: float, samples: int, seed: int
) -> Array:
    """Coordinates (samples, 2) all over the part of a surface where it may be nearest."""
    from scipy.stats import qmc  # slow to import, and only needed here

    # some point of it is so far from the other's centre; the nearest is not farther than this from
    # any of the other's points
    low, high = surface.window(center, size)
    near = surface.point((low + high) / 2.0)
    far = float(np.linalg.norm(near - center)) + 2.0 * min(other.reach, 1e6 * size)
    low, high = surface.window(center, far)
    engine = qmc.Sobol(2, scramble=True, seed=seed)
    shares = engine.random_base2(int(np.ceil(np.log2(samples))))[:samples]
    return np.asarray(low + shares * (high - low))
