"""Walkers from models and their feet: strikes by momenta, images of legs, robots, round feet."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.events.mapped import mapped
from tarsus.gait.walkers.landing import rates_on
from tarsus.gait.walkers.sides import image_of
from tarsus.gait.walkers.stance import Stance
from tarsus.robots.examples import example

FEET = (("left_foot", np.eye(4)), ("right_foot", np.eye(4)))


def machine(stance: str = "line", radius: float = 0.0) -> ts.gait.Walker:
    """Return the compass walker from its model alone."""
    sign = -1.0 if stance == "round" else 1.0  # a sole that rolls ahead leans ahead
    (lean, hip), (lean_rate, hip_rate) = ts.gait.walkers.compass().start
    return ts.gait.Walker(
        ts.robots.compass(gravity=9.8),
        ["left_foot", "right_foot"],
        stance=stance,
        radius=radius,
        slope=math.radians(3.0),
        start=([sign * lean, hip], [sign * lean_rate, hip_rate]),
    )


def test_a_model_and_its_feet_have_the_gaits_of_the_phases_by_hand() -> None:
    ours, theirs = (
        ts.gait.limit_cycles(walker) for walker in (machine(), ts.gait.walkers.compass())
    )
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.q, other.q, atol=1e-9)
        np.testing.assert_allclose(one.v, other.v, atol=1e-9)
        np.testing.assert_allclose(one.multipliers, other.multipliers, atol=1e-6)
        assert one.speed == pytest.approx(other.speed, abs=1e-9)


def test_strikes_by_momenta_are_projections() -> None:
    """Falling onto a root, in NumPy, is the impact of the core onto a point that is held."""
    stance = Stance(ts.robots.compass(2.0, 3.0), FEET, "line", None, 0.1)
    walker = ts.gait.walkers.compass(2.0, 3.0, 0.1, 9.81)
    flowed = walker.steps(*walker.start, 3)
    for event in flowed.events:
        q, v = stance.landed(event.q, event.v)
        np.testing.assert_allclose(q, event.next_q, atol=1e-12)
        np.testing.assert_allclose(v, event.next_v, atol=1e-12)


def test_soles_that_are_hardly_round_are_points() -> None:
    walker = machine("round", 1e-3)
    gait, point = ts.gait.limit_cycle(walker, walker.start), ts.gait.limit_cycle(machine())
    assert gait.speed == pytest.approx(point.speed, rel=1e-2)
    assert abs(gait.multipliers[0]) == pytest.approx(abs(point.multipliers[0]), rel=1e-2)


def test_round_feet_walk_faster_and_lose_less() -> None:
    """McGeer 1990, section 5: speed rises with the radius of the feet, and a strike takes less."""
    walker = machine("round", 0.05)
    gait = ts.gait.limit_cycle(walker, walker.start)
    branch = ts.gait.continuation(walker, "radius", gait, to=0.3, kinds=())
    gaits = [branch.cycle(k) for k in (0, len(branch) // 2, -1)]
    speeds = [gait.speed for gait in gaits]
    taken = [gait.energy.impacts / _kinetic(gait) for gait in gaits]
    print(branch, speeds, taken)
    assert branch.values[-1] == pytest.approx(0.3)
    assert speeds == sorted(speeds)
    assert taken == sorted(taken, reverse=True)
    for gait in gaits:
        assert abs(gait.energy.closure) < 1e-8


def _kinetic(gait: ts.gait.LimitCycle) -> float:
    event = gait.flowed.events[-1]
    return float(gait.walker.phases[0].model.kinetic_energy(event.q, event.v))


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("left_knee", "right_knee"),
        ("leg_left_3_link", "leg_right_3_link"),
        ("FL_HAA", "FR_HAA"),
        ("LH_HAA", "RH_HAA"),
        ("LKneePitchLink", "RKneePitchLink"),
        ("l_hip_1", "r_hip_1"),
        ("RightFoot", "LeftFoot"),
        ("torso", "torso"),
        ("collar", "collar"),
    ],
)
def test_names_of_sides(name: str, image: str) -> None:
    assert image_of(name) == image
    assert image_of(image) == name


def robot(name: str) -> ts.Model:
    """Return a robot by its name."""
    return ts.robots.lola() if name == "lola" else example(name)


JOINTS: dict[str, dict[str, str]] = {
    "revolute": {"axis": "y"},
    "prismatic": {"axis": "z"},
    "cylindrical": {"axis": "z"},
    "universal": {},
    "spherical": {},
    "spherical_zyx": {},
    "translation": {},
    "planar": {"axis": "y"},
}


def biped(kind: str, armature: float = 0.0, **given: str) -> ts.Model:
    """Return a trunk on two legs, whose hips are of a kind."""
    b = ts.Builder("biped").body("trunk", 10.0, (0.02, 0, 0.3), inertia=(1.0, 1.2, 0.3))
    b.joint("base", "free", "world", "trunk")
    for side, y in (("left", 0.1), ("right", -0.1)):
        b.body(f"{side}_thigh", 3.0, (0.01, 0, -0.2), inertia=(0.1, 0.1, 0.02))
        b.body(f"{side}_shank", 2.0, (0, 0, -0.2), inertia=(0.1, 0.1, 0.01))
        b.joint(f"{side}_hip", kind, "trunk", f"{side}_thigh", position=(0, y, 0), **given)
        b.joint(
            *(f"{side}_knee", "revolute", f"{side}_thigh", f"{side}_shank"),
            position=(0, 0, -0.4),
            axis="y",
            armature=armature,
        )
        b.frame(f"{side}_foot", f"{side}_shank", position=(0, 0, -0.4))
    return b.build()


def dense_strike(
    model: ts.Model, foot: tuple[str, np.ndarray], q: np.ndarray, v: np.ndarray, rows: int
) -> np.ndarray:
    """Return v after a foot is caught: the projection in the metric of the masses, in NumPy."""
    mass, pose = np.asarray(model.mass_matrix(q)), np.asarray(model.frame_pose(q, foot[0]))
    jacobian = np.array(model.frame_jacobian(q, foot[0], "local_world_aligned"))
    jacobian[:3] -= np.cross(pose[:3, :3] @ foot[1][:3, 3], jacobian[3:], axisb=0, axisc=0)
    held = jacobian[:rows]
    back = np.linalg.solve(mass, held.T)
    return v - back @ np.linalg.solve(held @ back, held @ v)


def strike_error(walker: ts.gait.Walker) -> float:
    """Return how far energies of strikes of random states are from the dense projection [parts]."""
    machine = walker.stance
    assert machine is not None
    m, model = machine.standing, machine.model
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(3):
        q = m.integrate(walker.start[0], 0.1 * rng.normal(size=m.nv))
        v = rng.normal(size=m.nv)
        floats = m.to_original(q, v)
        rows = 3 if machine.stance == "point" else 6
        after = dense_strike(model, machine.feet[1], floats.q, floats.v, rows)
        there = machine.set_down(q).q
        rates = rates_on(machine.other, there, m, q, v)
        wanted = float(model.kinetic_energy(floats.q, after))
        assert wanted < float(model.kinetic_energy(floats.q, floats.v))
        worst = max(worst, abs(float(machine.other.kinetic_energy(there, rates)) / wanted - 1.0))
        one, many = machine.landed(q, v), machine.landed(np.tile(q, (2, 1)), np.tile(v, (2, 1)))
        for a, b in zip(one, many, strict=True):
            np.testing.assert_allclose(b, [a, a], atol=1e-13)
    return worst


@pytest.mark.parametrize("kind", JOINTS)
def test_strikes_of_every_joint_are_dense_projections(kind: str) -> None:
    """Bodies move after a strike as the image of what the projection has them do."""
    model = biped(kind, **JOINTS[kind])
    walker = ts.gait.Walker(model, ["left_foot", "right_foot"], stance="point")
    machine = walker.stance
    assert machine is not None
    m = machine.standing
    rng = np.random.default_rng(1)
    q, v = m.integrate(m.neutral(), 0.2 * rng.normal(size=m.nv)), rng.normal(size=m.nv)
    floats = m.to_original(q, v)
    after = dense_strike(model, machine.feet[1], floats.q, floats.v, 3)
    there, rates = machine.landed(q, v)
    for side, other in (("left", "right"), ("right", "left")):
        for part in ("thigh", "shank", "foot"):
            seen = model.frame_velocity(floats.q, after, f"{side}_{part}", "local_world_aligned")
            ours = m.frame_velocity(there, rates, f"{other}_{part}", "local_world_aligned")
            image = np.asarray(seen) * [1, -1, 1, -1, 1, -1]
            np.testing.assert_allclose(ours, image, atol=1e-11)


@pytest.mark.parametrize(
    "name", ["bolt", "g1", "talos_reduced", "romeo", "icub", "cassie", "lola", ""]
)
def test_strikes_of_robots_are_dense_projections(name: str) -> None:
    """Rotors of lola, armatures of joints and rods in loops have momenta, too."""
    if name:
        walker = ts.gait.Walker(robot(name), stance="point")
    else:
        model = biped("revolute", 0.5, axis="y")
        walker = ts.gait.Walker(model, ["left_foot", "right_foot"], stance="point")
    error = strike_error(walker)
    print(f"{error:.1e}")
    assert error < 1e-9


@pytest.mark.parametrize("name", ["g1", "talos_reduced", "romeo", "icub", "cassie", "lola"])
def test_strikes_onto_soles_are_dense_projections(name: str) -> None:
    """Resets of a phase on flat feet: joints turn as the projection has them, by their image."""
    model = robot(name)
    walker = ts.gait.Walker(model, stance="flat")
    machine = walker.stance
    assert machine is not None
    m, rng = machine.standing, np.random.default_rng(2)
    q, v = m.integrate(walker.start[0], 0.1 * rng.normal(size=m.nv)), rng.normal(size=m.nv)
    floats = m.to_original(q, v)
    after = dense_strike(model, machine.feet[1], floats.q, floats.v, 6)
    rates = np.zeros(m.nv)
    for joint in machine.other.joints:
        rates[joint.v_slice] = after[model.joint(joint.name).v_slice]
    ours = mapped(walker.phases[0].exits[0].reset, q[None], v[None])[1][0]  # type: ignore[index, union-attr]
    np.testing.assert_allclose(ours, machine.names @ rates, atol=1e-8)


@pytest.mark.parametrize("kind", JOINTS)
def test_strikes_onto_soles_of_every_joint(kind: str) -> None:
    """Coordinates of balls and of slides in a plane after a strike are no sums of those before."""
    walker = ts.gait.Walker(biped(kind, **JOINTS[kind]), ["left_foot", "right_foot"], stance="flat")
    assert strike_error(walker) < 1e-9


def rods(turned: float, named: bool = True) -> ts.Model:
    """Return a trunk on two legs that rods on balls bend; right rods have axes of their own.

    A crank on the thigh moves the shank by a rod out of the plane: one freedom, and its ball, the
    crank and the knee are in a loop.
    """
    b = ts.Builder("rods").body("trunk", 10.0, (0.02, 0, 0.3), inertia=(1.0, 1.2, 0.3))
    b.joint("base", "free", "world", "trunk")
    for side, y in (("left", 1.0), ("right", -1.0)):
        turn = np.eye(3) if y > 0 else Rotation.from_euler("xz", [turned, 0.7 * turned]).as_matrix()
        rod = np.array([0.02, 0.04 * y, -0.3])
        b.body(f"{side}_thigh", 3.0, (0.01, 0, -0.2), inertia=(0.1, 0.1, 0.02))
        b.body(f"{side}_shank", 2.0, (0, 0.01 * y, -0.2), inertia=(0.1, 0.1, 0.01))
        b.body(f"{side}_crank", 0.4, (0.05, 0, 0), inertia=(0.001, 0.002, 0.002))
        along = np.outer(rod, rod) / (rod @ rod)
        inertia = turn.T @ (0.01 * np.eye(3) - 0.009 * along) @ turn
        b.body(f"{side}_rod", 0.5, turn.T @ (rod / 2), inertia=inertia)
        b.joint(f"{side}_hip", "universal", "trunk", f"{side}_thigh", position=(0, 0.1 * y, 0))
        b.joint(
            *(f"{side}_knee", "revolute", f"{side}_thigh", f"{side}_shank"),
            position=(0, 0, -0.4),
            axis="y",
        )
        b.joint(
            *(f"{side}_crank", "revolute", f"{side}_thigh", f"{side}_crank"),
            position=(0, 0, -0.1),
            axis="y",
        )
        seat = np.eye(4)
        seat[:3, :3], seat[:3, 3] = turn, (0.1, 0.02 * y, 0.0)
        b.joint(f"{side}_ball", "spherical", f"{side}_crank", f"{side}_rod", placement=seat)
        there, here = np.eye(4), np.eye(4)
        there[:3, 3] = (0.12, 0.06 * y, 0.0)
        here[:3, :3], here[:3, 3] = turn.T, turn.T @ rod
        b.close_loop(
            *("universal", f"{side}_shank", there, f"{side}_rod", here),
            independent=[f"{side}_crank"] if named else None,
        )
        b.frame(f"{side}_foot", f"{side}_shank", position=(0, 0, -0.4))
    return b.build()


@pytest.mark.parametrize(("turned", "named"), [(0.0, False), (0.0, True), (0.9, True)])
def test_balls_in_loops_have_images(turned: float, named: bool) -> None:
    """Every body of the image moves as the projection has its original move, mirrored."""
    model = rods(turned, named)
    walker = ts.gait.Walker(model, ["left_foot", "right_foot"], stance="point")
    assert walker.notes == ()
    machine = walker.stance
    assert machine is not None
    m, rng = machine.standing, np.random.default_rng(1)
    q, v = m.integrate(m.neutral(), 0.15 * rng.normal(size=m.nv)), rng.normal(size=m.nv)
    floats = m.to_original(q, v)
    after = dense_strike(model, machine.feet[1], floats.q, floats.v, 3)
    there, rates = machine.landed(q, v)
    assert np.abs(m.loop_gaps(there)).max() < 1e-10
    down = np.asarray(model.frame_pose(floats.q, "right_foot"))[:3, 3]
    for side, other in (("left", "right"), ("right", "left")):
        for part in ("thigh", "shank", "crank", "rod"):
            at, of = f"{side}_{part}", f"{other}_{part}"
            place = np.asarray(model.frame_pose(floats.q, at))[:3, 3] - down
            ours = np.asarray(m.frame_pose(there, of))[:3, 3]
            np.testing.assert_allclose(ours, place * [1, -1, 1], atol=1e-11)
            seen = model.frame_velocity(floats.q, after, at, "local_world_aligned")
            moving = m.frame_velocity(there, rates, of, "local_world_aligned")
            np.testing.assert_allclose(moving, np.asarray(seen) * [1, -1, 1, -1, 1, -1], atol=1e-10)
    back = machine.relabelling.back.configurations(there)
    np.testing.assert_allclose(machine.relabelling.configurations(back), there, atol=1e-12)


def test_icub_stands_where_its_file_has_soles() -> None:
    """Shapes of its feet are turned by a quarter, and its right leg has no moments of inertia."""
    model = example("icub")
    walker = ts.gait.Walker(model)
    soles, inertias = walker.notes
    assert "are 0.07 m from images" in soles and "'l_sole' and 'r_sole'" in soles
    assert "at 'r_hip_yaw' first" in inertias and "then on its image" in inertias
    for side in ("l", "r"):
        moments = [model.body(f"{side}_{name}").inertia.max() for name in ("hip_1", "upper_leg")]
        assert (max(moments) < 1e-12) == (side == "r")
    named = ts.gait.Walker(model, ["l_sole", "r_sole"], stance="point")
    assert len(named.notes) == 1  # what users name is taken
    # it looks to −x, and so do its steps
    m = walker.stance.standing  # type: ignore[union-attr]
    chest = np.asarray(m.frame_pose(walker.start[0], "base_link"))
    np.testing.assert_allclose(chest[:3, 0], [-1, 0, 0], atol=1e-4)


def test_cassie_stands_in_its_ranges() -> None:
    """Its neutral configuration is out of range, with soles on end."""
    walker = ts.gait.Walker(example("cassie"), stance="flat")
    m, q = walker.stance.standing, walker.start[0]  # type: ignore[union-attr]
    assert (q >= m.lower - 1e-6).all() and (q <= m.upper + 1e-6).all()
    feet = [np.asarray(m.frame_pose(q, f"{side}-foot")) for side in ("left", "right")]
    # both on the ground, a pelvis over them, level
    assert feet[0][2, 3] == pytest.approx(feet[1][2, 3], abs=0.01)
    assert 0.9 < m.frame_pose(q, "pelvis")[2, 3] < 1.2
    np.testing.assert_allclose(np.asarray(m.frame_pose(q, "pelvis"))[:3, :3], np.eye(3), atol=0.05)


def test_joints_without_an_image_are_refused() -> None:
    b = ts.Builder("loose").body("trunk", 10.0, inertia=(1.0, 1.2, 0.3))
    b.joint("base", "free", "world", "trunk")
    for side, y in (("left", 0.1), ("right", -0.1)):
        b.body(f"{side}_leg", 3.0, (0.0, 0, -0.4), inertia=(0.1, 0.1, 0.02))
        b.joint(f"{side}_hip", "free", "trunk", f"{side}_leg", position=(0, y, 0))
        b.frame(f"{side}_foot", f"{side}_leg", position=(0, 0, -0.8))
    with pytest.raises(ts.ModelError, match="'right_hip' is free: its image"):
        ts.gait.Walker(b.build(), ["left_foot", "right_foot"], stance="point")
    # one velocity of a ball is the coordinate of the loop, about axes that are no images
    with pytest.raises(ts.ModelError, match="not images: left_ball, right_ball; state `indep"):
        ts.gait.Walker(rods(0.9, named=False), ["left_foot", "right_foot"], stance="point")


def test_masses_that_are_no_images_are_refused() -> None:
    b = ts.Builder("laden").body("trunk", 10.0, (0, 0.2, 0), inertia=(1.0, 1.0, 1.0))
    b.joint("base", "free", "world", "trunk")
    for side, y in (("left", 0.1), ("right", -0.1)):
        b.body(f"{side}_leg", 2.0, (0, 0, -0.4), inertia=(0.1, 0.1, 0.01))
        b.joint(f"{side}_hip", "revolute", "trunk", f"{side}_leg", axis="y", position=(0, y, 0))
        b.frame(f"{side}_foot", f"{side}_leg", position=(0, 0, -0.8))
    with pytest.raises(ts.ModelError, match=r"its centre of mass is up to 0\.29 m"):
        ts.gait.Walker(b.build(), ["left_foot", "right_foot"], stance="point")


def test_what_is_not_symmetric_is_refused_or_told() -> None:
    assert "differ by" in ts.gait.Walker(example("bolt"), stance="point").notes[0]
    assert machine().notes == ()
    b = ts.Builder("lame")
    b.body("trunk", 10.0, inertia=(1.0, 1.0, 1.0)).joint("base", "free", "world", "trunk")
    for side, y, length in (("left", 0.1, 0.8), ("right", -0.1, 0.5)):
        b.body(f"{side}_leg", 2.0, (0, 0, -length / 2), inertia=(0.1, 0.1, 0.01))
        b.joint(f"{side}_hip", "revolute", "trunk", f"{side}_leg", axis="y", position=(0, y, 0))
        b.frame(f"{side}_foot", f"{side}_leg", position=(0, 0, -length))
    with pytest.raises(ts.ModelError, match="is not its own image"):
        ts.gait.Walker(b.build(), ["left_foot", "right_foot"], stance="point")


def test_bad_arguments_of_walkers_are_named() -> None:
    model = ts.robots.compass()
    with pytest.raises(ValueError, match="must be two frames"):
        ts.gait.Walker(model, ["left_foot"])
    with pytest.raises(KeyError, match="left_fot"):
        ts.gait.Walker(model, ["left_fot", "right_foot"])
    with pytest.raises(KeyError, match="stance"):
        ts.gait.Walker(model, ["left_foot", "right_foot"], stance="soft")
    with pytest.raises(ValueError, match="soles that are round have one"):
        ts.gait.Walker(model, ["left_foot", "right_foot"], stance="round")


def test_steps_down_and_pushes() -> None:
    """Duindam's passive walker survives 2.0 cm, falls at 2.2 cm."""
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    down = ts.gait.survival(gait, "step_down", [0.01, 0.02, 0.022, 0.03])
    assert down.share.tolist() == [1.0, 1.0, 0.0, 0.0]
    pushed = ts.gait.survival(gait, "push", [0.0, 0.02, 0.3], trials=60)
    assert pushed.share[0] == pushed.share[1] == 1.0
    assert pushed.share[2] < 0.6
    low, high = pushed.confidence
    assert (low < pushed.share + 1e-12).all()
    assert (pushed.share < high + 1e-12).all()
    again = ts.gait.survival(gait, "push", [0.0, 0.02, 0.3], trials=60, threads=2)
    np.testing.assert_array_equal(pushed.survived, again.survived)
    scattered = ts.gait.survival(gait, "hip_mass", [0.01, 0.8], trials=10)
    assert scattered.share[0] == 1.0
    with pytest.raises(ValueError, match="disturbance is 'wind'"):
        ts.gait.survival(gait, "wind", [1.0])


