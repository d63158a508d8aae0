"""A side file that completes a model from another file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from poses import body_of, body_poses, gap, joint_of

import tarsus as ts
from tarsus._lib.errors import ModelError
from tarsus.formats.readers import read
from tarsus.model.description import Description

Write = Callable[..., Path]
DATA = Path(__file__).parent / "data"

SIDE = """# a rotor, a loop, a coupling and a frame for arm.urdf
bodies:
- name: shoulder_rotor
  mass: 0.1
  com: [0.0, 0.01, 0.0]
  inertia: [2.0e-5, 4.0e-5, 2.0e-5]
- name: elbow_rotor
  inertia: [1.0e-5, 1.0e-5, 1.0e-5]
- name: strut
  mass: 0.5
joints:
- name: strut_joint
  kind: spherical
  parent: base
  child: strut
  position: [1.0, 0.0, 0.0]
gears:
- joint: shoulder
  ratio: 50
  rotor: shoulder_rotor
  damping: [0.1]
- joint: elbow
  ratio: -30.5
  rotor: elbow_rotor
  mount: base
  name: elbow_motor
  position: [0.0, 0.0, 0.2]
  rotation: [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
  axis: [1.0, 0.0, 0.0]
  motor: false
couplings:
- name: belt
  kind: linear
  leaders: [shoulder]
  followers: [axle]
  matrix: [[2.0]]
loops:
- name: closure
  kind: spherical
  body_a: strut
  body_b: lower
frames:
- name: strut_tip
  body: strut
  position: [0.0, 0.0, 1.0]
"""


@pytest.fixture
def side(write: Write) -> Description:
    return read(DATA / "arm.urdf", complete=write(SIDE, "side.yaml"))


def test_gears(side: Description) -> None:
    shoulder, elbow = (joint_of(side, name) for name in ("shoulder_rotor_joint", "elbow_motor"))
    driven = joint_of(side, "shoulder")
    assert (shoulder.kind, shoulder.parent, shoulder.child) == (
        ("revolute", "base", "shoulder_rotor")
    )
    np.testing.assert_array_equal(shoulder.placement, driven.placement)
    np.testing.assert_array_equal(shoulder.axis, driven.axis)
    assert shoulder.damping == [0.1]
    assert (elbow.parent, elbow.child) == ("base", "elbow_rotor")
    np.testing.assert_array_equal(elbow.placement[:3, 3], [0, 0, 0.2])
    np.testing.assert_array_equal(elbow.placement[:3, 0], [0, 1, 0])
    gears = {coupling.name: coupling for coupling in side.couplings}
    assert gears["shoulder_rotor_joint"].motor and not gears["elbow_motor"].motor
    assert gears["elbow_motor"].leaders == ("elbow",)
    np.testing.assert_array_equal(gears["elbow_motor"].matrix, [[-30.5]])
    source = gears["elbow_motor"].source
    assert source is not None and (Path(source.file).name, source.line) == ("side.yaml", 22)


def test_everything_else(side: Description) -> None:
    assert body_of(side, "strut").mass == 0.5
    assert joint_of(side, "strut_joint").kind == "spherical"
    belt = next(coupling for coupling in side.couplings if coupling.name == "belt")
    assert (belt.leaders, belt.followers) == (("shoulder",), ("axle",))
    assert (side.loops[0].kind, side.loops[0].body_b) == ("spherical", "lower")
    assert side.frames[0].name == "strut_tip"
    plain = read(DATA / "arm.urdf")
    assert side.joints[: len(plain.joints)] == plain.joints
    assert side.warnings == plain.warnings


def test_a_rotor_can_be_reflected(write: Write) -> None:
    text = SIDE.replace("  damping: [0.1]\n", "  approximate: reflected\n")
    description = read(DATA / "arm.urdf", complete=write(text, "side.yaml"))
    rotor = joint_of(description, "shoulder_rotor_joint")
    assert (rotor.kind, rotor.parent) == ("fixed", "base")
    # about the axis y, on which its centre of mass lies
    np.testing.assert_allclose(joint_of(description, "shoulder").armature, [50**2 * 4e-5])


def test_gears_take_all_that_the_builder_does(write: Write) -> None:
    gear = {"joint": "elbow", "ratio": 3.0, "rotor": "r", "position": [0, 0, 1], "axis": "x"}
    limits = {"velocity_limit": [9.0], "effort_limit": [None], "lower": [-1.0], "rest": [0.1]}
    data = {"bodies": [{"name": "r"}], "gears": [gear | limits]}
    side = write(json.dumps(data), "side.json")
    rotor = joint_of(read(DATA / "arm.urdf", complete=side), "r_joint")
    np.testing.assert_array_equal(rotor.axis, [1, 0, 0])
    assert (rotor.velocity_limit, rotor.effort_limit) == ([9.0], [np.inf])
    assert (rotor.lower, rotor.rest) == ([-1.0], [0.1])


@pytest.mark.parametrize("suffix", ["sdf", "xml", "urdf"])
def test_every_format_can_be_completed(write: Write, suffix: str) -> None:
    name = {"sdf": "machine.sdf", "xml": "mixed.xml", "urdf": "loops.urdf"}[suffix]
    body = {"sdf": "wheel", "xml": "tail", "urdf": "foot"}[suffix]
    extra = {"frames": [{"name": "extra", "body": body}]}
    description = read(DATA / name, complete=write(json.dumps(extra), "side.json"))
    assert description.frames[-1].name == "extra"


def test_a_four_bar_from_a_plain_urdf(write: Write) -> None:
    plain = (DATA / "loops.urdf").read_text().partition("  <loop")[0] + "</robot>"
    turn = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    loop = {
        "name": "closure",
        "kind": "revolute",
        "body_a": "rod",
        "body_b": "rocker",
        "position_a": [2.0, 0.0, 0.0],
        "rotation_a": turn,
        "position_b": [0.0, 0.0, 1.0],
        "rotation_b": turn,
        "independent": ["crank_joint"],
    }
    side = write(json.dumps({"loops": [loop]}), "side.json")
    description = read(write(plain), complete=side)
    (closure,) = description.loops
    assert closure.independent == ("crank_joint",)
    np.testing.assert_allclose(gap(closure, body_poses(description)), np.eye(4), atol=1e-15)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "the side file must be a mapping with the keys bodies, joints"),
        ({"gear": []}, "unknown key 'gear'; did you mean 'gears'"),
        ({"gears": 1}, "gears must be a list"),
        ({"loops": 1}, "loops must be a list"),
        ({"gears": [1]}, "entry 1 of gears must be a mapping"),
        ({"gears": [{"joint": "elbow", "ratio": 1}]}, "entry 1 of gears has no 'rotor'"),
        ({"gears": [{"ratios": 1}]}, "entry 1 of gears has an unknown key 'ratios'"),
        ({"joints": [{"name": "j"}]}, "entry 1 of joints has no 'kind'"),
    ],
)
def test_mistakes_name_file_and_entry(write: Write, data: Any, message: str) -> None:
    with pytest.raises(ModelError, match=f"side.json: .*{message}"):
        read(DATA / "arm.urdf", complete=write(json.dumps(data), "side.json"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"joint": "no"}, "gear 'r_joint': there is no joint 'no'.*shoulder"),
        ({"joint": 1}, "joint must be a string, not 1"),
        ({"joint": "flange"}, "joint 'flange' is fixed and has 0 coordinates"),
        ({"rotor": "no"}, "gear 'no_joint': rotor 'no' is not declared .valid: "),
        ({"ratio": "x"}, "ratio is not an array of numbers"),
        ({"mount": "tool"}, "not coaxial with joint 'elbow' .* needs a place .* and an axis"),
        ({"position": [0, 0, 1]}, "not coaxial with joint 'elbow' .* needs a place .* and an axis"),
        ({"axis": "x"}, "not coaxial with joint 'elbow' .* needs a place .* and an axis"),
        ({"axis": "w"}, "gear 'r_joint': axis must be a list"),
        ({"motor": 1}, "motor must be true or false, not 1"),
        ({"approximate": "so"}, "approximate is 'so', must be 'exact' or 'reflected'"),
        ({"approximate": "reflected", "damping": [1]}, "damping is for exact rotors only"),
        ({"damping": "x"}, "damping must be a list"),
    ],
)
def test_mistakes_in_gears(write: Write, change: dict[str, Any], message: str) -> None:
    gear = {"joint": "elbow", "ratio": 3.0, "rotor": "r"} | change
    data = {"bodies": [{"name": "r"}], "gears": [gear]}
    with pytest.raises(ModelError, match=f"side.json: .*{message}"):
        read(DATA / "arm.urdf", complete=write(json.dumps(data), "side.json"))


def test_the_side_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file .*side\.yaml"):
        read(DATA / "arm.urdf", complete=tmp_path / "side.yaml")
    with pytest.raises(ValueError, match=r"cannot read .*arm\.urdf: the suffix must be one of"):
        read(DATA / "arm.urdf", complete=DATA / "arm.urdf")


@pytest.mark.parametrize("approximate", ["exact", "reflected"])
def test_gears_are_those_of_the_builder(write: Write, approximate: str) -> None:
    """The same pendulum on a moving cart, once from files and once from the builder."""
    rotor = {"name": "rotor", "mass": 0.3, "com": [0.0, 0.01, 0.0], "inertia": [3e-4, 5e-4, 4e-4]}
    gear = {"joint": "hinge", "ratio": 7.0, "rotor": "rotor", "approximate": approximate}
    side = write(json.dumps({"bodies": [rotor], "gears": [gear]}), "side.json")
    inertial = (
        '<inertial><mass value="2"/><origin xyz="0.1 0 0.2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    )
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/></joint>'
        for name, kind, parent, child in (
            ("swivel", "continuous", "base", "cart"),
            ("hinge", "continuous", "cart", "rod"),
        )
    )
    links = "".join(f'<link name="{name}">{inertial}</link>' for name in ("cart", "rod"))
    robot = write(f'<robot name="r"><link name="base"/>{links}{joints}</robot>')
    read_model = ts.load(robot, complete=side)

    builder = ts.Builder("r")
    for name in ("cart", "rod"):
        builder.body(name, 2.0, (0.1, 0, 0.2), (1, 1, 1))
    place = {"position": (0, 0, 0.5), "rotation": (0.1, 0.2, 0.3), "axis": "y"}
    builder.joint("swivel", "revolute", "world", "cart", **place)
    builder.joint("hinge", "revolute", "cart", "rod", **place)
    builder.body("rotor", 0.3, (0, 0.01, 0), (3e-4, 5e-4, 4e-4))
    builder.gear("hinge", 7, "rotor", approximate=approximate)
    built = builder.build()

    q, v, a = np.random.default_rng(7).normal(size=(3, 2))
    assert read_model.nv == built.nv == 2
    residual = read_model.inverse_dynamics(q, v, a) - built.inverse_dynamics(q, v, a)
    print(f"residual {np.abs(residual).max():.1e}")
    np.testing.assert_allclose(residual, 0, atol=1e-12)
