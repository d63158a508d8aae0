"""Takes do all again to the same bits: the car's stunt, sessions by hand, anything that is said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worlds import bits

import tarsus as ts
from tarsus.studio import Stage


def same(stage: Stage, other: Stage) -> None:
    """Raise unless two stages have the same bits, but for how much can be undone."""
    one, two = bits(stage), bits(other)
    for key in ("document", "q", "v", "t"):
        assert one[key] == two[key], key
    assert [edit.line for edit in stage.edits] == [edit.line for edit in other.edits]


def replayed(stage: Stage) -> Stage:
    """Return a new stage that has done the take of another."""
    other = Stage(root=stage.root)
    other.run(stage.take.script())
    return other


def test_loads_of_the_car_at_rest() -> None:
    stage = Stage()
    stage.run(["run car height=0", "step 300"])
    loads = [
        stage.machine.simulation.parts[f"car.{name}"].force[2]
        for name in ("front_left", "front_right", "rear_left", "rear_right")
    ]
    assert loads == pytest.approx([4298.764, 4298.764, 5511.236, 5511.236], rel=1e-4)
    pose = stage.machine.pose("car")
    sinks = [-(pose[2, 3] + pose[2, 0] * x) for x in (1.95, -1.521)]
    assert sinks == pytest.approx([0.0859753, 0.1102247], rel=1e-4)
    assert np.arcsin(pose[2, 0]) == pytest.approx(0.0069863, rel=1e-4)


def test_the_stunt_is_a_take() -> None:
    stage = Stage()
    stage.run(["run stunt"])
    x = stage.machine.pose("car")[:3, 0]
    assert np.degrees(np.arctan2(x[1], x[0])) == pytest.approx(100.0, abs=1.0)
    assert "run" not in stage.take.script()
    same(stage, replayed(stage))


@pytest.mark.parametrize("accuracy", ["", "sacc -r 1e-10 -a 1e-11"])
def test_a_change_amid_a_run_is_two_runs(accuracy: str) -> None:
    """Rubber and a motor that is put off after 0.3 s, against two runs of a simulation."""
    stage = Stage()
    stage.run(["ib a", "ib b", "sb b -t 2 .3 0 -E 1 .2 0 0 -vr 1 0 2", "sb a -if motor m"])
    stage.run(["sf a m -f 1 2 0 .3 0 0 -t .1 0 .2", "ir r a b -k 5 -l 1 -lone .2 0 0"])
    stage.run([accuracy, "sstepsize .1", "step 3", "sb a -f m", "step 4"])
    integrator = ts.integrators.Adams(1e-10, 1e-11) if accuracy else "semi_implicit"
    parts = [part for name, part in stage.document.parts.items() if name != "a.m"]
    motor = stage.document.parts["a.m"]
    model, q, v = stage.machine.model, None, None
    start = Stage()
    start.run(["ib a", "ib b", "sb b -t 2 .3 0 -E 1 .2 0 0 -vr 1 0 2"])
    q, v = start.machine.q, start.machine.v
    for duration, forces in ((0.3, [*parts, motor]), (0.4, parts)):
        run = ts.Simulation(model, forces=forces, integrator=integrator).run(
            q, v, duration=duration
        )
        q, v = run.q[-1], run.v[-1]
    assert stage.t == pytest.approx(0.7, abs=1e-12)
    assert stage.machine.q == pytest.approx(q, abs=1e-8 if accuracy else 1e-13)
    assert stage.machine.v == pytest.approx(v, abs=1e-8 if accuracy else 1e-13)


def test_a_session_by_hand_and_by_console() -> None:
    """Build, freeze, wire, run, unpost, wire again, grab and drag, turn a knob."""
    hand = Stage()
    hand.add("rod", "a", length=1, t=(0, 0, 1))
    hand.add("rod", "b", length=1, t=(0, 0.5, 1))
    hand.pause()
    hand.add("rubber", "r1", a=("a", 0.5, 0, 0), b=("b", 0.5, 0, 0), stiffness=30, rest_length=0.2)
    hand.add("rubber", "r2", a=("a", -0.5, 0, 0), b=("b", 0.5, 0, 0), stiffness=30)
    hand.step(6)
    hand.delete("r2")
    hand.add("rubber", "r2", a=("a", -0.5, 0, 0), b=("b", -0.5, 0, 0), stiffness=30)
    hand.advance(70)
    hand.grab("a", 0.5, 0, 0, to=(0.5, 0, 1.5))
    for k in range(5):
        hand.drag(0.5, 0.1 * k, 1.5)
        hand.advance(10)
    hand.release()
    hand.slider("knob", "r1.stiffness", 1, 100)
    for stiffness in (20, 40, 60.5):
        hand.set("r1", stiffness=stiffness)
        hand.step(1)
    console = Stage()
    console.run(
        """
        add rod a -length 1 -t 0 0 1
        add rod b -length 1 -t 0 .5 1
        pause
        add rubber r1 -a a .5 0 0 -b b .5 0 0 -stiffness 30 -rest_length .2
        add rubber r2 -a a -.5 0 0 -b b .5 0 0 -stiffness 30
        step 6
        delete r2
        add rubber r2 -a a -.5 0 0 -b b -.5 0 0 -stiffness 30
        advance 70
        grab a .5 0 0 -to .5 0 1.5
        drag .5 0 1.5
        advance 10
        drag .5 .1 1.5
        advance 10
        drag .5 .2 1.5
        advance 10
        drag .5 0.30000000000000004 1.5   ; as Python multiplies
        advance 10
        drag .5 .4 1.5
        advance 10
        release
        slider knob r1.stiffness 1 100
        set r1 -stiffness 20
        step 1
        set r1 -stiffness 40
        step 1
        set r1 -stiffness 60.5
        step 1
        """
    )
    same(hand, console)
    same(hand, replayed(hand))
    assert len(hand.recording.moments) == len(console.recording.moments)
    for one, two in zip(hand.recording.moments, console.recording.moments, strict=True):
        assert one.q.tobytes() == two.q.tobytes()


NAMES = st.sampled_from(["a", "b", "c"])
PARTS = st.sampled_from(["p", "r"])
NUMBER = st.sampled_from(["0", ".1", "-.3", "1", "2.5"])
POINT = st.tuples(NUMBER, NUMBER, NUMBER).map(" ".join)
STEPS = st.integers(1, 25)


def line(*parts: str | st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return a strategy for lines of words, some of which vary."""
    return st.tuples(*(st.just(x) if isinstance(x, str) else x for x in parts)).map(" ".join)


