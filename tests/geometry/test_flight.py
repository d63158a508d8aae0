"""Solids that fly far in a step: they meet where they would, and what flies past does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation
from test_pair_contacts import SOLIDS, each_pair, peer_distance, two_bodies

import tarsus as ts
from tarsus.geometry import Collision, Profile

DT = 0.01


def flights(speed: float, turning: float, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """States (count, 14) and (count, 12) of two bodies, a metre apart and on their way."""
    rng = np.random.default_rng(seed)
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    q, v = np.zeros((count, 14)), np.zeros((count, 12))
    q[:, :3] = -way * rng.uniform(0.8, 1.2, (count, 1)) + rng.uniform(-0.35, 0.35, (count, 3))
    for first in (3, 10):
        q[:, first : first + 4] = Rotation.random(count, random_state=seed + first).as_quat()
    share = rng.uniform(0.0, 1.0, (count, 1))
    axes = [Rotation.from_quat(q[:, first : first + 4]) for first in (3, 10)]
    v[:, :3] = axes[0].inv().apply(speed * share * way)
    v[:, 6:9] = axes[1].inv().apply(-speed * (1.0 - share) * way)
    v[:, 3:6], v[:, 9:12] = rng.normal(size=(2, count, 3)) * turning
    return q, v


def heavy(m: ts.Model, inertia: ArrayLike, mass: ArrayLike = 1.0) -> ts.Model:
    """Return a model without gravity, its inertias and masses multiplied."""
    factors = np.broadcast_to(inertia, 2), np.broadcast_to(mass, 2)
    bodies = [
        replace(body, inertia=np.asarray(body.inertia) * turning, mass=body.mass * moving)
        for body, turning, moving in zip(m.description.bodies, *factors, strict=True)
    ]
    return ts.Model(replace(m.description, bodies=bodies, gravity=np.zeros(3)))


def fly(m: ts.Model, q: np.ndarray, v: np.ndarray, steps: int, **options: Any) -> Any:
    points = Collision.from_model(m, contact_points=[])
    return ts.Simulation(m, collision=points, dt=DT, **options).run(q, v, duration=steps * DT)


def least(m: ts.Model, q: np.ndarray, v: np.ndarray, shapes: Any, steps: int) -> np.ndarray:
    """The least distances (B,) by coal on the way of bodies that nothing stops."""
    found, moved = np.full(len(q), np.inf), q.copy()
    for t in np.linspace(0.0, steps * DT, 40 * steps):
        for k, j in ((0, 0), (7, 6)):
            axes = Rotation.from_quat(q[:, k + 3 : k + 7])
            moved[:, k : k + 3] = q[:, k : k + 3] + t * axes.apply(v[:, j : j + 3])
            turned = axes * Rotation.from_rotvec(t * v[:, j + 3 : j + 6])
            moved[:, k + 3 : k + 7] = turned.as_quat()
        found = np.minimum(found, peer_distance(m, moved, *shapes))
    return found


def depths(m: ts.Model, q: np.ndarray, shapes: Any) -> np.ndarray:
    """How deep bodies are in each other (B,) at most, for runs (B, samples, nq)."""
    return -np.min([peer_distance(m, q[:, k], *shapes) for k in range(q.shape[1])], axis=0)


def first_impact(v: np.ndarray) -> np.ndarray:
    """The samples (B,) behind which linear speeds (B, samples, nv) change, -1 where they do not."""
    speeds = np.linalg.norm(v.reshape(*v.shape[:2], -1, 3)[:, :, ::2], axis=-1)
    changed = np.abs(speeds - speeds[:, :1]).max(axis=-1) > 1e-9
    return np.where(changed.any(axis=1), changed.argmax(axis=1), -1)


@pytest.mark.parametrize(("speed", "turning"), [(20.0, 0.0), (40.0, 0.0), (40.0, 3.0)])
@each_pair
def test_fast_solids_meet_and_do_not_overlap(
    one: str, other: str, speed: float, turning: float
) -> None:
    """Bodies that an impact does not turn: exact but for the turning in a step."""
    m, steps, count = heavy(two_bodies(one, other), 1e9), round(1.6 / (speed * DT)), 24
    q, v = flights(speed, turning, count, seed=5)
    shapes = SOLIDS[one][1], SOLIDS[other][1]
    free = least(m, q, v, shapes, steps)
    run = fly(m, q, v, steps)
    first = first_impact(run.v)
    hit, sure = first >= 0, np.abs(free) > 5e-3
    # turning bodies that slide along each other at such speeds are seen once a step
    if turning > 0.0:
        run.q[:, 1:] = run.q[np.arange(count), first][:, None]
    depth = depths(m, run.q, shapes)
    print(f"{one}, {other}: {hit.sum()} of {count} meet, at most {1e6 * depth.max():.1f} um deep")
    assert (hit == (free < 0.0))[sure].all()
    assert 3 <= hit.sum() < count
    # while they slide past each other by so much, their faces turn
    turned = DT * np.abs(v.reshape(count, 4, 3)[:, 1::2]).sum(axis=(1, 2))
    assert (depth < 1e-6 + speed * DT * turned).all()


@each_pair
def test_impacts_that_turn_a_body(one: str, other: str) -> None:
    """In the step of the impact it slides and turns: the faces that it touched do not follow."""
    builder, speed, count = ts.Builder("one", gravity=(0, 0, 0)), 20.0, 24
    builder.body("a", 1.0, inertia=(0.1, 0.1, 0.1)).joint("fly", "free", "world", "a")
    builder.shape("a", one, SOLIDS[one][0], role="collision")
    builder.shape("world", other, SOLIDS[other][0], role="collision")
    q, v = flights(speed, 0.0, count, seed=5)
    v[:, :3] *= speed / np.linalg.norm(v[:, :3], axis=1)[:, None]
    run = fly(builder.build(), q[:, :7], v[:, :6], round(1.6 / (speed * DT)))
    first = first_impact(run.v)
    chosen = np.flatnonzero(first >= 0)
    at, after = run.q[chosen, first[chosen]], run.v[chosen, first[chosen]]
    turn = DT * np.linalg.norm(after[:, 3:6], axis=1)
    both = two_bodies(one, other)
    still = np.broadcast_to(both.neutral()[7:], at.shape)
    depth = -peer_distance(both, np.hstack([at, still]), SOLIDS[one][1], SOLIDS[other][1])
    print(f"{one}, {other}: {1e3 * depth.max():.2f} mm deep, turned by {turn.max():.2f} rad a step")
    reach = 0.3  # how far its ends are from its centre [m]
    assert len(chosen) > 3 and (depth < 1e-6 + (reach + speed * DT) * turn).all()


@pytest.mark.parametrize("speed", [5.0, 40.0, 300.0])
def test_a_box_flies_against_a_wall(speed: float) -> None:
    """Face on face: it stops at the wall to rounding, and does not turn."""
    b = ts.Builder("wall", gravity=(0, 0, 0))
    b.body("box", 1.0, inertia=(0.01, 0.01, 0.01)).joint("fly", "free", "world", "box")
    b.shape("box", "box", (0.2, 0.2, 0.2), role="collision")
    b.shape("world", "box", (0.1, 2.0, 2.0), role="collision", position=(1.0, 0.0, 0.0))
    m = b.build()
    q, v = m.neutral(), np.zeros(6)
    v[0] = speed
    run = fly(m, q, v, 30)
    assert run.q[-1, 0] == pytest.approx(0.85, abs=1e-9)
    assert np.abs(run.v[-1]).max() < 1e-9
    np.testing.assert_allclose(run.q[-1, 3:7], q[3:7], atol=1e-9)


def test_crossed_planks_meet_in_the_middle() -> None:
    """No corner of one is over the other: faces must be clipped, far from each other, too."""
    m = heavy(two_bodies("box", "box", ((1.0, 0.1, 0.1), (0.1, 1.0, 0.1))), 1.0)
    q, v = m.neutral(), np.zeros(12)
    q[2], v[2] = 0.4, -50.0
    run = fly(m, q, v, 4)
    assert run.q[-1, 2] - run.q[-1, 9] == pytest.approx(0.1, abs=1e-9)
    np.testing.assert_allclose(run.v[-1, [2, 8]], -25.0, atol=1e-9)
    assert np.abs(run.v[-1, [3, 4, 5, 9, 10, 11]]).max() < 1e-9


@pytest.mark.parametrize("offset", [0.0, 0.1, 0.2, 0.29, 0.301, 0.4])
def test_a_smooth_ball_is_turned_by_the_normal_of_the_impact(offset: float) -> None:
    """Closed form: balls with radii 0.15, one much heavier and at rest, no bounce, no friction."""
    m = heavy(two_bodies("sphere", "sphere"), 1.0, np.array([1e-9, 1.0]))
    q, v, speed = m.neutral(), np.zeros(12), 60.0
    q[0], q[1], v[0] = -0.7, offset, speed
    smooth = Profile([[0.0, -9.0], [1.0, -9.0]], friction=0.0)
    run = fly(m, q, v, 3, ground=smooth)
    first = int(first_impact(run.v[None])[0])
    assert (first > 0) == (offset < 0.3)
    if first > 0:
        normal = np.array([-np.sqrt(0.09 - offset**2), offset, 0.0]) / 0.3
        push = run.v[first, :3] - run.v[first - 1, :3]
        np.testing.assert_allclose(push / np.linalg.norm(push), normal, atol=1e-2)


def test_a_batch_of_flights_is_each_of_them() -> None:
    """Bit for bit: how far one looks does not depend on how fast its neighbours are."""
    m = two_bodies("box", "capsule")
    parts = [flights(speed, 5.0, 4, seed) for seed, speed in enumerate((0.1, 3.0, 40.0, 400.0))]
    order = np.random.default_rng(1).permutation(16)
    q, v = (np.concatenate(part)[order] for part in zip(*parts, strict=True))
    together = fly(m, q, v, 20)
    for k in range(len(q)):
        alone = fly(m, q[k], v[k], 20)
        assert np.array_equal(alone.q, together.q[k]) and np.array_equal(alone.v, together.v[k])
