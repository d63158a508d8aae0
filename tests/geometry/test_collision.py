"""From a model to the arrays of the core: every robot, names, points, warnings and mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from touching import MUJOCO, ROBOTS, arm, free_body, robot

import tarsus as ts
from tarsus.geometry import Collision, Ground
from tarsus.geometry.contact_candidates import world_of

SIZES = {
    "point_body": (),
    "point_position": (3,),
    "point_radius": (),
    "ring_body": (),
    "ring_position": (3,),
    "ring_axis": (3,),
    "ring_radius": (),
    "ring_tube": (),
    "ellipsoid_body": (),
    "ellipsoid_placement": (4, 4),
    "ellipsoid_size": (3,),
    "solid_body": (),
    "solid_kind": (),
    "solid_placement": (4, 4),
    "solid_size": (4,),
    "hull_counts": (),
    "hull_corners": (3,),
    "pairs": (2,),
}
NOTHING_TO_TOUCH = {
    "alexander_v1.lowerBodyOnly.urdf",
    "TwoDofs.urdf",
    "human.urdf",
    "simple_humanoid_classical.urdf",
    "ur3.urdf",  # a robot without links
    "swimmer.xml",
}
SLOW = {"so101.urdf", "g1_29dof_with_hand_rev_1_0.urdf", "b1-z1.urdf"}  # the meshes of others


@pytest.mark.parametrize(
    "file", [file for file in ROBOTS + MUJOCO if file.name not in SLOW], ids=lambda file: file.name
)
def test_every_robot_can_touch_the_ground(file: Path) -> None:
    m = ts.load(file, base="free" if file.suffix == ".urdf" else None)
    found = Collision.from_model(m)
    print(found, *found.warnings, sep="\n")
    arrays: dict[str, Any] = dict(found.arguments)
    assert set(arrays) == {*SIZES, "hull_faces"}
    for key, shape in SIZES.items():
        assert np.shape(arrays[key])[1:] == shape
    count = len(arrays["point_body"]) + 3 * len(arrays["ring_body"]) + 8 * len(arrays["pairs"])
    count += len(arrays["ellipsoid_body"])
    assert len(found.candidates) == len(found.names) == len(set(found.names)) == count
    assert bool(count) == (file.name not in NOTHING_TO_TOUCH)
    if not count:
        assert "nothing touches the ground" in found.warnings[0]
    for key in ("point_body", "ring_body", "ellipsoid_body"):
        assert ((arrays[key] >= 0) & (arrays[key] < m.n_bodies)).all()
    np.testing.assert_allclose(np.linalg.norm(arrays["ring_axis"], axis=1), 1.0)
    if m.nv:
        gaps = world_of(m, found.arguments, Ground()).contacts(m.neutral()[None])
        assert gaps.shape == (1, count, 7) and np.isfinite(gaps).all()
    carriers = (arrays[key] for key in ("point_body", "ring_body", "ellipsoid_body"))
    touching = {m.body_names[i] for i in np.concatenate(list(carriers))}
    stated = {shape.body for shape in m.shapes if shape.role == "collision"} - {"world"}
    assert touching == stated


def test_feet_of_robots_are_where_they_are() -> None:
    for name, foot in (("anymal.urdf", "LF_FOOT"), ("a1.urdf", "FL_foot"), ("go1.urdf", "FL_foot")):
        m = robot(name)
        found = Collision.from_model(m)
        number = found.names.index(foot)
        frame = m.frame(foot)
        each = found.candidates[number]
        assert (each.body, each.link, each.other_body) == (frame.body, foot, "ground")
        assert found.arguments["point_body"][number] == m.body(frame.body).index
        position = found.arguments["point_position"][number]
        np.testing.assert_allclose(position, frame.placement[:3, 3], atol=0.025)
        assert 0.015 < found.arguments["point_radius"][number] < 0.04


def test_arrays_of_an_arm() -> None:
    m = arm().build()
    found = Collision.from_model(m, self_collision=[("hand", "base")])
    arrays = found.arguments
    assert repr(found) == "<tarsus.Collision of 'arm': 12 points, 0 rims, 1 pairs>"
    # the far end of the lower arm is inside the hand
    assert found.names[8:12] == ("upper", "upper 2", "lower", "hand")
    assert found.names[12:14] == ("base / hand", "base / hand 2")
    assert arrays["point_body"].tolist() == [0] * 8 + [2, 2, 3, 3]
    np.testing.assert_allclose(arrays["point_position"][11], [0, 0, 0.5])
    np.testing.assert_allclose(arrays["point_radius"], [0] * 8 + [0.05, 0.05, 0.04, 0.08])
    assert arrays["solid_kind"] == ["box", "sphere"]
    assert arrays["solid_body"].tolist() == [0, 3]
    assert arrays["pairs"].tolist() == [[0, 1]]
    pair = found.candidates[12]
    assert (pair.link, pair.other_body, pair.other_link) == ("base", "lower", "hand")


def test_a_turned_cylinder_has_two_rims() -> None:
    m = free_body("cylinder", (0.1, 0.4), rotation=(np.pi / 2, 0, 0), position=(0, 0, 1))
    found = Collision.from_model(m).arguments
    np.testing.assert_allclose(found["ring_position"], [[0, 0.2, 1], [0, -0.2, 1]], atol=1e-15)
    np.testing.assert_allclose(found["ring_axis"], [[0, 1, 0], [0, -1, 0]], atol=1e-15)
    assert found["ring_radius"].tolist() == [0.1, 0.1]
    assert Collision.from_model(m).names == ("body", *(f"body {i}" for i in range(2, 7)))


FILES = {
    "same.urdf": """<robot name="same"><link name="body"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision name="a"><origin xyz="1 0 0" rpy="0 0 0.3"/><geometry><box size="0.2 0.4 0.6"/>
