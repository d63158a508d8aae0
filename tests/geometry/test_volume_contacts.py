"""Volumes touch each other in simulations: balls, lines and triangles, and what else there is."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import coal
import mujoco
import numpy as np
import pytest
from simplices import enumerated_distance

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.geometry import Collision, SweptSphere, Volumes
from tarsus.geometry.contact_candidates import world_of
from tarsus.spatial import rotation_from_vector

CORES: dict[str, Array] = {
    "ball": np.array([[0.02, -0.05, 0.1]]),
    "line": np.array([[-0.2, 0.0, 0.05], [0.2, 0.1, 0.0]]),
    "triangle": np.array([[-0.2, -0.15, 0.02], [0.25, -0.1, 0.0], [0.0, 0.2, -0.03]]),
}
RADIUS = {"ball": 0.08, "line": 0.05, "triangle": 0.06}
PAIRS = list(combinations_with_replacement(CORES, 2))
OTHERS: dict[str, tuple[tuple[float, ...], Any]] = {
    "box": ((0.2, 0.3, 0.15), coal.Box(0.2, 0.3, 0.15)),
    "ellipsoid": ((0.1, 0.15, 0.2), coal.Ellipsoid(0.1, 0.15, 0.2)),
}


def two_bodies(one: str | None = None, size: tuple[float, ...] = ()) -> ts.Model:
    b = ts.Builder("two")
    for name in "ab":
        b.body(name, 1.0, inertia=(0.01, 0.01, 0.01)).joint(f"free_{name}", "free", "world", name)
    if one is not None:
        b.shape("a", one, size, role="collision")
    return b.build()


def volume(kind: str) -> SweptSphere:
    return SweptSphere(CORES[kind], RADIUS[kind], kind)


def touches(m: ts.Model, volumes: Volumes, q: Array) -> Array:
    """Gap, point and normal (B, 8, 7) of the pair."""
    found = Collision.from_model(m, contact_points=[], shapes=volumes)
    world = world_of(m, found.arguments, None)
    assert world.n_candidates == len(found.candidates) == 8
    return np.asarray(world.contacts(q))


def states(m: ts.Model, count: int = 600) -> Array:
    """Random poses of two bodies, near each other."""
    rng = np.random.default_rng(4)
    q = m.random_configuration(rng, count)
    q[:, :3] = rng.uniform(-1, 1, (count, 3))
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    q[:, 7:10] = q[:, :3] + way * rng.uniform(0.05, 0.5, (count, 1))
    return q


def corners(m: ts.Model, q: Array, body: str, kind: str) -> Array:
    pose = m.frame_pose(q, body)
    return CORES[kind] @ np.swapaxes(pose[..., :3, :3], -1, -2) + pose[..., None, :3, 3]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_the_nearest_place_is_that_of_an_enumeration(one: str, other: str) -> None:
    m = two_bodies()
    q = states(m)
    found = touches(m, Volumes({"a": [volume(one)], "b": [volume(other)]}), q)
    a, b = corners(m, q, "a", one), corners(m, q, "b", other)
    radii = RADIUS[one] + RADIUS[other]
    core = enumerated_distance(a, b)
    gap = found[..., 0].min(axis=1)
    near = core < radii + 0.1
    error = np.abs(gap - (core - radii))[near]
    apart, meeting = near & (core > 1e-9), near & (core <= 1e-9)
    print(f"{one}, {other}: {apart.sum()} pairs, {meeting.sum()} meet, off by {error.max():.1e} m")
    assert apart.sum() > 100 and error.max() < 1e-12
    # normals are of unit length and push the first body away
    normal = np.take_along_axis(found, gap_place(found), 1)[:, 0, 4:7]
    assert np.abs(np.linalg.norm(normal, axis=1) - 1)[near].max() < 1e-12
    moved = q.copy()
    moved[:, :3] += 1e-6 * normal
    gained = enumerated_distance(corners(m, moved, "a", one), b) - core
    assert np.abs(gained[apart] - 1e-6).max() < 1e-10
    # all places are of points of both: none is nearer than the nearest, none is made up
    with_place = found[..., 0] < 0.5
    middle = found[..., 1:4]
    half = 0.5 * (found[..., :1] + np.zeros(3))
    for side, core_points in ((1.0, a), (-1.0, b)):
        point = middle + side * half * found[..., 4:7]  # on the surface of that side
        radius = RADIUS[one] if side > 0 else RADIUS[other]
        centre = point + side * radius * found[..., 4:7]
        own = enumerated_distance(
            centre.reshape(-1, 1, 3), np.repeat(core_points, 8, axis=0)
        ).reshape(with_place.shape)
        assert own[with_place & apart[:, None]].max() < 1e-9


def gap_place(found: Array) -> Array:
    return found[..., 0].argmin(axis=1)[:, None, None]


@pytest.mark.parametrize("kind", OTHERS)
def test_triangles_on_other_solids_are_those_of_coal(kind: str) -> None:
    size, peer = OTHERS[kind]
    m = two_bodies(kind, size)
    q = states(m)
    found = touches(m, Volumes({"b": [volume("triangle")]}), q)
    gap = found[..., 0].min(axis=1)
    triangle = coal.BVHModelOBBRSS()
    triangle.beginModel(1, 3)
    triangle.addTriangle(*CORES["triangle"])
    triangle.endModel()
    expected = []
    for state in q:
        poses = [
            coal.Transform3s(pose[:3, :3].copy(), pose[:3, 3].copy())
            for pose in (m.frame_pose(state, name) for name in "ab")
        ]
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        request.gjk_tolerance = 1e-9
        expected.append(coal.distance(peer, poses[0], triangle, poses[1], request, result))
    core = np.array(expected)
    apart = (core > 1e-4) & (core < 0.15)
    error = np.abs(gap - (core - RADIUS["triangle"]))[apart]
    print(f"{kind}: {apart.sum()} pairs, distances differ by {error.max():.1e} m")
    assert apart.sum() > 50 and error.max() < 1e-5  # as well as coal's iterations end
    overlap = core <= 0.0
    print(f"{overlap.sum()} cut through each other: gaps to {gap[overlap].max():.3f} m")
    assert overlap.sum() > 50 and (gap[overlap] < -RADIUS["triangle"] + 1e-6).all()


def plates(turn: float, height: float, radius: float = 0.02) -> Array:
    """Places (n, 7) that are touched of two equal triangles over each other, one of them turned."""
    angles = np.array([0.5, 2.5, 4.5]) * np.pi / 3
    plate = np.column_stack([0.3 * np.cos(angles), 0.3 * np.sin(angles), np.zeros(3)])
    m = two_bodies()
    volumes = Volumes({"a": [SweptSphere(plate, radius)], "b": [SweptSphere(plate, radius)]})
    q = m.neutral()
    q[2] = height
    q[3:7] = 0.0, 0.0, np.sin(turn / 2), np.cos(turn / 2)
    found = touches(m, volumes, q[None])[0]
    return found[found[:, 0] < height - 2 * radius + 1e-9]


@pytest.mark.parametrize("height", [0.0405, 0.04, 0.0399])
def test_flat_on_flat_touches_on_all_corners_of_what_both_share(height: float) -> None:
    """Turned by 60° two triangles share a hexagon of half their height, not turned all of them."""
    for turn, count, away in ((np.pi / 3, 6, 0.3 / np.sqrt(3)), (0.0, 3, 0.3)):
        found = plates(turn, height)
        places = np.unique(found[:, 1:4].round(6), axis=0)
        print(f"{turn:.2f} rad: {len(places)} places, {np.linalg.norm(places, axis=1).round(4)}")
        assert len(places) == count
        assert np.abs(np.linalg.norm(places[:, :2], axis=1) - away).max() < 1e-5
        assert np.abs(found[:, 0] - (height - 0.04)).max() < 1e-12
        assert np.abs(found[:, 4:7] - [0, 0, 1]).max() < 1e-9


def test_places_keep_their_order() -> None:
    """A small turn or shift moves places by as little: forces of the last step find theirs."""
    one, other = plates(0.3, 0.04), plates(0.3 + 1e-6, 0.04)
    assert one.shape == other.shape and np.abs(one[:, 1:4] - other[:, 1:4]).max() < 1e-5


def resting(tilt: float, friction: float, seconds: float) -> tuple[Any, ts.Model]:
    """A run of a plate of two triangles on one that is fixed and tilted about y."""
    half = np.array([[-0.2, -0.1, 0.0], [0.2, -0.1, 0.0], [0.2, 0.1, 0.0], [-0.2, 0.1, 0.0]])
    pieces = [SweptSphere(half[[0, 1, 2]], 0.01), SweptSphere(half[[0, 2, 3]], 0.01)]
    b = ts.Builder("plates")
    b.body("plate", 2.0, inertia=(0.007, 0.027, 0.033)).joint("fly", "free", "world", "plate")
    m = b.build()
    turned = rotation_from_vector(np.array([0.0, tilt, 0.0]))
    table = SweptSphere(np.array([[-2, -2, 0], [2, -2, 0], [0, 3, 0]]) @ turned.T, 0.05)
    collision = Collision.from_model(m, shapes=Volumes({"plate": pieces, "world": [table]}))
    space = ts.geometry.Space(friction=friction)
    sim = ts.Simulation(m, ground=space, collision=collision, dt=1e-3)
    q = m.neutral()
    q[:3] = turned @ [0.0, 0.0, 0.06]
    q[3:7] = 0.0, np.sin(tilt / 2), 0.0, np.cos(tilt / 2)
    return sim.run(q, duration=seconds), m


def test_a_plate_rests_on_a_plate() -> None:
    run, _ = resting(0.1, 0.5, 1.0)
    moved = np.abs(run.q[-1] - run.q[0]).max()
    print(f"moved by {moved:.1e}, turns at {np.abs(run.v[-1]).max():.1e}")
    assert moved < 1e-6 and np.abs(run.v[-1]).max() < 1e-6
    ledger = run.energy
    assert np.abs(ledger.residual).max() < 1e-6


def test_a_plate_slides_down_a_plate() -> None:
    """a = g (sin α − μ cos α), and friction takes μ m g cos α times the way."""
    tilt, friction, seconds = 0.5, 0.3, 0.5
    run, m = resting(tilt, friction, seconds)
    way = float(np.linalg.norm(run.q[-1, :3] - run.q[0, :3]))
    pull = 9.81 * (np.sin(tilt) - friction * np.cos(tilt))
    expected = 0.5 * pull * seconds**2
    print(f"slides {way:.5f} m, by the formula {expected:.5f} m")
    assert way == pytest.approx(expected, rel=3e-3)  # steps of 1 ms: first order
    energy = m.kinetic_energy(run.q[-1], run.v[-1]) + m.potential_energy(run.q[-1])
    lost = float(m.potential_energy(run.q[0]) - energy)
    assert lost == pytest.approx(friction * 2.0 * 9.81 * np.cos(tilt) * way, rel=3e-3)
    assert np.abs(run.q[-1, 3:7] - run.q[0, 3:7]).max() < 1e-6


@pytest.mark.parametrize("law", ["exact", "event"])
def test_plates_fall_onto_each_other_and_rest(law: str) -> None:
    """Two plates on a table: 50 + 10 mm, and 20 mm more, flat, with nothing left in the ledger."""
    half = np.array([[-0.2, -0.1, 0.0], [0.2, -0.1, 0.0], [0.2, 0.1, 0.0], [-0.2, 0.1, 0.0]])
    pieces = [SweptSphere(half[[0, 1, 2]], 0.01), SweptSphere(half[[0, 2, 3]], 0.01)]
    table = SweptSphere([[-2, -2, 0], [2, -2, 0], [0, 3, 0]], 0.05)
    m = two_bodies()
    found = Collision.from_model(m, shapes=Volumes({"a": pieces, "b": pieces, "world": [table]}))
    space = ts.geometry.Space(friction=0.5)
    sim = ts.Simulation(m, ground=space, collision=found, contact=law, dt=1e-3)
    q = m.neutral()
    q[[2, 7, 9]] = 0.08, 0.05, 0.15
    run = sim.run(q, duration=0.25)
    print(f"{law}: at {run.q[-1][[2, 9]]} m, {np.abs(run.v[-1]).max():.1e}")
    assert np.abs(run.q[-1][[2, 9]] - [0.06, 0.08]).max() < 1e-5
    assert np.abs(run.v[-1]).max() < 1e-6 and np.abs(run.energy.residual).max() < 1e-9


def test_it_comes_to_rest_as_in_mujoco() -> None:
    """A plate falls onto a capsule that lies across: both say where it comes to rest, tilted."""
    half = np.array([[-0.2, -0.1, 0.0], [0.2, -0.1, 0.0], [0.2, 0.1, 0.0], [-0.2, 0.1, 0.0]])
    pieces = [SweptSphere(half[[0, 1, 2]], 0.01), SweptSphere(half[[0, 2, 3]], 0.01)]
    log = SweptSphere([[0.0, -0.3, 0.05], [0.0, 0.3, 0.05]], 0.05)
    b = ts.Builder("plate and log")
    b.body("plate", 2.0, inertia=(0.007, 0.027, 0.033)).joint("fly", "free", "world", "plate")
    m = b.build()
    found = Collision.from_model(m, shapes=Volumes({"plate": pieces, "world": [log]}))
    sim = ts.Simulation(m, ground=ts.Ground(friction=0.8), collision=found, dt=1e-3)
    q = m.neutral()
    q[:3] = 0.05, 0.0, 0.13
    run = sim.run(q, duration=3.0)
    peer = mujoco.MjModel.from_xml_string(
        """<mujoco><option timestep="0.0005" integrator="implicitfast" cone="elliptic"/>
        <default><geom friction="0.8" solref="0.002 1" solimp="0.99 0.999 1e-5"/></default>
        <worldbody><geom type="plane" size="5 5 1"/>
        <geom type="capsule" fromto="0 -0.3 0.05 0 0.3 0.05" size="0.05"/>
        <body pos="0.05 0 0.13"><freejoint/><inertial pos="0 0 0" mass="2"
        diaginertia="0.007 0.027 0.033"/><geom type="box" size="0.2 0.1 0.01"/></body>
        </worldbody></mujoco>"""
    )
    data = mujoco.MjData(peer)
    for _ in range(6000):
        mujoco.mj_step(peer, data)
    tilt = [
        float(np.arcsin(2 * (quat[3] * quat[1] - quat[2] * quat[0])))
        for quat in (run.q[-1, 3:7], data.qpos[[4, 5, 6, 3]])
    ]
    print(f"tilts {tilt}, heights {run.q[-1, 2]:.4f}, {data.qpos[2]:.4f}")
    assert np.abs(run.v[-1]).max() < 1e-4
    # edges of the box are sharp, those of the volumes round by 10 mm beyond it
    assert tilt[0] == pytest.approx(tilt[1], abs=0.06) and tilt[0] > 0.2
    assert run.q[-1, 2] == pytest.approx(data.qpos[2], abs=0.01)


def test_distances_of_a_plate_and_a_capsule_are_those_of_mujoco() -> None:
    """Over its face a plate of two triangles is a box."""
    rng = np.random.default_rng(2)
    half = np.array([[-0.2, -0.2, 0.0], [0.2, -0.2, 0.0], [0.2, 0.2, 0.0], [-0.2, 0.2, 0.0]])
    pieces = [SweptSphere(half[[0, 1, 2]], 0.01), SweptSphere(half[[0, 2, 3]], 0.01)]
    capsule = SweptSphere([[-0.05, 0.0, 0.0], [0.05, 0.0, 0.0]], 0.03)
    m = two_bodies()
    found = Collision.from_model(
        m, contact_points=[], shapes=Volumes({"a": [capsule], "b": pieces})
    )
    world = world_of(m, found.arguments, None)
    peer = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><body><freejoint/>
        <geom type="capsule" fromto="-0.05 0 0 0.05 0 0" size="0.03"/></body><body><freejoint/>
        <geom type="box" size="0.2 0.2 0.01"/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(peer)
    worst = 0.0
    for _ in range(100):
        q = m.neutral()
        q[:3] = *rng.uniform(-0.1, 0.1, 2), rng.uniform(0.09, 0.13)
        quaternion = rng.normal(size=4)
        q[3:7] = quaternion / np.linalg.norm(quaternion)
        data.qpos[:] = np.r_[q[:3], q[6], q[3:6], q[7:10], q[13], q[10:13]]
        mujoco.mj_kinematics(peer, data)
        expected = mujoco.mj_geomDistance(peer, data, 0, 1, 1.0, None)
        worst = max(worst, abs(world.contacts(q[None])[0, :, 0].min() - expected))
    print(f"differs by {worst:.1e} m")
    assert worst < 1e-6


def test_on_the_ground_volumes_stand_on_their_balls() -> None:
    m = two_bodies()
    volumes = Volumes({"a": [volume("triangle")], "b": [volume("line")]})
    found = Collision.from_model(m, shapes=volumes)
    q = m.random_configuration(3, 50)
    q[:, 2] += 2.0
    world = world_of(m, found.arguments, ts.Ground())
    gaps = world.contacts(q)[:, :5, 0]
    expected = np.concatenate(
        [
            corners(m, q, "a", "triangle")[..., 2] - RADIUS["triangle"],
            corners(m, q, "b", "line")[..., 2] - RADIUS["line"],
        ],
        axis=1,
    )
    assert np.abs(np.sort(gaps, axis=1) - np.sort(expected, axis=1)).max() < 1e-12


def test_links_without_volumes_touch_as_their_shapes() -> None:
    m = two_bodies("box", (0.2, 0.2, 0.2))
    found = Collision.from_model(m, shapes=Volumes({"b": [volume("triangle")]}))
    assert found.arguments["solid_kind"] == ["triangle", "box"]
    assert {each.shape for each in found.candidates} >= {"triangle", "box"}
    with pytest.raises(ts.UnknownNameError, match="no link 'c'"):
        Collision.from_model(m, shapes=Volumes({"c": [volume("line")]}))
    with pytest.raises(ValueError, match="or Volumes"):
        Collision.from_model(m, shapes="all")  # type: ignore[arg-type]


@pytest.mark.parametrize("points", [[[0, 0, 0]] * 3, [[0, 0, 0], [0.1, 0, 0], [0.3, 0, 0]]])
def test_triangles_without_area_are_lines_and_balls(points: Any) -> None:
    m = two_bodies()
    q = states(m, 100)
    flat = touches(m, Volumes({"a": [SweptSphere(points, 0.05)], "b": [volume("triangle")]}), q)
    ends = np.unique(np.array(points, float), axis=0)[[0, -1]]
    line = touches(m, Volumes({"a": [SweptSphere(ends, 0.05)], "b": [volume("triangle")]}), q)
    assert np.isfinite(flat).all()
    gaps = [found[..., 0].min(axis=1) for found in (flat, line)]
    near = gaps[1] < 0.1  # others need not be told
    assert near.sum() > 30 and np.abs(gaps[0] - gaps[1])[near].max() < 1e-12
