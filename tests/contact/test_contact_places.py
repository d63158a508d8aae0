"""Gaps, points and normals of all candidates, beside definitions and brute force."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from cone_problem import Array
from contact_geometry import FAR, candidates
from contact_scenes import ball_model, box, quadruped
from contact_worlds import Run, World
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import tarsus as ts

STAIRS = (0.0, 0.0, 0.5, 0.0, 0.5, 0.2, 1.0, 0.2, 1.0, 0.4, 1.6, 0.1)
"""Two steps and a ramp down, flat beyond."""


def poses(count: int, seed: int = 0) -> Array:
    """Return configurations (count, 7) of a free body near the origin."""
    rng = np.random.default_rng(seed)
    turns = Rotation.random(count, random_state=seed).as_quat()
    return np.hstack(
        [
            rng.uniform(-0.5, 2.0, (count, 1)),
            rng.uniform(-1, 1, (count, 1)),
            rng.uniform(-0.3, 0.8, (count, 1)),
            turns,
        ]
    )


def check(world: World, q: Array, tolerance: float = 1e-9) -> None:
    """Compare the core's candidates with the oracle's."""
    found = world.core().contacts(q)
    for state, rows in zip(q, found, strict=True):
        for row, expected in zip(rows, candidates(world, world.model, state), strict=True):
            if row[0] > FAR:
                assert expected.gap > FAR or (world.ground_kind == "profile" and expected.gap > 0.9)
                continue
            assert abs(row[0] - expected.gap) < tolerance
            np.testing.assert_allclose(row[1:4], expected.point, atol=tolerance)
            np.testing.assert_allclose(row[4:7], expected.normal, atol=1e-5)


def test_points_and_balls_on_planes() -> None:
    for plane in ((0.0, 0.0, 1.0, 0.0), (0.6, 0.0, 0.8, -0.3), (0.0, -1.0, 0.0, 0.2)):
        check(quadruped().but(ground_numbers=plane), quadruped().model.random_configuration(1, 5))
    check(box(8), poses(20))


@pytest.mark.parametrize("radius", [0.0, 0.07])
def test_balls_on_stairs_and_ramps(radius: float) -> None:
    world = box(8, ground_kind="profile", ground_numbers=STAIRS).but(point_radius=radius)
    check(world, poses(60))


def test_a_gap_from_stairs_is_a_distance() -> None:
    """Walking the gap along the normal ends on the surface; far points agree with sampling.

    Below the bottom of a valley gaps are those of its faces, and the way out is two walks.
    """
    world = World(
        ball_model(),
        point_body=[0],
        point_position=np.zeros((1, 3)),
        ground_kind="profile",
        ground_numbers=STAIRS,
    )
    core, line = world.core(), np.array(STAIRS).reshape(-1, 2)
    line = np.vstack([[-50.0, 0.0], line, [50.0, 0.1]])
    samples = np.concatenate([np.linspace(a, b, 4000) for a, b in pairwise(line)])
    for q in poses(40, 3):
        q[3:] = [0, 0, 0, 1]
        nearest = np.linalg.norm(samples - q[[0, 2]], axis=1).min()
        two = core.contacts(q[None])[0]
        gap, normal = two[:, 0].min(), two[np.argmin(two[:, 0]), 4:7]
        assert abs(gap) < nearest + 1e-2 and np.linalg.norm(normal) == pytest.approx(1.0)
        assert gap < 0.0 or gap > nearest - 1e-2
        for _ in range(2):
            lowest = min(core.contacts(q[None])[0], key=lambda row: row[0])
            q[:3] -= lowest[0] * lowest[4:7]
        assert abs(core.contacts(q[None])[0, :, 0].min()) < 1e-9


def test_balls_on_a_height_field() -> None:
    x, y = np.meshgrid(0.25 * np.arange(9) - 0.5, 0.2 * np.arange(7) - 0.6, indexing="ij")
    heights = 0.1 * np.sin(3 * x) * np.cos(2 * y)
    numbers = (-0.5, -0.6, 0.25, 0.2, 9.0, 7.0, *heights.ravel())
    world = box(8, ground_kind="height_field", ground_numbers=numbers).but(point_radius=0.03)
    check(world, poses(60))
    flat = (-0.5, -0.6, 0.25, 0.2, 9.0, 7.0, *np.full(63, 0.1))
    q = poses(30)
    on_field = box(8, ground_kind="height_field", ground_numbers=flat).core().contacts(q)
    on_plane = box(8, ground_numbers=(0.0, 0.0, 1.0, 0.1)).core().contacts(q)
    np.testing.assert_allclose(on_field, on_plane, atol=1e-12)


def test_rims_of_cylinders() -> None:
    rings = {
        "ring_body": [0, 0],
        "ring_position": np.array([[0, 0, 0.2], [0.1, 0, -0.2]]),
        "ring_axis": np.array([[0, 0, 1.0], [0, 0.6, -0.8]]),
        "ring_radius": np.array([0.15, 0.1]),
    }
    world = World(ball_model(), **rings, ground_numbers=(0.6, 0.0, 0.8, 0.1))
    q = poses(30)
    check(world, q)
    # no point of a rim is deeper than its first candidate
    found = world.core().contacts(q)
    angles = np.linspace(0, 2 * np.pi, 721)
    for state, rows in zip(q, found, strict=True):
        pose = world.model.forward_kinematics(state)[0]
        for k in range(2):
            axis = rings["ring_axis"][k]
            first = np.cross(axis, [1.0, 0.0, 0.0])
            first /= np.linalg.norm(first)
            circle = np.outer(np.cos(angles), first)
            circle += np.outer(np.sin(angles), np.cross(axis, first))
            rim = rings["ring_position"][k] + rings["ring_radius"][k] * circle
            heights = (rim @ pose[:3, :3].T + pose[:3, 3]) @ [0.6, 0.0, 0.8] - 0.1
            assert rows[3 * k, 0] == pytest.approx(heights.min(), abs=1e-5)


def test_an_upright_cylinder_stands_on_three_points() -> None:
    world = World(
        ball_model(),
        ring_body=[0],
        ring_position=np.array([[0, 0, -0.2]]),
        ring_axis=np.array([[0, 0, -1.0]]),
        ring_radius=np.array([0.1]),
    )
    q = np.array([[0.3, 0.1, 0.2, 0.0, 0.0, 0.0, 1.0]])
    rows = world.core().contacts(q)[0]
    np.testing.assert_allclose(rows[:, 0], 0.0, atol=1e-12)
    np.testing.assert_allclose(rows[:, 1:4].mean(axis=0), [0.3, 0.1, 0.0], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(rows[:, 1:3] - [0.3, 0.1], axis=1), 0.1, atol=1e-12)


# --- solids ---------------------------------------------------------------------------------------


def pair(kinds: tuple[str, str], sizes: list[tuple[float, float, float]]) -> World:
    """Return a solid on a free body and one on the world."""
    return World(
        ball_model(),
        ground_kind="none",
        ground_numbers=(),
        solid_body=[0, -1],
        solid_kind=kinds,
        solid_placement=np.tile(np.eye(4), (2, 1, 1)),
        solid_size=np.array(sizes),
        pairs=[(0, 1)],
    )


def nearest(kind: str, size: Any, pose: Array, rng: np.random.Generator) -> Any:
    """Return a function from numbers in a box to points of a solid's core, and its radius."""
    radius, half = 0.0, np.zeros(3)
    if kind == "box":
        half = 0.5 * np.array(size)
    elif kind == "capsule":
        radius, half = size[0], np.array([0.0, 0.0, 0.5 * size[1]])
    else:
        radius = size[0]
    return (lambda u: pose[:3, :3] @ (half * u) + pose[:3, 3]), radius


