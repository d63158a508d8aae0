"""Bodies that are welded stay bodies; what joints make for themselves is told to nobody."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus.studio import Stage
from tarsus.studio.client_updates import scene
from tarsus.studio.document import carriers, helpers
from tarsus.studio.messages import frame, shapes

ARM = """
add rod arm -length 1 -t .5 0 1
add revolute hinge -a world 0 0 1 -b arm -.5 0 0
add box tool -t 1 0 1 -size .1 .1 .1
add weld grip -a arm .5 0 0 -b tool 0 0 0
add box base -t 2 0 1
add weld bolt -a world 2 0 1 -b base 0 0 0
"""


def arm() -> Stage:
    stage = Stage()
    stage.run(ARM)
    return stage


def test_each_body_is_there_where_it_is() -> None:
    stage = arm()
    assert helpers(stage.document.description) == {"arm.hinge": "arm", "arm_fixed": "hinge"}
    assert {body.name for body in stage.machine.bodies()} == {"arm", "tool", "base"}
    stage.run(["advance 300"])
    names = [body.name for body in stage.machine.bodies()]
    poses = dict(zip(names, stage.machine.poses(), strict=True))
    # the tool is half a metre along the arm, as it was welded; the base is where it was
    along = poses["arm"] @ [0.5, 0, 0, 1]
    assert poses["tool"][:3, 3] == pytest.approx(along[:3])
    assert poses["base"][:3, 3] == pytest.approx([2, 0, 1]) and abs(along[2] - 1) > 0.1
    told = shapes(stage.machine, 1)["bodies"]
    assert {name: len(surfaces) for name, surfaces in told.items()} == dict.fromkeys(names, 1)
    assert len(frame(stage, 1.0)) > 12 * 4 * 3


def test_welds_are_joints_that_can_be_deleted() -> None:
    stage = arm()
    joints = {each["name"]: each for each in scene(stage)["joints"]}
    assert {name: (x["kind"], x["a"], x["b"]) for name, x in joints.items()} == {
        "hinge": ("revolute", "world", "arm"),
        "grip": ("weld", "arm", "tool"),
        "bolt": ("weld", "world", "base"),
    }
    kinds = {each["kind"]: each for each in scene(stage)["clusters"]}
    assert kinds["world"]["bodies"] == ["base"] and kinds["joint"]["bodies"] == ["arm", "tool"]
    stage.run(["delete grip bolt"])
    assert stage.machine.model.nv == 1 + 6 + 6


def test_what_is_welded_to_the_world_carries() -> None:
    stage = arm()
    stage.run(["add box load -size .1 .1 .1 -t 2 0 1.3", "advance 600"])
    assert stage.machine.pose("load")[2, 3] == pytest.approx(1.1, abs=1e-3)


def test_a_welded_body_is_set_copied_grabbed_and_taken_away() -> None:
    stage = arm()
    stage.run(["set tool -m 3", "duplicate tool spare -t 0 1 0", "grab tool 0 0 0 -to 1 0 2"])
    assert stage.machine.pose("spare")[:3, 3] == pytest.approx([1, 1, 1])
    stage.run(["release", "delete arm"])  # with its hinge, and what only carried it
    assert not carriers(stage.document.description)
    assert {body.name for body in stage.machine.bodies()} == {"tool", "base", "spare"}
    stage.run(["advance 10", "undo", "advance 10"])


@pytest.mark.parametrize(
    "line",
    [
        "set nobody -m 1",
        "add spring s -a nobody 0 0 0 -b arm 0 0 0 -stiffness 1",
        "set arm -t 0 0 0",
        "grab nobody 0 0 0",
        "delete arm_fixed",
        "set arm.hinge -m 1",
        "reach nobody 0 0 0",
        "explain",
        "pb",
    ],
)
def test_no_answer_has_a_name_that_nobody_gave(line: str) -> None:
    stage = arm()
    stage.run(["add box ball -t .5 0 3", "advance 10"])
    told = stage.do(line).text
    said = line.split()
    for name in helpers(stage.document.description):
        assert name in said or name not in told, told


def test_contacts_and_charts_are_of_bodies_that_people_know() -> None:
    stage = arm()
    stage.run(["advance 2000"])
    from tarsus.studio.appearance import arrows
    from tarsus.studio.messages import all_quantities

    known = {*stage.document.names}
    named, _ = arrows(stage)
    assert named and {each["name"] for each in named} <= known
    assert not {name for name in all_quantities(stage) if "arm.hinge" in name or "_fixed" in name}


def test_joints_that_repeat_others_are_shown_and_tried_again() -> None:
    stage = arm()
    answer = stage.do("add revolute again -a world 0 .3 1 -b arm -.5 .3 0")
    assert answer.ok and "again repeats" in answer.text and stage.machine.model.nv == 1
    told = scene(stage)
    shown = next(each for each in told["joints"] if each["name"] == "again")
    assert shown["amiss"] and np.reshape(shown["pose_a"], (4, 4))[:3, 3].tolist() == [0, 0.3, 1]
    assert any("again" in note for note in told["notes"])
    assert not stage.do("add box again").ok  # the name is taken
    before = stage.machine.pose("arm")
    stage.run(["delete hinge"])  # now it holds what the other one held
    assert stage.machine.model.nv == 1 and not stage.document.left_out
    assert stage.machine.pose("arm") == pytest.approx(before, abs=1e-9)
    stage.run(["undo", "delete again"])
    assert not stage.document.left_out and stage.machine.model.nv == 1


def test_joints_that_are_left_out_are_kept_in_files(tmp_path: object) -> None:
    stage = Stage(root=tmp_path)  # type: ignore[arg-type]
    stage.run(ARM)
    stage.run(["add revolute again -a world 0 .3 1 -b arm -.5 .3 0", "save a.json", "new"])
    assert not stage.document.left_out
    stage.run(["load a.json"])
    assert [loop.name for loop in stage.document.left_out] == ["again"]
    stage.run(["rename again twice", "rename arm bar"])
    (loop,) = stage.document.left_out
    assert (loop.name, loop.body_b) == ("twice", "bar")
