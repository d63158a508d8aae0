"""Reading of SDF: what is taken over, and what each mistake says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from poses import about, body_of, body_poses, gap, joint_of, transform
from scipy.spatial.transform import Rotation

from tarsus.formats import read
from tarsus.formats.sdf import read_sdf
from tarsus.model.description import Array, Description, ModelError

Write = Callable[..., Path]
DATA = Path(__file__).parent / "data"


def pose(*numbers: float) -> Array:
    """x, y, z, roll, pitch, yaw as a pose (4, 4)."""
    return transform(Rotation.from_euler("xyz", numbers[3:]).as_matrix(), numbers[:3])


WORLD_POSE = pose(1, 2, 3, 0.1, 0.2, 0.3)
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


def turned(angle: float, direction: Array, point: Array, pitch: float = 0.0) -> Array:
    """The motion (4, 4) about a line, and along it."""
    there, back = transform(np.eye(3), point), transform(np.eye(3), -point)
    return there @ transform(np.eye(3), pitch * angle * direction) @ about(direction, angle) @ back


RAIL = SLIDER @ pose(0.2, 0.1, 0, 0, 0, 0.5)
TWIST = np.array([0.1, 0.2, 0.3])
UNIT = np.eye(3)
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
    assert machine.warnings == [
        "left out: the limits of joint 'close_revolute', which closes a loop",
        "plane elements (1) are not taken over",
        "plugin elements (1) are not taken over",
        "links (8) without a mass have 1 kg in SDF: "
        "slider, nut, cross, skew, ball, plate, wheel, rotor",
        "mesh files (1) are not found: model://missing/tube.stl",
    ]


def test_every_element_knows_its_line(machine: Description) -> None:
    lines = (DATA / "machine.sdf").read_text().splitlines()
    elements = [*machine.bodies, *machine.joints, *machine.loops, *machine.couplings]
    for element in [*elements, *machine.frames, *machine.shapes]:
        assert element.source is not None and element.source.line is not None
        tags = ("<link", "<joint", "<frame", "<visual", "<collision")
        assert lines[element.source.line - 1].strip().startswith(tags)


# The base


def model(*parts: str, version: str = "1.9", attributes: str = "") -> str:
    """A model, its parts on lines 2, 3 …"""
    lines = "\n".join(parts)
    return f'<sdf version="{version}"><model name="m" {attributes}>\n{lines}</model></sdf>'


def link(name: str, inner: str = "") -> str:
    return f'<link name="{name}"><inertial><mass>1</mass></inertial>{inner}</link>'


def joint(name: str, kind: str, parent: str, child: str, inner: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        f"{inner}</joint>"
    )


def kinds(description: Description) -> list[tuple[str, str, str, str]]:
    return [(j.name, j.kind, j.parent, j.child) for j in description.joints]


def test_a_base_is_free_unless_the_file_says_otherwise(write: Write) -> None:
    place = "<pose>1 2 3 0.1 0.2 0.3</pose>"
    free = read_sdf(write(model(place, link("a", "<pose>0 0 1 0 0 0</pose>")), "m.sdf"))
    assert kinds(free) == [("root_joint", "free", "world", "a")]
    expected = WORLD_POSE @ pose(0, 0, 1, 0, 0, 0)
    initial = np.array(free.metadata["initial_configuration"]["root_joint"])
    np.testing.assert_allclose(initial[:3], expected[:3, 3])
    np.testing.assert_allclose(
        Rotation.from_quat(initial[3:]).as_matrix(), expected[:3, :3], atol=1e-15
    )
    np.testing.assert_array_equal(free.joints[0].placement, np.eye(4))
    static = write(model(place, "<static>true</static>", link("a")), "m.sdf")
    fixed = read_sdf(static)
    assert kinds(fixed) == [("root_joint", "fixed", "world", "a")]
    np.testing.assert_allclose(fixed.joints[0].placement, WORLD_POSE, atol=1e-15)
    assert read_sdf(static, base="free").joints[0].kind == "free"


def test_a_joint_to_the_world(write: Write) -> None:
    text = model(link("a"), joint("j", "prismatic", "world", "a"))
    assert kinds(read_sdf(write(text))) == [("j", "prismatic", "world", "a")]
    assert kinds(read_sdf(write(text), base="fixed")) == [("j", "prismatic", "world", "a")]
    with pytest.raises(ModelError, match=r":3: joint 'j' base='free': link 'a' is joined"):
        read_sdf(write(text), base="free")
    with pytest.raises(ValueError, match="base must be None, 'fixed' or 'free', not 'loose'"):
        read_sdf(write(text), base="loose")


def test_a_frame_of_the_model_can_be_placed(write: Write) -> None:
    text = model(
        "<pose>0 0 5 0 0 0</pose>",
        link("a", "<pose>0 0 1 0 0 0</pose>"),
        '<frame name="f" attached_to="a"><pose>0 0 1 0 0 0</pose></frame>',
        attributes='placement_frame="f"',
    )
    poses = body_poses(read_sdf(write(text), base="fixed"))
    np.testing.assert_allclose(poses["a"][:3, 3], [0, 0, 4])


@pytest.mark.parametrize("place", ["joint", "link"])
def test_what_a_pose_is_relative_to_by_default(write: Write, place: str) -> None:
    text = model(
        link("a", "<pose>1 0 0 0 0 0</pose>"),
        link("b", "<pose>0 1 0 0 0 0</pose>"),
        joint("j", "revolute", "a", "b", "<pose>0 0 1 0 0 0</pose>"),
    )
    description = read_sdf(write(text), base="fixed")
    carried = body_poses(description)["b.j" if place == "joint" else "b"]
    expected = [0, 1, 1] if place == "joint" else [0, 1, 0]
    np.testing.assert_allclose(carried[:3, 3], expected)


def test_in_which_frame_an_axis_is_stated(write: Write) -> None:
    quarter = "<pose>0 0 0 0 0 1.5707963267948966</pose>"
    axis = "<axis><xyz>1 0 0</xyz>{}</axis>"

    def direction(version: str, inner: str = "", xyz: str = "<xyz>") -> Array:
        text = axis.format(inner).replace("<xyz>", xyz)
        parts = link("a"), link("b", quarter), joint("j", "revolute", "a", "b", text)
        description = read_sdf(write(model(*parts, version=version)), base="fixed")
        return body_poses(description)["b"][:3, :3] @ joint_of(description, "j").axis

    parent = "<use_parent_model_frame>1</use_parent_model_frame>"
    np.testing.assert_allclose(direction("1.4"), [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(direction("1.6"), [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(direction("1.6", parent), [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(direction("1.7"), [0, 1, 0], atol=1e-15)
    in_a = direction("1.7", xyz='<xyz expressed_in="a">')
    np.testing.assert_allclose(in_a, [1, 0, 0], atol=1e-15)


def test_pitches_of_screws(write: Write) -> None:
    for inner, pitch in {
        "<screw_thread_pitch>0.01</screw_thread_pitch>": 0.01 / (2 * np.pi),
        "<thread_pitch>-500</thread_pitch>": 1 / 500,
        "": 1 / (2 * np.pi),
    }.items():
        text = model(link("a"), link("b"), joint("j", "screw", "a", "b", inner))
        assert joint_of(read_sdf(write(text)), "j").pitch == pytest.approx(pitch)


def test_a_joint_of_two_perpendicular_axes_is_universal(write: Write) -> None:
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    text = model(link("a"), link("b"), joint("j", "revolute2", "a", "b", axes))
    assert joint_of(read_sdf(write(text)), "j").kind == "universal"


def test_a_joint_can_mimic_another(write: Write) -> None:
    inner = (
        '<axis><xyz>0 0 1</xyz><mimic joint="j"><multiplier>2</multiplier>'
        "<offset>0.5</offset><reference>0.1</reference></mimic></axis>"
    )
    parts = link("a"), link("b"), link("c"), joint("j", "revolute", "a", "b")
    text = model(*parts, joint("k", "prismatic", "a", "c", inner), version="1.11")
    (coupling,) = read_sdf(write(text)).couplings
    assert (coupling.leaders, coupling.followers) == (("j",), ("k",))
    np.testing.assert_allclose(coupling.matrix, [[2]])
    np.testing.assert_allclose(coupling.offset, [0.3])
    with pytest.raises(ModelError, match=r"<mimic> of joint 'k' refers to joint 'x'.*valid: j, k"):
        read_sdf(write(text.replace('joint="j"', 'joint="x"')))
    with pytest.raises(ModelError, match=r"joint 'k' couples joints 'k' and 'k'"):
        read_sdf(write(text.replace('joint="j"', 'joint="k"')))


# The graph


def test_a_later_joint_to_the_same_link_closes_a_loop(write: Write) -> None:
    parts = link("a"), link("b"), link("c")
    text = model(
        *parts,
        joint("ab", "revolute", "a", "b"),
        joint("bc", "revolute", "b", "c"),
        joint("ac", "revolute", "a", "c"),
    )
    description = read_sdf(write(text))
    assert [name for name, *_ in kinds(description)] == ["root_joint", "ab", "bc"]
    assert [loop.name for loop in description.loops] == ["ac"]


def test_a_circle_starts_with_a_link_and_ends_in_a_loop(write: Write) -> None:
    circle = [joint(f"{x}{y}", "revolute", x, y) for x, y in ("ab", "bc", "ca")]
    description = read_sdf(write(model(link("a"), link("b"), link("c"), *circle)))
    assert kinds(description)[0] == ("root_joint", "free", "world", "a")
    assert [loop.name for loop in description.loops] == ["ca"]


def test_joints_can_be_used_from_child_to_parent(write: Write) -> None:
    """Two links that are nobody's child, joined at a third: the first one stays the root."""
    axis = "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis>"
    text = model(
        link("a"),
        link("b", "<pose>1 0 0 0 0 0</pose>"),
        link("c", "<pose>2 0 0 0 0 0.5</pose>"),
        link("d", "<pose>3 0 0 0 0 0</pose>"),
        joint("ab", "revolute", "a", "b"),
        joint("dc", "revolute", "d", "c", axis),
        joint("cb", "revolute", "c", "b", f"<pose>0 0 1 0 0 0</pose>{axis}"),
    )
    description = read_sdf(write(text), base="fixed")
    assert [(j.name, j.parent, j.child) for j in description.joints] == [
        ("root_joint", "world", "a"),
        ("ab", "a", "b"),
        ("cb", "b", "c.cb"),
        ("cb_fixed", "c.cb", "c"),
        ("dc", "c", "d.dc"),
        ("dc_fixed", "d.dc", "d"),
    ]
    assert description.loops == []
    # the coordinate is the one that the file means: of the child b seen from c
    assert joint_of(description, "cb").upper == [2]
    poses = body_poses(description, {"cb": 0.7})
    relative = np.linalg.inv(poses["c"]) @ poses["b"]
    start = np.linalg.inv(pose(2, 0, 0, 0, 0, 0.5)) @ pose(1, 0, 0, 0, 0, 0)
    moved = start @ turned(0.7, UNIT[1], np.array([0, 0, 1.0]))
    np.testing.assert_allclose(relative, moved, atol=1e-15)


