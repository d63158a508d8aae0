"""Smooth bodies on all grounds and each other: gaps beside oracles, motions beside closed forms."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.geometry import Collision, Terrain
from tarsus.geometry import surfaces as sf
from tarsus.geometry.contact_candidates import world_of
from tarsus.spatial import inverse

SHAPES: dict[str, tuple[float, ...]] = {
    "sphere": (0.3,),
    "ellipsoid": (0.5, 0.3, 0.2),
    "torus": (0.4, 0.1),
}
SURFACES: dict[str, Callable[..., sf.Surface]] = {
    "sphere": sf.Sphere,
    "ellipsoid": sf.Ellipsoid,
    "torus": sf.Torus,
}
GROUNDS = (sf.Plane(), sf.Paraboloid(0.3, 0.2), sf.Paraboloid(-0.3, 0.2), sf.Sinusoid(0.05, 0.5))


def free(*shapes: tuple[str, tuple[float, ...]], inertia: float = 0.1) -> ts.Model:
    """Return free bodies a, b … with a shape each."""
    builder = ts.Builder("free")
    for name, (kind, size) in zip("abc", shapes, strict=False):
        builder.body(name, 1.0, inertia=(inertia,) * 3).joint(f"root_{name}", "free", "world", name)
        builder.shape(name, kind, size, role="collision")
    return builder.build()


def anywhere(model: ts.Model, rng: np.random.Generator, count: int, wide: float) -> Array:
    q = np.array([model.random_configuration(rng) for _ in range(count)])
    for start in range(0, model.nq, 7):
        q[:, start : start + 3] = rng.uniform(-wide, wide, (count, 3))
    return q


def gaps(model: ts.Model, ground: Terrain | None, q: Array) -> Array:
    """Rows (n, candidates, 7) of gap, point and normal."""
    return world_of(model, Collision.from_model(model).arguments, ground).contacts(q)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("surface", GROUNDS, ids=repr)
def test_bodies_on_smooth_grounds(kind: str, surface: sf.Graph) -> None:
    """Gap, point and normal, beside the search of Python, which shares no code."""
    model, ground = free((kind, SHAPES[kind])), ts.SmoothGround(surface)
    body = SURFACES[kind](*SHAPES[kind])
    rng = np.random.default_rng(3)
    q = ts.stand(model, anywhere(model, rng, 4, 0.5), ground)
    q[:, 2] += rng.uniform(-0.02, 0.1, len(q))
    worst = 0.0
    for at, found in zip(q, gaps(model, ground, q), strict=True):
        here = found[np.argmin(found[:, 0])]
        nearest = sf.closest_points(surface, body, model.forward_kinematics(at)[0])
        worst = max(worst, abs(here[0] - nearest.distance))
        assert np.abs(here[1:4] - nearest.point_a).max() < 1e-6
        assert np.abs(here[4:7] - nearest.normal).max() < 1e-6
    print(f"{kind} on {surface}: {worst:.1e}")
    assert worst < 1e-9
    if isinstance(surface, sf.Plane):  # as on the ground that is a plane by name
        same = gaps(model, ts.Ground(), q)[..., 0].min(axis=1)
        assert np.abs(gaps(model, ground, q)[..., 0].min(axis=1) - same).max() < 1e-9


def test_what_is_wider_than_a_trough_stands_on_both_flanks() -> None:
    model, ground = free(("sphere", (0.6,))), ts.SmoothGround(sf.Sinusoid(0.3, 1.0))
    q = model.neutral().copy()
    q[1] = 0.75
    q = ts.stand(model, q, ground)
    found = gaps(model, ground, q[None])[0]
    assert found.shape == (2, 7) and np.abs(found[:, 0]).max() < 1e-9
    assert np.allclose(found[0, 2] + found[1, 2], 1.5) and abs(found[0, 2] - found[1, 2]) > 0.1
    run = ts.Simulation(model, ground=ground).run(q, duration=0.5)
    assert np.abs(run.q[-1] - q).max() < 1e-6
    assert len(Collision.from_model(model).numbered(ground)) == 2


def lowest_over_stairs(points: Array, line: Array) -> float:
    """How far points (n, 3) are from a polyline, solid below, negative inside."""
    x, z = points[:, 0], points[:, 2]
    far = np.full(len(points), np.inf)
    for (x0, z0), (x1, z1) in pairwise(line):
        d = np.array([x1 - x0, z1 - z0])
        t = np.clip(((x - x0) * d[0] + (z - z0) * d[1]) / (d @ d), 0.0, 1.0)
        far = np.minimum(far, np.hypot(x - x0 - t * d[0], z - z0 - t * d[1]))
    inside = z < np.interp(x, line[:, 0], line[:, 1])
    return float(np.where(inside, -far, far).min())


@pytest.mark.parametrize("size", [(0.1, 0.2, 0.05), (0.05, 0.04, 0.15)])
def test_ellipsoids_on_ridges_and_in_valleys(size: tuple[float, ...]) -> None:
    line = np.array([[-2.0, 0.0], [-0.6, 0.0], [0.0, 0.4], [0.5, 0.1], [2.0, 0.2]])
    ground, model = ts.Profile(line), free(("ellipsoid", size))
    rng = np.random.default_rng(4)
    q = anywhere(model, rng, 40, 1.0)
    q = ts.stand(model, q, ground)
    q[:, 2] += rng.uniform(0.0, 0.05, len(q))
    u = rng.uniform([-np.pi, -np.pi / 2], [np.pi, np.pi / 2], (40_000, 2))
    skin = sf.Ellipsoid(*size).point(u)
    on_ridge = 0
    for at, found in zip(q, gaps(model, ground, q), strict=True):
        pose = model.forward_kinematics(at)[0]
        expected = lowest_over_stairs(skin @ pose[:3, :3].T + pose[:3, 3], line)
        assert abs(found[:, 0].min() - expected) < 5e-4
        on_ridge += np.abs(found[np.argmin(found[:, 0]), [1, 3]] - line[2]).max() < 1e-9
    assert on_ridge >= 3


def test_ellipsoids_on_a_height_field() -> None:
    field = ts.HeightField.from_function(lambda x, y: 0.2 * x - 0.1 * y, spacing=0.2)
    model = free(("ellipsoid", (0.5, 0.3, 0.2)))
    q = anywhere(model, np.random.default_rng(5), 6, 1.0)
    normal = np.array([-0.2, 0.1, 1.0]) / np.sqrt(1.05)
    for at, found in zip(q, gaps(model, field, q), strict=True):
        pose = model.forward_kinematics(at)[0]
        reach = np.linalg.norm(np.array([0.5, 0.3, 0.2]) * (pose[:3, :3].T @ normal))
        assert abs(found[0, 0] - (normal @ pose[:3, 3] - reach)) < 1e-9


ROUND = [("ellipsoid", (0.5, 0.3, 0.2)), ("torus", (0.4, 0.1)), ("sphere", (0.2,))]


@pytest.mark.parametrize("a", ROUND[:2], ids=lambda s: s[0])
@pytest.mark.parametrize(
    "b", [("ellipsoid", (0.2, 0.35, 0.1)), ("torus", (0.3, 0.05)), ROUND[2]], ids=lambda s: s[0]
)
def test_smooth_bodies_on_each_other(
    a: tuple[str, tuple[float, ...]], b: tuple[str, tuple[float, ...]]
) -> None:
    """Distances between bodies, from both sides, beside the search of Python."""
    model, turned = free(a, b), free(b, a)
    first, second = SURFACES[a[0]](*a[1]), SURFACES[b[0]](*b[1])
    compared = 0
    q = anywhere(model, np.random.default_rng(6), 60, 0.5)
    for at, pair in zip(q, gaps(model, None, q)[:, -8:], strict=True):
        here = pair[np.argmin(pair[:, 0])]
        if not -0.03 < here[0] < 0.08 or compared == 4:
            continue
        compared += 1
        poses = model.forward_kinematics(at)
        nearest = sf.closest_points(first, second, inverse(poses[0]) @ poses[1], samples=128)
        assert abs(here[0] - nearest.distance) < 1e-8
        # the point is half way, the normal from b to a
        normal = poses[0][:3, :3] @ nearest.normal
        on_a = poses[0][:3, :3] @ nearest.point_a + poses[0][:3, 3]
        assert np.abs(here[4:7] + normal).max() < 1e-5
        assert np.abs(here[1:4] - on_a - normal * nearest.distance / 2).max() < 1e-5
        back = np.concatenate([at[7:], at[:7]])
        assert abs(gaps(turned, None, back[None])[0, -8:, 0].min() - here[0]) < 1e-9
    assert compared == 4


@pytest.mark.parametrize("other", [("box", (0.4, 0.3, 0.5)), ("capsule", (0.1, 0.5))])
@pytest.mark.parametrize("kind", ["ellipsoid", "torus"])
def test_smooth_bodies_on_boxes_and_capsules(
    kind: str, other: tuple[str, tuple[float, ...]]
) -> None:
    """Distances beside those of many points of the skin, by formulas of NumPy."""
    model, body = free((kind, SHAPES[kind]), other), SURFACES[kind](*SHAPES[kind])
    rng = np.random.default_rng(7)
    skin = body.point(rng.uniform(*body.window(np.zeros(3), 1.0), (40_000, 2)))
    compared = 0
    for at in anywhere(model, rng, 60, 0.6):
        poses = model.forward_kinematics(at)
        there = inverse(poses[1]) @ poses[0]
        p = skin @ there[:3, :3].T + there[:3, 3]
        if other[0] == "box":
            over = np.abs(p) - np.array(other[1]) / 2
            outside = np.linalg.norm(np.maximum(over, 0.0), axis=1)
            far = np.where((over > 0).any(axis=1), outside, over.max(axis=1))
        else:
            p[:, 2] -= np.clip(p[:, 2], -other[1][1] / 2, other[1][1] / 2)
            far = np.linalg.norm(p, axis=1) - other[1][0]
        if not 0.0 < far.min() < 0.1:
            continue
        compared += 1
        found = gaps(model, None, at[None])[0, -8:, 0].min()
        assert far.min() - 5e-3 < found < far.min() + 1e-12
    assert compared >= 3


LAWS = ("exact", "penalty", "event")


def crossings(t: Array, x: Array) -> Array:
    """Times at which x changes its sign."""
    k = np.flatnonzero(np.diff(np.sign(x)))
    return np.asarray(t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k]))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("friction", "factor"), [(0.0, 1.0), (5.0, 1.4)])
def test_a_ball_in_a_bowl_is_a_pendulum(law: str, friction: float, factor: float) -> None:
    """It swings with the length ρ − r, without friction; if it rolls, with 7/5 of the inertia."""
    radius, bend = 0.1, 0.5
    model = free(("sphere", (radius,)), inertia=0.4 * radius**2)
    ground = ts.SmoothGround(sf.Paraboloid(bend, bend), friction=friction)
    q = model.neutral().copy()
    q[0] = 0.01
    run = ts.Simulation(model, ground=ground, contact=law, dt=1e-3).run(  # type: ignore[arg-type]
        ts.stand(model, q, ground), duration=1.8
    )
    half = float(np.diff(crossings(run.t, run.q[:, 0]))[0])
    expected = np.pi * np.sqrt(factor * (1 / (2 * bend) - radius) / 9.81)
    print(f"{law}, μ = {friction}: {half:.6f} s beside {expected:.6f} s")
    assert abs(half / expected - 1) < 1e-3


@pytest.mark.parametrize("law", LAWS)
def test_an_ellipsoid_rocks(law: str) -> None:
    """On a plane, without slip: ω² = m g (ρ − h) / (I + m h²) with ρ = rx²/rz and h = rz."""
    rx, rz, inertia, angle = 0.3, 0.1, 0.02, 0.004
    model = free(("ellipsoid", (rx, 0.2, rz)), inertia=inertia)
    ground = ts.Ground(friction=5.0)
    q = model.neutral().copy()
    q[4], q[6] = np.sin(angle / 2), np.cos(angle / 2)
    run = ts.Simulation(model, ground=ground, contact=law, dt=2e-4).run(  # type: ignore[arg-type]
        ts.stand(model, q, ground), duration=0.5
    )
    half = float(np.diff(crossings(run.t, run.q[:, 4]))[0])
    expected = np.pi / np.sqrt(9.81 * (rx**2 / rz - rz) / (inertia + rz**2))
    print(f"{law}: {half:.6f} s beside {expected:.6f} s")
    assert abs(half / expected - 1) < 2e-3


def test_a_torus_lies_and_rolls() -> None:
    model, ground = free(("torus", (0.3, 0.05)), inertia=0.05), ts.Ground(friction=0.8)
    flat = ts.stand(model, model.neutral(), ground)
    assert abs(flat[2] - 0.05) < 1e-12
    rest = ts.Simulation(model, ground=ground).run(flat, duration=0.2)
    assert np.abs(rest.q[-1] - flat).max() < 1e-9
    upright = model.neutral().copy()
    upright[3], upright[6] = np.sin(np.pi / 4), np.cos(np.pi / 4)  # its axis along y
    upright = ts.stand(model, upright, ground)
    assert abs(upright[2] - 0.35) < 1e-9
    axis = model.forward_kinematics(upright)[0][:3, 2]
    v = np.array([0.35, 0.0, 0.0, 0.0, 0.0, 1.0 / axis[1]])  # (R + r) ω, about its own axis
    run = ts.Simulation(model, ground=ground).run(upright, v, duration=0.5)
    assert np.abs(run.q[-1, :3] - upright[:3] - [0.175, 0, 0]).max() < 1e-9
    assert abs(run.v[-1, 5] - v[5]) < 1e-9


def test_momentum_and_energy_of_two_ellipsoids() -> None:
    model = free(("ellipsoid", (0.3, 0.2, 0.1)), ("ellipsoid", (0.1, 0.2, 0.3)))
    q = model.neutral().copy()
    q[2], q[7], q[9] = 0.0, 0.1, 0.7
    v = np.zeros(12)
    v[8] = -2.0  # the second falls on the first, off its centre
    space = ts.Space(friction=0.0, restitution=1.0)
    still = ts.Simulation(model, ground=space, contact="exact", dt=1e-4, forces=[])
    run = still.run(q, v, duration=0.4)
    free_fall = -9.81 * run.t[-1]
    poses = model.forward_kinematics(run.q[-1])
    momentum = sum(poses[k][:3, :3] @ run.v[-1, 6 * k : 6 * k + 3] for k in range(2))
    assert np.abs(momentum - [0, 0, -2.0 + 2 * free_fall]).max() < 1e-9
    assert np.abs(run.v[-1, 3:6]).max() > 0.1  # it was hit beside its middle


def test_batches_have_the_bits_of_single_states() -> None:
    model = free(("ellipsoid", (0.5, 0.3, 0.2)), ("torus", (0.3, 0.06)), ("sphere", (0.2,)))
    q = anywhere(model, np.random.default_rng(8), 11, 0.6)
    q[:, 2::7] += [1.2, 2.7, 4.2]  # one above the other
    stairs = ts.Profile(np.array([[-1.0, 0.0], [0.0, 0.3], [1.0, 0.0]]))
    soft = ts.contact.Penalty(1e3, 5.0, tangential_stiffness=1e2, tangential_damping=1.0)
    for ground in (ts.Ground(), ts.SmoothGround(sf.Sinusoid(0.1, 0.8)), stairs):
        for law in ("exact", soft):
            simulation = ts.Simulation(model, ground=ground, contact=law, dt=5e-4)  # type: ignore[arg-type]
            batch = simulation.run(q, duration=0.5)
            for state in (0, 5, 10):
                one = simulation.run(q[state], duration=0.5)
                assert one.q[-1].tobytes() == batch.q[state, -1].tobytes()


def test_places_that_are_not_found_are_told() -> None:
    """Waves that are sharper than a torus is round: some of its places are missed, and told."""
    model, ground = free(("torus", (0.4, 0.02))), ts.SmoothGround(sf.Sinusoid(0.1, 3.0))
    q = ts.stand(model, anywhere(model, np.random.default_rng(1), 120, 0.5), ground)
    with pytest.warns(ts.ConvergenceWarning, match="were not solved"):
        run = ts.Simulation(model, ground=ground).run(q, duration=1e-3)
    assert 1 <= np.count_nonzero(run.unsolved.count) <= 20


def test_grounds_and_runs_are_saved_whole(tmp_path: object) -> None:
    ground = ts.SmoothGround(sf.Sinusoid(0.1, 0.8), friction=0.4)
    model = free(("torus", (0.3, 0.06)))
    q = ts.stand(model, model.neutral(), ground)
    run = ts.Simulation(model, ground=ground).run(q, duration=0.01)
    run.save(f"{tmp_path}/run.npz")
    again = ts.load_run(f"{tmp_path}/run.npz")
    assert again.ground == ground and again.model.shapes[0].kind == "torus"
    assert np.allclose(ground.height([0.0], [0.3125]), 0.1)
    vertices, triangles = ground.mesh((-1, -1), (1, 1))
    assert np.abs(vertices[:, 2] - 0.1 * np.sin(2 * np.pi * 0.8 * vertices[:, 1])).max() < 1e-12
    assert triangles.max() == len(vertices) - 1


def test_wrong_shapes_and_grounds_are_named() -> None:
    with pytest.raises(TypeError, match="surface is of type Sphere, must be a Plane,"):
        ts.SmoothGround(sf.Sphere(1.0))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="tube of a torus is wider than its hole"):
        free(("torus", (0.1, 0.2)))
    with pytest.raises(ModelError, match=r"size has shape \(3,\), must be \(2,\)"):
        free(("torus", (0.1, 0.2, 0.3)))
