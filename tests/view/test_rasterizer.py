"""Triangles to pixels: areas, what is in front, edges without gaps."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus.view.rasterizer import SAMPLES, covered, rasterize, visible

RED, BLUE = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]


def test_area_of_a_triangle() -> None:
    corners = np.array([[[10.0, 10.0], [70.0, 20.0], [30.0, 80.0]]])
    picture = rasterize(corners, np.ones((1, 3)), np.array([RED]), 100, 100)
    (ax, ay), (bx, by), (cx, cy) = corners[0]
    exact = abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2
    found = float(picture[..., 3].sum())
    print(f"{found} pixels, exact {exact}")
    assert found == pytest.approx(exact, rel=0.01)
    assert (picture[picture[..., 3] > 0][:, :3] == RED).all()


def test_y_goes_up() -> None:
    corners = np.array([[[0.0, 0.0], [20.0, 0.0], [0.0, 10.0]]])
    picture = rasterize(corners, np.ones((1, 3)), np.array([RED]), 20, 20)
    assert picture[-1, 0, 3] == 1.0
    assert picture[0, 0, 3] == 0.0


def test_the_nearest_is_in_front_in_any_order() -> None:
    square = np.array(
        [[[5.0, 5.0], [35.0, 5.0], [35.0, 35.0]], [[5.0, 5.0], [35.0, 35.0], [5.0, 35.0]]]
    )
    corners = np.concatenate([square, square])
    depth = np.array([[2.0] * 3] * 2 + [[1.0] * 3] * 2)
    colors = np.array([RED] * 2 + [BLUE] * 2)
    for order in ([0, 1, 2, 3], [2, 3, 0, 1]):
        picture = rasterize(corners[order], depth[order], colors[order], 40, 40)
        assert picture[20, 20, :3] == pytest.approx(np.array(BLUE))


def test_planes_that_cross_meet_where_they_are_equally_deep() -> None:
    corners = np.array(
        [[[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]], [[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]]]
    )
    # one is nearer on the left, the other on the right; they cross at x = 50
    depth = np.array([[1.0, 3.0, 1.0], [1.5, 1.5, 1.5]])
    picture = rasterize(corners, depth, np.array([RED, BLUE]), 100, 100)
    row = picture[-2]
    crossing = int(np.argmax(row[:, 2] > 0.5))
    # 1/depth is linear: 1 − (2/3) x/100 = 2/3
    assert crossing == pytest.approx(50, abs=1)


def test_neighbours_leave_no_gap_and_do_not_overlap() -> None:
    rng = np.random.default_rng(0)
    middle = rng.uniform(20, 80, 2)
    ring = [[0, 0], [100, 0], [100, 100], [0, 100]]
    corners = np.array([[middle, ring[k], ring[(k + 1) % 4]] for k in range(4)], float)
    picture = rasterize(corners, np.ones((4, 3)), np.array([RED] * 4), 100, 100)
    assert (picture[..., 3] == 1.0).all()


def test_nothing_and_things_outside_are_no_problem() -> None:
    empty = rasterize(np.zeros((0, 3, 2)), np.zeros((0, 3)), np.zeros((0, 3)), 8, 8)
    assert (empty == 0.0).all()
    flat = np.array(
        [[[1.0, 1.0], [5.0, 5.0], [3.0, 3.0]], [[-9.0, -9.0], [-5.0, -9.0], [-7.0, -2.0]]]
    )
    picture = rasterize(flat, np.ones((2, 3)), np.array([RED, BLUE]), 8, 8)
    assert picture[..., 3].sum() <= 1.0


def test_what_is_behind_something_is_hidden() -> None:
    """Something at depth 2 before the left half hides a triangle at depth 3, not one at 1."""
    behind = np.zeros((SAMPLES * 20, SAMPLES * 40), np.float32)
    behind[:, : SAMPLES * 20] = 1 / 2
    corners = np.array([[[0.0, 0.0], [80.0, 0.0], [0.0, 80.0]]])
    for depth, left in ((3.0, 0.0), (1.0, 1.0)):
        picture = rasterize(corners, np.full((1, 3), depth), np.array([RED]), 40, 20, behind)
        assert (picture[:, :20, 3] == left).all() and (picture[:, 20:, 3] == 1.0).all()


def test_samples_tell_the_triangle_and_its_inverse_depth() -> None:
    """The inverse depth is that of a plane through the corners, at the centres of samples."""
    corners = np.array([[[2.0, 3.0], [18.0, 4.0], [6.0, 17.0]]])
    depth = np.array([[1.0, 2.0, 4.0]])
    front, nearness = visible(corners, 1.0 / depth, 20, 20)
    assert set(np.unique(front)) == {0, 1} and (nearness[front == 1] == 0.0).all()
    rows, columns = np.nonzero(front == 0)
    places = np.column_stack([columns + 0.5, rows + 0.5, np.full(len(rows), SAMPLES)]) / SAMPLES
    plane = np.linalg.solve(np.column_stack([corners[0], np.ones(3)]), 1.0 / depth[0])
    assert nearness[rows, columns] == pytest.approx(places @ plane, abs=1e-6)


def test_covered_pixels() -> None:
    corners = np.array([[[0.0, 0.0], [4.0, 0.0], [0.0, 2.0]], [[4.0, 0.0], [4.0, 2.0], [0.0, 2.0]]])
    found = covered(corners, 6, 3)
    assert (found[:2, :4] == 1.0).all() and found.sum() == 8.0
