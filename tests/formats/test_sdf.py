"""Reading of SDF: what is taken over from a file with every kind of element."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from poses import about, body_of, body_poses, gap, joint_of, transform
from scipy.spatial.transform import Rotation
from sdf_texts import UNIT, WORLD_POSE, pose, turned

from tarsus._lib.files import Array
from tarsus.formats.sdf import read_sdf
from tarsus.model.description import Description

DATA = Path(__file__).parent / "data"


BASE = pose(0, 0, 0.5, 0, 0, 0.2)


MARK = BASE @ pose(0.5, 0, 0, 0.3, 0, 0)


UPPER = MARK @ pose(0.1, 0.2, 0.3, 0.5, 0.6, 0.7)


ELBOW = UPPER @ pose(0, 0, 0.4, 0.1, 0, 0)


SLIDER = transform(Rotation.from_quat([0, 0, 0.6, 0.8]).as_matrix(), [1, 0, 0])


POSES = {
    "base": BASE,
    "upper": UPPER,
    "lower": ELBOW @ pose(0, 0, 0.4, 0, 0, 0),
    "slider": SLIDER,
    "nut": np.eye(4),
    "cross": np.eye(4),
    "skew": np.eye(4),
    "ball": pose(0, 3, 0, 0, 0, 0),
    "plate": np.eye(4),
    "wheel": pose(0, 0, 2, 0, 0, 0),
    "rotor": pose(0, 0, 2, 0, 0, 0),
}


@pytest.fixture(scope="module")
def machine() -> Description:
    return read_sdf(DATA / "machine.sdf", base="fixed")


def test_links_stand_where_the_file_has_them(machine: Description) -> None:
    poses = body_poses(machine)
    for name, expected in POSES.items():
        np.testing.assert_allclose(poses[name], WORLD_POSE @ expected, atol=1e-14)


RAIL = SLIDER @ pose(0.2, 0.1, 0, 0, 0, 0.5)


TWIST = np.array([0.1, 0.2, 0.3])


# joint, its link, direction and point of its axis in the model's frame, pitch
MOTIONS = [
    ("shoulder", "upper", UNIT[1], UPPER[:3, 3], 0.0),
    ("elbow", "lower", ELBOW[:3, 0], ELBOW[:3, 3], 0.0),
    ("thread", "nut", UNIT[2], np.zeros(3), 1 / 200),
    ("twist_1", "skew", UNIT[0], TWIST, 0.0),
    ("twist", "skew", np.array([1, 1, 0]) / np.sqrt(2), TWIST, 0.0),
    ("axle", "wheel", UNIT[2], np.zeros(3), 0.0),
    ("shaft", "rotor", -UNIT[2], np.zeros(3), 0.0),
]


@pytest.mark.parametrize(("name", "link", "direction", "point", "pitch"), MOTIONS)
def test_joints_turn_about_their_axes(
    machine: Description, name: str, link: str, direction: Array, point: Array, pitch: float
) -> None:
    moved = body_poses(machine, {name: 0.7})[link]
    expected = WORLD_POSE @ turned(0.7, direction, point, pitch) @ POSES[link]
    np.testing.assert_allclose(moved, expected, atol=1e-14)


def test_other_joints(machine: Description) -> None:
    slid = body_poses(machine, {"rail": 0.7})["slider"]
    expected = WORLD_POSE @ transform(np.eye(3), 0.7 * RAIL[:3, 1]) @ SLIDER
    np.testing.assert_allclose(slid, expected, atol=1e-14)
    crossed = body_poses(machine, {"cardan": [0.3, 0.7]})["cross"]
    expected = WORLD_POSE @ about(UNIT[0], 0.3) @ about(UNIT[1], 0.7)
    np.testing.assert_allclose(crossed, expected, atol=1e-14)
    rolled = body_poses(machine, {"socket": Rotation.random(random_state=1).as_quat()})
    center = np.array([0, -0.5, 0, 1])
    np.testing.assert_allclose(
        rolled["ball"] @ center, body_poses(machine)["ball"] @ center, atol=1e-14
    )
    assert joint_of(machine, "bolt").kind == "fixed"


def test_limits_springs_and_dampers(machine: Description) -> None:
    shoulder = joint_of(machine, "shoulder")
    for key, value in {
        "lower": -1.5,
        "upper": 2,
        "effort_limit": 40,
        "damping": 0.7,
        "friction": 0.2,
        "stiffness": 30,
        "rest": 0.25,
    }.items():
        assert getattr(shoulder, key) == [value]
    assert shoulder.velocity_limit is None
    assert joint_of(machine, "elbow").lower is None  # continuous
    assert joint_of(machine, "rail").lower == [-np.inf]
    assert joint_of(machine, "rail").upper == [0.5]
    np.testing.assert_array_equal(joint_of(machine, "cardan").damping, [0.1, 0.2])
    np.testing.assert_array_equal(joint_of(machine, "socket").damping, [0.05] * 3)


def test_inertia_is_turned_into_the_axes_of_the_link(machine: Description) -> None:
    base = body_of(machine, "base")
    turn = Rotation.from_euler("xyz", [0.4, 0.5, 0.6]).as_matrix()
    stated = [[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.04]]
    np.testing.assert_allclose(base.inertia, turn @ stated @ turn.T, atol=1e-16)
    np.testing.assert_array_equal(base.com, [0.1, 0.2, 0.3])
    assert base.mass == 4
    np.testing.assert_array_equal(body_of(machine, "upper").inertia, np.eye(3))
    assert body_of(machine, "nut").mass == 1
    assert body_of(machine, "skew.twist").mass == 0


def test_joints_that_are_left_over_close_loops(machine: Description) -> None:
    assert [(loop.name, loop.kind, loop.body_a, loop.body_b) for loop in machine.loops] == [
        ("close_revolute", "revolute", "lower", "skew"),
        ("close_prismatic", "prismatic", "ball", "nut"),
        ("close_universal", "universal", "plate", "nut"),
        ("close_ball", "spherical", "base", "slider"),
        ("close_spring_loop", "weld", "cross.close_spring_end", "cross"),
    ]
    poses = body_poses(machine)
    for loop in machine.loops:
        np.testing.assert_allclose(gap(loop, poses), np.eye(4), atol=1e-14)
    place = pose(0.1, 0, 0, 0.2, 0, 0)
    revolute, prismatic, universal, ball, _ = machine.loops
    np.testing.assert_allclose(revolute.placement_b[:3, 3], place[:3, 3], atol=1e-15)
    np.testing.assert_allclose(revolute.placement_b[:3, 2], place[:3, 1], atol=1e-15)
    np.testing.assert_allclose(prismatic.placement_b[:3, 2], UNIT[2], atol=1e-15)
    np.testing.assert_allclose(universal.placement_a[:3, 2], UNIT[1], atol=1e-15)
    np.testing.assert_allclose(universal.placement_b[:3, 0], UNIT[2], atol=1e-15)
    np.testing.assert_allclose(ball.placement_b, np.eye(4), atol=1e-15)


def test_a_loop_joint_with_a_spring_keeps_it(machine: Description) -> None:
    spring = joint_of(machine, "close_spring")
    assert (spring.kind, spring.parent, spring.stiffness) == ("revolute", "wheel", [8])
    expected = WORLD_POSE @ turned(0.7, UNIT[1], np.array([0, 0, 0.3])) @ pose(0, 0, 0.3, 0, 0, 0)
    moved = body_poses(machine, {"close_spring": 0.7})["cross.close_spring_end"]
    np.testing.assert_allclose(moved, expected, atol=1e-14)


def test_a_gearbox_is_a_coupling(machine: Description) -> None:
    (gear,) = machine.couplings
    assert (gear.leaders, gear.followers, gear.motor) == (("axle",), ("shaft",), True)
    # wheel = −0.1 · rotor about the same axis, and the shaft counts about the opposite one
    np.testing.assert_allclose(gear.matrix, [[10]])


def test_frames_shapes_and_warnings(machine: Description) -> None:
    mark, far = machine.frames
    assert (mark.name, mark.body, far.name, far.body) == (
        ("shoulder_mark", "base", "far_mark", "base")
    )
    np.testing.assert_allclose(mark.placement, pose(0.5, 0, 0, 0.3, 0, 0), atol=1e-15)
    expected = np.linalg.inv(BASE) @ pose(0, 0, 1, np.pi / 2, 0, 0)
    np.testing.assert_allclose(far.placement, expected, atol=1e-15)
    plate, bulb, tube = machine.shapes
    assert (plate.role, plate.kind, plate.size) == ("visual", "box", (0.4, 0.3, 0.2))
    assert plate.color == (0.0, 0.0, 1.0, 0.5)
    np.testing.assert_allclose(plate.placement, pose(0, 0, 0.1, 0, 0, 0), atol=1e-15)
    assert (bulb.role, bulb.kind, bulb.size) == ("collision", "sphere", (0.1,))
    np.testing.assert_allclose(bulb.placement, mark.placement, atol=1e-15)
    assert (tube.kind, tube.size, tube.file) == ("mesh", (1, 2, 3), "model://missing/tube.stl")
    assert list(machine.warnings) == [
        "left out: the limits of joint 'close_revolute', which closes a loop",
        "plugins (1) are not taken over: p",
        "plane elements (1) are not taken over",
        "links (8) without a mass have 1 kg in SDF: "
        "slider, nut, cross, skew, ball, plate, wheel, rotor",
        "mesh files (1) are not found: model://missing/tube.stl; "
        "package_dirs lacks the folder of package 'missing'",
    ]


def test_every_element_knows_its_line(machine: Description) -> None:
    lines = (DATA / "machine.sdf").read_text().splitlines()
    elements = [*machine.bodies, *machine.joints, *machine.loops, *machine.couplings]
    for element in [*elements, *machine.frames, *machine.shapes]:
        assert element.source is not None and element.source.line is not None
        tags = ("<link", "<joint", "<frame", "<visual", "<collision")
        assert lines[element.source.line - 1].strip().startswith(tags)
