"""Triangles to pixels with a depth buffer, in NumPy: all rows of all triangles at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array

SAMPLES = 2
"""Points along each side of a pixel; their average smooths the edges."""


def rasterize(
    corners: Array, depth: Array, colors: Array, width: int, height: int
) -> NDArray[np.float32]:
    """Return a picture (height, width, 4) of triangles, the nearest in front; 0 … 1.

    `corners` (n, 3, 2) are in pixels from the lower left, `depth` (n, 3) grows away from the eye
    (it is its inverse that is linear in the picture), `colors` (n, 3). The last channel is the
    share of a pixel that is covered.
    """
    picture = np.zeros((height, width, 4), np.float32)
    if not len(corners):
        return picture
    # only the window that the triangles cover
    flat, size = corners.reshape(-1, 2), np.array([width, height])
    left, bottom = low = np.clip(np.floor(flat.min(axis=0)), 0, size).astype(int)
    right, top = high = np.clip(np.ceil(flat.max(axis=0)), low, size).astype(int)
    window = _window(corners - low, 1.0 / depth, colors, *(high - low))
    picture[height - top : height - bottom, left:right] = window
    return picture


def laid_over(behind: Array, before: Array, opacity: float) -> Array:
    """Return a picture through a translucent one: each (height, width, 4), covered in the last."""
    weights = (1.0 - opacity) * behind[..., 3:], opacity * before[..., 3:]
    covered = weights[0] + weights[1]
    colors = weights[0] * behind[..., :3] + weights[1] * before[..., :3]
    return np.concatenate([colors / np.maximum(covered, 1e-9), covered], axis=-1)


def _window(
    corners: Array, nearness: Array, colors: Array, width: int, height: int
) -> NDArray[np.float32]:
    """Return the picture (height, width, 4) of triangles whose nearness (n, 3) is given."""
    wide, high = SAMPLES * width, SAMPLES * height
    triangle, pixel, near = _fragments(SAMPLES * corners, nearness, wide, high)
    nearest = np.zeros(wide * high)
    np.maximum.at(nearest, pixel, near)
    seen = near == nearest[pixel]
    front = np.full(wide * high, len(colors))
    front[pixel[seen]] = triangle[seen]
    palette = np.zeros((len(colors) + 1, 4), np.float32)
    palette[:-1, :3], palette[:-1, 3] = colors, 1.0
    samples = palette[front].reshape(height, SAMPLES, width, SAMPLES, 4)
    parts = [samples[:, i, :, j] for i in range(SAMPLES) for j in range(SAMPLES)]
    picture = np.asarray(sum(parts[1:], parts[0]))[::-1]
    picture[..., :3] /= np.maximum(picture[..., 3:], 1.0)
    picture[..., 3] /= SAMPLES**2
    return np.asarray(picture)


def _fragments(
    corners: Array, nearness: Array, wide: int, high: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Return triangle, pixel and nearness of every pixel whose centre a triangle covers."""
    low = _first_center(corners[..., 1].min(axis=1), high)
    rows = _first_center(corners[..., 1].max(axis=1), high) - low
    triangle, y = _runs(low, rows)
    start, stop = _span(corners[triangle], np.asarray(y + 0.5, np.float64))
    first = _first_center(start, wide)
    row, x = _runs(first, _first_center(stop, wide) - first)
    triangle, y = triangle[row], y[row]
    at_zero, along_x, along_y = _planes(corners, nearness)
    near = at_zero[triangle] + along_x[triangle] * (x + 0.5) + along_y[triangle] * (y + 0.5)
    return triangle, y * wide + x, near


def _first_center(position: Array, count: int) -> NDArray[np.int64]:
    """Return the first pixel of a row whose centre is not before a position."""
    return np.clip(np.ceil(position - 0.5), 0, count).astype(np.int64)


def _runs(
    start: NDArray[np.int64], count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for start, start + 1, … of each run: which run it is in, and the number."""
    count = np.maximum(count, 0)
    which = np.repeat(np.arange(len(start)), count)
    return which, np.arange(len(which)) + np.repeat(start - np.cumsum(count) + count, count)


def _span(corners: Array, y: Array) -> tuple[Array, Array]:
    """Return where horizontal lines at y (m,) enter and leave triangles (m, 3, 2)."""
    tail, head = corners, np.roll(corners, -1, axis=1)
    rise = head[..., 1] - tail[..., 1]
    share = (y[:, None] - tail[..., 1]) / np.where(rise == 0.0, np.nan, rise)
    crossing = tail[..., 0] + share * (head[..., 0] - tail[..., 0])
    crossed = (share >= 0.0) & (share <= 1.0)
    start = np.where(crossed, crossing, np.inf).min(axis=1)
    return start, np.where(crossed, crossing, -np.inf).max(axis=1)


def _planes(corners: Array, values: Array) -> tuple[Array, Array, Array]:
    """Return value at the origin and slopes of linear functions given at corners (n, 3, 2)."""
    a, b, c = corners.swapaxes(0, 1)
    (abx, aby), (acx, acy) = (b - a).T, (c - a).T
    area = abx * acy - aby * acx
    area = np.where(area == 0.0, np.inf, area)
    to_b, to_c = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]
    along_x, along_y = (to_b * acy - to_c * aby) / area, (to_c * abx - to_b * acx) / area
    return values[:, 0] - along_x * a[:, 0] - along_y * a[:, 1], along_x, along_y
