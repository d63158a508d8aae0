"""Bases, frames and the graph of an SDF file: trees, loops and gearboxes."""

from __future__ import annotations

import numpy as np
import pytest
from poses import body_poses, joint_of
from scipy.spatial.transform import Rotation
from sdf_texts import (
    AXLES,
    UNIT,
    WHEELS,
    WORLD_POSE,
    Write,
    gearbox,
    joint,
    kinds,
    link,
    model,
    pose,
    turned,
)

from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.formats.readers import read
from tarsus.formats.sdf import read_sdf


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
    assert list(description.loops) == []
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
