"""Distances of pairs of swept spheres: named cases, enumeration, symmetry, rigid motions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from oracle import Array
from scipy.spatial.transform import Rotation
from simplices import KINDS, enumerated_distance, hard_pairs

from tarsus.geometry import SweptSphere, swept_distance

each_kind = pytest.mark.parametrize(("m", "n"), KINDS)

TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
LINE = [[0, 0, 0], [1, 0, 0]]
NAMED = [
    # beyond an end of each line
    (LINE, [[2, 1, 1], [2, -1, 1]], math.sqrt(2.0), [1, 0, 0], [2, 0, 1]),
    # parallel: the middle of where they face each other
    (LINE, [[0.5, 0, 0.3], [2, 0, 0.3]], 0.3, [0.75, 0, 0], [0.75, 0, 0.3]),
    # saturating the wrong parameter first gives 1.024695
    (LINE, [[0.2, 0.5, 0.4], [0.6, 1.5, 0.4]], math.hypot(0.5, 0.4), [0.2, 0, 0], [0.2, 0.5, 0.4]),
    # beside an obtuse corner; the corner itself is at 1.118034
    ([[0.5, -1, 0]], [[0, 0, 0], [1, 0, 0], [-1, 0.5, 0]], 1.0, [0.5, -1, 0], [0.5, 0, 0]),
    # over the inside; the edges are at 0.318198
    ([[0.3, 0.3, 0.2], [0.35, 0.3, 0.2]], TRIANGLE, 0.2, None, None),
    # through the inside; edges and corners are at 0.5
    (
        [[-1, -1, 0], [1, -1, 0], [0, 1, 0]],
        [[0, -0.2, -0.5], [0.05, -0.2, 0.5], [-0.05, -0.2, 0.5]],
        0.0,
        None,
        None,
    ),
    # 45° apart, however short they are
    ([[0, 0, 0], [0.03, 0, 0]], [[0, 0, 0.01], [0.03, 0.03, 0.01]], 0.01, [0, 0, 0], [0, 0, 0.01]),
]
"""Cases in which printed algorithms fail (Schwienbacher 2013, section 6.4)."""


@pytest.mark.parametrize(("a", "b", "distance", "on_a", "on_b"), NAMED)
def test_named_cases(a: Any, b: Any, distance: float, on_a: Any, on_b: Any) -> None:
    found = swept_distance(a, 0.0, b, 0.0)
    assert found.distance == pytest.approx(distance, abs=1e-15)
    if on_a is not None:
        np.testing.assert_allclose(found.point_a, on_a, atol=1e-15)
        np.testing.assert_allclose(found.point_b, on_b, atol=1e-15)


@each_kind
def test_enumeration(m: int, n: int) -> None:
    """No distance is over-estimated, and none is smaller than that of points that are there."""
    for family, (a, b) in hard_pairs(np.random.default_rng(10 * m + n), m, n, 400).items():
        found = swept_distance(a, 0.0, b, 0.0)
        expected = enumerated_distance(a, b)
        over, under = (found.distance - expected).max(), (expected - found.distance).max()
        core_a = np.einsum("ni,nij->nj", found.weights_a, a)
        core_b = np.einsum("ni,nij->nj", found.weights_b, b)
        apart = np.abs(np.linalg.norm(core_b - core_a, axis=1) - found.distance).max()
        print(f"{m} {n} {family}: over {over:.1e}, under {under:.1e}, points {apart:.1e}")
        for weights in (found.weights_a, found.weights_b):
            assert (weights >= -1e-15).all() and np.allclose(weights.sum(axis=1), 1.0)
        assert over < 1e-12 and under < 1e-12 and apart < 1e-12


@each_kind
def test_surfaces(m: int, n: int) -> None:
    """Points lie on both surfaces, along the normal, as far apart as the distance says."""
    rng = np.random.default_rng(m + 10 * n)
    a, b = rng.normal(size=(200, m, 3)), rng.normal(size=(200, n, 3))
    r, s = rng.uniform(0.0, 0.5, size=(2, 200))
    found = swept_distance(a, r, b, s)
    np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1.0, atol=1e-14)
    apart = found.point_a + found.distance[:, None] * found.normal
    np.testing.assert_allclose(apart, found.point_b, atol=1e-13)
    for k in np.flatnonzero(found.distance > -(r + s)):
        assert abs(SweptSphere(a[k], r[k]).distance_to_points(found.point_a[k])) < 1e-12
        assert abs(SweptSphere(b[k], s[k]).distance_to_points(found.point_b[k])) < 1e-12
    core = swept_distance(a, 0.0, b, 0.0).distance
    np.testing.assert_allclose(found.distance, core - r - s, atol=1e-15)


@each_kind
def test_swapped(m: int, n: int) -> None:
    for family, (a, b) in hard_pairs(np.random.default_rng(m * n), m, n, 100).items():
        one, other = swept_distance(a, 0.1, b, 0.2), swept_distance(b, 0.2, a, 0.1)
        tolerance = 1e-7 if family in ("slivers", "almost parallel") else 1e-12
        np.testing.assert_allclose(one.distance, other.distance, atol=tolerance)
        if family == "random":
            away = one.distance > -0.3  # cores that pierce each other meet in many points
            np.testing.assert_allclose(one.point_a[away], other.point_b[away], atol=1e-12)
            np.testing.assert_allclose(one.normal[away], -other.normal[away], atol=1e-10)


@each_kind
def test_rigid_motions(m: int, n: int) -> None:
    rng = np.random.default_rng(m + n)
    a, b = rng.normal(size=(300, m, 3)), rng.normal(size=(300, n, 3))
    turn, move = Rotation.random(random_state=1).as_matrix(), rng.normal(size=3)
    before = swept_distance(a, 0.1, b, 0.2)
    after = swept_distance(a @ turn.T + move, 0.1, b @ turn.T + move, 0.2)
    np.testing.assert_allclose(after.distance, before.distance, atol=1e-13)
    away = before.distance > -0.3
    np.testing.assert_allclose(
        after.point_a[away], (before.point_a @ turn.T + move)[away], atol=1e-11
    )


@each_kind
def test_lanes_have_the_same_bits(m: int, n: int) -> None:
    for a, b in hard_pairs(np.random.default_rng(5), m, n, 11).values():
        together = swept_distance(a, 0.1, b, 0.2)
        for k in range(len(a)):
            alone = swept_distance(a[k], 0.1, b[k], 0.2)
            for one, other in zip(alone, together, strict=True):
                assert np.asarray(one).tobytes() == other[k].tobytes()


@each_kind
def test_cores_that_meet(m: int, n: int) -> None:
    """They come apart along the normal: what is moved by it is farther away at once."""
    rng = np.random.default_rng(3 * m + n)
    a, b = hard_pairs(rng, m, n, 200)["meeting"]
    found = swept_distance(a, 0.1, b, 0.2)
    np.testing.assert_allclose(found.distance, -0.3, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1.0, atol=1e-14)
    towards = ((b.mean(axis=1) - a.mean(axis=1)) * found.normal).sum(axis=1)
    assert (towards >= -1e-12).all()
    if (m, n) not in ((3, 3), (2, 3), (3, 2)):  # pierced faces come apart only at their borders
        moved = swept_distance(a, 0.1, b + 1e-3 * found.normal[:, None], 0.2)
        np.testing.assert_allclose(moved.distance, -0.299, atol=1e-9)


def test_leading_dimensions() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(4, 1, 2, 3)), rng.normal(size=(5, 3, 3))
    found = swept_distance(a, 0.1, b, np.full((4, 5), 0.2))
    assert found.distance.shape == (4, 5) and found.point_a.shape == (4, 5, 3)
    assert found.weights_a.shape == (4, 5, 2) and found.weights_b.shape == (4, 5, 3)
    assert found.distance[2, 3] == swept_distance(a[2, 0], 0.1, b[3], 0.2).distance
    assert swept_distance(np.zeros((0, 1, 3)), 0.1, b[0], 0.2).distance.shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 0, 0], 0.1, LINE, 0.1), r"points_a has shape \(3,\), must be \(…, 1 to 3, 3\)"),
        ((LINE, 0.1, [[0, 0]], 0.1), r"points_b has shape \(1, 2\)"),
        ((LINE, 0.1, [[0, 0, 0]] * 4, 0.1), r"points_b has shape \(4, 3\)"),
        ((LINE, 0.1, [[0, 0, math.nan]], 0.1), "points_b holds NaN"),
        ((LINE, -0.1, LINE, 0.1), "radius_a must be finite and not negative"),
        ((LINE, 0.1, LINE, math.inf), "radius_b must be finite"),
        ((LINE, [0.1, 0.2], LINE, [0.1, 0.2, 0.3]), "which do not go together"),
    ],
)
def test_wrong_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        swept_distance(*arguments)
    with pytest.raises(TypeError, match="points_a is not an array of numbers"):
        swept_distance("a", 0.1, LINE, 0.1)


def test_share_of_piercing_triangles() -> None:
    """28 % of random triangles in one cube meet; none of them is told to be apart."""
    rng = np.random.default_rng(0)
    a, b = rng.random(size=(2, 4000, 3, 3))
    found: Array = swept_distance(a, 0.0, b, 0.0).distance
    meeting = enumerated_distance(a, b) < 1e-13
    print(f"{meeting.mean():.1%} of random triangles meet")
    assert (found[meeting] == 0.0).all() and (found[~meeting] > 0.0).all()