def test_footing_tells_scuffs_and_forces() -> None:
    """Straight legs scuff; the ground carries the weight in the mean over a step."""
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    assert "scuffs" in gait.violations[0]
    assert len(gait.violations) == 1
    (found,) = gait.footings
    assert found.normal_force.min() > 40.0
    # over a period impulses of the ground and of the strike make up for the weight
    model = gait.walker.stance.standing  # type: ignore[union-attr]
    assert found.normal_force[0] < model.total_mass * 9.8 * 1.05


def test_runs_of_gaits_stand_on_their_feet() -> None:
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    run = gait.run(4, every=0.02)
    model, slope = run.model, gait.walker.slope
    normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
    feet = np.stack(
        [model.frame_pose(run.q, foot)[:, :3, 3] for foot in ("left_foot", "right_foot")]
    )
    heights = np.sort(feet @ normal, axis=0)
    assert np.abs(heights[0]).max() < 0.02  # one stands, or the other scuffs a little below it
    standing = feet[:, -1, 0].min()  # the last strike is after the last sample
    assert standing == pytest.approx(3 * gait.step_length * math.cos(slope), abs=1e-9)


def two_legs(first: str, second: str) -> ts.Model:
    """Return straight legs on one hip in the plane, named as you like."""
    b = ts.Builder("legs", (0.0, 0.0, -9.8)).body("x").body("z")
    b.body("hip", 5.0, inertia=(0.1, 0.1, 0.1))
    b.joint("ahead", "prismatic", "world", "x", axis="x").joint(
        "up", "prismatic", "x", "z", axis="z"
    )
    b.joint("pitch", "revolute", "z", "hip", axis="y")
    for name in (first, second):
        b.body(name, 1.0, (0, 0, -0.5), inertia=(0.02, 0.02, 0.001))
        b.joint(f"{name}_joint", "revolute", "hip", name, axis="y")
        b.frame(f"{name}_foot", name, position=(0, 0, -1.0))
    return b.build()


