"""What is to be enclosed, in pieces: a volume that holds the points of a piece holds all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.geometry.fitting.skins import Grid, Skin
from tarsus.geometry.swept_spheres import nearest

CELLS, MOST = 500, 32
"""About how many cells the box around a link has, and how many at most along its longest side."""
MANY = 24
"""Pieces with more points than this keep the corners of their hull only."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Balls of radii `margins` (n,), most of them zero, about `points` (n, 3), in pieces.

    Those of piece i are `index[first[i]]` and on, up to the next. Neighbours share points. `skins`
    tells the number of the shape of each piece, `grid` what cut them, if anything was cut.
    """

    points: Array
    margins: Array
    index: NDArray[np.int64]
    first: NDArray[np.int64]
    skins: NDArray[np.int64]
    grid: Grid | None

    def __len__(self) -> int:
        return len(self.first)

    def reach(self, core: Array) -> Array:
        """Return for each piece the radius at which a core (k, 3) holds it."""
        radii = nearest(core, self.points)[0] + self.margins
        return np.asarray(np.maximum.reduceat(radii[self.index], self.first))

    def of(self, chosen: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return points and margins of some pieces, each once."""
        wanted = np.zeros(len(self), bool)
        wanted[chosen] = True
        used = np.zeros(len(self.points), bool)
        used[self.index[np.repeat(wanted, self._counts())]] = True
        return self.points[used], self.margins[used]

    def centers(self) -> Array:
        """Return the mean of the points of each piece (pieces, 3)."""
        sums = np.add.reduceat(self.points[self.index], self.first, axis=0)
        return np.asarray(sums / self._counts()[:, None])

    def _counts(self) -> NDArray[np.int64]:
        return np.diff(self.first, append=len(self.index))


def pieces(skins: Sequence[Skin], grid: Grid | None = None) -> Pieces:
    """Return the pieces of all shapes of a link, cut by a grid around them if none is given."""
    cut = [skin.vertices for skin in skins if not len(skin.balls)]
    if cut and grid is None:
        grid = Grid.around(np.concatenate(cut), CELLS, MOST)
    points, margins, groups, numbers = [], [], [], []
    before = 0
    for number, skin in enumerate(skins):
        if len(skin.balls):
            own = skin.balls.reshape(-1, 3)
            found = list(np.arange(len(own)).reshape(skin.balls.shape[:2]))
        else:
            assert grid is not None
            own, found = _cut(skin, grid)
        points.append(own)
        margins.append(np.full(len(own), skin.radius))
        groups += [group + before for group in found]
        numbers += [number] * len(found)
        before += len(own)
    counts = np.array([len(group) for group in groups])
    return Pieces(
        np.concatenate(points),
        np.concatenate(margins),
        np.concatenate(groups),
        np.cumsum(counts) - counts,
        np.array(numbers),
        grid,
    )


def _cut(skin: Skin, grid: Grid) -> tuple[Array, list[NDArray[np.int64]]]:
    """Points (n, 3), and the numbers of those that a solid has in each cell of a grid: of its
    surface, and corners that are inside.
    """
    vertices, triangles = grid.cut(skin.vertices, skin.triangles)
    cell = grid.cells_of(vertices, triangles)
    corners, number, cells = _inner_corners(skin, grid, np.unique(cell))
    every = np.concatenate([vertices, corners])
    keys = np.unique(
        np.concatenate(
            [
                (cell[:, None] * len(every) + triangles).ravel(),
                cells * len(every) + number + len(vertices),
            ]
        )
    )
    owner, point = np.divmod(keys, len(every))
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    groups = [group[_outer(every[group])] for group in np.split(point, starts[1:])]
    used, index = np.unique(np.concatenate(groups), return_inverse=True)
    return every[used], np.split(index, np.cumsum([len(group) for group in groups])[:-1])


def _inner_corners(
    skin: Skin, grid: Grid, surface: NDArray[np.int64]
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Corners of the grid (n, 3), and pairs: the number of one inside, and a cell that has it.

    Cells have surface in them, or are inside as a whole.
    """
    inside = grid.inside(skin.vertices, skin.triangles)
    lattice = np.stack(np.meshgrid(*grid.lines, indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(len(lattice)).reshape(inside.shape)
    ends = (slice(0, -1), slice(1, None))
    eight = np.stack([number[each].ravel() for each in product(ends, repeat=3)], axis=1)
    within = inside.ravel()[eight]
    wanted = np.asarray(within.all(axis=1))
    wanted[surface] = True
    cells, place = np.nonzero(within & wanted[:, None])
    return lattice, eight[cells, place], cells


def _outer(points: Array) -> NDArray[np.int64]:
    """The numbers of points that have the same hull as all, fewer if there are many."""
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    if len(points) > MANY:
        try:
            return np.asarray(ConvexHull(points).vertices, np.int64)
        except QhullError:
            pass  # flat: every one is kept
    return np.arange(len(points))
