"""Robots and things of meshes: a hand grasps, two arms meet, things rest and slide on meshes."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

import tarsus as ts
from tarsus.geometry.contact_candidates import GROUND, world_of

FINGER = "panda/panda_finger_joint1"


def panda() -> ts.Model:
    files = metadata.files("example-robot-data") or ()
    return ts.load(Path(str(next(f for f in files if f.name == "panda.urdf").locate())))


def thing(file: Path, name: str = "thing", mass: float = 0.1, **surface: float) -> ts.Model:
    b = ts.Builder(name).body(name, mass, inertia=[5e-4 * mass] * 3)
    b.joint("free", "free", "world", name)
    b.shape(name, "mesh", (1, 1, 1), role="collision", file=file, **surface)  # type: ignore[arg-type]
    return b.build()


def pairs_gap(sim: ts.Simulation, q: np.ndarray) -> np.ndarray:
    """The least gap between bodies (B,) [m]."""
    assert sim.collision is not None and sim.model is not None
    world = world_of(sim.model, sim.collision.arguments, None)
    between = [each.other_body != GROUND for each in sim.collision.candidates]
    return np.asarray(world.contacts(q)[:, between, 0].min(axis=1))


def test_a_hand_of_meshes_holds_a_can_of_triangles(tmp_path: Path) -> None:
    file = tmp_path / "can.stl"
    trimesh.creation.box((0.04, 0.04, 0.08)).export(file)
    arm = panda()
    scene = ts.combine(arm, thing(file, friction=0.8), names=("panda", "can"))
    q = scene.neutral()
    places = (0.0, -0.6, 0.0, -2.2, 0.0, 1.7, 0.785, 0.035)
    for name, x in zip(arm.joint_names, places, strict=False):
        q[scene.joint(f"panda/{name}").q_slice] = x
    between = scene.frame_pose(q, "panda/panda_hand") @ ts.spatial.pose([0, 0, 0.115])
    free = scene.joint("can/free").q_slice
    q[free] = [*between[:3, 3], *ts.spatial.quaternion_from_rotation(between[:3, :3])]
    target = q.copy()
    target[scene.joint(FINGER).q_slice] = 0.0
    drives = np.zeros((2, scene.nv))
    for name in arm.joint_names:
        gains = (2000.0, 40.0) if "finger" in name else (4000.0, 200.0)
        drives[:, scene.joint(f"panda/{name}").v_slice] = np.array(gains)[:, None]
    sim = ts.Simulation(scene, ground=ts.Ground())
    run = sim.run(q, duration=1.0, controller=ts.control.ImplicitPD(scene, *drives, target))
    fell = np.abs(run.q[-1, free][:3] - run.q[300, free][:3]).max()
    print(f"in 0.7 s the can slips by {fell:.1e} m; {sim.collision}")
    # as wide as the can, and what it slips is what the arm sags
    assert run.q[-1, scene.joint(FINGER).q_slice] == pytest.approx(0.02, abs=1e-4)
    assert fell < 1e-4 and np.abs(run.v[-1]).max() < 1e-6


def test_two_arms_stop_each_other() -> None:
    arm = panda()
    away = ts.spatial.pose([1.1, 0, 0], np.diag([-1.0, -1.0, 1.0]))
    scene = ts.combine(arm, arm, names=("one", "two"), at=(None, away))
    q, target = scene.neutral(), scene.neutral()
    for name, x, to in (("joint2", -0.3, 0.5), ("joint4", -2.2, -1.6), ("joint6", 2.0, 2.0)):
        for side in ("one", "two"):
            own = scene.joint(f"{side}/panda_{name}").q_slice
            q[own], target[own] = x, to
    gains = np.full(scene.nv, 400.0), np.full(scene.nv, 60.0)
    sim = ts.Simulation(scene, ground=ts.Ground(level=-1.0), dt=2e-3)
    run = sim.run(q, duration=1.5, controller=ts.control.ImplicitPD(scene, *gains, target))
    gaps = pairs_gap(sim, run.q[::25])
    through = pairs_gap(sim, target[None])[0]
    print(f"gaps from {gaps.max():.3f} m to {gaps.min():.1e} m; targets are {through:.3f} m deep")
    assert gaps[0] > 0.03 and gaps[-1] < 1e-3 and through < -0.03
    assert gaps.min() > -1e-3


def test_a_block_slides_down_a_wedge_of_triangles(tmp_path: Path) -> None:
    rise, friction = 0.3, 0.1
    height = 4 * np.tan(rise)
    wedge = trimesh.convex.convex_hull(
        [[x, y, z] for y in (-1, 1) for x, z in ((0, 0), (4, 0), (0, height))]
    )
    wedge.export(tmp_path / "wedge.stl")
    trimesh.creation.box((0.2, 0.2, 0.2)).export(tmp_path / "block.stl")
    block = thing(tmp_path / "block.stl", mass=1.0, friction=friction)
    b = ts.Builder("wedge").body("stand").joint("weld", "fixed", "world", "stand")
    b.shape("stand", "mesh", (1, 1, 1), role="collision", file=tmp_path / "wedge.stl")
    turned = ts.spatial.rotation_from_vector([0.0, rise, 0.0])
    middle = np.array([1.0, 0.0, 3 * np.tan(rise)]) + turned @ [0, 0, 0.1 + 1e-5]
    scene = ts.combine(block, b.build(), at=(ts.spatial.pose(middle, turned), None))
    sim = ts.Simulation(scene, ground=ts.Ground(level=-1.0, friction=0.9))
    start = sim.model.initial_configuration
    run = sim.run(start, duration=0.8)
    way = 0.5 * 9.81 * (np.sin(rise) - friction * np.cos(rise)) * 0.8**2
    went = np.linalg.norm(run.q[-1, :3] - start[:3])
    assert went == pytest.approx(way, rel=5e-3)


def test_gaps_are_those_of_mujoco(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for name in ("one", "two"):
        cloud = rng.normal(size=(30, 3)) * 0.1
        trimesh.convex.convex_hull(cloud).export(tmp_path / f"{name}.stl")
    file = tmp_path / "two.xml"
    bodies = "".join(
        f'<body name="{name}"><freejoint/><geom type="mesh" mesh="{name}"/></body>'
        for name in ("one", "two")
    )
    assets = "".join(f'<mesh file="{name}.stl"/>' for name in ("one", "two"))
    file.write_text(f"<mujoco><asset>{assets}</asset><worldbody>{bodies}</worldbody></mujoco>")
    theirs = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(theirs)
    m = ts.load(file)
    touching = ts.Collision.from_model(m, contact_points=[])
    q = m.random_configuration(1, 300)
    q[:, :3], way = 0.0, rng.normal(size=(300, 3))
    q[:, 7:10] = way / np.linalg.norm(way, axis=1)[:, None] * rng.uniform(0.2, 0.4, (300, 1))
    ours = world_of(m, touching.arguments, None).contacts(q)
    apart, turned = [], []
    for state, touches in zip(q, ours, strict=True):
        for k in (0, 7):
            data.qpos[k : k + 3] = state[k : k + 3]
            data.qpos[k + 3 : k + 7] = np.roll(state[k + 3 : k + 7], 1)
        mujoco.mj_kinematics(theirs, data)
        ends = np.zeros(6)
        gap = mujoco.mj_geomDistance(theirs, data, 0, 1, 0.09, ends)
        mine = touches[touches[:, 0].argmin()]
        if gap > 0.08:
            assert mine[0] > 0.08
            continue
        apart.append(abs(gap - mine[0]))
        if gap > 1e-3:
            turned.append(np.linalg.norm((ends[:3] - ends[3:]) / gap - mine[4:7]))
    print(f"{len(apart)} near: gaps by {max(apart):.1e} m, normals by {max(turned):.1e}")
    assert len(apart) > 100 and max(apart) < 1e-5 and max(turned) < 1e-3


@pytest.mark.parametrize("law", ["exact", "lemke", "penalty", "compliant", "event"])
def test_a_cube_of_triangles_falls_as_a_box(law: str, tmp_path: Path) -> None:
    file = tmp_path / "cube.stl"
    trimesh.creation.box((0.25, 0.25, 0.25)).export(file)  # sizes that single precision has
    ends = []
    for kind, size, wide in (("box", (0.25,) * 3, (1, 1, 0.25)), ("mesh", (1,) * 3, (4, 4, 1))):
        b = ts.Builder(kind).body("cube", 1.0, inertia=[0.01] * 3)
        b.joint("free", "free", "world", "cube")
        named = {"role": "collision", "file": file if kind == "mesh" else None}
        b.shape("cube", kind, size, **named)  # type: ignore[arg-type]
        b.shape("world", kind, wide, position=(0, 0, -0.125), **named)  # type: ignore[arg-type]
        m = b.build()
        q = m.neutral()
        q[2:7] = 0.16, 0.1, 0.0, 0.0, np.sqrt(0.99)
        springs = {"penalty": ts.contact.Penalty, "compliant": ts.contact.Compliant}
        contact = springs[law](2e4, 80.0) if law in springs else law  # type: ignore[operator]
        run = ts.Simulation(m, ground=None, contact=contact, dt=5e-4).run(q, duration=1.0)
        ends.append(run.q[-1])
    print(f"{law}: {np.abs(ends[1] - ends[0]).max():.1e} apart")
    # places have other numbers, and with penalty each has a spring of its own that it drags along
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-3 if law == "penalty" else 1e-6)
    assert ends[1][2] == pytest.approx(0.125, abs=2e-4)


@pytest.mark.parametrize("speed", [5.0, 40.0, 200.0])
def test_what_is_fast_does_not_pass_through_walls_of_triangles(
    speed: float, tmp_path: Path
) -> None:
    trimesh.creation.icosphere(subdivisions=2, radius=0.1).export(tmp_path / "ball.stl")
    trimesh.creation.box((0.02, 4, 4)).export(tmp_path / "wall.stl")
    scene = thing(tmp_path / "ball.stl", mass=1.0)
    b = ts.Builder("wall").body("wall").joint("weld", "fixed", "world", "wall")
    b.shape("wall", "mesh", (1, 1, 1), role="collision", file=tmp_path / "wall.stl")
    scene = ts.combine(scene, b.build(), at=(None, (1, 0, 0)))
    q, v = scene.neutral(), np.zeros(6)
    q[:3], v[0], v[3:] = (0.037, 0.3, 0.2), speed, (3, 5, 7)
    run = ts.Simulation(scene, ground=None, dt=1e-2).run(q, v, duration=0.5)
    # the wall begins at 0.99, and the ball of triangles is a little smaller than one
    assert 0.87 < run.q[:, 0].max() < 0.895
