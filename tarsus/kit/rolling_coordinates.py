"""Where a rolling body touches its ground, from its pose: the inverse of a rolling joint.

The contact x, y is where x, y = p + R P(Rᵀ d(x, y)) in the plane, with the inverse Gauss map P of
the body and d = (h_x, h_y, −1) against the ground's normal. Newton's method finds it; its slopes
are complex steps, so the formulas here are those of P and of h_x, h_y only.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.model import JointView
from tarsus.model.description import SurfaceStatement

STEPS = 60
ROUNDING = 1e-15


def contact_of(joint: JointView, rotation: Array, position: Array) -> Array:
    """Return x and y (…, 2) of the contact for rotations (…, 3, 3) and positions (…, 3) [m].

    Not a number where the body touches nowhere near.
    """
    surface, ground = joint.surface, joint.ground
    assert surface is not None and ground is not None  # the joint rolls
    place = _within(ground, position[..., :2])

    def apart(place: Array) -> Array:
        point = _point(surface, _times(np.swapaxes(rotation, -1, -2), _down(ground, place)))
        return np.asarray(position[..., :2] + _times(rotation, point)[..., :2] - place)

    for _ in range(STEPS):
        miss = apart(place)
        ways = [apart(place + 1e-30j * way).imag * 1e30 for way in np.eye(2)]
        step = np.linalg.solve(np.stack(ways, axis=-1), miss[..., None])[..., 0]
        place = _within(ground, place - step)
        if not (np.abs(step) > ROUNDING * (1.0 + np.abs(place))).any():
            return place
    lost = np.abs(apart(place)).max(axis=-1, keepdims=True) > 1e-9
    return np.where(lost, np.nan, place)


def _times(matrix: Array, vector: Array) -> Array:
    return np.asarray((matrix @ vector[..., None])[..., 0])


def _point(body: SurfaceStatement, m: Array) -> Array:
    """Return P(m) (…, 3), the gradient of the support function."""

    def ellipsoid(axes: Array) -> Array:
        stretched = axes**2 * m
        return np.asarray(stretched / np.sqrt((m * stretched).sum(axis=-1, keepdims=True)))

    numbers, round_, flat = np.array(body.numbers), np.ones(3), np.array([1.0, 1.0, 0.0])
    if body.kind == "torus":
        return ellipsoid(numbers[0] * flat) + ellipsoid(numbers[1] * round_)
    return ellipsoid(numbers * (flat if body.kind == "disc" else round_))


def _down(ground: SurfaceStatement, place: Array) -> Array:
    """Return (h_x, h_y, −1) (…, 3)."""
    x, y, n = place[..., 0], place[..., 1], ground.numbers
    slopes = (0.0 * x, 0.0 * y)
    if ground.kind == "paraboloid":
        slopes = (2.0 * n[0] * x, 2.0 * n[1] * y)
    elif ground.kind == "sinusoid":
        wave = 2.0 * np.pi * n[1]
        slopes = (0.0 * x, n[0] * wave * np.cos(wave * y))
    elif ground.kind != "plane":
        half = _half_axes(ground)
        u, v = x / half[0] ** 2, y / half[1] ** 2
        over = -half[2] / np.sqrt(1.0 - x * u - y * v)
        slopes = (over * u, over * v)
    return np.stack([*slopes, -np.ones_like(x)], axis=-1)


def _within(ground: SurfaceStatement, place: Array) -> Array:
    """Return the place, or if it is beyond the edge of the ground one before the edge."""
    if ground.kind not in ("sphere", "ellipsoid"):
        return place
    out = np.sqrt(((place / _half_axes(ground)[:2]) ** 2).sum(axis=-1, keepdims=True))
    return np.where(out < 0.999, place, place * (0.999 / np.maximum(out, 0.999)))


def _half_axes(ground: SurfaceStatement) -> Array:
    return np.broadcast_to(np.array(ground.numbers), (3,))
