"""Few volumes that cover the pieces of a link tightly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.geometry.fitting.enclose import Fit, enclose, principal_axes
from tarsus.geometry.fitting.pieces import Pieces
from tarsus.geometry.fitting.skins import Skin, Triangles, crossings
from tarsus.geometry.swept_spheres import nearest, swept_distance

# Few volumes that together hold all pieces and take little space.
#
# Greedy from one volume on: whichever part gains most is cut, in two by planes across and
# diagonally to the axes along which it spreads, or shape from shapes; in three where no cut in two
# is worth it. Then pieces go over to the volume that holds them best, and volumes are made small
# again. In the end two become one where that costs little. What counts is the space that all take
# together, by the share of evenly spread points that are in one of them: overlaps, which neighbours
# need, count once.


Numbers = NDArray[np.int64]
SAMPLES, MARGIN = 4000, 0.1
"""Points by which volumes are compared; how far they reach beyond the first, in its sizes."""
IN_TWO, IN_THREE = (0.2, 0.35, 0.5, 0.65, 0.8), (0.25, 0.35)
"""Where parts are cut, as shares of their length."""
TRIED = 2
"""Of the cuts that look best by rule of thumb, how many are looked at closely."""
WORTH = 0.02
"""One more volume must take away at least this share of the space that one alone would take."""
EXCHANGES = 3
"""How often pieces go over between volumes after a cut."""


@dataclass(frozen=True, eq=False)
class Part:
    """A volume and the numbers of the pieces that it is there for.

    `holds` tells which samples are inside, `beyond` how much of it is where no samples are [m³].
    """

    pieces: Numbers
    fit: Fit
    holds: NDArray[np.bool_]
    beyond: float


def cover(pieces: Pieces, solid: float, parts: int, tightness: float) -> list[Fit]:
    """Return at most `parts` volumes, fewer if they take at most `tightness` times `solid` [m³]."""
    return [part.fit for part in _Search(pieces, solid).run(parts, tightness)]


def spread_points(low: Array, high: Array, count: int) -> Array:
    """Return points (count, 3), the same each time, spread evenly over a box.

    Multiples of 1/g, 1/g², 1/g³ with g⁴ = g + 1, less their whole parts (Roberts 2018).
    """
    ratio = 1.2207440846057596
    steps = np.arange(1, count + 1)[:, None] * ratio ** -np.arange(1.0, 4.0)
    return np.asarray(low + (0.5 + steps) % 1.0 * (high - low))


class _Search:
    """Parts of one link, compared by the same samples all the time."""

    def __init__(self, pieces: Pieces, solid: float) -> None:
        self.pieces, self.solid = pieces, solid
        self.centers = pieces.centers()
        self._cuts: dict[tuple[bytes, int], list[Part]] = {}
        every = np.arange(len(pieces))
        first = enclose(*pieces.of(every))
        low, high = _box(first)
        margin = MARGIN * (high - low)
        self.low, self.high = low - margin, high + margin
        self.samples = spread_points(self.low, self.high, SAMPLES)
        self.space = float((self.high - self.low).prod()) / SAMPLES
        self.first = self._seen(every, first)
        self.worth = WORTH * first.volume

    def run(self, most: int, tightness: float) -> list[Part]:
        """Cut, exchange and merge until nothing is worth it, or the goal is reached."""
        parts = [self.first]
        while len(parts) < most and self.taken(parts) > tightness * self.solid:
            found = self._improved(parts, 2) or (
                self._improved(parts, 3) if len(parts) + 2 <= most else None
            )
            if found is None:
                break
            parts = found
        return self._merged(parts)

    def taken(self, parts: Sequence[Part]) -> float:
        """The space that parts take together."""
        inside = float(np.logical_or.reduce([part.holds for part in parts]).sum())
        return inside * self.space + sum(part.beyond for part in parts)

    def _improved(self, parts: list[Part], count: int) -> list[Part] | None:
        """Parts with one cut into some, the one that saves most; None if none is worth it."""
        options = []
        for number, part in enumerate(parts):
            if cut := self._cut(part, count):
                whole = [*parts[:number], *cut, *parts[number + 1 :]]
                options.append((self.taken(whole), number, whole))
        goal = self.taken(parts) - (count - 1) * self.worth
        for _, _, whole in sorted(options, key=lambda option: option[:2]):
            if self.taken(found := self._exchanged(whole)) <= goal:
                return found
        return None

    def _part(self, chosen: Numbers, effort: int, near: Array | None = None) -> Part:
        return self._seen(chosen, enclose(*self.pieces.of(chosen), effort=effort, near=near))

    def _seen(self, chosen: Numbers, fit: Fit) -> Part:
        holds = nearest(fit.core, self.samples)[0] <= fit.radius
        low, high = _box(fit)
        within = (low >= self.low).all() and (high <= self.high).all()
        beyond = 0.0 if within else max(fit.volume - float(holds.sum()) * self.space, 0.0)
        return Part(chosen, fit, holds, beyond)

    def _cut(self, part: Part, count: int) -> list[Part]:
        """The parts that take least space in place of one, none if it cannot be cut."""
        key = part.pieces.tobytes(), count
        if key not in self._cuts:
            rough: list[tuple[float, int, list[Part]]] = []
            for groups in self._groups(part.pieces, count):
                if all(len(group) for group in groups):
                    parts = [self._part(group, effort=0) for group in groups]
                    rough.append((self.taken(parts), len(rough), parts))
            close = []
            for _, number, parts in sorted(rough, key=lambda option: option[:2])[:TRIED]:
                exact = [self._part(each.pieces, effort=1) for each in parts]
                close.append((self.taken(exact), number, exact))
            best = min(close, key=lambda option: option[:2], default=(0.0, 0, []))
            self._cuts[key] = best[2]
        return self._cuts[key]

    def _groups(self, chosen: Numbers, count: int) -> Iterator[list[Numbers]]:
        """Ways to make two or three groups of pieces."""
        centers = self.centers[chosen]
        along = centers @ principal_axes(centers)
        share = (along - along.min(axis=0)) / np.maximum(np.ptp(along, axis=0), 1e-12)
        if count == 3:
            for row in share.T:
                for at in IN_THREE:
                    middle = (row > at) & (row <= 1.0 - at)
                    yield [chosen[row <= at], chosen[middle], chosen[row > 1.0 - at]]
            return
        for side in self._sides(share, self.pieces.skins[chosen]):
            yield [chosen[side], chosen[~side]]

    @staticmethod
    def _sides(share: Array, skins: Numbers) -> Iterator[NDArray[np.bool_]]:
        """Which pieces are on one side of a cut: one shape, beyond a plane, over a diagonal."""
        if len(own := np.unique(skins)) > 1:
            yield from (skins == number for number in own)
        for row in share.T:
            yield from (row > at for at in IN_TWO)
        for i, j in combinations(range(3), 2):
            yield share[:, i] + share[:, j] > 1.0
            yield share[:, i] > share[:, j]

    def _exchanged(self, parts: list[Part]) -> list[Part]:
        """Parts after pieces went over to volumes that hold them better, as long as that helps."""
        least = self.taken(parts)
        for _ in range(EXCHANGES):
            # how much of its radius a volume has left around a piece
            room = [1.0 - self.pieces.reach(p.fit.core) / p.fit.radius for p in parts]
            owner = np.argmax(room, axis=0)
            moved = []
            for number, part in enumerate(parts):
                group = np.flatnonzero(owner == number)
                if np.array_equal(group, part.pieces):
                    moved.append(part)
                elif len(group):
                    moved.append(self._part(group, effort=0, near=part.fit.core))
            if self.taken(moved) >= least:
                break
            parts, least = moved, self.taken(moved)
        return parts

    def _merged(self, parts: list[Part]) -> list[Part]:
        """Parts with two made one, as long as that costs less than a volume is worth."""
        while len(parts) > 1:
            options: list[tuple[float, int, Numbers, list[Part]]] = []
            for pair in combinations(range(len(parts)), 2):
                both = np.sort(np.concatenate([parts[k].pieces for k in pair]))
                others = [part for k, part in enumerate(parts) if k not in pair]
                rough = self.taken([*others, self._part(both, effort=0)])
                options.append((rough, len(options), both, others))
            _, _, both, others = min(options, key=lambda option: option[:2])
            fewer = [*others, self._part(both, effort=1)]
            if self.taken(fewer) - self.taken(parts) >= self.worth:
                break
            parts = fewer
        return parts


def _box(fit: Fit) -> tuple[Array, Array]:
    """Two corners of the box around a volume."""
    return fit.core.min(axis=0) - fit.radius, fit.core.max(axis=0) + fit.radius


# How tight volumes are: the space that they take beside that of the solid, and how far they stick
# out.


LINES = 96
"""Lines along each side of a box by which the volume of a solid is measured."""
SAMPLES_TIGHTNESS, SHELL = 65_536, 3_000
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
    points = spread_points(low, high, SAMPLES_TIGHTNESS)
    taken = np.zeros(SAMPLES_TIGHTNESS, bool)
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
