"""Worlds of SDF: several models, models inside models, and those that other files have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sdf_texts import Write, joint, link, model, pose

import tarsus as ts
from tarsus._lib.errors import ModelError

ARM = (
    "<pose>{place}</pose>"
    + link("base", '<collision name="c"><geometry><sphere/></geometry></collision>')
    + link("hand", "<pose>0.3 0 0.2 0.1 0.2 0.3</pose>")
    + joint("turn", "revolute", "base", "hand", "<axis><xyz>0 1 0.5</xyz></axis>")
)
FLOOR = (
    '<model name="floor"><static>1</static><link name="l"><collision name="c"><geometry><plane/>'
    "</geometry></collision></link></model>"
)
PLACES = {"first": "1 0 0.5 0 0 0.4", "second": "-1 2 0.2 0.3 0 0"}


def arm(name: str) -> str:
    return f'<model name="{name}">{ARM.format(place=PLACES[name])}</model>'


def world(*models: str, version: str = "1.9") -> str:
    return f'<sdf version="{version}"><world name="w">{"".join(models)}</world></sdf>'


def test_a_robot_on_a_floor_is_the_robot() -> None:
    found, alone = ts.load(world(FLOOR, arm("first"))), ts.load(world(arm("first")))
    assert found.name == "first"
    assert ts.Model(replace(found.description, warnings=alone.description.warnings)) == alone
    assert found.warnings[0].startswith("models of planes alone (1) are not taken over")
    assert found.warnings[0].endswith("floor")


@pytest.mark.parametrize("version", ["1.4", "1.6", "1.9"])
def test_several_models_are_what_they_are_alone(version: str) -> None:
    both = ts.load(world(FLOOR, arm("first"), arm("second"), version=version))
    assert both.name == "w" and both.body_names.count("first/base") == 1
    alone = [ts.load(world(arm(name), version=version)) for name in PLACES]
    q, v = both.initial_configuration, np.random.default_rng(0).normal(size=both.nv)
    turned = [0.4, -0.7]
    for name, one, angle in zip(PLACES, alone, turned, strict=True):
        joint_of, own = both.joint(f"{name}/turn"), one.initial_configuration
        q[joint_of.q_slice] = own[one.joint("turn").q_slice] = angle
        for body in ("base", "hand"):
            there = both.frame_pose(q, f"{name}/{body}")
            assert there == pytest.approx(one.frame_pose(own, body), abs=1e-12)
    whole = both.forward_dynamics(q, v, np.zeros(both.nv))
    for name, one, angle in zip(PLACES, alone, turned, strict=True):
        own = one.initial_configuration
        own[one.joint("turn").q_slice] = angle
        joints = [both.joint(n) for n in both.joint_names if both.joint(n).child.startswith(name)]
        rows = np.concatenate([np.arange(j.v_slice.start, j.v_slice.stop) for j in joints])
        assert whole[rows] == pytest.approx(one.forward_dynamics(own, v[rows], np.zeros(7)))


def test_static_models_of_a_world_are_fixed() -> None:
    table = (
        '<model name="table"><static>true</static><pose>3 0 0 0 0 1</pose>'
        + link("top", "<pose>0 0 0.7 0 0 0</pose>")
        + link("drawer")
        + joint("slide", "prismatic", "top", "drawer")
        + "</model>"
    )
    found = ts.load(world(arm("first"), table))
    assert found.nv == 7
    expected = pose(3, 0, 0, 0, 0, 1) @ pose(0, 0, 0.7, 0, 0, 0)
    assert found.frame_pose(found.neutral(), "table/top") == pytest.approx(expected, abs=1e-12)


def test_a_model_inside_a_model_is_where_its_poses_say() -> None:
    tool = (
        '<model name="tool"><pose relative_to="hand">0.1 0 0 0 0 0.5</pose>'
        + link("grip", "<pose>0 0.2 0 0.3 0 0</pose>")
        + '<frame name="tip" attached_to="grip"><pose>0 0 0.1 0 0 0</pose></frame>'
        + '<model name="knife"><pose relative_to="tip">0 0 0.05 0 0 0</pose>'
        + f"{link('blade')}</model>"
        + joint("edge", "fixed", "grip", "knife::blade")
        + "</model>"
    )
    text = model(
        link("hand", "<pose>0 0 1 0 0.2 0</pose>"),
        tool,
        joint("hold", "revolute", "hand", "tool::grip", "<axis><xyz>1 0 0</xyz></axis>"),
        '<frame name="mark" attached_to="tool::tip"/>',
    )
    found = ts.load(text)
    assert found.nv == 7
    q = found.initial_configuration
    tool_at = pose(0, 0, 1, 0, 0.2, 0) @ pose(0.1, 0, 0, 0, 0, 0.5)
    grip = tool_at @ pose(0, 0.2, 0, 0.3, 0, 0)
    tip = grip @ pose(0, 0, 0.1, 0, 0, 0)
    places = {"tool": tool_at, "tool/grip": grip, "tool/tip": tip, "mark": tip}
    places["tool/knife/blade"] = tip @ pose(0, 0, 0.05, 0, 0, 0)
    for name, expected in places.items():
        assert found.frame_pose(q, name) == pytest.approx(expected, abs=1e-12), name


def test_joints_start_where_their_axes_say() -> None:
    axis = "<axis><xyz>0 0 1</xyz><initial_position>0.3</initial_position></axis>"
    found = ts.load(model(link("a"), link("b"), joint("j", "revolute", "a", "b", axis)))
    assert found.initial_configuration[-1] == 0.3 and found.neutral()[-1] == 0.0


def test_what_is_included_has_the_names_and_places_of_here(write: Write) -> None:
    mesh = "<geometry><mesh><uri>s.stl</uri></mesh></geometry>"
    write(model(link("stone", f'<visual name="v">{mesh}</visual>')), "models/rock/rock.sdf")
    config = '<model><name>rock</name><sdf version="1.9">rock.sdf</sdf></model>'
    write(config, "models/rock/model.config")
    write(model(link("plank")), "models/board/model.sdf")
    file = write(
        world(
            "<include><uri>model://rock</uri><name>left</name><pose>1 0 0 0 0 0</pose></include>",
            "<include><uri>model://rock</uri><name>right</name><pose>2 0 0 0 0 0</pose></include>",
            "<include><uri>model://board</uri><static>1</static></include>",
            "<include><uri>https://fuel.gazebosim.org/1.0/a/models/b</uri></include>",
        ),
        "w.sdf",
    )
    found = ts.load(file, package_dirs=[file.parent / "models"])
    assert found.frame_names[:3] == ("left/stone", "right/stone", "m/plank") and found.nv == 12
    at = found.frame_poses(found.initial_configuration, ["left/stone", "right/stone"])
    assert at[:, 0, 3].tolist() == [1.0, 2.0]
    assert {shape.file for shape in found.shapes} == {str(file.parent / "models/rock/s.stl")}
    assert any("gazebosim.org/1.0/a/models/b is left out" in text for text in found.warnings)


def test_files_that_include_themselves_are_refused(write: Write) -> None:
    again = "<include><uri>model://loop</uri><name>n</name></include>"
    write(model(link("a"), again), "loop/model.sdf")
    file: Path = write(world("<include><uri>model://loop</uri></include>"), "w.sdf")
    with pytest.raises(ModelError, match="<include> of model 'm' is inside itself"):
        ts.load(file, package_dirs=[file.parent])


def test_files_outside_are_not_included(write: Write) -> None:
    write(model(link("secret")), "secret.sdf")
    file = write(world("<include><uri>../secret.sdf</uri></include>"), "inside/w.sdf")
    with pytest.raises(ModelError, match="leaves the model's folder"):
        ts.load(file)


def test_motors_and_sensors_of_several_models_are_told_apart() -> None:
    drive = '<plugin name="gz::sim::systems::ApplyJointForce"><joint_name>j</joint_name></plugin>'
    inner = (
        link("a", '<sensor name="imu" type="imu"/>')
        + link("b")
        + joint("j", "revolute", "a", "b")
        + drive
    )
    found = ts.load(world(*(f'<model name="{name}">{inner}</model>' for name in "xy")))
    assert found.actuator_names == ("x/j", "y/j")
    assert set(ts.sensors.of(found)) == {"x/imu", "y/imu"}
    assert found.frame("y/imu").body == "y/a"
