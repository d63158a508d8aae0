"""Fixed joints are welded away: masses merge, bodies stay as frames."""

from __future__ import annotations

import dataclasses

import numpy as np

import tarsus as ts
from tarsus.model.tree import build_tree
from tarsus.model.validation import checked
from tarsus.robots.trees import random_rotation


def arm() -> ts.Builder:
    """world -fixed- stand -revolute- link -fixed- flange -fixed- tool -revolute- finger."""
    rng = np.random.default_rng(3)
    builder = ts.Builder("arm")
    for name in ("stand", "link", "flange", "tool", "finger"):
        builder.body(name, rng.uniform(1, 2), rng.normal(size=3), (1.0, 1.2, 1.5))
    joints = [
        ("stand_mount", "fixed", "world", "stand"),
        ("shoulder", "revolute", "stand", "link"),
        ("flange_mount", "fixed", "link", "flange"),
        ("tool_mount", "fixed", "flange", "tool"),
        ("knuckle", "revolute", "tool", "finger"),
    ]
    for name, kind, parent, child in joints:
        position, rotation = rng.normal(size=3), random_rotation(rng)
        builder.joint(name, kind, parent, child, position=position, rotation=rotation)
    builder.frame("tip", "tool", position=(1, 2, 3)).frame("floor", "world")
    return builder.shape("tool", "sphere", (0.1,), position=(0, 0, 1))


def test_names() -> None:
    model = arm().build()
    assert model.body_names == ("link", "finger")
    assert model.joint_names == ("shoulder", "knuckle")
    assert model.frame_names == ("stand", "link", "flange", "tool", "finger", "tip", "floor")
    assert model.frame("stand").body == "world"
    assert model.frame("tool").body == "link"
    assert model.frame("tip").body == "link"
    assert model.body("finger").parent == 0
    assert [shape.body for shape in model.shapes] == ["link"]


def test_masses_that_move() -> None:
    model = arm().build()
    masses = {body.name: body.mass for body in model.description.bodies}
    assert np.isclose(model.total_mass, sum(masses.values()) - masses["stand"], rtol=1e-15)
    assert np.isclose(model.body("link").mass, masses["link"] + masses["flange"] + masses["tool"])


def test_placements_chain() -> None:
    model = arm().build()
    joints = {joint.name: joint.placement for joint in model.description.joints}
    tool = joints["flange_mount"] @ joints["tool_mount"]
    np.testing.assert_array_equal(model.frame("tool").placement, tool)
    np.testing.assert_array_equal(model.joint("knuckle").placement, tool @ joints["knuckle"])
    expected = joints["stand_mount"] @ joints["shoulder"]
    np.testing.assert_array_equal(model.joint("shoulder").placement, expected)
    shape = np.eye(4)
    shape[2, 3] = 1.0
    np.testing.assert_array_equal(model.shapes[0].placement, tool @ shape)


def test_welded_and_jointed_descriptions_move_alike() -> None:
    """A fixed joint is a revolute joint at zero: poses, momentum and energy agree."""
    welded = arm().build()
    loose_description = arm().description()
    joints = [dataclasses.replace(joint, kind="revolute") for joint in loose_description.joints]
    loose = ts.Model(dataclasses.replace(loose_description, joints=joints))
    rng = np.random.default_rng(5)
    q, v = rng.normal(size=(2, 10, welded.nq))
    q_loose, v_loose = np.zeros((2, 10, loose.nq))
    for name in welded.joint_names:
        ours, theirs = welded.joint(name).q_slice, loose.joint(name).q_slice
        q_loose[:, theirs], v_loose[:, theirs] = q[:, ours], v[:, ours]
    for frame in ("link", "tool", "finger", "tip"):
        residual = np.abs(welded.frame_pose(q, frame) - loose.frame_pose(q_loose, frame)).max()
        print(f"pose of {frame}: {residual:.1e}")
        assert residual < 1e-13
    energy, expected = welded.kinetic_energy(q, v), loose.kinetic_energy(q_loose, v_loose)
    print(f"kinetic energy: {np.abs(energy / expected - 1).max():.1e}")
    np.testing.assert_allclose(energy, expected, rtol=1e-12)


def test_order_is_as_stated_but_parents_come_first() -> None:
    description = ts.robots.chain(4).description
    joints = [description.joints[i] for i in (2, 0, 3, 1)]
    description = dataclasses.replace(description, joints=joints)
    model = ts.Model(description)
    assert model.joint_names == ("joint_0", "joint_1", "joint_2", "joint_3")
    tree = build_tree(checked(description), strict=True)
    assert tree.parents == [-1, 0, 1, 2]


def test_very_deep_chains_of_fixed_joints() -> None:
    builder = ts.Builder("deep")
    parent = "world"
    for i in range(3000):
        kind = "revolute" if i == 0 else "fixed"
        builder.body(f"b{i}", 1.0, inertia=(1, 1, 1)).joint(f"j{i}", kind, parent, f"b{i}")
        parent = f"b{i}"
    model = builder.build()
    assert model.n_bodies == 1
    assert model.total_mass == 3000.0


def test_nothing_that_moves() -> None:
    model = ts.Builder("rock").body("b", 1.0).joint("j", "fixed", "world", "b").build()
    assert (model.nq, model.nv, model.n_bodies) == (0, 0, 0)
    assert model.frame_names == ("b",)
    assert model.total_mass == 0.0