LINES = st.one_of(
    line("add box", NAMES, "-size .3 .2 .1 -t", POINT),
    line("add rod", NAMES, "-length .6 -t", POINT, "-touches off"),
    line("add sphere", NAMES, "-radius .1 -t", POINT),
    line("add revolute j -a", NAMES, POINT, "-b", NAMES, POINT),
    line("add spherical k -a world", POINT, "-b", NAMES, "0 0 0"),
    line("add spring", PARTS, "-a", NAMES, "0 0 0 -b", NAMES, "0 0 .1 -stiffness 20"),
    line("add nail", PARTS, "-where", NAMES, "0 0 .1"),
    line("set", NAMES, "-vl", POINT),
    line("set", NAMES, "-m", NUMBER),
    line("set", PARTS, "-stiffness", NUMBER),
    line("set", PARTS, "-on", st.sampled_from(["on", "off"])),
    line("set j -q", NUMBER),
    line("set ground -friction", NUMBER),
    line("set world -dt", st.sampled_from([".001", ".002", ".0015"])),
    line("bind p.target", st.sampled_from(["1 + sin(5*t)", ""])),
    line("slider s", PARTS.map(lambda name: f"{name}.stiffness"), "1 9"),
    line("delete", st.one_of(NAMES, PARTS, st.just("j"))),
    line("rename", NAMES, NAMES),
    line("duplicate", NAMES, NAMES, "-t", POINT),
    line("mirror", NAMES, NAMES, "-plane", st.sampled_from("xyz"), "-at", NUMBER),
    line("group g", NAMES),
    line("chart energy:total"),
    line("show velocities on"),
    line("grab", NAMES, "0 0 0 -to", POINT),
    line("drag", POINT),
    line("release"),
    line("pin", NAMES, "0 0 0"),
    line("ib", NAMES),
    line("il", NAMES, NAMES),
    line("sl", NAMES, NAMES, "-djt", POINT, "-q", NUMBER),
    line("sb", NAMES, "-if", st.sampled_from(["gravity", "damping", "brake"]), "f"),
    line("sb", NAMES, "-f f"),
    line("ilc", NAMES, st.sampled_from(["nail", "free", "move_to_point"])),
    line("ir r", NAMES, NAMES, "-k 9"),
    line("stime", NUMBER),
    line("sstepsize", st.sampled_from([".03", ".02"])),
    line("step 1"),
    line("undo"),
    line("undo"),
    line("redo"),
    line("rewind", NUMBER),
    line("restart"),
    line("assemble"),
    line("play"),
    line("pause"),
    line("new"),
    STEPS.map(lambda count: f"advance {count}"),
    STEPS.map(lambda count: f"(clock) {count}"),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(LINES, min_size=4, max_size=25))
def test_any_take_does_the_same_again(lines: list[str]) -> None:
    stage = Stage()
    stage.run(["add box a -t 0 0 .3", "add rod b -t .2 .4 .6"])
    for each in lines:
        if each.startswith("(clock)"):
            try:
                stage.advance(int(each.split()[1]))
            except Exception:  # what diverges stays where it was
                continue
        else:
            stage.do(each)
    same(stage, replayed(stage))
