"""Distances of random pairs beside coal, which shares no code with us."""

from __future__ import annotations

import os

import coal
import numpy as np
import pytest
from oracle import Array

from tarsus.geometry import swept_distance

PAIRS = int(os.environ.get("TARSUS_COAL_PAIRS", 100_000))
"""Pairs of all kinds together."""
ORIGIN = coal.Transform3s.Identity()


def turned(along: Array) -> Array:
    """Rotations (n, 3, 3) that take z to the directions (n, 3)."""
    z = along / np.linalg.norm(along, axis=1, keepdims=True)
    other = np.eye(3)[np.abs(z).argmin(axis=1)]
    x = np.cross(other, z)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def shapes(points: Array, radii: Array) -> tuple[list[object], list[object]]:
    """Shapes of coal and where they are: a sphere, a capsule, or a flat hull with a radius."""
    if points.shape[1] == 1:
        places = [coal.Transform3s(np.eye(3), p[0]) for p in points]
        return [coal.Sphere(radius) for radius in radii.tolist()], places
    if points.shape[1] == 2:
        along = points[:, 1] - points[:, 0]
        lengths, middles = np.linalg.norm(along, axis=1), points.mean(axis=1)
        capsules = [
            coal.Capsule(*each) for each in zip(radii.tolist(), lengths.tolist(), strict=True)
        ]
        return capsules, list(map(coal.Transform3s, turned(along), middles))
    return [hull(*each) for each in zip(points, radii.tolist(), strict=True)], [ORIGIN] * len(
        points
    )


def hull(corners: Array, radius: float) -> object:
    """A triangle with two faces, swept over by a sphere."""
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for corner in corners:
        points.append(corner)
    for face in ((0, 1, 2), (0, 2, 1)):
        faces.append(coal.Triangle(*face))
    made = coal.Convex(points, faces)
    made.setSweptSphereRadius(radius)
    return made


@pytest.mark.parametrize(
    ("m", "n", "share"),
    [(1, 1, 0.2), (1, 2, 0.2), (2, 2, 0.3), (1, 3, 0.1), (2, 3, 0.1), (3, 3, 0.1)],
)
def test_random_pairs(m: int, n: int, share: float) -> None:
    count = int(share * PAIRS)
    rng = np.random.default_rng(100 * m + n)
    a, b = rng.normal(size=(count, m, 3)), rng.normal(size=(count, n, 3))
    b += 2.0 * rng.normal(size=(count, 1, 3))
    r, s = rng.uniform(0.01, 0.3, size=(2, count))
    found = swept_distance(a, r, b, s).distance
    shapes_a, places_a = shapes(a, r)
    shapes_b, places_b = shapes(b, s)
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance, request.gjk_max_iterations = 1e-10, 1000
    expected = np.empty(count)
    for k in range(count):
        result.clear()
        expected[k] = coal.distance(
            shapes_a[k], places_a[k], shapes_b[k], places_b[k], request, result
        )
    # where cores meet, coal tells how deep they are, and we −(r + s)
    apart = found > -(r + s)
    error = (found - expected)[apart]
    print(
        f"{m} {n}: {count} pairs, {1 - apart.mean():.1%} of cores meet, "
        f"over {error.max():.1e}, under {-error.min():.1e} m"
    )
    assert error.max() < 1e-12 and error.min() > -1e-12
    assert (expected[~apart] <= -(r + s)[~apart] + 1e-9).all()