def true_gap(kinds: tuple[str, str], sizes: Any, places: list[Array]) -> float:
    """Return the distance of two solids, by minimising between points of their cores."""
    rng = np.random.default_rng(0)
    (a, ra), (b, rb) = (nearest(kinds[k], sizes[k], places[k], rng) for k in range(2))

    def apart(u: Array) -> float:
        return float(((a(u[:3]) - b(u[3:])) ** 2).sum())

    best = min(
        minimize(
            apart,
            rng.uniform(-1, 1, 6),
            bounds=[(-1, 1)] * 6,
            method="L-BFGS-B",
            options={"ftol": 1e-16, "gtol": 1e-14, "maxiter": 2000},
        ).fun
        for _ in range(2)
    )
    return float(np.sqrt(best)) - ra - rb


SIZES = {"sphere": (0.1, 0.0, 0.0), "capsule": (0.07, 0.3, 0.0), "box": (0.2, 0.3, 0.24)}


@pytest.mark.parametrize("second", SIZES)
@pytest.mark.parametrize("first", SIZES)
def test_gaps_of_solids_are_distances(first: str, second: str) -> None:
    """The nearest candidate is as near as any two points; normals point from second to first."""
    kinds, sizes = (first, second), [SIZES[first], SIZES[second]]
    world = pair(kinds, sizes)
    core, model = world.core(), world.model
    rng = np.random.default_rng(7)
    tried, worst = 0, 0.0
    for turn in Rotation.random(30, random_state=5):
        way = rng.normal(size=3)
        q = np.concatenate([way / np.linalg.norm(way) * rng.uniform(0.12, 0.4), turn.as_quat()])
        truth = true_gap(kinds, sizes, [model.forward_kinematics(q)[0], np.eye(4)])
        if not 1e-3 < truth < 0.05:
            continue
        rows = core.contacts(q[None])[0]
        near = rows[np.argmin(rows[:, 0])]
        worst = max(worst, abs(near[0] - truth))
        tried += 1
        # moving along the normal opens the gap at full speed
        step = 1e-6
        moved = q + np.concatenate([step * near[4:7], np.zeros(4)])
        opened = (core.contacts(moved[None])[0, :, 0].min() - near[0]) / step
        assert opened == pytest.approx(1.0, abs=1e-3)
    print(f"{first} and {second}: {tried} places, {worst:.1e} m")
    assert tried > 1 and worst < 1e-6