def test_a_part_that_is_joined_to_the_world_turns_around(write: Write) -> None:
    text = model(
        link("a"), link("b"), joint("ab", "revolute", "a", "b"), joint("wb", "ball", "world", "b")
    )
    assert [(j.name, j.parent, j.child) for j in read_sdf(write(text)).joints] == [
        ("wb", "world", "b"),
        ("ab", "b", "a"),
    ]


def test_separate_parts_have_roots_of_their_own(write: Write) -> None:
    description = read_sdf(write(model(link("a"), link("b"))))
    assert kinds(description) == [
        ("root_joint", "free", "world", "a"),
        ("root_joint_b", "free", "world", "b"),
    ]


def gearbox(parent: str, child: str, ratio: float = 2.0, reference: str = "r") -> str:
    inner = (
        f"<gearbox_ratio>{ratio}</gearbox_ratio>"
        f"<gearbox_reference_body>{reference}</gearbox_reference_body>"
    )
    return joint(f"{parent}{child}", "gearbox", parent, child, inner)


WHEELS = [link("r"), *(link(name) for name in "abc")]
AXLES = [joint(f"j{name}", "revolute", "r", name) for name in "abc"]


def test_gearboxes_in_series_and_one_with_two_outputs(write: Write) -> None:
    series = read_sdf(write(model(*WHEELS, *AXLES, gearbox("a", "b"), gearbox("b", "c"))))
    assert [(c.leaders, c.followers) for c in series.couplings] == [
        (("jb",), ("ja",)),
        (("jc",), ("jb",)),
    ]
    both = read_sdf(write(model(*WHEELS, *AXLES, gearbox("a", "b"), gearbox("a", "c"))))
    assert [(c.leaders, c.followers, c.motor) for c in both.couplings] == [
        (("jb",), ("ja",), True),
        (("ja",), ("jc",), False),
    ]
    np.testing.assert_allclose([c.matrix for c in both.couplings], [[[-0.5]], [[-2]]])


