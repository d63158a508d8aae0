"""Grounds: heights, normals and triangles against dense sampling, and mistakes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from tarsus.geometry import Ground, HeightField, Profile, Steps, Terrain

BUMPS = np.random.default_rng(3).uniform(-0.2, 0.2, (7, 5))
GROUNDS: dict[str, Terrain] = {
    "level": Ground(),
    "slope": Ground(slope=0.3),
    "profile": Profile([[-1, 0.2], [0, 0.2], [0, 0.5], [0.7, 0.1], [1.5, 0.4]]),
    "steps": Steps(rise=0.2, depth=0.4, count=4, start=-0.3),
    "stairs down": Steps(rise=-0.2, depth=0.4, count=2, start=-0.3),
    "height field": HeightField(BUMPS, (0.5, 0.7), (-1.3, -1.1)),
}
each_ground = pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)
LOW, HIGH = (-2.0, -2.0), (2.5, 2.2)


def samples(count: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.random.default_rng(0).uniform(LOW, HIGH, (count, 2)).T)  # type: ignore[return-value]


@each_ground
def test_normals_are_those_of_differences_of_heights(ground: Terrain) -> None:
    x, y = samples()
    step = 1e-6
    dx = (ground.height(x + step, y) - ground.height(x - step, y)) / (2 * step)
    dy = (ground.height(x, y + step) - ground.height(x, y - step)) / (2 * step)
    expected = np.stack([-dx, -dy, np.ones_like(dx)], -1)
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    error = np.abs(ground.normal(x, y) - expected).max(-1)
    print(f"largest error of a normal: {np.sort(error)[-3:]}")
    assert (error < 1e-8).mean() > 0.999  # but for samples within a step of an edge


@each_ground
def test_triangles_cover_the_piece_and_lie_on_the_ground(ground: Terrain) -> None:
    vertices, triangles = ground.mesh(LOW, HIGH)
    a, b, c = vertices[triangles].swapaxes(0, 1)
    across = np.cross(b - a, c - a)
    assert (across[:, 2] >= -1e-15).all()
    area = across[:, 2].sum() / 2
    assert area == pytest.approx((HIGH[0] - LOW[0]) * (HIGH[1] - LOW[1]), rel=1e-12)
    flat = across[:, 2] > 1e-9
    if not isinstance(ground, HeightField):  # bilinear cells bend between their edges
        middle = ((a + b + c) / 3)[flat]
        error = np.abs(ground.height(middle[:, 0], middle[:, 1]) - middle[:, 2]).max()
        print(f"triangles off the ground by {error:.1e} m")
        assert error < 1e-12
    x, y, z = vertices.T
    below = np.minimum(ground.height(x - 1e-9, y), ground.height(x + 1e-9, y))
    assert (z >= below - 1e-8).all() and (z <= ground.height(x, y) + 1e-8).all()


def reference(points: np.ndarray, x: float) -> float:
    """The height of a polyline, piece by piece."""
    over = [points[0, 1]] if x <= points[0, 0] else []
    over += [points[-1, 1]] if x >= points[-1, 0] else []
    for (x0, z0), (x1, z1) in pairwise(points):
        if x0 <= x <= x1:
            over += [z0, z1] if x0 == x1 else [z0 + (z1 - z0) * (x - x0) / (x1 - x0)]
    return float(max(over))


@pytest.mark.parametrize("name", ["profile", "steps", "stairs down"])
def test_heights_of_polylines(name: str) -> None:
    ground = GROUNDS[name]
    assert isinstance(ground, Profile)
    x = np.concatenate([samples(500)[0], ground.points[:, 0]])
    expected = [reference(ground.points, each) for each in x]
    np.testing.assert_allclose(ground.height(x, 0.0), expected, atol=1e-14)


def test_steps_count_and_rise() -> None:
    stairs = Steps(rise=0.1, depth=0.3, count=3, start=1.0)
    x = [0.0, 0.999, 1.0, 1.299, 1.301, 1.601, 9.0]
    np.testing.assert_allclose(stairs.height(x, 0.0), [0, 0, 0.1, 0.1, 0.2, 0.3, 0.3])
    assert stairs.numbers.tolist() == pytest.approx(
        [1, 0, 1, 0.1, 1.3, 0.1, 1.3, 0.2, 1.6, 0.2, 1.6, 0.3]
    )
    assert stairs.kind == "profile"


def test_a_slope_falls_along_x() -> None:
    ground = Ground(slope=0.2)
    assert ground.height(1.0, 5.0) == pytest.approx(-np.tan(0.2))
    assert ground.numbers.tolist() == pytest.approx([np.sin(0.2), 0, np.cos(0.2), 0])
    x, y = samples(100)
    points = np.stack([x, y, ground.height(x, y)], -1)
    assert np.abs(points @ ground.numbers[:3]).max() < 1e-15


def test_a_field_of_a_bilinear_function_is_exact_and_level_outside() -> None:
    def function(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return 0.1 + 0.2 * x - 0.3 * y + 0.4 * x * y

    field = HeightField.from_function(function, (-1, -2), (2, 1), spacing=0.25, friction=0.4)
    assert field.heights.shape == (13, 13) and field.friction == 0.4
    rng = np.random.default_rng(1)
    x, y = rng.uniform((-3, -4), (4, 3), (500, 2)).T
    expected = function(np.clip(x, -1, 2), np.clip(y, -2, 1))
    np.testing.assert_allclose(field.height(x, y), expected, atol=1e-13)
    assert field.normal(5.0, 5.0).tolist() == [0, 0, 1]
    numbers = field.numbers
    assert numbers[:6].tolist() == pytest.approx([-1, -2, 0.25, 0.25, 13, 13])
    assert numbers[6 + 13 * 2 + 5] == field.heights[2, 5]


@each_ground
def test_shapes_broadcast(ground: Terrain) -> None:
    x, y = np.zeros((4, 1)), np.zeros(3)
    assert ground.height(x, y).shape == (4, 3)
    assert ground.normal(x, y).shape == (4, 3, 3)
    assert ground.height(0.0, 0.0).shape == () and ground.normal(0.0, 0.0).shape == (3,)
    assert ground.parameters.shape == (1, 4)


def test_contact_parameters_of_a_batch() -> None:
    ground = Ground(friction=[0.1, 0.2, 0.3], restitution=0.5, viscous=2.0, rest_speed=0.01)
    expected = [[mu, 2.0, 0.5, 0.01] for mu in (0.1, 0.2, 0.3)]
    np.testing.assert_array_equal(ground.parameters, expected)
    assert ground == Ground(
        friction=np.array([0.1, 0.2, 0.3]), restitution=0.5, viscous=2.0, rest_speed=0.01
    )
    assert ground != Ground(friction=[0.1, 0.2, 0.4], restitution=0.5, viscous=2.0)
    with pytest.raises(ValueError, match="read-only"):
        ground.friction[0] = 1.0  # type: ignore[index]


MISTAKES: list[tuple[Callable[[], object], str]] = [
    (lambda: Ground(friction=-0.1), "friction is -0.1, must be finite and not negative"),
    (lambda: Ground(friction=np.nan), "friction is nan"),
    (lambda: Ground(friction="much"), "friction is 'much', must be a number or an array"),  # type: ignore[arg-type]
    (lambda: Ground(friction=np.ones((2, 2))), r"friction has shape \(2, 2\)"),
    (lambda: Ground(restitution=1.5), "restitution is 1.5, must be from 0 to 1"),
    (lambda: Ground(friction=[1, 2], viscous=[1, 2, 3]), "the lengths 2, 3, 1, 1"),
    (lambda: Ground(slope=1.6), "slope is 1.6 rad"),
    (lambda: Ground(slope=np.inf), "slope is not finite"),
    (lambda: Profile([[0, 0]]), r"points has shape \(1, 2\), must be \(k, 2\)"),
    (lambda: Profile([[0, 0], [-1, 0]]), "must not go back along x"),
    (lambda: Profile([[0, 0], [0, 0]]), "the same point twice"),
    (lambda: Profile([[0, 0], [0, 1], [0, 2]]), "more than two points with the same x"),
    (lambda: Profile([[0, 0], [np.inf, 1]]), "not finite"),
    (lambda: Steps(rise=0.0), "rise must not be zero"),
    (lambda: Steps(depth=-1.0), "depth must be above zero"),
    (lambda: Steps(count=0), "count is 0"),
    (lambda: HeightField(np.zeros((1, 5)), 0.1), r"heights has shape \(1, 5\)"),
    (lambda: HeightField(np.full((3, 3), np.nan), 0.1), "heights has entries that are not finite"),
    (lambda: HeightField(np.zeros((3, 3)), 0.0), "spacing is 0.0"),
    (lambda: HeightField(np.zeros((3, 3)), 0.1, (0, 0, 0)), "origin has shape"),  # type: ignore[arg-type]
    (lambda: HeightField.from_function(lambda x, y: x, spacing=-1), "spacing is -1"),
    (lambda: Ground().mesh((1, 1), (0, 2)), "low and high must be"),
]


@pytest.mark.parametrize(("build", "message"), MISTAKES)
def test_mistakes_are_named(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nothing_is_looked_up_nowhere(bad: float) -> None:
    field = HeightField(np.arange(12.0).reshape(3, 4), 0.5)
    for ground in (Ground(slope=0.1), Profile([[0, 0], [1, 0.2]]), Steps(), field):
        for look_up in (ground.height, ground.normal):
            with pytest.raises(ValueError, match="x has entries that are not finite"):
                look_up([0.0, bad], 0.0)
            with pytest.raises(ValueError, match="y has entries that are not finite"):
                look_up(0.0, bad)
            with pytest.raises(TypeError, match="x is not an array of numbers: 'there'"):
                look_up("there", 0.0)
