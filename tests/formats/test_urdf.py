"""Reading of URDF: what is taken over, and what each mistake says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tarsus._lib.errors import ModelError
from tarsus.formats.urdf import read_urdf
from tarsus.model.description import Body, Description, Joint

Write = Callable[..., Path]
DATA = Path(__file__).parent / "data"

INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)


def two_links(joint: str = "", link: str = "") -> str:
    """A robot of two links and one joint, on lines 2 to 8."""
    return f"""<robot name="two">
<link name="a"/>
<link name="b">{link}</link>
<joint name="j" type="revolute">
<parent link="a"/>
<child link="b"/>
{joint}
</joint>
</robot>"""


@pytest.fixture(scope="module")
def arm() -> Description:
    return read_urdf(DATA / "arm.urdf")


def joint(description: Description, name: str) -> Joint:
    return next(joint for joint in description.joints if joint.name == name)


def body(description: Description, name: str) -> Body:
    return next(body for body in description.bodies if body.name == name)


def test_joint_kinds_and_depth_first_order_by_name(arm: Description) -> None:
    assert [(joint.name, joint.kind) for joint in arm.joints] == [
        ("root_joint", "fixed"),
        ("flight", "free"),
        ("shoulder", "revolute"),
        ("elbow", "revolute"),
        ("axle", "revolute"),
        ("rail", "prismatic"),
        ("flange", "fixed"),
        ("table", "planar"),
    ]


def test_limits_damping_and_friction(arm: Description) -> None:
    shoulder, elbow, axle = (joint(arm, name) for name in ("shoulder", "elbow", "axle"))
    for key, value in {
        "lower": -1.5,
        "upper": 2,
        "velocity_limit": 3,
        "effort_limit": 40,
        "damping": 0.7,
        "friction": 0.2,
    }.items():
        assert getattr(shoulder, key) == [value]
    assert elbow.lower == [0]  # the default of URDF
    assert elbow.damping is None
    assert axle.lower is None and axle.upper is None
    assert axle.velocity_limit == [9]


def test_axis_is_of_unit_length_and_x_by_default(arm: Description) -> None:
    np.testing.assert_array_equal(joint(arm, "shoulder").axis, [0, 1, 0])
    np.testing.assert_array_equal(joint(arm, "elbow").axis, [1, 0, 0])


def test_origin_is_roll_pitch_yaw_about_fixed_axes(arm: Description) -> None:
    placement = joint(arm, "shoulder").placement
    np.testing.assert_allclose(placement[:3, :3], Rotation.from_euler("z", 1).as_matrix())
    np.testing.assert_array_equal(placement[:3, 3], [0, 0, 0.5])


def test_inertia_is_turned_into_the_axes_of_the_link(arm: Description) -> None:
    upper = body(arm, "upper")
    turn = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
    stated = [[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.04]]
    np.testing.assert_allclose(upper.inertia, turn @ stated @ turn.T, atol=1e-16)
    np.testing.assert_array_equal(upper.com, [0.1, 0.2, 0.3])
    assert upper.mass == 2


def test_shapes(arm: Description) -> None:
    box, tube, capsule, mesh, sphere = arm.shapes
    assert (box.role, box.kind, box.size, box.color) == (
        ("visual", "box", (0.4, 0.3, 0.2), (0.0, 0.0, 1.0, 1.0))
    )
    assert (tube.name, tube.kind, tube.size, tube.color) == (
        ("tube", "cylinder", (0.05, 0.2), (1.0, 0.0, 0.0, 0.5))
    )
    np.testing.assert_allclose(tube.placement[:3, 2], [1, 0, 0], atol=1e-15)
    assert (capsule.role, capsule.kind, capsule.size) == ("collision", "capsule", (0.05, 0.2))
    assert (mesh.kind, mesh.size) == ("mesh", (0.001, 0.001, 0.002))
    assert (sphere.kind, sphere.size, sphere.body) == ("sphere", (0.1,), "wheel")


def test_what_is_left_out_is_listed(arm: Description) -> None:
    assert list(arm.warnings) == [
        "transmissions (2) are of kinds that are not read, and kept as metadata only: t1, t2",
        "gazebo elements (1) are not taken over",
        "safety_controller elements (1) are not taken over",
        "mesh files (1) are not found: meshes/lower.stl",
    ]


def test_every_element_knows_its_line(arm: Description) -> None:
    lines = (DATA / "arm.urdf").read_text().splitlines()
    for element in [*arm.bodies, *arm.joints, *arm.shapes]:
        assert element.source is not None and element.source.line is not None
        assert element.source.file == str(DATA / "arm.urdf")
        tags = ("<link", "<joint", "<visual", "<collision")
        assert lines[element.source.line - 1].strip().startswith(tags)


def test_free_base(write: Write) -> None:
    root = read_urdf(write(two_links()), base="free").joints[0]
    assert (root.name, root.kind, root.parent, root.child) == ("root_joint", "free", "world", "a")


WORLD_ROOT = """<robot name="r"><link name="world">{inertial}</link><link name="base"/>
<joint name="j" type="{type}"><parent link="world"/><child link="base"/></joint></robot>"""


def test_a_root_called_world_is_the_world(write: Write) -> None:
    description = read_urdf(write(WORLD_ROOT.format(type="fixed", inertial="")))
    assert [body.name for body in description.bodies] == ["base"]
    assert [(joint.name, joint.parent) for joint in description.joints] == [("j", "world")]
    assert list(description.warnings) == []
    heavy = read_urdf(write(WORLD_ROOT.format(type="fixed", inertial=INERTIAL)))
    assert any("mass of link 'world'" in warning for warning in heavy.warnings)


def test_a_root_called_world_can_be_set_free(write: Write) -> None:
    description = read_urdf(write(WORLD_ROOT.format(type="fixed", inertial="")), base="free")
    assert [(joint.kind, joint.parent, joint.child) for joint in description.joints] == [
        ("free", "world", "world_link"),
        ("fixed", "world_link", "base"),
    ]
    floating = read_urdf(write(WORLD_ROOT.format(type="floating", inertial="")), base="free")
    assert [(joint.kind, joint.parent) for joint in floating.joints] == [("free", "world")]


def test_no_links_and_no_name(write: Write) -> None:
    description = read_urdf(write("<robot/>"))
    assert description.name == "robot.urdf"
    assert not description.bodies and not description.joints
    assert list(description.warnings) == ["the file has no links (an unexpanded xacro file?)"]


def test_a_joint_without_limits_moves_freely(write: Write) -> None:
    description = read_urdf(write(two_links()))
    assert joint(description, "j").upper is None
    assert list(description.warnings) == ["joint 'j' has no <limit>: it moves without limits"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot>\n<link></robot>", "robot.urdf:2: malformed XML: mismatched tag"),
        ("", "malformed XML: no element found"),
        ("<sdf/>", "robot.urdf:1: the root element is <sdf>"),
        ("<robot><link/></robot>", "<link> has no attribute 'name'"),
        ('<robot><link name=""/></robot>', "<link> has an empty attribute 'name'"),
        ('<robot><link name="a"/><link name="b"/></robot>', "several root links.*a, b"),
        (two_links().replace('type="revolute"', ""), ":4: joint 'j' has no attribute 'type'"),
        (two_links().replace("revolute", "ball"), ":4: joint 'j' has the unknown type 'ball'"),
        (two_links().replace('<child link="b"/>', ""), ":4: joint 'j' has no <child>"),
        (two_links().replace('child link="b"', 'child link="c"'), ":6: .*unknown link 'c'.*a, b"),
        (two_links().replace('parent link="a"', 'parent link="c"'), ":5: .*unknown link 'c'"),
        (
            two_links().replace(
                "</robot>",
                '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>',
            ),
            "the joints form a cycle",
        ),
        (two_links('<axis xyz="0 0 0"/>'), ":7: <axis> of joint 'j' has no direction"),
        (two_links('<axis xyz="0 1"/>'), ":7: .*'xyz' must have 3 numbers, not '0 1'"),
        (two_links('<axis xyz="0 1 z"/>'), ":7: .*'xyz' must be a number, not 'z'"),
        (two_links('<origin rpy="0 nan 0"/>'), ":7: .*'rpy' must be a number, not 'nan'"),
        (two_links('<origin xyz="0 inf 0"/>'), ":7: .*'xyz' is out of range: 'inf'"),
        (two_links('<limit lower="1_0"/>'), ":7: .*'lower' must be a number, not '1_0'"),
        (two_links('<limit lower="nan"/>'), ":7: .*'lower' must be a number, not 'nan'"),
        (two_links(link="<inertial/>"), ":3: <inertial> of link 'b' has no <inertia>"),
        (
            two_links(link=INERTIAL.replace('ixy="0"', "")),
            ":3: <inertia> of link 'b' has no attribute 'ixy'",
        ),
        (two_links(link="<visual/>"), ":3: <visual> of link 'b' has no <geometry>"),
        (
            two_links(link="<visual><geometry><cone/></geometry></visual>"),
            ":3: <geometry> of link 'b' must contain one of box",
        ),
        (two_links().replace('"b"', '"world"'), "link 'world' is not the root"),
    ],
)
def test_mistakes_name_element_file_and_line(write: Write, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_urdf(write(text))


def test_infinite_limits_are_no_limits(write: Write) -> None:
    description = read_urdf(write(two_links('<limit lower="-inf" upper="INF" effort="1e300"/>')))
    assert joint(description, "j").lower == [-np.inf]
    assert joint(description, "j").upper == [np.inf]


def test_a_long_chain_needs_no_deep_recursion(write: Write) -> None:
    links = "".join(f'<link name="l{i}"/>' for i in range(3001))
    joints = "".join(
        f'<joint name="j{i:04}" type="continuous">'
        f'<parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in reversed(range(3000))
    )
    description = read_urdf(write(f'<robot name="chain">{links}{joints}</robot>'))
    assert [joint.name for joint in description.joints[1:]] == [f"j{i:04}" for i in range(3000)]


def test_wrong_options_are_named() -> None:
    with pytest.raises(ValueError, match="base must be 'fixed' or 'free', not 'loose'"):
        read_urdf(DATA / "arm.urdf", base="loose")
    with pytest.raises(ValueError, match="mimic must be 'coupled' or 'independent'"):
        read_urdf(DATA / "arm.urdf", mimic="maybe")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.urdf"):
        read_urdf(tmp_path / "nowhere.urdf")
