"""Triangles to pixels with a depth buffer, in NumPy: all rows of all triangles at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array

Pixels = NDArray[np.float32]
SAMPLES = 2
"""Points along each side of a pixel; their average smooths the edges."""


def rasterize(
    corners: Array,
    depth: Array,
    colors: Array,
    width: int,
    height: int,
    behind: Pixels | None = None,
) -> Pixels:
    """Return a picture (height, width, 4) of triangles, the nearest in front; 0 … 1.

    `corners` (n, 3, 2) are in pixels from the lower left, `depth` (n, 3) grows away from the eye
    (it is its inverse that is linear in the picture), `colors` (n, 3). The last channel is the
    share of a pixel that is covered. What hides triangles has the inverse depths `behind`
    (SAMPLES height, SAMPLES width), rows from the bottom.
    """
    picture = np.zeros((height, width, 4), np.float32)
    where, layer = drawn(corners, depth, colors, width, height, behind)
    picture[where] = layer
    return picture


def drawn(
    corners: Array,
    depth: Array,
    colors: Array,
    width: int,
    height: int,
    behind: Pixels | None = None,
) -> tuple[tuple[slice, slice], Pixels]:
    """Return the rows and columns that triangles cover, and this part of `rasterize`'s picture."""
    flat, size = corners.reshape(-1, 2), np.array([width, height])
    if not len(flat):
        return (slice(0, 0), slice(0, 0)), np.zeros((0, 0, 4), np.float32)
    left, bottom = low = np.clip(np.floor(flat.min(axis=0)), 0, size).astype(int)
    right, top = np.clip(np.ceil(flat.max(axis=0)), low, size).astype(int)
    if behind is not None:
        rows, columns = (slice(SAMPLES * i, SAMPLES * j) for i, j in ((bottom, top), (left, right)))
        behind = behind[rows, columns]
    front, _ = visible(corners - low, 1.0 / depth, right - left, top - bottom, behind)
    return (slice(height - top, height - bottom), slice(left, right)), averaged(front, colors)


def laid_over(behind: Pixels, before: Pixels, opacity: float) -> Pixels:
    """Return a picture through a translucent one: each (height, width, 4), covered in the last."""
    weights = (1.0 - opacity) * behind[..., 3:], opacity * before[..., 3:]
    covered = weights[0] + weights[1]
    colors = weights[0] * behind[..., :3] + weights[1] * before[..., :3]
    return np.concatenate([colors / np.maximum(covered, 1e-9), covered], axis=-1)


def visible(
    corners: Array, nearness: Array, width: int, height: int, behind: Pixels | None = None
) -> tuple[NDArray[np.int32], Pixels]:
    """Return which triangle is nearest at each sample, n for none, and how near anything is.

    Both are (SAMPLES height, SAMPLES width), rows from the bottom; nearness (n, 3) is the inverse
    of the depth, and `behind` is that of what is there before.
    """
    wide, high = SAMPLES * width, SAMPLES * height
    triangle, pixel, near = _fragments(SAMPLES * corners, nearness, wide, high)
    near = near.astype(np.float32)
    nearest = np.zeros(wide * high, np.float32)
    if behind is not None:
        nearest[:] = behind.ravel()
    np.maximum.at(nearest, pixel, near)
    seen = near == nearest[pixel]
    front = np.full(wide * high, len(corners), np.int32)
    front[pixel[seen]] = triangle[seen]
    return front.reshape(high, wide), nearest.reshape(high, wide)


def averaged(front: NDArray[np.int32], colors: Array) -> Pixels:
    """Return the picture (height, width, 4) of the triangles with colors (n, 3) at samples."""
    high, wide = front.shape
    palette = np.zeros((len(colors) + 1, 4), np.float32)
    palette[:-1, :3], palette[:-1, 3] = colors, 1.0
    picture = np.zeros((high // SAMPLES, wide // SAMPLES, 4), np.float32)
    for place in np.ndindex(SAMPLES, SAMPLES):
        picture += palette.take(front[place[0] :: SAMPLES, place[1] :: SAMPLES], axis=0)
    picture = picture[::-1]
    picture[..., :3] /= np.maximum(picture[..., 3:], 1.0)
    picture[..., 3] /= SAMPLES**2
    return np.asarray(picture)


def covered(corners: Array, width: int, height: int) -> Pixels:
    """Return 1 for pixels (height, width) whose centre a triangle covers, rows from the bottom."""
    found = np.zeros(width * height, np.float32)
    found[_fragments(corners, np.ones(corners.shape[:2]), width, height)[1]] = 1.0
    return found.reshape(height, width)


def _fragments(
    corners: Array, nearness: Array, wide: int, high: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], Array]:
    """Return triangle, pixel and nearness of every pixel whose centre a triangle covers."""
    low = _first_center(corners[..., 1].min(axis=1), high)
    rows = np.maximum(_first_center(corners[..., 1].max(axis=1), high) - low, 0)
    triangle, y = _runs(low, rows)
    start, stop = _span(corners, rows, np.asarray(y + 0.5, np.float64))
    first = _first_center(start, wide)
    count = np.maximum(_first_center(stop, wide) - first, 0)
    _, pixel = _runs(first + wide * y, count)
    at_zero, along_x, along_y = (np.repeat(each, rows) for each in _planes(corners, nearness))
    # along a row it is linear in the number of the pixel
    at_first = at_zero + along_y * (y + 0.5) + along_x * (0.5 - wide * y.astype(np.float64))
    near = np.repeat(along_x, count) * pixel + np.repeat(at_first, count)
    return np.repeat(triangle, count), pixel, near


def _first_center(position: Array, count: int) -> NDArray[np.int32]:
    """Return the first pixel of a row whose centre is not before a position."""
    return np.clip(np.ceil(position - 0.5), 0, count).astype(np.int32)


def _runs(
    start: NDArray[np.int32], count: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return for start, start + 1, … of each run: which run it is in, and the number."""
    which = np.repeat(np.arange(len(start), dtype=np.int32), count)
    before = (start - np.cumsum(count) + count).astype(np.int32)
    return which, np.arange(len(which), dtype=np.int32) + np.repeat(before, count)


def _span(corners: Array, rows: NDArray[np.int32], y: Array) -> tuple[Array, Array]:
    """Return where the horizontal lines at y (m,), `rows` of each triangle, enter and leave it."""
    start, stop = np.full(len(y), np.inf), np.full(len(y), -np.inf)
    for k in range(3):
        (x, low), (end, high) = corners[:, k].T, corners[:, (k + 1) % 3].T
        rise = np.where(high == low, np.nan, high - low)
        up, height = y - np.repeat(low, rows), np.repeat(rise, rows)
        crossing = np.repeat(x, rows) + np.repeat((end - x) / rise, rows) * up
        crossed = (up * height >= 0.0) & (np.abs(up) <= np.abs(height))
        np.minimum(start, crossing, out=start, where=crossed)
        np.maximum(stop, crossing, out=stop, where=crossed)
    return start, stop


def _planes(corners: Array, values: Array) -> tuple[Array, Array, Array]:
    """Return value at the origin and slopes of linear functions given at corners (n, 3, 2)."""
    a, b, c = corners.swapaxes(0, 1)
    (abx, aby), (acx, acy) = (b - a).T, (c - a).T
    area = abx * acy - aby * acx
    area = np.where(area == 0.0, np.inf, area)
    to_b, to_c = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]
    along_x, along_y = (to_b * acy - to_c * aby) / area, (to_c * abx - to_b * acx) / area
    return values[:, 0] - along_x * a[:, 0] - along_y * a[:, 1], along_x, along_y
