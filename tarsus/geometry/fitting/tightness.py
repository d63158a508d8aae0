"""How tight volumes are: the space that they take beside that of the solid, and how far they stick
out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry.fitting.cells import Triangles, crossings
from tarsus.geometry.fitting.cover import spread_points
from tarsus.geometry.fitting.enclose import Fit
from tarsus.geometry.fitting.skins import Skin
from tarsus.geometry.fitting.swept import nearest
from tarsus.geometry.pair_distance import swept_distance

LINES = 96
"""Lines along each side of a box by which the volume of a solid is measured."""
SAMPLES, SHELL = 65_536, 3_000
"""Points by which space is measured, and points on the surface of each volume."""
NEAR = 8
"""Triangles that are looked at around each such point."""


def solid_volume(skins: Sequence[Skin]) -> float:
    """Return the volume of all shapes of a link together [m³], NaN if one is open.

    Along evenly spaced lines, of all three directions in turn, it is known exactly how much is
    inside: where the winding number of all surfaces is not zero. Overlaps count once.
    """
    if not all(skin.closed for skin in skins):
        return np.nan
    vertices, triangles = joined(skins)
    return float(np.mean([_along(vertices, triangles, axis) for axis in range(3)]))


def hull_volume(points: Array) -> float:
    """Return the volume of the convex hull of points (n, 3), zero if they are flat."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    try:
        return float(ConvexHull(points).volume)
    except QhullError:
        return 0.0


def joined(skins: Sequence[Skin]) -> tuple[Array, Triangles]:
    """Return vertices and triangles of several surfaces as one."""
    before = np.cumsum([0, *(len(skin.vertices) for skin in skins)])
    triangles = [skin.triangles + start for skin, start in zip(skins, before, strict=False)]
    return np.concatenate([skin.vertices for skin in skins]), np.concatenate(triangles)


def union_volume(fits: Sequence[Fit]) -> float:
    """Return the space that volumes take together [m³], by points that are in one of them."""
    low = np.min([fit.core.min(axis=0) - fit.radius for fit in fits], axis=0)
    high = np.max([fit.core.max(axis=0) + fit.radius for fit in fits], axis=0)
    points = spread_points(low, high, SAMPLES)
    taken = np.zeros(SAMPLES, bool)
    for fit in fits:
        free = np.flatnonzero(~taken)
        taken[free] = nearest(fit.core, points[free])[0] <= fit.radius
    return float(taken.mean() * (high - low).prod())


def largest_gap(fits: Sequence[Fit], skins: Sequence[Skin]) -> float:
    """Return how far volumes stick out [m]: the largest distance from their surface to the shapes.

    It is taken over points of the surfaces that are in no other volume.
    """
    from scipy.spatial import KDTree  # slow to import

    vertices, triangles = joined(skins)
    size = float(np.ptp(vertices, axis=0).max())
    corners = _divided(vertices[triangles], size / 24)
    tree = KDTree(corners.mean(axis=1))
    farthest = 0.0
    for number, fit in enumerate(fits):
        points = _shell(fit)
        for other in (*fits[:number], *fits[number + 1 :]):
            points = points[nearest(other.core, points)[0] >= other.radius]
        if len(points):
            around = tree.query(points, min(NEAR, len(corners)))[1].reshape(len(points), -1)
            near = swept_distance(points[:, None, None], 0.0, corners[around], 0.0).distance
            farthest = max(farthest, float(near.min(axis=1).max()))
    return farthest


def _along(vertices: Array, triangles: Triangles, axis: int) -> float:
    """The volume inside, by the lengths of lines along an axis."""
    order = [(axis + 1) % 3, (axis + 2) % 3, axis]
    low, high = vertices[:, order].min(axis=0), vertices[:, order].max(axis=0)
    # not quite in the middle of cells: edges of meshes often are
    x, y = (
        low[i] + (np.arange(LINES) + at) / LINES * (high[i] - low[i])
        for i, at in enumerate((0.5137, 0.4731))
    )
    line, height, sign = crossings(vertices[:, order], triangles, x, y)
    sequence = np.lexsort((height, line))
    line, height, sign = line[sequence], height[sequence], sign[sequence]
    so_far = np.cumsum(sign)
    starts = np.flatnonzero(np.diff(line, prepend=-1))
    of_line = np.repeat(starts, np.diff(starts, append=len(line)))
    winding = so_far - (so_far - sign)[of_line]
    inside = (winding[:-1] != 0) & (line[1:] == line[:-1])
    length = float((np.diff(height) * inside).sum())
    return length * float((high[:2] - low[:2]).prod()) / LINES**2


def _shell(fit: Fit) -> Array:
    """Points on the surface of a volume: those of a box around it, moved there."""
    low, high = fit.core.min(axis=0) - fit.radius, fit.core.max(axis=0) + fit.radius
    points = spread_points(low, high, SHELL)
    distance, weights = nearest(fit.core, points)
    foot = weights @ fit.core
    away = distance > 1e-6 * fit.radius
    units = (points - foot)[away] / distance[away, None]
    return np.asarray(foot[away] + fit.radius * units)


def _divided(corners: Array, length: float) -> Array:
    """Triangles (n, 3, 3) cut in two at their longest sides until none is longer than a length."""
    done = []
    while len(corners):
        sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        long = sides.max(axis=1) > length
        done.append(corners[~long])
        first = sides[long].argmax(axis=1)
        rows = np.arange(len(first))
        a, b, c = (corners[long][rows, (first + k) % 3] for k in range(3))
        middle = (a + b) / 2
        halves = [np.stack(half, axis=1) for half in ((a, middle, c), (middle, b, c))]
        corners = np.concatenate(halves)
    return np.concatenate(done)
