"""Closing loops: start configurations and dependent joints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rods import LENGTHS, add_chain, four_bar, gap, open_chain, rods

import tarsus as ts
from tarsus.model.closure import closed
from tarsus.model.tree import build_tree


def test_a_four_bar_in_space() -> None:
    """Five equations, of which the plane leaves two; the crank stays at zero."""
    model = four_bar().build()
    assert (model.nq, model.nv, len(model.clusters)) == (3, 1, 1)
    cluster = model.clusters[0]
    assert (cluster.kind, cluster.closure, cluster.parent) == ("loop", "implicit", "world")
    assert cluster.independent == ("ja",)
    assert [model.joint(name).dependent for name in model.joint_names] == ["", "loop", "loop"]
    q = model.neutral()
    assert q[0] == 0.0
    print(f"gap {gap(model, q):.1e}")
    assert gap(model, q) < 1e-14
    assert model.joint("jb").q_slice == slice(1, 2)
    assert model.joint("jb").v_slice == slice(1, 1)
    assert (model.lower.shape, model.velocity_limit.shape) == ((3,), (1,))


def test_random_configurations_are_closed() -> None:
    model = four_bar().build()
    q = model.random_configuration(0, 100)
    gaps = np.abs(model.loop_gaps(q)).max()
    print(f"gaps of 100 configurations: {gaps:.1e}; crank over {np.ptp(q[:, 0]):.1f} rad")
    assert gaps < 1e-12
    assert np.ptp(q[:, 0]) > 3.0


def test_close_brings_dependent_joints_back() -> None:
    model = four_bar().build()
    q = model.neutral()
    moved = q + [0.0, 0.05, -0.05]
    assert gap(model, moved) > 1e-2
    back = model.close(moved)
    assert back[0] == 0.0
    np.testing.assert_allclose(back, q, atol=1e-12)


def test_the_start_chooses_the_branch() -> None:
    up = four_bar(start={"jb": 0.9, "jc": 3.8}).build().neutral()
    down = four_bar(start={"jb": -0.9, "jc": -3.8}).build().neutral()
    np.testing.assert_allclose(up, -down, atol=1e-12)
    assert up[1] > 0.5
    turned = four_bar(start={"ja": 0.4, "jb": 0.9, "jc": 3.8}).build().neutral()
    assert turned[0] == 0.4


def test_independent_joints_can_be_named() -> None:
    model = four_bar(independent=["jc"], start={"ja": 1.0, "jb": 0.9, "jc": 3.8}).build()
    assert model.clusters[0].independent == ("jc",)
    assert model.neutral()[2] == 3.8
    assert gap(model, model.neutral()) < 1e-14


def test_a_joint_with_a_motor_stays_independent() -> None:
    start = {"ja": 0.7, "jb": 0.9, "jc": 3.8}
    builder = four_bar(start=start).body("rotor", 0.1, inertia=(1e-4, 1e-4, 1e-4))
    model = builder.gear("jc", 9, "rotor").build()
    cluster = model.clusters[0]
    assert (cluster.kind, cluster.closure) == ("gear + loop", "linear + implicit")
    assert cluster.independent == ("jc",)
    q = model.neutral()
    assert model.joint_positions(q)[-1] == 9 * q[2]


def test_a_coupling_may_move_a_joint_of_a_loop() -> None:
    """A motor outside the loop moves a crank in it; its joint cannot leave, but may depend."""
    builder = four_bar().body("wheel", 1.0, inertia=(1, 1, 1))
    builder.joint("drive", "revolute", "world", "wheel", position=(0, 0, 1))
    model = builder.couple(["drive", "ja"], [[1], [-2]]).build()
    assert model.clusters[0].independent == ("drive",)
    q = model.integrate(model.neutral(), [0.3])
    positions = model.joint_positions(q)
    assert positions[model.joint("ja").position_slice] == -2 * positions[model.joint("drive").index]
    assert gap(model, q) < 1e-12


def rod_between_balls(**options: Any) -> ts.Builder:
    """A crank about z and a rocker about y, with a rod between two balls from tip to tip."""
    builder = rods(ts.Builder("rssr"), (0.08, 0.37, 0.2))
    builder.joint("crank", "revolute", "world", "a", axis="z")
    builder.joint("ball", "spherical", "a", "b", position=(0.08, 0, 0))
    builder.joint("rocker", "revolute", "world", "c", position=(0.3, 0.1, 0), axis="y")
    ends = ("b", (0.37, 0, 0), "c", (0.2, 0, 0))
    return builder.close_loop("spherical", *ends, name="other", start={"rocker": -1.1}, **options)


@pytest.mark.parametrize("options", [{}, {"independent": ["crank"]}])
def test_some_velocities_of_a_joint_may_depend(options: dict[str, Any]) -> None:
    """The rod is free to spin about itself, along x: the ball joint keeps this velocity."""
    model = rod_between_balls(**options).build()
    ball = model.joint("ball")
    assert (model.nq, model.nv) == (6, 2)
    assert (ball.own_velocities, ball.v_slice, ball.q_slice) == ((0,), slice(1, 2), slice(1, 5))
    assert ball.dependent == "loop"
    assert model.clusters[0].independent == ("crank", "ball")
    q = model.integrate(model.neutral(), [0.5, 1.0])
    assert gap(model, q) < 1e-12
    spin = model.coupling_matrix(q)[:, 1]
    np.testing.assert_allclose(spin, [0, 1, 0, 0, 0], atol=1e-12)


def test_frames_on_welded_bodies_move_to_their_carriers() -> None:
    plain = four_bar().build()
    builder = open_chain().body("pin_holder", 0.0).body("stand", 0.0)
    builder.joint("weld", "fixed", "c", "pin_holder", position=(0.5, 0, 0), rotation=(0, 0, 1))
    builder.joint("foot", "fixed", "world", "stand", position=(0.4, 0, 0))
    holder = np.linalg.inv(builder.description().joints[-2].placement) @ [0.8, 0, 0, 1]
    builder.close_loop("revolute", "pin_holder", holder[:3], "stand", (0.5, 0, 0), name="pin")
    model = builder.build()
    assert model.clusters == plain.clusters
    np.testing.assert_allclose(model.neutral(), plain.neutral(), atol=1e-12)


def test_frames_by_name_or_placement() -> None:
    pose = np.eye(4)
    pose[:3, 3] = 0.8, 0, 0
    builder = open_chain().frame("tip", "c", placement=pose).frame("stand", "world")
    builder.close_loop("spherical", "c", "tip", "a", pose).close_loop("planar", "c", "c", "a", "a")
    first, second = builder.description().loops
    assert (first.name, second.name) == ("c_a", "c_a_2")
    assert np.array_equal(first.placement_a, pose)
    assert np.array_equal(first.placement_b, pose)
    assert np.array_equal(second.placement_a, np.eye(4))


@pytest.mark.parametrize("constraint", [None, True])
def test_a_weld_is_not_closed_upside_down(constraint: bool | None) -> None:
    """The equations of a weld hold at half a turn as well, which is no solution."""
    builder = rods(ts.Builder("x"), (1.0, 1.0)).joint("ja", "spherical", "world", "a")
    builder.joint("jb", "translation", "a", "b")
    turned = np.diag([-1.0, 1.0, -1.0, 1.0])
    builder.close_loop("weld", "world", turned, "b", (0, 0, 0), constraint=constraint)
    model = builder.build()
    pose = model.forward_kinematics(model.neutral())[1]
    print(f"rotation: {np.abs(pose - turned).max():.1e}")
    np.testing.assert_allclose(pose, turned, atol=1e-12)


def test_equal_clusters_close_alike_and_others_do_not() -> None:
    builder = ts.Builder("three")
    for prefix, crank in (("u", 0.3), ("v", 0.3), ("w", 0.4)):
        lengths = (crank, *LENGTHS[1:])
        add_chain(builder, lengths, prefix)
        builder.close_loop("revolute", f"{prefix}c", (0.8, 0, 0), "world", (0.9, 0, 0))
    model = builder.build()
    u, v, w = model.neutral().reshape(3, 3)
    assert np.array_equal(u, v)
    assert not np.array_equal(u, w)
    assert gap(model, model.neutral()) < 1e-13
    assert [cluster.independent for cluster in model.clusters] == [("uja",), ("vja",), ("wja",)]


def test_a_thousand_loops() -> None:
    builder = ts.Builder("tower")
    base = "world"
    for i in range(1000):
        add_chain(builder, LENGTHS, f"n{i}_", base)
        builder.close_loop("revolute", f"n{i}_c", (0.8, 0, 0), base, (0.9, 0, 0))
        base = f"n{i}_a"
    tree = closed(build_tree(builder.description(), strict=True))
    assert len(tree.clusters) == 1000
    assert tree.roles[:4] == [(0,), (2,), (2,), (0,)]


Call = Callable[[ts.Builder], object]


HERE = ((0, 0, 0), "world", (0, 0, 0))


def offset_four_bars(offset: float, n: int = 1) -> ts.Builder:
    """Equal planar four-bars on the world, whose pins meet but for an offset out of the plane."""
    builder, (_, _, rocker, ground) = ts.Builder("file"), LENGTHS
    for i in range(n):
        add_chain(builder, LENGTHS, f"{i}")
        pin = (f"{i}c", (rocker, 0, 0), "world", (ground, 0, offset))
        builder.close_loop("revolute", *pin, name=f"pin{i}")
    return builder