# Mistakes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<sdf>\n<model></sdf>", ":2: malformed XML: mismatched tag"),
        ("<robot/>", ":1: the root element is <robot>, not <sdf>"),
        ("<sdf/>", ":1: <sdf> has no attribute 'version'"),
        ('<sdf version="x"/>', ":1: <sdf> has the version 'x'"),
        ('<sdf version="1.3"/>', ":1: <sdf> has the version 1.3; versions from 1.4 on"),
        ('<sdf version="1.6"/>', ":1: <sdf> has no <model>; what an <include> refers to"),
        (
            '<sdf version="1.6"><model name="a"/><world><model name="b"/></world></sdf>',
            ":1: <sdf> has 2 models \\(a, b\\), must have one",
        ),
        (model("<include/>"), ":2: <include> of model 'm' is nested in model 'm': not read"),
        (model('<model name="n"/>'), ":2: model 'n' is nested in model 'm': not read"),
        (model(), ":1: model 'm' has no <link>"),
        (model("<link/>"), ":2: <link> of model 'm' has no attribute 'name'"),
        (model(link("a"), attributes='canonical_link="b"'), "unknown canonical link 'b'.*a"),
        (model(link("a", "<pose>1 2 3</pose>")), ":2: .*must have 6 numbers, not '1 2 3'"),
        (model(link("a", "<pose>1 2 3 4 5 x</pose>")), ":2: .*must be a number, not 'x'"),
        (
            model(link("a", '<pose rotation_format="quat_xyzw">1 2 3 0 0 0 0</pose>')),
            ":2: .*quaternion of length zero",
        ),
        (model(link("a", '<pose frame="b">0 0 0 0 0 0</pose>')), "'frame' is not read"),
        (model(link("a", '<pose relative_to="b"/>')), ":2: .*unknown frame 'b'.*valid: a"),
        (model(link("a", '<pose relative_to="b::c"/>')), ":2: .*nested models are not read"),
        (model(link("a", '<pose relative_to="a"/>')), ":2: link 'a' is placed relative to itself"),
        (
            model(link("a"), '<frame name="f" attached_to="f"/>'),
            ":3: frame 'f' .*itself",
        ),
        (model(link("a"), joint("j", "bolt", "a", "a")), ":3: joint 'j' has the unknown type"),
        (model(link("a"), joint("j", "ball", "a", "a")), ":3: joint 'j' joins link 'a' to itself"),
        (model(link("a"), joint("j", "ball", "a", "x")), ":3: .*unknown frame 'x'"),
        (model(link("a"), joint("j", "ball", "a", "")), ":3: .*<child> of joint 'j' is empty"),
        (model(link("a"), joint("j", "ball", "a", "world")), ":3: .*refers to the world"),
        (model(link("a"), '<joint name="j" type="ball"/>'), ":3: joint 'j' has no <parent>"),
        (
            model(
                link("a"),
                link("b"),
                joint("j", "revolute", "a", "b", "<axis><xyz>0 0 0</xyz></axis>"),
            ),
            ":4: <axis> of joint 'j' has no direction",
        ),
        (
            model(
                link("a"),
                link("b"),
                joint("j", "screw", "a", "b", "<thread_pitch>0</thread_pitch>"),
            ),
            ":4: joint 'j' has a <thread_pitch> of zero",
        ),
        (model("<static>maybe</static>", link("a")), ":2: .*must be true or false, not 'maybe'"),
        (
            model('<link name="a"><inertial auto="true"/></link>'),
            ":2: <inertial> of link 'a' asks for masses from shapes",
        ),
        (model(link("a", '<visual name="v"/>')), ":2: visual 'v' has no <geometry>"),
        (model(*WHEELS, *AXLES, gearbox("a", "b", 0)), "joint 'ab' has a <gearbox_ratio> of zero"),
        (
            model(*WHEELS, *AXLES, gearbox("a", "b", reference="c")),
            "joint 'ab' needs a revolute joint between its reference body 'c' and link 'a'",
        ),
        (
            model(*WHEELS, *AXLES, gearbox("a", "b"), gearbox("a", "b")),
            "joint 'ab' couples joints 'ja' and 'jb', which others couple already",
        ),
    ],
)
def test_mistakes_name_element_file_and_line(write: Write, text: str, message: str) -> None:
    with pytest.raises(
        ModelError, match=f"m.sdf{message if message[0] == ':' else f'.*{message}'}"
    ):
        read_sdf(write(text, "m.sdf"))