@pytest.mark.parametrize("second", SIZES)
@pytest.mark.parametrize("first", SIZES)
def test_a_pair_the_other_way_round_is_its_mirror(first: str, second: str) -> None:
    """For two bodies that move; on the world it is always the body that is pushed."""
    builder = ts.Builder("two")
    for name in ("a", "b"):
        builder.body(name, 1.0, inertia=(0.01, 0.01, 0.01))
        builder.joint(f"{name}_flight", "free", "world", name)
    world = pair((first, second), [SIZES[first], SIZES[second]])
    world = world.but(model=builder.build(), solid_body=[0, 1])
    turned = world.but(pairs=[(1, 0)])
    rng = np.random.default_rng(3)
    for turn in Rotation.random(20, random_state=2):
        place = np.concatenate([rng.normal(size=3) * 0.15, turn.as_quat()])
        q = np.concatenate([place, world.model.neutral()[7:]])[None]
        one, other = (w.core().contacts(q)[0] for w in (world, turned))
        assert one[:, 0].min() == pytest.approx(other[:, 0].min(), abs=1e-9)
        a, b = one[np.argmin(one[:, 0])], other[np.argmin(other[:, 0])]
        if abs(np.sort(one[:, 0])[0] - np.sort(one[:, 0])[1]) > 1e-6:
            np.testing.assert_allclose(a[4:7], -b[4:7], atol=1e-6)


def test_boxes_that_lie_on_each_other_have_four_places() -> None:
    world = pair(("box", "box"), [(0.2, 0.2, 0.1), (1.0, 1.0, 0.1)])
    q = np.array([[0.1, 0.05, 0.1 - 1e-5, 0.0, 0.0, 0.0, 1.0]])
    rows = world.core().contacts(q)[0]
    close = rows[np.abs(rows[:, 0] + 1e-5) < 1e-9]
    assert len(close) == 4
    np.testing.assert_allclose(close[:, 4:7], np.tile([0, 0, 1.0], (4, 1)), atol=1e-12)
    assert sorted(np.round(close[:, 1:3], 6).tolist()) == [
        [0.0, -0.05],
        [0.0, 0.15],
        [0.2, -0.05],
        [0.2, 0.15],
    ]


def test_solids_that_are_far_have_no_candidates() -> None:
    world = pair(("sphere", "box"), [SIZES["sphere"], SIZES["box"]])
    q = np.array([[5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    assert (world.core().contacts(q)[0, :, 0] > 4.0).all()


def test_centres_that_coincide_are_finite() -> None:
    for first in SIZES:
        for second in SIZES:
            world = pair((first, second), [SIZES[first], SIZES[second]])
            rows = world.core().contacts(ball_model().neutral()[None])[0]
            assert np.isfinite(rows).all() and rows[:, 0].min() <= 0.0
            norms = np.linalg.norm(rows[rows[:, 0] < FAR, 4:7], axis=1)
            np.testing.assert_allclose(norms, 1.0, atol=1e-9)


def test_a_box_stands_on_a_box() -> None:
    """A free box on one that is fixed: its weight is carried, and it does not move."""
    world = pair(("box", "box"), [(0.2, 0.2, 0.1), (1.0, 1.0, 0.1)]).but(friction=0.5)
    q = np.array([0.1, 0.05, 0.1, 0.0, 0.0, 0.0, 1.0])
    for order in ([(0, 1)], [(1, 0)]):
        run = Run.start(world.but(pairs=order), q, np.zeros(6))
        rows = run.advance(200)["contacts"][0, -1]
        force = rows[rows[:, 0] >= 0, 7:10].sum(axis=0)
        np.testing.assert_allclose(force, [0, 0, 9.81], atol=1e-6)  # on what moves
        np.testing.assert_allclose(run.q[0], q, atol=1e-9)
