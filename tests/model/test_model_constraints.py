"""Which loops are constraints, and why."""

from __future__ import annotations

import numpy as np
from rods import gap, offset_four_bars, rods

import tarsus as ts


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


def test_constraints_that_are_closed_stay_where_they_are() -> None:
    """A weld that two equal linkages meet at their start moves nothing, left-out rows or not."""
    plain = offset_four_bars(3e-6, 2).build()
    poses = [plain.frame_pose(plain.neutral(), name) for name in ("0b", "1b")]
    relative = np.linalg.inv(poses[0]) @ poses[1]
    builder = offset_four_bars(3e-6, 2)
    builder.close_loop("weld", "0b", relative, "1b", np.eye(4), name="clamp", constraint=True)
    np.testing.assert_array_equal(builder.build().neutral(), plain.neutral())
