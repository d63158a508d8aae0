"""Closing loops: errors of the builder, start configurations, dependent joints, constraints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus.model.closure import closed
from tarsus.model.description import Array
from tarsus.model.loops import LOOP_KINDS, n_rows
from tarsus.model.open_loops import OpenLoops
from tarsus.model.tree import build_tree

LENGTHS = (0.3, 1.0, 0.8, 0.9)
"""Of crank, coupler, rocker and ground: at crank angle zero they span a triangle."""


def rods(builder: ts.Builder, lengths: tuple[float, ...], prefix: str = "") -> ts.Builder:
    for name, length in zip("abc", lengths, strict=False):
        inertia = (0.001, length**2 / 12, length**2 / 12)
        builder.body(prefix + name, 1.0, (length / 2, 0, 0), inertia)
    return builder


def open_chain(
    lengths: tuple[float, ...] = LENGTHS, prefix: str = "", base: str = "world"
) -> ts.Builder:
    """A chain of three rods a, b, c in the plane of x and y, on joints ja, jb, jc."""
    return add_chain(ts.Builder("four_bar"), lengths, prefix, base)


def add_chain(
    builder: ts.Builder, lengths: tuple[float, ...], prefix: str = "", base: str = "world"
) -> ts.Builder:
    rods(builder, lengths, prefix)
    parent, x = base, 0.0
    for name, length in zip("abc", lengths, strict=False):
        builder.joint(f"{prefix}j{name}", "revolute", parent, prefix + name, position=(x, 0, 0))
        parent, x = prefix + name, length
    return builder


def four_bar(lengths: tuple[float, ...] = LENGTHS, **options: Any) -> ts.Builder:
    ends = ("c", (lengths[2], 0, 0), "world", (lengths[3], 0, 0))
    return open_chain(lengths).close_loop("revolute", *ends, name="pin", **options)


def gap(model: ts.Model, q: Array) -> float:
    return float(np.abs(model.loop_gaps(q)).max())


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


def mechanism(kind: str, seed: int) -> tuple[OpenLoops, Array]:
    """A tree of all kinds of joints with a loop that is nearly closed at a random place."""
    rng = np.random.default_rng(seed)
    model = ts.robots.random_mechanism(seed, 8)
    description, q = model.description, model.random_configuration(seed)
    a, b = (
        (model.body_names[-1], model.body_names[-2])
        if seed % 2
        else ("world", model.body_names[-1])
    )
    poses = {name: model.frame_pose(q, name) for name in model.body_names} | {"world": np.eye(4)}
    small = np.eye(4)
    small[:3, :3] = np.linalg.qr(np.eye(3) + 0.2 * rng.normal(size=(3, 3)))[0]
    small[:3, :3] *= np.sign(np.diag(small[:3, :3]))
    small[:3, 3] = 0.3 * rng.normal(size=3)
    place = np.linalg.inv(poses[b]) @ poses[a] @ small
    place[3] = 0, 0, 0, 1
    length = 0.7 if kind == "distance" else 0.0
    loop = ts.Loop("loop", kind, a, b, np.eye(4), place, length, constraint=True)
    description.loops.append(loop)
    tree = build_tree(ts.model.validation.checked(description), strict=True)
    return OpenLoops(tree, tree.clusters, [], tree.loops), q


@pytest.mark.parametrize("kind", [kind for kind in LOOP_KINDS if kind != "knife_edge"])
@pytest.mark.parametrize("seed", range(4))
def test_derivatives_of_gaps(kind: str, seed: int) -> None:
    part, q = mechanism(kind, seed)
    gaps, jacobian = part.gaps(q)
    assert len(gaps) == n_rows(kind)
    step = 1e-6
    for k, unit in enumerate(np.eye(part.core.nv)):
        ahead, behind = (part.gaps(part.core.integrate(q, s * unit))[0] for s in (step, -step))
        error = np.abs((ahead - behind) / (2 * step) - jacobian[:, k]).max()
        assert error < 1e-7 * (1 + np.abs(jacobian).max()), (k, error)


@pytest.mark.parametrize("kind", LOOP_KINDS)
def test_gaps_of_the_core_are_the_same(kind: str) -> None:
    lengths = {"length": 0.7} if kind == "distance" else {}
    a, b = np.eye(4), np.eye(4)
    a[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    a[:3, 3], b[:3, 3] = (0.1, 0.2, 0.3), (0.8, 0.1, 0)
    builder = rods(ts.Builder("x"), (1.0, 1.0))
    builder.joint("ja", "free", "world", "a").joint("jb", "spherical", "a", "b")
    builder.close_loop(kind, "world", a, "b", b, name="loop", constraint=True, **lengths)  # type: ignore[arg-type]
    model = builder.build()
    q = model.integrate(model.neutral(), 0.2 * np.random.default_rng(3).normal(size=9))
    assert model.loop_gaps(q).shape == (n_rows(kind),)
    if kind == "knife_edge":
        assert model.loop_gaps(q).tolist() == [0.0]
        return
    tree = build_tree(builder.description(), strict=True)
    gaps, jacobian = OpenLoops(tree, tree.clusters, [], tree.loops).gaps(q)
    errors = (
        np.abs(model.loop_gaps(q) - gaps).max(),
        np.abs(model.constraint_jacobian(q) - jacobian).max(),
    )
    print(f"{kind}: gaps {errors[0]:.1e}, Jacobian {errors[1]:.1e}")
    assert max(errors) < 1e-13


def test_loops_through_a_free_joint_are_constraints() -> None:
    builder = rods(ts.Builder("biped"), (1.0, 1.0, 1.0))
    builder.joint("base", "free", "world", "a")
    builder.joint("left", "revolute", "a", "b", axis="y").joint("right", "spherical", "a", "c")
    builder.close_loop("weld", "b", (1, 0, 0), "world", (3, 2, 1), name="left_foot")
    builder.close_loop("spherical", "c", (1, 0, 0), "world", (2.6, 1.2, 1), name="right_foot")
    model = builder.build()
    assert len(model.clusters) == 3
    assert model.constraints[0] == ts.Constraint(
        "left_foot", "weld", ("b", "world"), 6, "it passes the free joint 'base'"
    )
    assert (model.nq, model.nv) == (12, 10)
    print(f"gap {gap(model, model.neutral()):.1e}")
    assert gap(model, model.neutral()) < 1e-12


def test_large_loops_are_constraints() -> None:
    n = 26
    builder = ts.Builder("ring")
    parent = "world"
    for i in range(n):
        builder.body(f"b{i}", 1.0, (0.5, 0, 0), (1, 1, 1))
        builder.joint(f"j{i}", "revolute", parent, f"b{i}", position=(i > 0, 0, 0), axis="z")
        parent = f"b{i}"
    start = {f"j{i}": 2 * np.pi / n for i in range(1, n)}
    ring = {"start": start, "name": "ring"}
    model = builder.close_loop("revolute", parent, (1, 0, 0), "world", (0, 0, 0), **ring).build()  # type: ignore[arg-type]
    assert "26 velocity coordinates, over 24" in model.constraints[0].reason
    assert gap(model, model.neutral()) < 1e-12


def test_knife_edges_are_constraints() -> None:
    builder = rods(ts.Builder("skate"), (1.0,)).joint("ja", "planar", "world", "a")
    model = builder.close_loop("knife_edge", "world", (0, 0, 0), "a", (0.5, 0, 0)).build()
    assert (model.constraints[0].rows, model.nv) == (1, 3)
    assert "velocities, not positions" in model.constraints[0].reason
    np.testing.assert_allclose(model.constraint_jacobian([0, 0, 0.7]), [[0, 1, 0.5]], atol=1e-15)


def test_loops_through_joints_that_roll_are_constraints() -> None:
    builder = rods(ts.Builder("unicycle"), (1.0, 1.0))
    builder.joint("wheel", "rolling_wheel", "world", "a", radius=0.3)
    builder.joint("arm", "spherical", "a", "b")
    builder.close_loop("point_on_line", "world", (0, 0, 0), "b", (1, 0, 0), name="rail")
    model = builder.build()
    assert model.constraints[0].reason == "it passes joint 'wheel', which rolls"
    assert gap(model, model.neutral()) < 1e-12


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


def test_functions_cannot_be_in_a_cluster_with_a_loop() -> None:
    def function(y: Array) -> tuple[Array, Array, Array]:
        return y**2, 2 * y[:, None], 2 * np.ones((1, 1, 1))

    builder = four_bar().body("wheel", 1.0).joint("drive", "revolute", "world", "wheel")
    builder.transmission("function", "ja", "drive", name="own", function=function)
    with pytest.raises(ts.ModelError, match=r"coupling 'own'.*one cluster with loop 'pin'"):
        builder.build()


BAD_MODELS: dict[str, tuple[Callable[[], ts.Builder], str]] = {
    "out of reach": (
        lambda: four_bar((0.3, 1.0, 0.8, 3.0)),
        "loop 'pin' cannot be closed: a gap of .* is left",
    ),
    "constraint out of reach": (
        lambda: four_bar((0.3, 1.0, 0.8, 3.0), constraint=True),
        "loop 'pin' cannot be closed",
    ),
    "singular start": (
        lambda: four_bar((0.5, 1.0, 0.5, 1.0), start={"jb": 0.0, "jc": np.pi}),
        "loop 'pin': the start configuration is singular",
    ),
    "too few independent joints": (
        lambda: four_bar(independent=[]),
        "loop 'pin': more joints stay independent than were stated: ja",
    ),
    "too many independent joints": (
        lambda: four_bar(independent=["ja", "jb"]),
        r"loop 'pin': only 1 of 2 velocities .*\(stated: ja, jb\)",
    ),
    "independent joint elsewhere": (
        lambda: four_bar(independent=["jd"]).body("d", 1).joint("jd", "revolute", "c", "d"),
        "there is no joint 'jd'",
    ),
    "follower as a start": (
        lambda: four_bar(start={"jb": 1.0}).couple(["ja", "jb"], [[1], [2]]),
        "loop 'pin': start of joint 'jb': it follows other joints",
    ),
    "different starts": (
        lambda: four_bar(start={"jb": 1.0}).close_loop(
            "planar", "c", (0, 0, 0), "world", (0, 0, 0), name="plane", start={"jb": 1.1}
        ),
        "loop 'plane': start of joint 'jb' is 1.1, but 1.0 for loop 'pin'",
    ),
    "bodies that are welded together": (
        lambda: (
            four_bar()
            .body("d", 1)
            .joint("jd", "fixed", "c", "d")
            .close_loop("weld", "d", (0, 0, 0), "c", (0, 0, 0), name="x")
        ),
        "loop 'x': bodies 'd' and 'c' do not move relative to each other",
    ),
}


@pytest.mark.parametrize("name", BAD_MODELS)
def test_loops_that_cannot_be_built(name: str) -> None:
    make, message = BAD_MODELS[name]
    with pytest.raises(ts.ModelError, match=message):
        make().build()


def test_independent_joints_are_on_the_loop() -> None:
    builder = rods(ts.Builder("x"), LENGTHS).body("d", 1.0).joint("jd", "revolute", "world", "d")
    add = [("ja", "world", "a", 0.0), ("jb", "a", "b", 0.3), ("jc", "b", "c", 1.0)]
    for name, parent, child, x in add:
        builder.joint(name, "revolute", parent, child, position=(x, 0, 0))
    ends = ("c", (0.8, 0, 0), "world", (0.9, 0, 0))
    builder.close_loop("revolute", *ends, name="pin", independent=["jd"])
    with pytest.raises(ts.ModelError, match=r"loop 'pin': joint 'jd' is not on it.*valid: ja, jb"):
        builder.build()


Call = Callable[[ts.Builder], object]
HERE = ((0, 0, 0), "world", (0, 0, 0))
BAD_CALLS: dict[str, tuple[Call, str]] = {
    "kind": (lambda b: b.close_loop("revolut", "c", *HERE), "did you mean 'revolute'"),
    "body": (lambda b: b.close_loop("weld", "d", *HERE), "body_a 'd' is not declared"),
    "same body": (
        lambda b: b.close_loop("weld", "c", (0, 0, 0), "c", (0, 0, 0)),
        "loop 'c_c': both ends are on body 'c'",
    ),
    "frame of another body": (
        lambda b: b.frame("tip", "b").close_loop("weld", "c", "tip", "a", "a"),
        r"body 'c' has no frame 'tip' \(valid: c\)",
    ),
    "frame of a wrong shape": (
        lambda b: b.close_loop("weld", "c", (0, 0), "a", "a"),
        r"frame_a has shape \(2,\), must be \(3,\), a position, or \(4, 4\), a placement",
    ),
    "frame that is no pose": (
        lambda b: b.close_loop("weld", "c", np.ones((4, 4)), "a", "a"),
        "loop 'c_a', frame a: the last row",
    ),
    "no length": (lambda b: b.close_loop("distance", "c", *HERE), r"needs a length \[m\] above"),
    "length": (
        lambda b: b.close_loop("weld", "c", *HERE, length=1),
        "for loops of kind 'distance'",
    ),
    "independent": (
        lambda b: b.close_loop("weld", "c", *HERE, independent=["jx"]),
        "there is no joint 'jx'.*valid: ja, jb, jc",
    ),
    "start": (lambda b: b.close_loop("weld", "c", *HERE, start={"j": 1}), "no joint 'j'"),
    "start that is not finite": (
        lambda b: b.close_loop("weld", "c", *HERE, start={"ja": np.nan}),
        "start of joint 'ja' is not finite",
    ),
    "constraint": (
        lambda b: b.close_loop("weld", "c", *HERE, constraint="yes"),  # type: ignore[arg-type]
        "constraint is 'yes', must be None, True or False",
    ),
    "knife edge in a cluster": (
        lambda b: b.close_loop("knife_edge", "c", *HERE, constraint=False),
        "is always a constraint",
    ),
    "independent joints of a constraint": (
        lambda b: b.close_loop("weld", "c", *HERE, constraint=True, independent=["ja"]),
        "independent joints are for loops that are no constraints",
    ),
    "name twice": (
        lambda b: b.close_loop("planar", "c", *HERE, name="x").close_loop(
            "planar", "b", *HERE, name="x"
        ),
        "loop name 'x' is used twice",
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_wrong_call_fails_at_once(name: str) -> None:
    call, message = BAD_CALLS[name]
    with pytest.raises(ts.ModelError, match=message):
        call(open_chain())


def test_axes_that_are_parallel_but_for_rounding() -> None:
    """A four-bar whose coupler leaves the plane by microns would be rigid, if taken at its word."""
    builder = rods(ts.Builder("file"), LENGTHS)
    builder.joint("ja", "revolute", "world", "a", axis=(0, 2e-6, 1))
    builder.joint("jb", "revolute", "a", "b", position=(0.3, 0, 0), axis=(-1e-6, 0, 1))
    builder.joint("jc", "revolute", "b", "c", position=(1, 0, 0))
    builder.close_loop("revolute", "c", (0.8, 0, 2e-6), "world", (0.9, 0, 0), name="pin")
    model = builder.build()
    assert model.clusters[0].independent == ("ja",)
    (warning,) = model.warnings
    assert "loop 'pin': 3 of its equations repeat others" in warning
    q = model.integrate(model.neutral(), [0.5])
    print(f"gap {gap(model, q):.1e}")
    assert gap(model, q) < 1e-5


def offset_four_bars(offset: float, n: int = 1) -> ts.Builder:
    """Equal planar four-bars on the world, whose pins meet but for an offset out of the plane."""
    builder, (_, _, rocker, ground) = ts.Builder("file"), LENGTHS
    for i in range(n):
        add_chain(builder, LENGTHS, f"{i}")
        pin = (f"{i}c", (rocker, 0, 0), "world", (ground, 0, offset))
        builder.close_loop("revolute", *pin, name=f"pin{i}")
    return builder


@pytest.mark.parametrize("offset", [3e-6, 3e-7, 2e-9])
def test_equations_that_contradict_others_are_left_out(offset: float) -> None:
    """No motion closes the offset; the model works without the row that it is in."""
    model = offset_four_bars(offset).build()
    (warning,) = model.warnings
    assert "3 of its equations repeat others" in warning and f"up to {offset:.1e}" in warning
    kept = np.array([True, True, False, False, False])
    exact = offset_four_bars(0.0).build()
    for q in (model.neutral(), model.integrate(model.neutral(), [0.5])):
        gaps = np.abs(model.loop_gaps(q))
        print(f"gaps {gaps}")
        assert gaps[kept].max() <= 1e-12
        assert np.isclose(gaps[~kept].max(), offset, rtol=1e-6)
        v, tau = np.array([0.7]), np.array([0.3])
        np.testing.assert_allclose(model.mass_matrix(q), exact.mass_matrix(q), rtol=1e-12)
        for method in ("articulated", "sparse", "dense"):
            a = model.forward_dynamics(q, v, tau, method=method)
            np.testing.assert_allclose(model.inverse_dynamics(q, v, a), tau, rtol=1e-9)
            np.testing.assert_allclose(a, exact.forward_dynamics(q, v, tau), rtol=1e-9)
    sample = model.random_configuration(0, (4,))
    np.testing.assert_allclose(model.close(sample), sample, atol=1e-12)


def test_equal_clusters_have_equal_warnings() -> None:
    model = offset_four_bars(3e-6, 3).build()
    assert [warning.partition(":")[0] for warning in model.warnings] == [
        "loop 'pin0'",
        "loop 'pin1'",
        "loop 'pin2'",
    ]


def test_constraints_that_are_closed_stay_where_they_are() -> None:
    """A weld that two equal linkages meet at their start moves nothing, left-out rows or not."""
    plain = offset_four_bars(3e-6, 2).build()
    poses = [plain.frame_pose(plain.neutral(), name) for name in ("0b", "1b")]
    relative = np.linalg.inv(poses[0]) @ poses[1]
    builder = offset_four_bars(3e-6, 2)
    builder.close_loop("weld", "0b", relative, "1b", np.eye(4), name="clamp", constraint=True)
    np.testing.assert_array_equal(builder.build().neutral(), plain.neutral())


def test_loops_without_names_are_numbered() -> None:
    """Names that only begin alike do not count, and names that a user took are passed over."""
    builder = ts.Builder("names")
    for name in ("a", "b", "b_c"):
        builder.body(name, 1.0).joint(f"j{name}", "free", "world", name)
    ends = (np.zeros(3), "b", np.zeros(3))
    builder.close_loop("spherical", "a", np.zeros(3), "b_c", np.zeros(3))
    builder.close_loop("spherical", "a", *ends).close_loop("spherical", "a", *ends, name="a_b_2")
    builder.close_loop("spherical", "a", *ends)
    names = [loop.name for loop in builder.description().loops]
    assert names == ["a_b_c", "a_b", "a_b_2", "a_b_3"]


def test_a_structure_that_cannot_move_is_named() -> None:
    builder = rods(ts.Builder("truss"), LENGTHS).joint("ja", "revolute", "world", "a")
    builder.joint("jb", "revolute", "a", "b", position=(0.3, 0, 0)).joint(
        "jc", "free", "world", "c"
    )
    builder.close_loop("revolute", "b", (1, 0, 0), "world", (0.9, 0, 0), name="pin")
    model = builder.build()
    assert model.nv == 6
    assert model.warnings == ("the joints of loop pin cannot move: no velocity stays free",)
    assert np.isfinite(model.forward_dynamics(model.neutral(), np.zeros(6), np.zeros(6))).all()


def test_a_start_at_which_nothing_moves_the_loop_is_named() -> None:
    """Two parallel cranks whose pins are as far apart as the rod is long: singular at zero."""
    builder = ts.Builder("cranks")
    for name, at in (("a", 0.0), ("b", 0.5)):
        builder.body(name, 1.0, (0.2, 0, 0), (1e-3, 1e-2, 1e-2))
        builder.joint(f"j{name}", "revolute", "world", name, position=(at, 0, 0))
    builder.close_loop("distance", "a", (0.4, 0, 0), "b", (0.4, 0, 0), length=0.5, name="rod")
    with pytest.raises(ts.ModelError, match=r"loop 'rod'.*singular"):
        builder.build()
