"""Distances of single swept spheres, for arrays of pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus.arrays import Array
from tarsus.model.checks import reals


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
