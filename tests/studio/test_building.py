"""Machines built by lines are those of textbooks, and edits while they move lose nothing."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from tarsus import studio
from tarsus.studio import LineError, Stage

FOUR_BAR = """
set ground -on off
add rod crank -length 1 -radius 1e-5 -m 1 -t {crank}
add rod coupler -length 3 -radius 1e-5 -m 3 -t {coupler}
add rod rocker -length 2.5 -radius 1e-5 -m 2.5 -t {rocker}
add revolute A -a world 0 0 0 -b crank -.5 0 0 -axis 0 -1 0
add revolute B -a crank .5 0 0 -b coupler -1.5 0 0 -axis 0 -1 0
add revolute D -a world 3 0 0 -b rocker -1.25 0 0 -axis 0 -1 0
add revolute C -a coupler 1.5 0 0 -b rocker 1.25 0 0 -axis 0 -1 0
"""


def turned(length: float, start: tuple[float, float], angle: float) -> str:
    """Return where a rod is that begins at a point of the plane, as options of a line."""
    x = start[0] + length / 2 * math.cos(angle)
    z = start[1] + length / 2 * math.sin(angle)
    return f"{x!r} 0 {z!r} -E {math.cos(angle / 2)!r} 0 {-math.sin(angle / 2)!r} 0"


def four_bar() -> Stage:
    """Return the four-bar of Schröder's kind: crank 1, coupler 3, rocker 2.5, ground 3."""
    first, second, third = math.radians(60), 0.57596113, 1.56439322
    stage = Stage()
    elbow = math.cos(first), math.sin(first)
    places = {
        "crank": turned(1.0, (0.0, 0.0), first),
        "coupler": turned(3.0, elbow, second),
        "rocker": turned(2.5, (3.0, 0.0), third),
    }
    stage.run(FOUR_BAR.format(**places))
    return stage


def test_a_four_bar_falls_as_the_textbook_says() -> None:
    """Crank at 60°, thin rods, mass = length: its acceleration from an independent solution."""
    stage = four_bar()
    model = stage.machine.model
    assert model.nv == 1 and len(model.clusters) == 1
    a = model.forward_dynamics(stage.machine.q, stage.machine.v, np.zeros(1))
    rate = model.joint_velocities(stage.machine.q, np.ones(1))
    print(a, rate, "should be -4.21880112 of the crank")
    assert abs(abs(a[0] * rate[0]) - 4.21880112) < 1e-6


def test_edits_while_it_moves_keep_poses_and_speeds() -> None:
    stage = four_bar()
    stage.advance(700)
    before = stage.machine.poses()
    speeds = [
        stage.machine.model.frame_velocity(stage.machine.q, stage.machine.v, x)
        for x in ["crank", "rocker"]
    ]
    stage.add("box", "load", size=(0.1, 0.1, 0.1), t=(0, 2, 1))
    stage.add("spring", "coil", a=("world", 0, 0, 3), b=("coupler", 0, 0, 0), stiffness=10)
    stage.set("rocker", m=5)
    after = stage.machine.poses()[:3]
    assert np.abs(before - after).max() < 1e-12
    for name, speed in zip(("crank", "rocker"), speeds, strict=True):
        now = stage.machine.model.frame_velocity(stage.machine.q, stage.machine.v, name)
        assert np.abs(now - speed).max() < 1e-9
    assert stage.t == pytest.approx(0.7)


def test_undo_brings_back_the_bits() -> None:
    stage = four_bar()
    stage.advance(100)
    q, v = stage.machine.q, stage.machine.v
    stage.delete("C")
    assert stage.machine.model.nv == 3
    assert stage.do("undo").ok
    assert np.array_equal(stage.machine.q, q) and np.array_equal(stage.machine.v, v)
    assert stage.machine.model.nv == 1
    assert stage.do("redo").ok and stage.machine.model.nv == 3
    stage.advance(50)
    assert stage.do("undo").ok  # steps were made since: the state is carried over
    assert stage.machine.model.nv == 1
    assert np.abs(stage.machine.model.loop_gaps(stage.machine.q)).max() < 1e-10


@pytest.mark.parametrize(
    ("line", "field", "told"),
    [
        ("add box x -size 1 2", "-size", "3 numbers"),
        ("add box x -size 1 2 zero", "-size", "no number"),
        ("add box x -size 1 2 -3", "-size", "positive"),
        ("add box crank", "NAME", "already"),
        ("add bxo x", "KIND", "box"),
        ("add spring s -a foo 0 0 0 -b crank -stiffness 1", "-a", "crank"),
        ("add spring s -a world 0 0 0 -b crank", "-stiffness", "missing"),
        ("add spring s -a world 0 0 0 -b crank -stiffness -1", "", "stiffness"),
        ("add revolute r -a crank 0 0 0 -b crank 0 0 1", "-b", "two bodies"),
        ("set nobody -m 1", "NAME", "crank"),
        ("set crank -m nan", "-m", "finite"),
        ("set crank -colour 1 0 0", "-colour", "-color"),
        ("delete nothing", "NAME", "crank"),
        ("fly away", "", "no command"),
        ("drag 0 0 0", "", "holds nothing"),
        ('add box "unfinished', "", "cannot be read"),
        ("advance -3", "N", "whole number"),
        ("bind coil.target t", "TARGET", "coil"),
        ("chart q:nothing", "QUANTITY", "q:A"),
    ],
)
def test_a_line_that_fails_names_the_word_and_changes_nothing(
    line: str, field: str, told: str
) -> None:
    stage = four_bar()
    stage.advance(10)
    document, q, v, t = stage.document, stage.machine.q, stage.machine.v, stage.t
    script, edits = stage.take.script(), len(stage.edits)
    answer = stage.do(line)
    print(answer)
    assert not answer.ok and answer.field == field and told in answer.text
    assert stage.document is document and stage.t == t
    assert np.array_equal(stage.machine.q, q) and np.array_equal(stage.machine.v, v)
    assert stage.take.script() == script and len(stage.edits) == edits


