"""Lines that fail change nothing, a line is one step of undo, and numbers take effect."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from worlds import bits

from tarsus.parts.constraints import CONSTRAINTS
from tarsus.parts.forces import FORCES
from tarsus.studio import Stage


def machine() -> Stage:
    stage = Stage()
    stage.run(["add box a -t 0 0 1", "add rod b -t 0 .5 1"])
    stage.run(["add spring s -a a 0 0 0 -b b 0 0 0 -stiffness 10", "advance 20"])
    return stage


@pytest.mark.parametrize(
    "line",
    [
        "set a -m 3 -t x 0 0",
        "set s -on off -stiffness -1",
        "sb a -m 2 -if damping d -f nothing",
        "grab b 0 0 0 -k -5",
        "run tensegrity nothing=1",
        "bind s.target 1/0",
        "slider k s.stiffness 3 1",
    ],
)
def test_lines_that_fail_change_nothing(line: str) -> None:
    stage, other = machine(), machine()
    for each in (stage, other):
        each.run(["grab a 0 0 0 -to 0 0 2"])
    before = bits(stage)
    assert not stage.do(line).ok
    assert bits(stage) == before
    assert stage.held is not None
    for each in (stage, other):
        each.do("advance 50")
    assert stage.machine.q.tobytes() == other.machine.q.tobytes()


def test_a_script_is_done_whole_or_not_at_all(tmp_path: object) -> None:
    stage = Stage(root=str(tmp_path))
    (stage.root / "two.ves").write_text("add box x\nadvance 10\nadd box $name\n")
    before = bits(stage)
    answer = stage.do("run two.ves name=x")
    assert not answer.ok
    assert "two.ves, line 3, 'add box x'" in answer.text
    assert bits(stage) == before
    stage.run(["run two.ves name=y", "undo"])
    assert not stage.document.description.bodies
    stage.run(["redo"])
    assert [body.name for body in stage.document.description.bodies] == ["x", "y"]
    again = Stage()
    again.run(stage.take.script())
    assert bits(again)["document"] == bits(stage)["document"]


def test_a_line_is_one_step_of_undo() -> None:
    stage = machine()
    count = len(stage.edits)
    stage.run(["sb a -m 5 -t 0 0 2 -if gravity g"])
    assert len(stage.edits) == count + 1
    stage.run(["undo"])
    assert "a.g" not in stage.document.parts
    assert stage.machine.model.body("a").mass != 5.0


def test_numbers_of_parts_take_effect_and_come_back() -> None:
    stage = machine()
    handles = stage.machine.simulation.parts
    assert handles["s"].stiffness == 10.0
    for line, stiffness in (("set s -stiffness 70", 70.0), ("undo", 10.0), ("redo", 70.0)):
        stage.run([line])
        assert stage.machine.simulation.parts["s"].stiffness == stiffness
    stage.run(["set s -on off", "set s -stiffness 5"])
    assert not stage.machine.simulation.parts["s"].on
    stage.run(["undo 2"])
    assert stage.machine.simulation.parts["s"].on


def test_what_follows_time_goes_on_over_edits() -> None:
    plain, edited = (Stage() for _ in range(2))
    for stage in (plain, edited):
        stage.run(["ib a", "ilc a move_to_point", "bind a.end.target sin(3*t),0,t", "advance 300"])
    edited.run(["ib b", "sb b -t 9 9 9", "chart energy:total"])
    for stage in (plain, edited):
        stage.run(["advance 300"])
    here, there = (stage.machine.pose("a")[:3, 3] for stage in (plain, edited))
    assert np.abs(here - there).max() < 0.02
    assert here[2] == pytest.approx(0.6, abs=0.15)


@pytest.mark.parametrize(
    "line",
    ["run ../x.ves", "run /etc/passwd", "run .hidden.ves", "run a.py", "run missing.ves"],
)
def test_scripts_are_read_below_the_folder_only(line: str, tmp_path: object) -> None:
    assert not Stage(root=str(tmp_path)).do(line).ok


def test_scripts_with_values(tmp_path: object) -> None:
    stage = Stage(root=str(tmp_path))
    (stage.root / "leg.ves").write_text(
        "; default length=.5\nadd rod $name -length $length -t $x 0 ${2*length+.1}\n"
    )
    stage.run(["run leg.ves name=left x=1", "run leg.ves name=right x=-1 length=.7"])
    assert stage.machine.pose("left")[:3, 3] == pytest.approx([1, 0, 1.1])
    assert stage.machine.pose("right")[:3, 3] == pytest.approx([-1, 0, 1.5])
    for words, told in (
        ("x=1", "$name has no value"),
        ("name=a x=1 bogus=2", "has no $bogus"),
        ("name=a x", "must be name=value"),
        ("name=a;b x=1", "$x has no value"),
    ):
        answer = stage.do(f"run leg.ves {words}")
        assert not answer.ok
        assert told in answer.text
    (stage.root / "self.ves").write_text("run self.ves\n")
    assert "deep" in stage.do("run self.ves").text


PLACED = [
    name
    for name, kind in {**FORCES, **CONSTRAINTS}.items()
    if any(field.name == "where" for field in dataclasses.fields(kind))
]


@pytest.mark.parametrize("kind", PLACED)
def test_a_point_that_is_not_finite_is_refused_by_every_part(kind: str) -> None:
    stage = machine()
    before = bits(stage)
    assert not stage.do(f"add {kind} p -where a 0 0 -1e308").ok
    assert bits(stage) == before
