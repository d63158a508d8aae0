"""Legs that are images of each other: by names, chains and axes, in loops, on real robots."""

from __future__ import annotations

import numpy as np
import pytest
from dense_strike import dense_strike
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.gait.walkers.left_right_map import image_of
from tarsus.robots.load import example


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
    walker = ts.gait.Walker.from_model(model, ["left_foot", "right_foot"], stance="point")
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
    walker = ts.gait.Walker.from_model(model)
    soles, inertias = walker.notes
    assert "are 0.07 m from images" in soles and "'l_sole' and 'r_sole'" in soles
    assert "at 'r_hip_yaw' first" in inertias and "then on its image" in inertias
    for side in ("l", "r"):
        moments = [model.body(f"{side}_{name}").inertia.max() for name in ("hip_1", "upper_leg")]
        assert (max(moments) < 1e-12) == (side == "r")
    named = ts.gait.Walker.from_model(model, ["l_sole", "r_sole"], stance="point")
    assert len(named.notes) == 1  # what users name is taken
    # it looks to −x, and so do its steps
    m = walker.stance.standing  # type: ignore[union-attr]
    chest = np.asarray(m.frame_pose(walker.start[0], "base_link"))
    np.testing.assert_allclose(chest[:3, 0], [-1, 0, 0], atol=1e-4)


def test_cassie_stands_in_its_ranges() -> None:
    """Its neutral configuration is out of range, with soles on end."""
    walker = ts.gait.Walker.from_model(example("cassie"), stance="flat")
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
        ts.gait.Walker.from_model(b.build(), ["left_foot", "right_foot"], stance="point")
    # one velocity of a ball is the coordinate of the loop, about axes that are no images
    with pytest.raises(ts.ModelError, match="not images: left_ball, right_ball; state `indep"):
        ts.gait.Walker.from_model(
            rods(0.9, named=False), ["left_foot", "right_foot"], stance="point"
        )


def test_masses_that_are_no_images_are_refused() -> None:
    b = ts.Builder("laden").body("trunk", 10.0, (0, 0.2, 0), inertia=(1.0, 1.0, 1.0))
    b.joint("base", "free", "world", "trunk")
    for side, y in (("left", 0.1), ("right", -0.1)):
        b.body(f"{side}_leg", 2.0, (0, 0, -0.4), inertia=(0.1, 0.1, 0.01))
        b.joint(f"{side}_hip", "revolute", "trunk", f"{side}_leg", axis="y", position=(0, y, 0))
        b.frame(f"{side}_foot", f"{side}_leg", position=(0, 0, -0.8))
    with pytest.raises(ts.ModelError, match=r"its centre of mass is up to 0\.29 m"):
        ts.gait.Walker.from_model(b.build(), ["left_foot", "right_foot"], stance="point")


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
        ts.gait.Walker.from_model(two_legs(a, b), [f"{a}_foot", f"{b}_foot"], stance="line").stance
        for a, b in (("left", "right"), ("one", "two"))
    )
    assert named is not None and plain is not None
    np.testing.assert_array_equal(named.names, plain.names)
    q, v = np.array([0.2, 0.1, -0.5]), np.array([-1.0, 0.3, 0.6])
    for one, other in zip(named.landed(q, v), plain.landed(q, v), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
