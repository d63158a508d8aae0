"""A take is a script, and a script does it all again to the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from test_building import four_bar

from tarsus.studio import LineError, Stage


def test_a_take_replays_to_the_same_bits() -> None:
    stage = four_bar()
    stage.run(
        "advance 500\nadd spring coil -a world 0 0 2 -b crank .5 0 0 -stiffness 50\nadvance 333\n"
        "grab rocker .5 0 0 -to 3 0 3\nadvance 100\ndrag 3 1 3\nadvance 77\nrelease\n"
        "set coil -stiffness 90\nadvance 200\ndelete C\nadvance 100\nundo\nadvance 100\nrewind .9\n"
        "advance 50"
    )
    again = Stage()
    again.run(stage.take.script())
    assert np.array_equal(again.machine.q, stage.machine.q)
    assert np.array_equal(again.machine.v, stage.machine.v)
    assert again.t == stage.t and list(again.document.parts) == list(stage.document.parts)
    assert again.take.script() == stage.take.script()


def test_steps_may_be_cut_anywhere() -> None:
    whole, pieces = four_bar(), four_bar()
    whole.do("advance 400")
    for count in (1, 16, 17, 100, 266):
        pieces.do(f"advance {count}")
    assert np.array_equal(whole.machine.q, pieces.machine.q)


def test_a_script_that_fails_says_where() -> None:
    with pytest.raises(LineError, match=r"line 3.*there is no command 'nonsense'"):
        Stage().run("add box a\n; a comment\nnonsense")


def test_parts_that_fly_together_are_in_the_take() -> None:
    stage = Stage()
    stage.run("set ground -on off\nadd box a -t 0 0 1\nadd box b -t 1 0 1.5\nplay\n")
    stage.do("add spherical ball -a a .2 0 0 -b b -.2 0 0")
    stage.do("advance 1200")
    again = Stage()
    again.run(stage.take.script())
    assert stage.machine.model.nv == again.machine.model.nv == 9
    assert np.array_equal(again.machine.q, stage.machine.q)


def test_back_and_forth() -> None:
    stage = four_bar()
    stage.run("advance 1000\nlook .5")
    assert stage.looking is not None and stage.looking.t <= 0.5
    now = stage.machine.q
    stage.do("rewind .5")
    assert stage.t == stage.recording.span[1] and not np.array_equal(stage.machine.q, now)
    stage.do("restart")
    assert stage.t == 0.0