def test_legs_are_images_whatever_their_names_are() -> None:
    named, plain = (
        ts.gait.Walker(two_legs(a, b), [f"{a}_foot", f"{b}_foot"], stance="line").stance
        for a, b in (("left", "right"), ("one", "two"))
    )
    assert named is not None and plain is not None
    np.testing.assert_array_equal(named.names, plain.names)
    q, v = np.array([0.2, 0.1, -0.5]), np.array([-1.0, 0.3, 0.6])
    for one, other in zip(named.landed(q, v), plain.landed(q, v), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_feet_feel_springs_and_every_step() -> None:
    """Forces of the ground by Newton for the centre of mass, whose motion is differenced."""
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass(stiffness=2.0))
    (found,) = gait.footings
    model, slope = gait.walker.stance.standing, gait.walker.slope  # type: ignore[union-attr]
    t, q, _ = gait.flowed.samples
    h = t[1] - t[0]
    heights = np.asarray(model.center_of_mass(q[:40])) @ [math.sin(slope), 0.0, math.cos(slope)]
    rise = (heights[20 - 5] - 2 * heights[20] + heights[20 + 5]) / (5 * h) ** 2
    wanted = model.total_mass * (rise + 9.8 * math.cos(slope))
    at = int(np.argmin(np.abs(found.t - t[20])))
    print(found.normal_force[at], wanted)
    assert found.normal_force[at] == pytest.approx(wanted, rel=2e-4)
    limping = ts.gait.limit_cycles(
        ts.gait.walkers.compass(5.0, 10.0, math.radians(4.6), 9.81), steps=2
    )[0]
    assert [each.step for each in limping.footings] == [1, 2]
    assert len(limping.violations) == 2


