"""Nearest points of surfaces, beside minimisation, differences and numbers known otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from saddle import SADDLE
from scipy.optimize import minimize

from tarsus._lib.files import Array
from tarsus.geometry import surfaces as sf
from tarsus.spatial import pose, pose_from_twist, rotation_from_vector

FIRST, SECOND = sf.Ellipsoid(1.0, 0.7, 0.5), sf.Ellipsoid(0.6, 0.9, 0.4)
POSE = pose([0.4, 0.9, 1.6], rotation_from_vector([0.3, 0.5, -0.2]))
TWIST = np.array([0.1, 0.2, -0.4, 0.2, -0.3, 0.5])  # linear, angular


def along(twist: Array, start: Array, time: float) -> Array:
    """The pose after a constant twist in the frame of a."""
    return pose_from_twist(time * twist) @ start


def minimised(axes_a: Array, axes_b: Array, at: Array) -> Array:
    """Nearest points of two ellipsoids, in their own frames (6,), by SLSQP."""

    def apart(x: Array) -> float:
        return float(((at[:3, :3] @ x[3:] + at[:3, 3] - x[:3]) ** 2).sum())

    def apart_slope(x: Array) -> Array:
        way = 2 * (at[:3, :3] @ x[3:] + at[:3, 3] - x[:3])
        return np.concatenate([-way, at[:3, :3].T @ way])

    equations = [
        {
            "type": "ineq",
            "fun": lambda x: 1 - ((x[:3] / axes_a) ** 2).sum(),
            "jac": lambda x: np.concatenate([-2 * x[:3] / axes_a**2, np.zeros(3)]),
        },
        {
            "type": "ineq",
            "fun": lambda x: 1 - ((x[3:] / axes_b) ** 2).sum(),
            "jac": lambda x: np.concatenate([np.zeros(3), -2 * x[3:] / axes_b**2]),
        },
    ]
    found = minimize(
        apart,
        np.zeros(6),
        jac=apart_slope,
        method="SLSQP",
        constraints=equations,
        options={"ftol": 1e-16, "maxiter": 500},
    )
    return np.asarray(found.x)


def test_two_ellipsoids() -> None:
    """The reference case: 0.697267 m apart, −0.245515 m/s."""
    at = sf.closest_points(FIRST, SECOND, POSE)
    rates = sf.contact_rates(FIRST, SECOND, at, POSE, TWIST)
    assert at.unique and at.places == 1 and at.margin == np.inf
    assert abs(at.distance - 0.697267) < 1e-6
    assert abs(rates.distance + 0.245515) < 1e-6
    assert np.abs(rates.velocity_a - [-0.381435, 0.031044, 0.045549]).max() < 1e-6
    oracle = minimised(FIRST.half_axes, SECOND.half_axes, POSE)
    assert np.abs(np.concatenate([at.point_a, at.point_b]) - oracle).max() < 1e-6


def test_rates_are_differences_of_minimisation() -> None:
    at = sf.closest_points(FIRST, SECOND, POSE)
    rates = sf.contact_rates(FIRST, SECOND, at, POSE, TWIST)
    step = 1e-3
    before, after = (
        minimised(FIRST.half_axes, SECOND.half_axes, along(TWIST, POSE, t)) for t in (-step, step)
    )
    off = (after - before) / (2 * step) - np.concatenate([rates.velocity_a, rates.velocity_b])
    print(f"rates beside differences of SLSQP: {np.abs(off).max():.1e}")
    assert np.abs(off).max() < 2e-4


PAIRS = (
    (FIRST, SECOND, POSE),
    (sf.Torus(0.8, 0.2), sf.Ellipsoid(0.5, 0.3, 0.2), pose([0.9, 0.3, 0.7])),
    (sf.Torus(1, 0.2), sf.Torus(1, 0.2), pose([1, 0.1, 0.05], rotation_from_vector([1.5, 0.1, 0]))),
    (sf.Cylinder(0.3), FIRST, pose([0.3, 3.2, 2.0], rotation_from_vector([0.5, 0.3, 0]))),
    (sf.Plane(), FIRST, pose([0.3, 0.1, 0.6], rotation_from_vector([0.5, 0.3, 0]))),
    (sf.Plane(), sf.Disc(0.4), pose([0.3, 0.1, 0.6], rotation_from_vector([0.5, 0.3, 0]))),
    (sf.Paraboloid(0.5, 0.3), SECOND, pose([0.3, 0.2, 1.1], rotation_from_vector([0.5, 0.3, 0]))),
    (sf.Sinusoid(0.05, 1.0), SECOND, pose([0.3, 0.1, 0.6], rotation_from_vector([0.5, 0.3, 0]))),
    (SADDLE, sf.Sphere(0.2), pose([0.1, 0.2, 0.4])),
    (sf.Disc(0.4), sf.Ellipsoid(0.3, 0.2, 0.1), pose([0.7, 0.1, 0.2])),
)
pairs = pytest.mark.parametrize(
    ("a", "b", "start"), PAIRS, ids=[f"{type(a).__name__}-{type(b).__name__}" for a, b, _ in PAIRS]
)


def overlapping(a: sf.Surface, b: sf.Surface, start: Array, depth: float) -> Array:
    """The pose with b moved along the normal until it overlaps by a depth."""
    at = sf.closest_points(a, b, start)
    moved = start.copy()
    moved[:3, 3] -= (at.distance + depth) * at.normal
    return moved


@pairs
@pytest.mark.parametrize("depth", [None, 0.01])
def test_theorem_of_duindam(
    a: sf.Surface, b: sf.Surface, start: Array, depth: float | None
) -> None:
    """Conditions (3.13), rates (3.14) and (3.17) with shape operators, apart and overlapping."""
    if depth is not None:
        start = overlapping(a, b, start, depth)
    at = sf.closest_points(a, b, start)
    rates = sf.contact_rates(a, b, at, start, TWIST)
    turn, origin = start[:3, :3], start[:3, 3]
    normal_b = turn @ b.normal(at.u_b)
    there = turn @ at.point_b + origin
    assert np.abs(at.point_a + at.distance * at.normal - there).max() < 1e-9
    assert np.abs(at.normal + normal_b).max() < 1e-9
    if depth is not None:
        assert abs(at.distance + depth) < 1e-9
    linear, angular = TWIST[:3], TWIST[3:]
    assert abs(at.normal @ (linear + np.cross(angular, there)) - rates.distance) < 1e-9
    if isinstance(a, sf.Disc) or isinstance(b, sf.Disc):
        return
    on_a, on_b = a.shape_operator(at.u_a), turn @ b.shape_operator(at.u_b) @ turn.T
    left = (on_a + on_b @ (np.eye(3) + at.distance * on_a)) @ rates.velocity_a
    # in a's frame, with the point of b carried by b: ∂/∂t of the second condition
    carried = rates.distance * at.normal - linear - np.cross(angular, there)
    right = np.cross(angular, at.normal) - on_b @ carried
    print(f"{type(a).__name__}-{type(b).__name__}: (3.17) {np.abs(left - right).max():.1e}")
    assert np.abs(left - right).max() < 1e-8


@pairs
def test_rates_are_differences(a: sf.Surface, b: sf.Surface, start: Array) -> None:
    step = 1e-4
    at = sf.closest_points(a, b, start)
    rates = sf.contact_rates(a, b, at, start, TWIST)
    before, after = (sf.closest_points(a, b, along(TWIST, start, t), seed=5) for t in (-step, step))
    for first, last, rate in (
        (before.distance, after.distance, rates.distance),
        (before.point_a, after.point_a, rates.velocity_a),
        (before.point_b, after.point_b, rates.velocity_b),
    ):
        assert np.abs((np.asarray(last) - first) / (2 * step) - rate).max() < 1e-5


@pairs
def test_no_pair_of_points_is_nearer(a: sf.Surface, b: sf.Surface, start: Array) -> None:
    """A grid over both surfaces, and the distances of all its pairs."""
    at = sf.closest_points(a, b, start)
    points = []
    for surface, own in ((a, at.u_a), (b, at.u_b)):
        low, high = surface.window(surface.point(own), 1.5)
        sides = [np.linspace(x, y, 60) for x, y in zip(low, high, strict=True)]
        points.append(surface.point(np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)))
    moved = points[1] @ start[:3, :3].T + start[:3, 3]
    least = min(float(np.linalg.norm(moved - each, axis=1).min()) for each in points[0])
    print(f"{at.distance:.5f} beside {least:.5f}")
    assert at.distance <= least + 1e-12
    assert at.distance > least - 0.03


def test_overlapping_spheres_and_ellipsoids() -> None:
    deep = sf.closest_points(sf.Sphere(1.0), sf.Sphere(0.5), pose([0, 0, 1.2]))
    assert abs(deep.distance + 0.3) < 1e-12
    # two flat stones on top of each other: out of each other by the short way
    stone = sf.Ellipsoid(1.0, 1.0, 0.1)
    stacked = sf.closest_points(stone, stone, pose([0, 0, 0.15]))
    assert abs(stacked.distance + 0.05) < 1e-12


def test_places_that_are_not_unique_are_told() -> None:
    flat = sf.closest_points(sf.Plane(), sf.Torus(1.0, 0.2), pose([0, 0, 2.0]))
    assert abs(flat.distance - 1.8) < 1e-12 and not flat.unique and flat.margin < 1e-9
    within = sf.closest_points(sf.Sphere(1.0), sf.Sphere(0.5), np.eye(4))
    assert not within.unique
    # a ball over a hill between two valleys is as far from both flanks of a valley
    bridging = sf.closest_points(sf.Sinusoid(0.3, 1.0), sf.Sphere(0.6), pose([0, 0.75, 0.5]))
    assert bridging.places >= 2 and bridging.margin < 1e-9 and not bridging.unique
    aside = sf.closest_points(sf.Sinusoid(0.3, 1.0), sf.Sphere(0.6), pose([0, 0.77, 0.5]))
    assert aside.places >= 2 and aside.margin > 1e-3 and aside.unique


def test_seeds_repeat_and_agree() -> None:
    first, again, other = (sf.closest_points(FIRST, SECOND, POSE, seed=seed) for seed in (3, 3, 4))
    assert first.point_a.tobytes() == again.point_a.tobytes()
    assert np.abs(first.point_a - other.point_a).max() < 1e-10


def motion(times: Array) -> tuple[Array, Array]:
    """Poses and twists of b, which circles around a and tumbles."""
    poses, twists = [], []
    for t in times:
        turn = rotation_from_vector([0, 0.9 * t, 0]) @ rotation_from_vector([0.8 * t, 0, 0])
        place = np.array([1.9 * np.cos(0.7 * t), 1.9 * np.sin(0.7 * t), 0.8 * np.sin(1.3 * t)])
        speed = np.array([-1.33 * np.sin(0.7 * t), 1.33 * np.cos(0.7 * t), 1.04 * np.cos(1.3 * t)])
        spin = np.array([0, 0.9, 0]) + rotation_from_vector([0, 0.9 * t, 0]) @ [0.8, 0, 0]
        poses.append(pose(place, turn))
        twists.append(np.concatenate([speed - np.cross(spin, place), spin]))
    return np.array(poses), np.array(twists)


def test_points_are_tracked_for_five_seconds() -> None:
    times = np.linspace(0.0, 5.0, 301)
    poses, twists = motion(times)
    found = sf.track(FIRST, SECOND, times, poses, twists)
    assert found.resets == (0,) and found.residual.max() < 1e-10
    oracle = np.array([minimised(FIRST.half_axes, SECOND.half_axes, each) for each in poses[::25]])
    tracked = np.concatenate([found.point_a, found.point_b], axis=1)[::25]
    print(f"tracked beside minimised: {np.abs(tracked - oracle).max():.1e}")
    assert np.abs(tracked - oracle).max() < 1e-6
    # rates are those of the tracked points
    dt = times[1]
    for values, rates in (
        (found.distance, found.distance_rate),
        (found.point_a, found.velocity_a),
        (found.point_b, found.velocity_b),
    ):
        assert np.abs(np.gradient(values, dt, axis=0)[1:-1] - rates[1:-1]).max() < 2e-2


def test_points_that_jump_are_found_again() -> None:
    """A ball that crosses a wave touches one flank after the other."""
    ground, ball = sf.Sinusoid(0.3, 1.0), sf.Sphere(0.6)
    times = np.linspace(0.0, 1.0, 101)
    poses = np.array([pose([0, t, 0.7]) for t in times])
    twists = np.tile([0.0, 1.0, 0, 0, 0, 0], (len(times), 1))
    found = sf.track(ground, ball, times, poses, twists, look=10)
    best = np.array(
        [sf.closest_points(ground, ball, each, seed=7).distance for each in poses[::10]]
    )
    assert np.abs(found.distance[::10] - best).max() < 1e-10
    assert 1 <= len(found.resets) - 1 <= 3
    fast = sf.track(FIRST, SECOND, times[::50], *motion(3 * times[::50]))  # no rates help there
    assert fast.residual.max() < 1e-10 and len(fast.resets) > 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sf.closest_points(FIRST, SECOND, np.zeros((4, 4))), ValueError, "pose_of_b"),
        (lambda: sf.closest_points(sf.Plane(), sf.Plane(), np.eye(4)), ValueError, "have no end"),
        (lambda: sf.closest_points(FIRST, 3, np.eye(4)), TypeError, "b is of type int"),
        (lambda: sf.closest_points(FIRST, SECOND, POSE, samples=2), ValueError, "samples"),
        (
            lambda: sf.closest_points(SADDLE, sf.Sphere(0.1), pose([5.0, 0, 0])),
            sf.NoClosestPointsError,
            "no nearest points of a Parametric and a Sphere",
        ),
        (lambda: sf.track(FIRST, SECOND, [0.0], POSE, TWIST), ValueError, "must be \\(n,\\)"),
        (
            lambda: sf.track(FIRST, SECOND, [0.0, 0.0], [POSE, POSE], [TWIST, TWIST]),
            ValueError,
            "times must rise",
        ),
    ],
)
def test_bad_input_is_named(call, error: type[Exception], message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=message):
        call()
