"""Several things at once: one line, one step of undo."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus.studio import Stage

FOUR_BAR = """
add rod crank -length .35 -t .0599 0 .7644 -E .8192 0 -.5736 0 -touches off
add revolute pivot -a world 0 0 .6 -b crank -.175 0 0
add rod coupler -length 1 -t .5759 0 1.1336 -E .9778 0 -.2093 0 -touches off
add revolute pin -a crank .175 0 0 -b coupler -.5 0 0
add rod rocker -length .75 -t .966 0 .9691 -E .6418 0 .7668 0 -touches off
add revolute elbow -a coupler .5 0 0 -b rocker -.375 0 0
add revolute closure -a world .9 0 .6 -b rocker .375 0 0
add spring coil -a coupler 0 0 0 -b world 0 0 2 -stiffness 10
add box loose -t 4 0 1
"""


def four_bar() -> Stage:
    stage = Stage()
    stage.run(FOUR_BAR)
    return stage


def test_several_are_set_and_undone_together() -> None:
    stage = four_bar()
    edits = len(stage.edits)
    stage.run(["set crank rocker loose -color 1 0 0"])
    red = {shape.body for shape in stage.document.description.shapes if shape.color == (1, 0, 0, 1)}
    assert red == {"crank", "rocker", "loose"} and len(stage.edits) == edits + 1
    stage.run(["undo"])
    assert not any(shape.color for shape in stage.document.description.shapes)
    before = stage.document
    assert not stage.do("set crank loose -radius .05").ok  # a box has no radius: none is changed
    assert stage.document is before


def test_a_machine_that_is_moved_moves_as_it_did() -> None:
    """Also what holds it to the world goes along: pivots and the far end of its spring."""
    there, here = four_bar(), four_bar()
    for stage in (there, here):
        stage.run(["advance 150"])
    there.run(["move coupler -by 1 -2 .5", "advance 300"])
    here.run(["advance 300"])
    names = [body.name for body in here.machine.bodies()]
    for name, one, other in zip(names, here.machine.poses(), there.machine.poses(), strict=True):
        shift = [0, 0, 0] if name == "loose" else [1, -2, 0.5]
        assert other[:3, 3] == pytest.approx(one[:3, 3] + shift, abs=1e-9)
        assert other[:3, :3] == pytest.approx(one[:3, :3], abs=1e-9)
    there.run(["undo"])
    assert np.abs(there.machine.poses() - here.machine.poses()).max() < 1e-9


def test_several_are_copied_with_what_is_between_them() -> None:
    stage = four_bar()
    stage.run(["duplicate crank coupler rocker copy -t 0 2 0", "advance 200"])
    assert stage.machine.model.nv == 1 + 1 + 6
    assert stage.document.groups["copy"] == ("copy_crank", "copy_coupler", "copy_rocker")
    for name in ("crank", "coupler", "rocker"):
        here, there = stage.machine.pose(name), stage.machine.pose(f"copy_{name}")
        assert there[:3, 3] == pytest.approx(here[:3, 3] + [0, 2, 0], abs=1e-7)
    stage.run(["mirror loose copy more -plane x"])
    assert stage.machine.pose("more_loose")[0, 3] == pytest.approx(-4.0)


def test_groups_come_and_go_and_are_undone() -> None:
    stage = four_bar()
    q = stage.machine.q
    stage.run(["group bars crank rocker"])
    assert stage.document.groups == {"bars": ("crank", "rocker")}
    stage.run(["move bars -by 0 0 1", "rename crank first"])
    assert stage.document.groups == {"bars": ("first", "rocker")}
    stage.run(["group bars"])
    assert not stage.document.groups
    stage.run(["undo 4"])
    assert not stage.document.groups and np.array_equal(stage.machine.q, q)
    for line in ("group nobody", "group x nobody", "move nobody -by 0 0 1", "move crank"):
        assert not stage.do(line).ok
