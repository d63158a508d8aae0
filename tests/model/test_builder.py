"""The builder: pleasant to use, and errors at the call that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tarsus as ts


def pendulum() -> ts.Builder:
    builder = ts.Builder("pendulum")
    builder.body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    builder.joint("hinge", "revolute", "world", "rod", axis="y", lower=-1, upper=2, damping=0.1)
    return builder.frame("tip", "rod", position=(0, 0, -1))


def test_a_pendulum_takes_three_calls() -> None:
    model = pendulum().build()
    assert (model.nq, model.nv, model.n_bodies) == (1, 1, 1)
    assert model.joint_names == ("hinge",)
    assert model.body_names == ("rod",)
    assert model.frame_names == ("rod", "tip")
    assert model.joint("hinge").damping.tolist() == [0.1]
    assert model.joint("hinge").axis.tolist() == [0.0, 1.0, 0.0]


def test_calls_can_be_chained() -> None:
    model = ts.Builder("a").body("b", 1.0).joint("j", "free", "world", "b").build()
    assert (model.nq, model.nv) == (7, 6)


def test_scalars_hold_for_all_coordinates() -> None:
    builder = ts.Builder("a").body("b", 1.0)
    builder.joint("j", "translation", "world", "b", lower=-1.0, upper=1.0, friction=2.0)
    joint = builder.build().joint("j")
    assert joint.lower.tolist() == [-1.0] * 3
    assert joint.friction.tolist() == [2.0] * 3


def test_rotation_is_roll_pitch_yaw_or_a_matrix() -> None:
    quarter = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    builder = ts.Builder("a")
    builder.frame("angles", "world", rotation=(0.0, 0.0, np.pi / 2))
    builder.frame("matrix", "world", rotation=quarter, position=(1, 2, 3))
    angles, matrix = builder.description().frames
    np.testing.assert_allclose(angles.placement[:3, :3], matrix.placement[:3, :3], atol=1e-15)
    assert matrix.placement[:3, 3].tolist() == [1.0, 2.0, 3.0]


def test_inertia_about_the_origin_is_moved_to_the_centre_of_mass() -> None:
    point = ts.Builder("a").body("b", 2.0, (0, 0, 1), (2.0, 2.0, 0.0), inertia_at="origin")
    np.testing.assert_allclose(point.description().bodies[0].inertia, np.zeros((3, 3)))


def test_the_builder_can_go_on_after_building() -> None:
    builder = pendulum()
    first = builder.build()
    builder.frame("middle", "rod", position=(0, 0, -0.5))
    assert "middle" not in first.frame_names
    assert "middle" in builder.build().frame_names


def test_the_arguments_are_copied() -> None:
    com = np.array([1.0, 0.0, 0.0])
    builder = ts.Builder("a").body("b", 1.0, com)
    com[0] = 7.0
    assert builder.description().bodies[0].com[0] == 1.0


def test_a_thousand_bodies() -> None:
    model = ts.robots.chain(1000)
    assert (model.n_bodies, model.nv, len(model.frame_names)) == (1000, 1000, 1000)


Call = Callable[[Any], object]
BAD_CALLS: dict[str, tuple[Call, str]] = {
    "body with the name of the world": (lambda b: b.body("world"), "reserved"),
    "empty name": (lambda b: b.body(""), "non-empty"),
    "body twice": (lambda b: b.body("rod"), "'rod' is used twice"),
    "frame with the name of a body": (lambda b: b.frame("rod", "rod"), "'rod' is used twice"),
    "negative mass": (lambda b: b.body("x", -1.0), "body 'x': mass is -1.0"),
    "mass that is not a number": (lambda b: b.body("x", "heavy"), "body 'x': mass"),
    "mass that is not finite": (lambda b: b.body("x", np.nan), "body 'x': mass is not finite"),
    "centre of mass of two numbers": (lambda b: b.body("x", 1, (0, 1)), "body 'x': com"),
    "asymmetric inertia": (
        lambda b: b.body("x", 1, inertia=[[1, 1, 0], [0, 1, 0], [0, 0, 1]]),
        "body 'x': inertia is not symmetric",
    ),
    "ragged inertia": (
        lambda b: b.body("x", 1, inertia=[[1, 0, 0], [0, 1], [0]]),  # type: ignore[list-item]
        "body 'x': inertia is not an array of numbers",
    ),
    "ragged centre of mass": (
        lambda b: b.body("x", 1, com=[[1], 0, 0]),  # type: ignore[list-item]
        "body 'x': com is not an array of numbers",
    ),
    "indefinite inertia": (
        lambda b: b.body("x", 1, inertia=(1, 1, -1)),
        "body 'x': inertia is not positive",
    ),
    "triangle inequality": (
        lambda b: b.body("x", 1, inertia=(1, 1, 2.1)),
        "body 'x': inertia breaks the triangle inequality",
    ),
    "unknown reference of an inertia": (
        lambda b: b.body("x", inertia_at="tip"),
        "'com' or 'origin'",
    ),
    "joint twice": (
        lambda b: b.body("x").joint("hinge", "fixed", "rod", "x"),
        "joint name 'hinge' is used twice",
    ),
    "unknown kind": (
        lambda b: b.body("x").joint("j", "revolut", "rod", "x"),
        "did you mean 'revolute'.*prismatic",
    ),
    "missing parent": (
        lambda b: b.body("x").joint("j", "fixed", "rot", "x"),
        "parent 'rot' is not declared; did you mean 'rod'",
    ),
    "missing child": (
        lambda b: b.joint("j", "fixed", "rod", "y"),
        "child 'y' is not declared \\(valid: rod\\)",
    ),
    "two joints for a body": (
        lambda b: b.joint("j", "fixed", "world", "rod"),
        "body 'rod' already hangs on a joint",
    ),
    "world as a child": (lambda b: b.joint("j", "fixed", "rod", "world"), "'world' cannot be"),
    "child of itself": (lambda b: b.body("x").joint("j", "fixed", "x", "x"), "'x' cannot be"),
    "axis of zeros": (
        lambda b: b.body("x").joint("j", "revolute", "rod", "x", axis=(0, 0, 0)),
        "joint 'j': axis is zero",
    ),
    "axis of underflowing numbers": (
        lambda b: b.body("x").joint("j", "revolute", "rod", "x", axis=(0, 0, 1e-300)),
        "joint 'j': axis is zero",
    ),
    "axis by a wrong letter": (
        lambda b: b.body("x").joint("j", "revolute", "rod", "x", axis="w"),
        "'x', 'y', 'z'",
    ),
    "axes that are not perpendicular": (
        lambda b: b.body("x").joint("j", "universal", "rod", "x", axis="x", second_axis=(1, 1, 0)),
        "not perpendicular",
    ),
    "second axis of a revolute joint": (
        lambda b: b.body("x").joint("j", "revolute", "rod", "x", second_axis="y"),
        "universal joints only",
    ),
    "pitch of a revolute joint": (
        lambda b: b.body("x").joint("j", "revolute", "rod", "x", pitch=0.1),
        "pitch is for screw joints only",
    ),
    "screw without a pitch": (
        lambda b: b.body("x").joint("j", "screw", "rod", "x"),
        "a screw needs a pitch",
    ),
    "rotation by a quaternion": (
        lambda b: b.frame("f", "rod", rotation=(0, 0, 0, 1)),
        r"rotation has shape \(4,\), must be \(3,\), roll, pitch and yaw, or \(3, 3\)",
    ),
    "inertia of six numbers": (
        lambda b: b.body("x", inertia=(1, 1, 1, 0, 0, 0)),
        r"inertia has shape \(6,\), must be \(3,\), the diagonal, or \(3, 3\)",
    ),
    "placement that is not a rotation": (
        lambda b: b.frame("f", "rod", rotation=2 * np.eye(3)),
        "frame 'f'.*not orthonormal",
    ),
    "placement that is a reflection": (
        lambda b: b.frame("f", "rod", rotation=np.diag([1, 1, -1])),
        "reflection",
    ),
    "placement with a wrong last row": (
        lambda b: b.frame("f", "rod", placement=np.ones((4, 4))),
        "last row",
    ),
    "placement and position": (
        lambda b: b.frame("f", "rod", placement=np.eye(4), position=(0, 0, 1)),
        "not both",
    ),
    "lower above upper": (
        lambda b: b.body("x").joint("j", "revolute", "rod", "x", lower=1, upper=0),
        "lower .* is above upper",
    ),
    "limits of a wrong length": (
        lambda b: b.body("x").joint("j", "planar", "rod", "x", lower=(1, 2)),
        r"lower has shape \(2,\), must be \(3,\)",
    ),
    "negative damping": (
        lambda b: b.body("x").joint("j", "revolute", "rod", "x", damping=-1),
        "damping is negative",
    ),
    "limit that is not a number": (
        lambda b: b.body("x").joint("j", "revolute", "rod", "x", upper=np.nan),
        "upper is not finite",
    ),
    "infinite stiffness": (
        lambda b: b.body("x").joint("j", "revolute", "rod", "x", stiffness=np.inf),
        "stiffness is not finite",
    ),
    "rest that is no unit quaternion": (
        lambda b: b.body("x").joint("j", "spherical", "rod", "x", rest=(0, 0, 0, 2)),
        "quaternion of rest",
    ),
    "shape of an unknown kind": (lambda b: b.shape("rod", "cone", (1,)), "valid: box, sphere"),
    "shape of a wrong size": (lambda b: b.shape("rod", "box", (1, 1)), "size has shape"),
    "shape with an unknown role": (
        lambda b: b.shape("rod", "sphere", (1,), role="smell"),
        "visual, collision",
    ),
    "mesh without a file": (lambda b: b.shape("rod", "mesh"), "needs a file"),
    "ragged array": (lambda b: b.frame("f", "rod", position=[1, [2, 3]]), "frame 'f': position"),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_wrong_call_fails_at_once(name: str) -> None:
    call, message = BAD_CALLS[name]
    with pytest.raises(ts.ModelError, match=message):
        call(pendulum())


def test_a_wrong_call_changes_nothing() -> None:
    builder = pendulum().body("x", 1.0)
    before = builder.description()
    with pytest.raises(ts.ModelError):
        builder.joint("hinge", "fixed", "rod", "x")
    with pytest.raises(ts.ModelError):
        builder.body("y", inertia=(1, 1, 3))
    assert len(builder.description().joints) == len(before.joints)
    assert builder.body("y").joint("j", "fixed", "rod", "x").joint("k", "fixed", "x", "y").build()


def test_a_loose_body_is_named() -> None:
    with pytest.raises(ts.ModelError, match="body 'loose' hangs on no joint"):
        pendulum().body("loose", 1.0).build()


def test_a_mechanism_has_a_body() -> None:
    with pytest.raises(ts.ModelError, match="'s' has no bodies"):
        ts.Builder("s").build()


def test_gravity_is_checked() -> None:
    with pytest.raises(ts.ModelError, match="gravity"):
        ts.Builder("a", gravity=(0, np.inf, 0))
