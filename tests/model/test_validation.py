"""Descriptions that cannot be built: each error names the element, the file and the line."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.model.description import DescriptionDraft

HERE = ts.Source("robot.urdf", 42)


def two_bodies() -> DescriptionDraft:
    """A body on the world and a second one on it."""
    return DescriptionDraft(
        "two",
        bodies=[ts.Body("a", 1.0), ts.Body("b", 1.0)],
        joints=[ts.Joint("ja", "revolute", "world", "a"), ts.Joint("jb", "revolute", "a", "b")],
    )


def fails(description: DescriptionDraft, message: str) -> None:
    with pytest.raises(ts.ModelError, match=message) as caught:
        ts.Model(description.build())
    assert str(caught.value).startswith("robot.urdf:42: ")
    assert caught.value.source == HERE


def test_duplicate_body() -> None:
    description = two_bodies()
    description.bodies.append(ts.Body("a", source=HERE))
    fails(description, "body or frame name 'a' is used twice")


def test_duplicate_joint() -> None:
    description = two_bodies()
    description.bodies.append(ts.Body("c"))
    description.joints.append(ts.Joint("ja", "fixed", "a", "c", source=HERE))
    fails(description, "joint name 'ja' is used twice")


def test_missing_parent() -> None:
    description = two_bodies()
    description.joints[1] = ts.Joint("jb", "fixed", "c", "b", source=HERE)
    fails(description, r"joint 'jb': parent 'c' is not declared \(valid: world, a, b\)")
    description.joints[1] = ts.Joint("jb", "fixed", ["a"], "b", source=HERE)  # type: ignore[arg-type]
    fails(description, r"joint 'jb': parent \['a'\] is not declared")


def test_frame_on_a_missing_body() -> None:
    description = two_bodies()
    description.frames.append(ts.Frame("f", "c", source=HERE))
    fails(description, "frame 'f': body 'c' is not declared")


def test_two_parent_joints() -> None:
    description = two_bodies()
    description.joints.append(ts.Joint("again", "fixed", "world", "b", source=HERE))
    fails(description, "joint 'again': body 'b' already hangs on joint 'jb'")


def test_cycle() -> None:
    description = two_bodies()
    description.joints[0] = ts.Joint("ja", "revolute", "b", "a", source=HERE)
    fails(description, "joint 'ja': the tree has a cycle: ja -> jb -> ja")


def test_loose_body() -> None:
    description = two_bodies()
    description.bodies.append(ts.Body("loose", source=HERE))
    fails(description, "body 'loose' hangs on no joint")


def test_world_as_child() -> None:
    description = two_bodies()
    description.joints.append(ts.Joint("up", "fixed", "b", "world", source=HERE))
    fails(description, "joint 'up': the world cannot be a child")


def test_unknown_kind() -> None:
    description = two_bodies()
    description.joints[0] = ts.Joint("ja", "hinge", "world", "a", source=HERE)
    fails(description, "joint 'ja': unknown kind 'hinge'.*revolute, prismatic")


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_mass(value: float) -> None:
    description = two_bodies()
    description.bodies[0] = ts.Body("a", value, source=HERE)
    fails(description, "body 'a': mass")


def test_numbers_that_would_overflow() -> None:
    description = two_bodies()
    description.bodies[0] = ts.Body("a", 1.0, np.array([1e200, 0.0, 0.0]), source=HERE)
    fails(description, "body 'a': com is not finite")


def test_name_that_is_no_string() -> None:
    description = two_bodies()
    description.bodies[0] = ts.Body(7, source=HERE)  # type: ignore[arg-type]
    fails(description, "a body has the name 7")


def test_the_model_keeps_its_own_copy() -> None:
    description = two_bodies()
    model = ts.Model(description.build())
    description.change(description.bodies[0], mass=100.0)
    description.bodies.clear()
    assert model.total_mass == 2.0
    assert len(model.description.bodies) == 2