</geometry></collision>
<collision><origin xyz="2 0 0"/><geometry><sphere radius="0.3"/></geometry></collision>
<collision><origin xyz="3 0 0"/><geometry><cylinder radius="0.2" length="0.5"/></geometry>
</collision>
<collision><origin xyz="4 0 0"/><geometry><capsule radius="0.1" length="0.5"/></geometry>
</collision></link></robot>""",
    "same.sdf": """<sdf version="1.9"><model name="same"><link name="body"><inertial><mass>1</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<collision name="a"><pose>1 0 0 0 0 0.3</pose><geometry><box><size>0.2 0.4 0.6</size></box>
</geometry></collision>
<collision name="b"><pose>2 0 0 0 0 0</pose><geometry><sphere><radius>0.3</radius></sphere>
</geometry></collision>
<collision name="c"><pose>3 0 0 0 0 0</pose><geometry><cylinder><radius>0.2</radius>
<length>0.5</length></cylinder></geometry></collision>
<collision name="d"><pose>4 0 0 0 0 0</pose><geometry><capsule><radius>0.1</radius>
<length>0.5</length></capsule></geometry></collision></link></model></sdf>""",
    "same.xml": """<mujoco model="same"><compiler angle="radian"/><worldbody>
<geom type="plane" size="1 1 1"/><body name="body"><freejoint/>
<geom name="a" type="box" size="0.1 0.2 0.3" pos="1 0 0" euler="0 0 0.3"/>
<geom size="0.3" pos="2 0 0"/><geom type="cylinder" size="0.2 0.25" pos="3 0 0"/>
<geom type="capsule" size="0.1 0.25" pos="4 0 0"/>
<geom size="9" contype="0" conaffinity="0"/></body></worldbody></mujoco>""",
}


def test_all_formats_give_the_same(tmp_path: Path) -> None:
    found = []
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
        base: Any = "free" if name.endswith("urdf") else None
        m = ts.load(tmp_path / name, base=base)
        assert len(Collision.from_model(m).candidates) == 9 + 6  # without inner corners of the box
        found.append(Collision.from_model(m, hollows=True))
        assert repr(found[-1]) == "<tarsus.Collision of 'same': 11 points, 2 rims, 0 pairs>"
        assert found[-1].candidates[0].shape == "a"
    for other in found[1:]:
        for key in ("point_position", "point_radius", "ring_position", "ring_axis", "ring_radius"):
            np.testing.assert_allclose(
                other.arguments[key], found[0].arguments[key], atol=1e-12, err_msg=key
            )


def test_contact_points_replace_shapes() -> None:
    m = arm().build()
    tips = Collision.from_model(m, contact_points=["tip"])
    np.testing.assert_allclose(tips.arguments["point_position"], [[0, 0, 0.58]])
    assert tips.arguments["point_radius"].tolist() == [0.0]
    assert (tips.names, tips.candidates[0].body, tips.warnings) == (("tip",), "lower", ())
    feet = {"hand": (0, 0, 0.1), "base": [[0.2, 0, 0], [-0.2, 0, 0]]}
    several = Collision.from_model(m, contact_points=feet)
    np.testing.assert_allclose(
        several.arguments["point_position"], [[0, 0, 0.6], [0.2, 0, 0], [-0.2, 0, 0]]
    )
    assert several.names == ("hand", "base", "base 2")
    assert several.arguments["point_body"].tolist() == [3, 0, 0]


def test_visual_shapes_can_touch() -> None:
    b = ts.Builder("m").body("body", 1.0, inertia=(1, 1, 1)).joint("j", "free", "world", "body")
    m = b.shape("body", "sphere", (0.1,)).build()
    nothing = Collision.from_model(m)
    assert not nothing.candidates
    assert nothing.warnings == (
        "'m' has no collision shapes on moving bodies: nothing touches the ground; "
        "shapes='visual' has some, or name frames as contact_points",
    )
    assert len(Collision.from_model(m, shapes="visual").candidates) == 1


def test_coarse_meshes_are_reported_with_their_error() -> None:
    m = robot("talos_reduced.urdf")
    coarse, fine = (Collision.from_model(m, mesh_points=count) for count in (16, 200))
    print(*coarse.warnings, *fine.warnings, sep="\n")
    assert "at most 16 corners of meshes stand for each body" in coarse.warnings[0]
    assert "torso_2_link" in coarse.warnings[0]
    assert "bodies (1) reach more than 1 mm beyond them" in fine.warnings[0]
    assert len(coarse.candidates) < len(fine.candidates)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"contact_points": ["top"]}, "there is no frame 'top'; did you mean 'tip'"),
        ({"contact_points": "tip"}, "must be a list of names or a mapping"),
        ({"contact_points": {"tip": (1, 2)}}, r"'tip' is at \(1, 2\), must be \(3,\) or \(k, 3\)"),
        ({"contact_points": {"tip": (0, 0, np.nan)}}, "'tip' is at"),
        ({"shapes": "all"}, "shapes is 'all', must be one of collision, primitives, visual"),
        ({"mesh_points": 2}, "mesh_points is 2, must be at least 4"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Collision.from_model(arm().build(), **arguments)


def test_frames_on_the_world_do_not_touch() -> None:
    with pytest.raises(ts.ModelError, match="frame 'base' does not move"):
        Collision.from_model(arm(fixed=True).build(), contact_points=["base"])
    with pytest.raises(TypeError, match=r"model is of type str, must be a tarsus\.Model"):
        Collision.from_model("arm")  # type: ignore[arg-type]