def test_what_was_not_looked_at_is_told() -> None:
    wheel = ts.gait.limit_cycle(ts.gait.walkers.rimless_wheel())
    assert "feet were not looked at" in wheel.violations[0]


def test_walkers_keep_what_they_were_given() -> None:
    walker = ts.gait.Walker(
        ts.robots.compass(), ["left_foot", "right_foot"], stance="line", longest=1.5, name="mine"
    )
    other = walker.but(slope=0.02)
    assert (other.longest, other.name, other.slope) == (1.5, "mine", 0.02)


def test_clocks_begin_with_each_step() -> None:
    gait = ts.gait.optimize(ts.gait.walkers.compass(), 0.8, starts=1)
    with pytest.raises(ValueError, match="take them one by one"):
        ts.gait.replayed(gait).steps(*gait.state, 2)


def test_branches_begin_at_gaits() -> None:
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    with pytest.raises(ts.gait.NoGaitError, match="another walker"):
        ts.gait.continuation(ts.gait.walkers.simplest_walker(), "slope", gait, to=0.06)
    with pytest.raises(ValueError, match="is already"):
        ts.gait.continuation(gait.walker, "slope", gait, to=gait.walker.slope)
    for wrong in ({"step": 0.0}, {"scale": 0.0}):
        with pytest.raises(ValueError, match="must be positive"):
            ts.gait.continuation(gait.walker, "slope", gait, to=0.06, **wrong)
    with pytest.raises(KeyError, match="kind of bifurcation"):
        ts.gait.continuation(gait.walker, "slope", gait, to=0.06, until="flop")
    with pytest.raises(ts.gait.NoGaitError, match="repeats after 1 already"):
        ts.gait.limit_cycle(gait.walker, gait.state, steps=2)
    with pytest.raises(ValueError, match="does not scatter"):
        ts.gait.survival(gait, "damping", [0.1])