def test_a_world_with_one_model(write: Write) -> None:
    text = model(link("a")).replace("<model", '<world name="w"><gravity>0 0 -1</gravity><model')
    description = read(write(text.replace("</model>", "</model></world>"), "m.world"))
    np.testing.assert_array_equal(description.gravity, [0, 0, -1])
    assert description.name == "m"


def test_files_that_end_in_xml_are_told_by_their_root(write: Write) -> None:
    assert read(write(model(link("a")), "m.xml")).name == "m"
    assert read(write(model(link("a")), "m.sdf"), base="fixed").joints[0].kind == "fixed"
    with pytest.raises(ModelError, match=r"must be <robot> \(URDF\), <sdf> \(SDF\) or <mujoco>"):
        read(write("<other/>", "m.xml"))


def test_long_chains_need_no_deep_recursion(write: Write) -> None:
    links = [link(f"l{i}", f'<pose relative_to="l{i - 1}"/>' if i else "") for i in range(2001)]
    joints = [joint(f"j{i}", "revolute", f"l{i}", f"l{i + 1}") for i in range(2000)]
    description = read_sdf(write(model(*links, *reversed(joints))))
    assert [j.name for j in description.joints[1:]] == [f"j{i}" for i in range(2000)]
    upward = [joint(f"j{i}", "revolute", f"l{i + 1}", f"l{i}") for i in range(2000)]
    assert read_sdf(write(model(*links, *upward))).joints[0].child == "l2000"
