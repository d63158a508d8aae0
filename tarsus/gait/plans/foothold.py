"""Footholds: where on a ground a sole finds something flat to stand on."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.geometry.terrain import Terrain

FLAT = 8e-3
"""How far the ground under a sole may be from a plane [m]."""
PLACES = 31
"""Places ahead and behind that are looked at; an odd number has the wanted one among them."""
GRID = np.linspace(-1.0, 1.0, 7)
AROUND = 0.025
"""Soles keep so far away from edges [m]."""


def foothold(
    ground: Terrain, position: Array, yaw: Array, corners: ArrayLike, shift: float
) -> tuple[Array, Array]:
    """Return places (…, N, 3) on a ground near `position` that are flat, and normals (…, N, 3).

    Soles with `corners` (k, 2) look to `yaw` (…, N); they are moved along it by at most `shift`.
    """
    half = np.ptp(np.asarray(corners, float), axis=0) / 2 + AROUND
    local = np.stack(np.meshgrid(GRID * half[0], GRID * half[1], indexing="ij"), -1).reshape(-1, 2)
    # the nearest places come first
    moves = np.linspace(-shift, shift, PLACES)
    moves = moves[np.argsort(np.abs(moves), kind="stable")]
    c, s = np.cos(yaw)[..., None, None], np.sin(yaw)[..., None, None]
    ahead = local[:, 0] + moves[:, None]
    x = position[..., 0, None, None] + c * ahead - s * local[:, 1]
    y = position[..., 1, None, None] + s * ahead + c * local[:, 1]
    z = ground.height(x, y)
    # the plane of least squares through the heights: z = a + b ξ + c η over an even grid
    rise_x = (z * local[:, 0]).sum(-1) / max((local[:, 0] ** 2).sum(), 1e-12)
    rise_y = (z * local[:, 1]).sum(-1) / max((local[:, 1] ** 2).sum(), 1e-12)
    middle = z.mean(axis=-1)
    plane = middle[..., None] + rise_x[..., None] * local[:, 0] + rise_y[..., None] * local[:, 1]
    rough = np.abs(z - plane).max(axis=-1)
    found = rough < FLAT
    if not found.any(axis=-1).all():
        step = int(np.argwhere(~found.any(axis=-1))[0][-1])
        raise ValueError(
            f"step {step} finds nothing flat within {shift} m of {position[..., step, :2]}: the "
            f"ground under its sole is uneven by {1e3 * rough.min(axis=-1)[..., step].min():.0f} mm"
        )
    best = found.argmax(axis=-1)[..., None]
    move = moves[best[..., 0]]
    height, slope_x, slope_y = (
        np.take_along_axis(each, best, -1)[..., 0] for each in (middle, rise_x, rise_y)
    )
    place = np.stack(
        [position[..., 0] + np.cos(yaw) * move, position[..., 1] + np.sin(yaw) * move, height], -1
    )
    # slopes along and across the sole, turned into the world
    gx = np.cos(yaw) * slope_x - np.sin(yaw) * slope_y
    gy = np.sin(yaw) * slope_x + np.cos(yaw) * slope_y
    normal = np.stack([-gx, -gy, np.ones_like(gx)], axis=-1)
    return place, normal / np.linalg.norm(normal, axis=-1, keepdims=True)
