"""Balls, points and wheels on profiles that turn up: both faces touch, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from touching import free_body

import tarsus as ts
from tarsus.geometry import Collision, Profile, Steps, Terrain
from tarsus.geometry.contact_candidates import world_of

ALPHA = 0.5
"""The slope of both sides of the V [rad]."""
SIDES = np.array([[np.sin(ALPHA), 0.0, np.cos(ALPHA)], [-np.sin(ALPHA), 0.0, np.cos(ALPHA)]])
"""Normals of the left side, which falls, and of the right one."""
WIDE = 2.0


def valley(**contact: float) -> Profile:
    """Return a V with its bottom at the origin."""
    high = WIDE * np.tan(ALPHA)
    return Profile(np.array([[-WIDE, high], [0.0, 0.0], [WIDE, high]]), **contact)  # type: ignore[arg-type]


def places(m: ts.Model, q: np.ndarray, ground: Terrain) -> np.ndarray:
    """Gap, point and normal (slots, candidates, 7) of every candidate of one state."""
    found = Collision.from_model(m)
    world = world_of(m, found.arguments, ground)
    return np.asarray(world.contacts(q[None])).reshape(2, -1, 7)


def at(m: ts.Model, x: float, z: float) -> np.ndarray:
    q = m.neutral()
    q[0], q[2] = x, z
    return q


@pytest.mark.parametrize("x", [-0.05, -1e-12, 0.0, 1e-12, 0.03])
@pytest.mark.parametrize("radius", [0.0, 0.1])
@pytest.mark.parametrize("deep", [0.0, 1e-10, 1e-3, -1e-2])
def test_a_ball_in_a_v_has_both_sides(x: float, radius: float, deep: float) -> None:
    m = free_body("sphere", (radius,))
    z = radius / np.cos(ALPHA) - deep
    found = places(m, at(m, x, z), valley())[:, 0]
    expected = SIDES @ [x, 0.0, z] - radius
    # each side keeps its slot, whichever is nearer
    order = np.argsort(found[:, 4])[::-1]
    np.testing.assert_allclose(found[order, 0], expected, atol=1e-12)
    np.testing.assert_allclose(found[order, 4:7], SIDES, atol=1e-12)
    centre = np.array([x, 0.0, z])
    np.testing.assert_allclose(
        found[order, 1:4], centre - (expected + radius)[:, None] * SIDES, atol=1e-12
    )
    reference = places(m, at(m, 0.2, 0.5), valley())[:, 0]
    np.testing.assert_allclose(found[:, 4:7], reference[:, 4:7], atol=1e-12)


def test_what_is_flat_or_turns_down_counts_once() -> None:
    m = free_body("sphere", (0.1,))
    hill = Profile([[-2.0, -1.0], [0.0, 0.0], [2.0, -1.0]])
    split = Profile([[-1.0, 0.0], [-0.3, 0.0], [0.0, 0.0], [0.1, 0.0], [5.0, 0.0]])
    for ground in (hill, split):
        for x in np.linspace(-0.3, 0.3, 13):
            for z in (0.2, 0.1, 0.05, -0.02):
                gaps = places(m, at(m, float(x), z), ground)[:, 0, 0]
                assert (gaps < 0.5).sum() == 1, (x, z, gaps)


@pytest.mark.parametrize("radius", [0.0, 0.07])
def test_a_ball_before_a_riser(radius: float) -> None:
    stairs = Steps(rise=0.2, depth=0.4, count=3, start=0.0)
    m = free_body("sphere", (radius,))
    for dz in (1e-3, 0.0, -1e-11):
        for dx in (0.1, 1e-3, 0.0, -1e-11):
            found = places(m, at(m, -radius - dx, radius + dz), stairs)[:, 0]
            tread, riser = found[np.argsort(found[:, 6])[::-1]]
            np.testing.assert_allclose(tread[[0, 4, 6]], [dz, 0.0, 1.0], atol=1e-12)
            np.testing.assert_allclose(riser[[0, 4, 6]], [dx, -1.0, 0.0], atol=1e-12)
    # above the edge the riser is no wall: its corner is there, and beyond it the next tread
    corner = places(m, at(m, -0.1, 0.3), stairs)[:, 0]
    sloped = corner[np.argmin(corner[:, 0])]
    np.testing.assert_allclose(
        sloped[[0, 4, 6]], [np.hypot(0.1, 0.1) - radius, -(0.5**0.5), 0.5**0.5]
    )
    assert np.sort(corner[:, 0])[1] == pytest.approx(0.3 - radius)  # the tread below
    over = places(m, at(m, 0.1, 0.2 + radius), stairs)[:, 0]
    assert np.sort(over[:, 0]) == pytest.approx([0.0, 0.3 - radius])  # the riser behind it


@pytest.mark.parametrize("kind", ["sphere", "box"])
def test_what_lies_in_a_v_stays(kind: str) -> None:
    """A ball of no friction rests on both sides, each with its share; so does an edge of a box."""
    size = (0.1,) if kind == "sphere" else (0.2, 0.2, 0.2)
    m = free_body(kind, size)
    height = 0.1 / np.cos(ALPHA) if kind == "sphere" else 0.1 * 2**0.5
    q = at(m, 0.0, height)
    if kind == "box":
        q[3:7] = 0.0, np.sin(np.pi / 8), 0.0, np.cos(np.pi / 8)  # on its edge
    ground = valley(friction=0.0 if kind == "sphere" else 0.8)
    run = ts.Simulation(m, ground=ground, dt=1e-3).run(q, duration=1.0)
    sunk = height - run.q[-1, 2]
    print(f"{kind}: sinks by {sunk:.1e} m in 1 s")
    assert abs(sunk) < 1e-9
    last = run.contacts.at(len(run.t) - 1)
    force = np.sum([each.force for each in last], axis=0)
    np.testing.assert_allclose(force, [0.0, 0.0, 9.81], atol=1e-6)
    assert {each.link for each in last} == {"body"}
    if kind == "sphere":
        share = 9.81 / (2 * np.cos(ALPHA))
        np.testing.assert_allclose([each.normal_force for each in last], share, atol=1e-6)


def test_a_ball_that_falls_into_a_v_or_rolls_against_a_step_does_not_sink() -> None:
    m = free_body("sphere", (0.1,))
    for ground, q, v in (
        (valley(friction=0.0), at(m, 0.3, 0.6), np.zeros(6)),
        (valley(friction=0.7), at(m, 0.3, 0.6), np.zeros(6)),
        (
            Steps(rise=0.3, start=0.0, friction=0.0),
            at(m, -0.5, 0.1),
            np.array([3.0, 0, 0, 0, 30.0, 0]),
        ),
        (Profile([[0.0, 0.0], [2.0, 0.7]], friction=0.0), at(m, -0.5, 0.1), np.eye(6)[0]),
    ):
        run = ts.Simulation(m, ground=ground, dt=5e-3).run(q, v, duration=1.5)
        world = world_of(m, Collision.from_model(m).arguments, ground)
        deepest = -world.contacts(run.q)[..., 0].min()
        print(f"{ground.kind}: {1e6 * deepest:.3f} micrometres deep at most")
        assert deepest < 1e-6


def test_a_wheel_in_a_v_touches_both_sides() -> None:
    """Rims of an upright wheel across the V: closed form of a circle between two lines."""
    radius, width = 0.2, 0.1
    m = free_body("cylinder", (radius, width))
    q = at(m, 0.0, radius / np.cos(ALPHA))
    q[3:7] = np.sin(np.pi / 4), 0.0, 0.0, np.cos(np.pi / 4)  # its axis along y
    found = places(m, q, valley())
    touching = found[np.abs(found[..., 0]) < 1e-9]
    assert len(touching) == 4
    for side in SIDES:
        mine = touching[touching[:, 4:7] @ side > 1 - 1e-9]
        expected = q[:3] - radius * side
        np.testing.assert_allclose(mine[:, [1, 3]], [expected[[0, 2]]] * 2, atol=1e-9)
        np.testing.assert_allclose(np.sort(mine[:, 2]), [-width / 2, width / 2], atol=1e-9)
    run = ts.Simulation(m, ground=valley(), dt=1e-3).run(q, duration=0.5)
    assert abs(run.q[-1, 2] - q[2]) < 1e-9


def test_numbers_beyond_all_bounds_touch_nothing() -> None:
    m = free_body("sphere", (0.1,))
    for x in (1e300, -1e300, 1e9):
        gaps = places(m, at(m, x, 0.3), valley())[..., 0]
        assert np.isfinite(gaps).all() and (gaps > -1e3).all()


def test_a_batch_on_stairs_is_each_of_its_states() -> None:
    """Bit for bit, though each lane has its own places."""
    m = free_body("cylinder", (0.1, 0.2))
    stairs = Steps(rise=0.1, depth=0.25, count=4, start=-0.4)
    rng = np.random.default_rng(3)
    q = m.random_configuration(3, 10)
    q[:, :3] = rng.uniform((-0.6, -1, 0.7), (0.6, 1, 0.9), (10, 3))
    sim = ts.Simulation(m, ground=stairs, dt=2e-3)
    together = sim.run(q, np.zeros((10, 6)), duration=0.5)
    for k in range(len(q)):
        alone = sim.run(q[k], np.zeros(6), duration=0.5)
        assert np.array_equal(alone.q, together.q[k])
    world = world_of(m, Collision.from_model(m).arguments, stairs)
    print(f"deepest: {1e3 * -world.contacts(together.q.reshape(-1, 7))[..., 0].min():.3f} mm")
