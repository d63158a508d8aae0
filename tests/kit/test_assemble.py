"""Kits become trees: which joints, which roots, which cuts, and the same accelerations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kits import accelerations, chain, random_kit, relative_error, three_bars

import tarsus as ts


def compared(kit: ts.Model, whole: ts.Assembled, seed: int = 0) -> float:
    """Return how far accelerations of kit and tree differ in a random closed state."""
    rng = np.random.default_rng(seed)
    v = ts.snap(kit, whole.snapped.q, rng.normal(size=kit.nv)).v
    bodies = [body.name for body in kit.description.bodies]
    wanted = accelerations(kit, whole.snapped.q, v, bodies)
    q_tree, v_tree = whole.to_tree(whole.snapped.q, v)
    q_kit, v_kit = whole.to_kit(q_tree, v_tree)
    np.testing.assert_allclose(
        kit.forward_kinematics(q_kit), kit.forward_kinematics(whole.snapped.q), atol=1e-12
    )
    np.testing.assert_allclose(v_kit, v, atol=1e-11)
    return relative_error(accelerations(whole.model, q_tree, v_tree, bodies), wanted)


@pytest.mark.parametrize("grounded", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_random_kits(seed: int, grounded: bool) -> None:
    kit = random_kit(seed, grounded=grounded)
    whole = ts.assemble(kit)
    error = compared(kit, whole, seed)
    print(f"{error:.1e}\n{whole}")
    assert error < 1e-11
    assert (whole.roots == ("world",)) == grounded
    assert len(whole.joints) == (8 if grounded else 7)
    assert whole.model.nv < kit.nv
    # every name that was stated is still there
    assert set(kit.frame_names) <= set(whole.model.frame_names)
    loops = {loop.name for loop in whole.model.description.loops}
    joints = {joint.name for joint in whole.model.description.joints}
    assert {loop.name for loop in kit.description.loops} <= loops | joints | {*whole.implied}


@pytest.mark.parametrize("seed", range(4))
def test_any_root_and_any_cut_gives_the_same_motion(seed: int) -> None:
    kit = random_kit(seed, 6)
    bodies = kit.body_names
    loops = [loop.name for loop in kit.description.loops]
    for k in range(3):
        whole = ts.assemble(kit, root=bodies[(seed + 2 * k) % 6], cut=[loops[(seed + k) % 5]])
        error = compared(kit, whole, k)
        print(f"{error:.1e}, {whole.roots}, cut {[cut.name for cut in whole.cuts]}")
        assert error < 1e-11
        assert bodies[(seed + 2 * k) % 6] in whole.roots
        left = [*(cut.name for cut in whole.cuts), *whole.implied]
        assert loops[(seed + k) % 5] in left


def test_loose_kits_are_put_together_first() -> None:
    kit = random_kit(2)
    rng = np.random.default_rng(0)
    q = kit.integrate(kit.neutral(), 0.05 * rng.normal(size=kit.nv))
    whole = ts.assemble(kit, q, rng.normal(size=kit.nv))
    assert whole.snapped.moved > 1e-3 and whole.snapped.closed
    assert np.abs(whole.model.loop_gaps(whole.q)).max() < 1e-11
    bodies = [body.name for body in kit.description.bodies]
    error = relative_error(
        accelerations(whole.model, whole.q, whole.v, bodies),
        accelerations(kit, whole.snapped.q, whole.snapped.v, bodies),
    )
    assert error < 1e-11


def test_roots_are_in_the_middle() -> None:
    assert ts.assemble(three_bars()).roots == ("middle",)
    kit = chain(9).build()  # masses grow, so the centre is beyond the middle
    whole = ts.assemble(kit)
    centre = kit.center_of_mass(kit.neutral())[0]
    print(f"centre of mass at {centre:.2f}, {whole.roots}")
    assert whole.roots in (("b5",), ("b6",))
    assert ts.assemble(kit, root="b0").roots == ("b0",)


def four_bar_kit() -> ts.Model:
    """Return the loose rods of a four-bar on the ground, with one ball among its pins."""
    kit = ts.take_apart(ts.robots.four_bar()).model
    return ts.Editor(kit).change("loop", "pin", kind="spherical").build()


def test_the_freest_joint_is_cut() -> None:
    whole = ts.assemble(four_bar_kit())
    (cut,) = whole.cuts
    assert (cut.name, cut.kind, cut.rows, cut.rank, cut.reason) == ("pin", "spherical", 3, 2, "")
    assert whole.roots == ("world",) and whole.freedoms == whole.model.nv == 1
    (group,) = whole.diagnosis.redundant
    assert set(group.names) == {"crank", "coupler", "rocker", "pin"} and group.surplus == 1
    text = str(whole)
    assert "degrees of freedom: 1" in text and "cut: pin (spherical)" in text
    assert "takes away 2 of the velocities by 3 rows, 1 repeat others; in a cluster" in text


def test_linkages_are_apart() -> None:
    builder = chain(3)
    for k in range(2):
        builder.body(f"other{k}", 1.0, inertia=(1, 1, 1))
        builder.joint(f"o{k}", "free", "world", f"other{k}", position=(k, 5, 0))
    builder.close_loop("spherical", "other0", (0.5, 0, 0), "other1", (-0.5, 0, 0), name="ball")
    builder.body("alone", 1.0, inertia=(1, 1, 1)).joint("a", "free", "world", "alone")
    builder.close_loop("prismatic", "world", (0, 0, 3), "b0", (0, 0, 3), name="rail")
    whole = ts.assemble(builder.build())
    assert whole.roots == ("world", "other0", "alone")
    assert set(whole.joints) == {"pin0", "pin1", "ball", "rail"} and not whole.cuts
    assert whole.model.joint("a").kind == "free"
    assert whole.freedoms == whole.model.nv == 1 + 2 + 9 + 6


def test_a_root_on_the_ground_can_be_freed() -> None:
    builder = chain(3)
    builder.close_loop("revolute", "world", (-0.5, 0, 0), "b0", (-0.5, 0, 0), name="post")
    kit = builder.build()
    assert ts.assemble(kit).roots == ("world",)
    whole = ts.assemble(kit, root="b1")
    assert whole.roots == ("b1",) and [cut.name for cut in whole.cuts] == ["post"]
    assert whole.cuts[0].reason == "it passes the free joint 'f1'"
    assert compared(kit, whole) < 1e-12


def test_parts_that_are_trees_already_stay_so() -> None:
    builder = ts.Builder("car")
    for name in ("car", "arm", "can", "lid"):
        builder.body(name, 2.0, (0.1, 0, 0.2), (0.3, 0.2, 0.1))
    builder.joint("drive", "free", "world", "car")
    builder.joint("hinge", "revolute", "car", "arm", position=(1, 0, 0), axis="y", damping=0.1)
    builder.joint("loose", "free", "world", "can", position=(2, 0, 0))
    builder.joint("rim", "fixed", "can", "lid", position=(0, 0, 0.5))
    builder.body("motor", 0.1, inertia=(1e-3, 1e-3, 1e-3)).gear("hinge", 20.0, "motor")
    builder.frame("tip", "arm", position=(0.5, 0, 0))
    builder.shape("can", "cylinder", (0.1, 0.3), name="tin")
    builder.close_loop("spherical", "arm", "tip", "lid", (-0.5, 0, -0.5), name="wire")
    kit = builder.build()
    whole = ts.assemble(kit)
    assert whole.joints == ("wire",) and whole.roots == ("car",)
    joint = whole.model.joint("wire")
    assert joint.kind == "spherical" and joint.parent == "arm"
    assert whole.model.motors == ("motor_joint",) and whole.model.frame("lid").body == joint.child
    assert [shape.name for shape in whole.model.shapes] == ["tin"]
    assert whole.model.joint("hinge").damping == [0.1]
    assert compared(kit, whole) < 1e-12


def test_loops_that_say_nothing_are_left_out() -> None:
    builder = chain(3)
    builder.close_loop("spherical", "b0", (0.5, 0, 0.3), "b1", (-0.5, 0, 0.3), name="ball")
    kit = builder.build()
    whole = ts.assemble(kit)
    assert whole.implied == ("ball",) and not whole.cuts and whole.freedoms == whole.model.nv == 8
    assert compared(kit, whole) < 1e-11


def test_loops_between_bodies_that_are_welded_together_are_left_out() -> None:
    builder = chain(3, "weld")
    builder.close_loop("distance", "b0", (0, 0, 0), "b2", (0, 0, 0), length=2.0, name="brace")
    whole = ts.assemble(builder.build())
    assert whole.implied == ("brace",) and whole.freedoms == whole.model.nv == 6
    assert "left out: brace, the joints of the tree keep it closed" in str(whole)


def test_other_kinds_stay_loops() -> None:
    builder = chain(2, "spherical")
    builder.close_loop("distance", "b0", (0, 0, 0), "b1", (0, 0.3, 0), length=1.044, name="rod")
    builder.close_loop("point_on_line", "b0", (0.5, 0, 0.5), "b1", (-0.5, 0, 0.3), name="slot")
    builder.close_loop("knife_edge", "b0", (0.5, 0.5, 0), "b1", (0, 0, 0.1), name="blade")
    whole = ts.assemble(builder.build())
    assert whole.joints == ("pin0",)
    assert {cut.name: cut.rank for cut in whole.cuts} == {"rod": 1, "slot": 2, "blade": 0}
    asked = chain(2, "spherical").build()
    stated = asked.description
    first, *others = stated.loops
    loops = [replace(first, constraint=True), *others]
    assert ts.assemble(ts.Model(replace(stated, loops=loops))).joints == ()


def test_singular_as_assembled() -> None:
    builder = ts.Builder("flat_parallelogram")
    for name, x in (("left", 0.0), ("top", 1.0), ("right", 2.0)):
        builder.body(name, 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
        builder.joint(f"{name}_free", "free", "world", name, position=(x, 0, 0))
    builder.close_loop("revolute", "world", (0, 0, 0), "left", (0, 0, 0), name="a")
    builder.close_loop("revolute", "left", (1, 0, 0), "top", (0, 0, 0), name="b")
    builder.close_loop("revolute", "top", (2, 0, 0), "right", (1, 0, 0), name="c")
    builder.close_loop("revolute", "right", (0, 0, 0), "world", (2, 0, 0), name="d")
    whole = ts.assemble(builder.build())
    (cut,) = whole.cuts
    print(whole)
    assert "the start configuration is singular" in cut.reason and cut.reason in str(whole)
    # put together away from it, the linkage is a cluster
    kit = whole.kit
    v = ts.snap(kit, whole.snapped.q, np.ones(kit.nv)).v
    q = ts.snap(kit, kit.integrate(whole.snapped.q, 0.3 * v)).q
    moved = ts.assemble(kit, q)
    assert not moved.cuts[0].reason and moved.freedoms == moved.model.nv == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"root": "midle"}, "root: 'midle' is no body on a free joint; did you mean 'middle'"),
        ({"root": ["left", "right"]}, "root: left, right are in one linkage"),
        ({"cut": ["pin"]}, "cut: there is no loop 'pin'"),
        ({"q": np.zeros((2, 21))}, r"q has shape \(2, 21\), must be \(21,\)"),
        ({"q": np.zeros(3)}, r"q has shape \(3,\)"),
    ],
)
def test_bad_arguments(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ts.assemble(three_bars(), **options)  # type: ignore[arg-type]
