"""Hulls of meshes: their faces, against what any convex solid with flat faces must fulfil."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tarsus._lib.files import Array
from tarsus.geometry.solids import FlatHull, flat_hull

CUBE = np.array(list(product((-0.5, 0.5), repeat=3)))


def normal_of(hull: FlatHull, loop: tuple[int, ...]) -> Array:
    """The unit normal of a face by its corners, if it is flat."""
    a = hull.corners[list(loop)] - hull.corners[loop[0]]
    around = np.cross(a, np.roll(a, -1, axis=0)).sum(axis=0)
    return np.asarray(around / np.linalg.norm(around))


def check(hull: FlatHull) -> None:
    edges = [edge for loop in hull.faces for edge in zip(loop, (*loop[1:], loop[0]), strict=True)]
    assert len(set(edges)) == len(edges) == len({edge[::-1] for edge in edges} & set(edges))
    used = {corner for loop in hull.faces for corner in loop}
    assert len(used) - len(edges) // 2 + len(hull.faces) == 2  # Euler
    for loop in hull.faces:
        normal = normal_of(hull, loop)
        height = hull.corners[list(loop)] @ normal
        assert np.ptp(height) < 1e-5 * np.abs(hull.corners).max()
        assert (hull.corners @ normal).max() < height.max() + 1e-9


def test_triangles_of_a_plane_are_one_face() -> None:
    hull = flat_hull(CUBE * [1, 2, 3] + [5, 6, 7])
    assert hull is not None and hull.middle.tolist() == [5, 6, 7] and hull.error == 0.0
    assert sorted(len(loop) for loop in hull.faces) == [4] * 6
    check(hull)
    angle = np.arange(12) * np.pi / 6
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(12)])
    prism = flat_hull(np.concatenate([ring, ring + [0, 0, 0.5], 0.5 * ring]))
    assert prism is not None
    assert sorted(len(loop) for loop in prism.faces) == [4] * 12 + [12, 12]
    check(prism)


@pytest.mark.parametrize("seed", range(20))
def test_random_hulls_are_closed_and_convex(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(4, 200)), 3)) * rng.uniform(0.01, 1, 3)
    hull = flat_hull(points.astype(np.float32).astype(float), 24)
    assert hull is not None and len(hull.corners) <= 24
    check(hull)


def test_what_is_flat_has_no_hull() -> None:
    assert flat_hull(CUBE * [1, 1, 0]) is None
    assert flat_hull(CUBE * [1, 0, 0]) is None
    assert flat_hull(CUBE[:3]) is None
