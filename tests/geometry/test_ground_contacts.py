"""Gaps, points and normals of the core on every ground, against geometry in NumPy."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import KDTree
from touching import free_body

import tarsus as ts
from tarsus.geometry import Collision, Ground, HeightField, Profile, Steps, Terrain
from tarsus.geometry.contact_candidates import world_of

RNG = np.random.default_rng(7)
GROUNDS: dict[str, Terrain] = {
    "level": Ground(),
    "slope": Ground(slope=-0.4),
    "profile": Profile([[-1, 0.2], [0, 0.2], [0, 0.5], [0.7, 0.1], [1.5, 0.4]]),
    "steps": Steps(rise=0.2, depth=0.4, count=4, start=-0.3),
    "stairs down": Steps(rise=-0.2, depth=0.4, count=2, start=-0.3),
    "height field": HeightField(RNG.uniform(-0.1, 0.1, (9, 8)), (0.5, 0.6), (-2.0, -2.0)),
}
each_ground = pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)


def contacts(m: ts.Model, q: np.ndarray, ground: Terrain) -> np.ndarray:
    """Gap, point and normal (B, candidates, 7) of every candidate."""
    found = Collision.from_model(m)
    world = world_of(m, found.arguments, ground)
    assert world.n_candidates == len(found.numbered(ground))
    return np.asarray(world.contacts(q))


def nearest(found: np.ndarray, ground: Terrain) -> np.ndarray:
    """The lower of the two places that a ball has on a profile (B, candidates, 7)."""
    if not isinstance(ground, Profile):
        return found
    first, second = np.split(found, 2, axis=1)
    return np.where(first[..., :1] <= second[..., :1], first, second)


def dense(ground: Profile) -> np.ndarray:
    """Points (n, 2) along the polyline, 0.1 mm apart, and far beyond its ends."""
    ends = [[-5.0, ground.points[0, 1]], *ground.points, [5.0, ground.points[-1, 1]]]
    pieces = []
    for a, b in pairwise(ends):
        count = int(np.hypot(*np.subtract(b, a)) / 1e-4) + 2
        pieces.append(np.linspace(a, b, count))
    return np.concatenate(pieces)


@cache
def samples(name: str) -> KDTree:
    """The polyline of a ground as points, to find the nearest one."""
    ground = GROUNDS[name]
    assert isinstance(ground, Profile)
    return KDTree(dense(ground))


def distances(ground: Terrain, points: np.ndarray) -> np.ndarray:
    """Signed distances (…,) of points (…, 3) to the ground, as the core defines them."""
    x, y, z = np.moveaxis(points, -1, 0)
    if isinstance(ground, Profile):
        name = next(name for name, each in GROUNDS.items() if each is ground)
        away, _ = samples(name).query(np.stack([x, z], -1))
        return np.asarray(np.where(z < ground.height(x, y), -away, away))
    # exact for a plane; for a field the height over the tangent plane below the point
    return np.asarray((z - ground.height(x, y)) * ground.normal(x, y)[..., 2])


def states(m: ts.Model, count: int = 60) -> np.ndarray:
    q = m.random_configuration(1, count)
    q[:, :3] = np.random.default_rng(2).uniform((-1.5, -1.5, -0.4), (1.8, 1.5, 0.9), (count, 3))
    return q


SHAPES: dict[str, tuple[tuple[float, ...], np.ndarray, float]] = {
    # size, centres of the balls in the body, their radius
    "sphere": ((0.2,), np.zeros((1, 3)), 0.2),
    "capsule": ((0.1, 0.4), np.array([[0, 0, -0.2], [0, 0, 0.2]]), 0.1),
    "box": (
        (0.2, 0.3, 0.4),
        np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.15, 0.15) for z in (-0.2, 0.2)]),
        0.0,
    ),
}


@each_ground
@pytest.mark.parametrize("kind", SHAPES)
def test_balls_and_points(kind: str, ground: Terrain) -> None:
    size, centers, radius = SHAPES[kind]
    m = free_body(kind, size)
    q = states(m)
    found = nearest(contacts(m, q, ground), ground)
    pose = m.frame_pose(q, "body")
    where = np.einsum("bij,nj->bni", pose[:, :3, :3], centers) + pose[:, None, :3, 3]
    gap, point, normal = found[..., 0], found[..., 1:4], found[..., 4:7]
    away = distances(ground, where)
    # below the bottom of a valley its corner is farther than its faces are high
    bottom = (away < 0.0) & (gap + radius > away + 6e-5) & isinstance(ground, Profile)
    error = np.abs(gap - (away - radius))[~bottom].max()
    print(f"{kind}: gaps differ by {error:.1e} m, {bottom.sum()} are below a valley")
    assert error < (6e-5 if isinstance(ground, Profile) else 1e-13)  # by samples 0.1 mm apart
    assert bottom.mean() < 0.25
    assert np.abs(np.linalg.norm(normal, axis=-1) - 1).max() < 1e-12
    # the point lies on the ground, below the ball or above its lowest point
    on_ground = where - (gap + radius)[..., None] * normal
    np.testing.assert_allclose(point, on_ground, atol=1e-12)
    # the normal is the way in which the distance grows
    step = 1e-3
    grown = distances(ground, where + step * normal) - distances(ground, where)
    usual = (np.abs(away) > 0.01) & ~bottom
    print(f"{kind}: a step along the normal gains {(grown[usual] / step).min():.3f} of it")
    if not isinstance(ground, HeightField):
        assert np.quantile(grown[usual] / step, 0.1) > 0.98


@each_ground
def test_rims_of_a_cylinder(ground: Terrain) -> None:
    radius, length = 0.15, 0.3
    m = free_body("cylinder", (radius, length))
    q = states(m)
    found = contacts(m, q, ground).reshape(len(q), -1, 2, 3, 7)
    pose = m.frame_pose(q, "body")
    angle = np.linspace(0, 2 * np.pi, 2001)
    for side, end in enumerate((-1.0, 1.0)):
        rim = np.column_stack(
            [radius * np.cos(angle), radius * np.sin(angle), np.full(angle.shape, end * length / 2)]
        )
        where = np.einsum("bij,nj->bni", pose[:, :3, :3], rim) + pose[:, None, :3, 3]
        for own in (found[:, slot, side] for slot in range(found.shape[1])):
            there = (own[..., 0] < 1e20).all(axis=1)
            check_rim(own[there], pose[there], ground, radius, end * length / 2)
        if isinstance(ground, Ground):
            missed = found[:, 0, side, 0, 0] - distances(ground, where).min(axis=1)
            print(f"the deepest point of a rim is missed by {np.abs(missed).max():.1e} m")
            assert np.abs(missed).max() < 1e-6


def check_rim(
    own: np.ndarray, pose: np.ndarray, ground: Terrain, radius: float, height: float
) -> None:
    """Check three places (B, 3, 7): a gap above its point on the ground each is on the rim."""
    above = own[..., 1:4] + own[..., :1] * own[..., 4:7]
    back = np.einsum("bji,bnj->bni", pose[:, :3, :3], above - pose[:, None, :3, 3])
    np.testing.assert_allclose(np.hypot(back[..., 0], back[..., 1]), radius, atol=1e-12)
    np.testing.assert_allclose(back[..., 2], height, atol=1e-12)
    angles = np.sort(np.arctan2(back[..., 1], back[..., 0]), axis=-1)
    np.testing.assert_allclose(np.diff(angles, axis=-1), 2 * np.pi / 3, atol=1e-9)
    # gaps are distances; on a profile also heights over faces that are farther away
    away = distances(ground, above)
    error = np.abs(own[..., 0] - away)[~(isinstance(ground, Profile) & (own[..., 0] > away))]
    print(f"gaps of rims differ by {error.max(initial=0.0):.1e} m")
    assert error.max(initial=0.0) < 6e-5


def test_an_upright_cylinder_stands_on_three_points() -> None:
    m = free_body("cylinder", (0.1, 0.4))
    q = m.neutral()
    q[2] = 0.2
    found = contacts(m, q[None], Ground())[0]
    assert np.abs(found[:3, 0]).max() < 1e-15
    np.testing.assert_allclose(found[:3, 1:4].mean(axis=0), 0.0, atol=1e-15)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-8, 2e-9, 1e-10, 0.0, -1e-9, -1e-8, -1e-6])
@pytest.mark.parametrize("at", [-0.9, 0.27, 0.6, 3.0])
def test_a_tread_is_level_for_a_foot_at_rest(gap: float, at: float) -> None:
    stairs = Steps(rise=0.2, depth=0.4, count=2, start=0.0)
    m = free_body("box", (0.02, 0.02, 0.02))
    q = m.neutral()
    q[[0, 2]] = at, float(stairs.height(at, 0.0)) + 0.01 + gap
    found = contacts(m, q[None], stairs)[0]
    low = found[found[:, 3] + found[:, 0] < q[2]]
    tilt = np.abs(low[:, 4:6]).max()
    print(f"normals are tilted by {tilt:.1e}, gaps are off by {np.abs(low[:, 0] - gap).max():.1e}")
    assert len(low) == 4 and tilt < 1e-6
    assert np.abs(low[:, 0] - gap).max() < 1e-12


@pytest.mark.parametrize("ground", [Ground(), Ground(slope=0.3)], ids=["level", "slope"])
def test_the_lowest_point_of_a_leaning_disc(ground: Ground) -> None:
    """Closed form, and its velocity is the rate of the gap: the rest is of second order in time."""
    radius, normal = 0.2, ground.numbers[:3]
    m = free_body("cylinder", (radius, 0.0))
    world = world_of(m, Collision.from_model(m).arguments, ground)
    q, rng = m.random_configuration(4, 20), np.random.default_rng(4)
    v = rng.normal(size=(20, 6))
    axis = m.frame_pose(q, "body")[:, :3, 2]
    # n · c − r sin(tilt), the tilt being the angle between axis and normal
    expected = q[:, :3] @ normal - radius * np.linalg.norm(np.cross(axis, normal), axis=1)
    np.testing.assert_allclose(world.contacts(q)[:, 0, 0], expected, atol=1e-14)
    for state, velocity, start in zip(q, v, expected, strict=True):
        _, rows = world.operator(state[None], [0])
        rate = float(np.asarray(rows).reshape(3, 6)[0] @ velocity)
        left = [
            float(world.contacts(m.integrate(state, t * velocity)[None])[0, 0, 0])
            - start
            - t * rate
            for t in (2e-4, 1e-4)
        ]
        # a quarter of it for half the time, and no more than the disc turns
        assert abs(left[0] - 4 * left[1]) < 1e-9
        assert abs(left[1]) < 1e-8 * (radius + 1.0) * max(1.0, float(velocity @ velocity))


@each_ground
@pytest.mark.parametrize("kind", ["sphere", "cylinder", "box"])
def test_what_is_nowhere_reads_nothing_beyond_the_ground(kind: str, ground: Terrain) -> None:
    """Places far off are looked up inside; a quaternion of zeros has no place at all."""
    m = free_body(kind, {"sphere": (0.1,), "cylinder": (0.1, 0.2), "box": (0.1, 0.2, 0.3)}[kind])
    q = np.tile(m.neutral(), (4, 1))
    q[:, :3] = [[1e300, 1e300, 0], [-1e300, 1e9, 0], [1e308, -1e308, 1e308], [0, 1e18, -1e9]]
    found = contacts(m, q, ground)
    assert np.isfinite(found[3, :, 4:7]).all()
    q[2, 3:] = 0.0
    with pytest.raises(ValueError, match=r"q must have unit quaternions: .* of state 2 are zero"):
        contacts(m, q, ground)