def test_verbs_of_python_are_lines_and_raise() -> None:
    stage = Stage()
    stage.add("box", "plank", size=(1, 0.2, 0.05), t=(0, 0, 1))
    assert "add box plank -size 1 0.2 0.05 -t 0 0 1" in stage.take.script()
    with pytest.raises(LineError, match="already") as caught:
        stage.add("box", "plank")
    assert caught.value.field == "NAME"
    with pytest.raises(AttributeError, match="advance"):
        stage.advnace(3)


def test_loose_parts_fly_together_and_become_a_tree() -> None:
    """Inner forces change no momentum; where parts are joined, the last gap turns them a little."""
    stage = Stage()
    stage.run(
        "set ground -on off\nset world -gravity 0 0 0\n"
        "add rod heavy -length 1 -m 5 -t 0 0 1\nadd rod light -length 1 -m 1 -t 1.3 .2 1.4\nplay"
    )

    def moved() -> tuple[float, float]:
        model, q, v = stage.machine.model, stage.machine.q, stage.machine.v
        momentum = model.centroidal_momentum(q, v)[:3]
        return float(np.abs(model.center_of_mass(q) - center).max()), float(np.abs(momentum).max())

    center = stage.machine.model.center_of_mass(stage.machine.q)
    answer = stage.do("add revolute knee -a heavy .5 0 0 -b light -.5 0 0 -axis 0 1 0")
    assert answer.ok and "pulls" in answer.text and stage.machine.model.nv == 12
    flying = []
    while stage.machine.model.nv == 12 and stage.t < 1.5:
        flying.append(moved())
        stage.advance(16)
    print(f"flying {np.max(flying, axis=0)}, joined {moved()} [m, N s]")
    assert len(flying) > 10 and np.max(flying) < 1e-12
    assert any("joined: knee" in each for each in stage.told)
    assert stage.machine.model.nv == 7
    assert stage.edits[-1].line.startswith("add revolute knee")
    # gaps of TOUCHING, 1e-3 rad, turn what moves at 0.4 m/s, with its speed in its own axes
    assert moved()[0] < 1e-5 and moved()[1] < 1e-3


def test_a_floating_linkage_is_hung_on_its_best_root() -> None:
    stage = Stage()
    stage.run(
        "set ground -on off\nadd rod a -length 1 -t 0 0 1\nadd rod b -length 1 -t 1 0 1\n"
        "add revolute knee -a a .5 0 0 -b b -.5 0 0 -axis 0 1 0\n"
        "add revolute hip -a world 1.5 0 1 -b b .5 0 0 -axis 0 1 0"
    )
    assert stage.machine.model.nv == 2 and not stage.machine.model.constraints


def test_contradictions_are_told_where_they_are() -> None:
    stage = four_bar()
    answer = stage.do("add distance strut -a crank -.5 0 0 -b rocker -1.25 0 0 -length 4")
    print(answer)
    assert not answer.ok and "strut" in answer.text
    stage.do("pin coupler 0 0 0")
    stage.do("pin coupler .5 0 0")
    from tarsus.studio.client_updates import notes

    print(notes(stage))
    assert any("redundant" in note for note in notes(stage))


def test_parts_that_meet_within_each_other_fly_together() -> None:
    """A wire ends in the middle of a can: they touched, and so were kept apart for ever."""
    stage = Stage()
    stage.run(
        "add box car -size .8 .4 .2 -t 0 0 .25 -m 20\nadd nail held -where car 0 0 0\n"
        "add rod wire -length .4 -radius .008 -t -.9 0 .3\n"
        "add wheel can -radius .06 -width .12 -t -1.6 0 .2\n"
        "add spherical hook -a car -.4 0 0 -b wire .2 0 0 -fly on\n"
        "add spherical ring -a wire -.2 0 0 -b can 0 0 0 -fly on\nadvance 1500"
    )
    assert stage.told == ["joined: hook", "joined: ring"]
    assert stage.machine.model.nv == 6 + 3 + 3
    ends = stage.machine.pose("wire") @ [-0.2, 0, 0, 1], stage.machine.pose("can")[:, 3]
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def test_what_lies_on_something_stays_there_when_it_is_edited() -> None:
    """What rests is a billionth of a metre in what it rests on, and must not fall through it."""
    stage = Stage()
    for name, x, y in (("a", 0.0, 0.0), ("b", 0.4, 0.0), ("c", 0.2, 0.3)):
        stage.run(f"add sphere {name} -radius .1 -t {x} {y} .5")
        stage.run(f"add nail nail_{name} -where {name} 0 0 0 -pose on")
    stage.run("add plate plate -size .8 .8 .04 -m 4 -t .2 .1 .63\nadvance 1000")
    stage.run("set plate -m 5\nadvance 300")
    assert stage.machine.pose("plate")[2, 3] == pytest.approx(0.62, abs=1e-4)
    assert not stage.machine.passing


@pytest.mark.parametrize("name", ["PENDULUM", "FOUR_BAR"])
def test_what_the_first_page_invites_to_can_be_built(name: str) -> None:
    page = Path(studio.__file__).parent / "page" / "welcome.js"
    block = re.search(rf"const {name} = \[(.*?)\n\]", page.read_text(), re.DOTALL)
    assert block is not None
    stage = Stage()
    for line in re.findall(r'"(.*)"', block[1]):
        told = stage.do(line)
        assert told.ok, f"{line}: {told.text}"
    assert stage.machine.model.nv == 1
