"""Contacts between bodies in the core, against distances of coal."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import coal
import numpy as np
import pytest

import tarsus as ts
from tarsus.geometry import Collision
from tarsus.geometry.contact_candidates import world_of

SOLIDS: dict[str, tuple[tuple[float, ...], Any]] = {
    "sphere": ((0.15,), coal.Sphere(0.15)),
    "capsule": ((0.1, 0.4), coal.Capsule(0.1, 0.4)),
    "box": ((0.2, 0.3, 0.5), coal.Box(0.2, 0.3, 0.5)),
}
PAIRS = list(combinations_with_replacement(SOLIDS, 2))
each_pair = pytest.mark.parametrize(("one", "other"), PAIRS)


def two_bodies(one: str, other: str, sizes: tuple[Any, Any] | None = None) -> ts.Model:
    b = ts.Builder("two")
    shapes = zip((one, other), sizes or (SOLIDS[one][0], SOLIDS[other][0]), strict=True)
    for name, (kind, size) in zip("ab", shapes, strict=True):
        b.body(name, 1.0, inertia=(0.1, 0.1, 0.1)).joint(f"free_{name}", "free", "world", name)
        b.shape(name, kind, size, role="collision")
    return b.build()


def touches(m: ts.Model, q: np.ndarray) -> np.ndarray:
    """Gap, point and normal (B, 8, 7) of the pair."""
    found = Collision.from_model(m, contact_points=[])
    world = world_of(m, found.arguments, None)
    assert world.n_candidates == len(found.candidates) == 8
    return np.asarray(world.contacts(q))


def peer_distance(m: ts.Model, q: np.ndarray, one: Any, other: Any) -> np.ndarray:
    """Signed distances (B,) by coal."""
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    found = []
    for state in q:
        poses = [
            coal.Transform3s(pose[:3, :3].copy(), pose[:3, 3].copy())
            for pose in (m.frame_pose(state, name) for name in "ab")
        ]
        result = coal.DistanceResult()
        found.append(coal.distance(one, poses[0], other, poses[1], request, result))
    return np.array(found)


def states(m: ts.Model, count: int = 400) -> np.ndarray:
    """Random poses of two bodies, near each other."""
    q = m.random_configuration(3, count)
    rng = np.random.default_rng(4)
    q[:, :3] = rng.uniform(-1, 1, (count, 3))
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    q[:, 7:10] = q[:, :3] + way * rng.uniform(0.15, 0.6, (count, 1))
    return q


@each_pair
def test_distances_are_those_of_coal(one: str, other: str) -> None:
    m = two_bodies(one, other)
    q = states(m)
    gap = touches(m, q)[..., 0].min(axis=1)
    expected = peer_distance(m, q, SOLIDS[one][1], SOLIDS[other][1])
    apart = (expected > 1e-6) & (expected < 0.05)
    error = np.abs(gap - expected)[apart]
    print(f"{one}, {other}: {apart.sum()} pairs apart, distances differ by {error.max():.1e} m")
    assert apart.sum() > 30
    assert error.max() < 1e-9
    deep = expected < -1e-4
    touching = gap < 0.0
    print(f"{deep.sum()} pairs overlap, {touching[deep].sum()} of them touch")
    assert touching[deep].all() and not touching[apart].any()
    if "box" not in (one, other):
        print(f"depths differ by {np.abs(gap - expected)[deep].max():.1e} m")
        assert np.abs(gap - expected)[deep].max() < 1e-9


@each_pair
def test_normals_push_the_first_body_away(one: str, other: str) -> None:
    m = two_bodies(one, other)
    q = states(m)
    found = touches(m, q)
    near = found[..., 0] < 1.0
    normal = found[..., 4:7]
    assert np.abs(np.linalg.norm(normal, axis=-1) - 1)[near].max() < 1e-9
    expected = peer_distance(m, q, SOLIDS[one][1], SOLIDS[other][1])
    slightly = (expected < -1e-3) & (expected > -0.04)
    nearest = found[..., 0].argmin(axis=1)
    moved = q.copy()
    moved[:, :3] += 0.05 * np.take_along_axis(normal, nearest[:, None, None], 1)[:, 0]
    after = peer_distance(m, moved, SOLIDS[one][1], SOLIDS[other][1])
    gained = (after - expected)[slightly]
    print(f"{one}, {other}: a push of 50 mm gains {gained.min():.4f} to {gained.max():.4f} m")
    assert slightly.sum() > 10 and gained.min() > 0.03


def test_crossed_planks_touch_on_four_points() -> None:
    planks = ((1.0, 0.1, 0.1), (0.1, 1.0, 0.1))
    m = two_bodies("box", "box", planks)
    q = m.neutral()
    for height in (0.1005, 0.1, 0.099, 0.09):
        q[2] = height
        found = touches(m, q[None])[0]
        used = found[found[:, 0] < 0.01]
        print(f"at {height} m: {len(used)} places with gaps {np.unique(used[:, 0].round(12))}")
        assert len(used) >= 4
        np.testing.assert_allclose(used[:, 0], height - 0.1, atol=1e-12)
        np.testing.assert_allclose(used[:, 4:7], [[0, 0, 1]] * len(used), atol=1e-12)
        assert np.abs(used[:, 1:3]).max() <= 0.05 + 1e-12
        np.testing.assert_allclose(used[:, 1:3].mean(axis=0), 0.0, atol=1e-12)


def test_a_box_on_a_box_touches_on_its_corners() -> None:
    m = two_bodies("box", "box", ((0.2, 0.2, 0.2), (1.0, 1.0, 0.2)))
    q = m.neutral()
    q[:3] = 0.1, 0.2, 0.2 - 1e-4
    found = touches(m, q[None])[0]
    used = found[found[:, 0] < 1e-3]
    assert len(used) == 4
    corners = {(round(x, 9), round(y, 9)) for x, y in used[:, 1:3]}
    assert corners == {(0.0, 0.1), (0.0, 0.3), (0.2, 0.1), (0.2, 0.3)}
    np.testing.assert_allclose(used[:, 0], -1e-4, atol=1e-12)


def test_self_collision_leaves_out_what_touches_at_rest() -> None:
    b = ts.Builder("chain")
    parent = "world"
    for i, (length, place) in enumerate([(0.5, 0.0), (0.2, 0.1), (0.1, 0.1), (0.5, 0.6)]):
        b.body(f"link{i}", 1.0, inertia=(0.1, 0.1, 0.1))
        kind = "free" if i == 0 else "revolute"
        axis = {} if i == 0 else {"axis": "y"}
        b.joint(f"joint{i}", kind, parent, f"link{i}", position=(0, 0, place), **axis)  # type: ignore[arg-type]
        b.shape(f"link{i}", "capsule", (0.06, length), role="collision", position=(0, 0, 0.25))
        parent = f"link{i}"
    found = Collision.from_model(b.build(), self_collision=True)
    print(found, *found.warnings)
    # link 0 and link 2 overlap in the neutral configuration
    assert any("link0 and link2" in text for text in found.warnings)
    watched = {
        (each.link, each.other_link) for each in found.candidates if each.other_link != "ground"
    }
    assert ("link0", "link2") not in watched and ("link0", "link3") in watched
