"""Wires hang as chains do, hold what is tied to them, and push nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from tarsus.studio import Stage
from tarsus.studio.wires import arc


@pytest.mark.parametrize("level", [False, True])
@pytest.mark.parametrize("length", [1.0, 1.2, 3.0])
def test_an_arc_is_as_long_as_the_wire(length: float, level: bool) -> None:
    start, end = np.array([0.2, 0.1, 1.0]), np.array([1.0, 0.1, 1.6])
    points = arc(start, end, length, 9, level=level)
    assert points[0] == pytest.approx(start) and points[-1] == pytest.approx(end, abs=1e-9)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert steps == pytest.approx(np.full(9, length / 9))
    if length > 1.0 and not level:
        straight = start + np.linspace(0, 1, 10)[:, None] * (end - start)
        assert (points[1:-1, 2] < straight[1:-1, 2]).all()


def test_a_wire_between_two_poles_is_a_catenary() -> None:
    span, length, count = 1.0, 1.5, 20
    stage = Stage()
    stage.run(
        f"add wire rope -a world 0 0 2 -b world {span} 0 2 -length {length} -links {count}\n"
        "set world -dt .002"
    )
    balls = " ".join(f"rope_{k}_ball" for k in range(2, count))
    stage.run([f"set {balls} -damping .004 .004 .004"])
    stage.run(["advance 1500"])
    # y = a cosh(x / a), with 2 a sinh(d / 2 a) = L
    a = brentq(lambda a: 2 * a * np.sinh(span / 2 / a) - length, 0.05, 10)
    sag = a * (np.cosh(span / 2 / a) - 1)
    low = (stage.machine.pose("rope_11")[:3, 3])[2]
    print(2 - low, sag, np.abs(stage.machine.v).max())
    assert 2 - low == pytest.approx(sag, rel=0.02)
    assert low == pytest.approx(min(stage.machine.pose(f"rope_{k}")[2, 3] for k in range(1, 21)))


def test_a_can_is_drawn_along() -> None:
    """A car that drives off takes the can with it as soon as the wire is straight."""
    stage = Stage()
    stage.run(
        "add box car -size .8 .4 .2 -t 0 0 .1 -m 20\n"
        "add wheel can -radius .06 -width .12 -t -1.2 0 .06\n"
        "add wire tow -a car -.4 0 0 -b can 0 0 0 -links 6\n"
        "advance 300"
    )
    assert set(stage.document.groups["tow"]) == {f"tow_{k}" for k in range(1, 7)}
    assert abs(stage.machine.pose("can")[0, 3] + 1.2) < 0.05  # it pushes nothing
    stage.run(["set car -vl 3 0 0", "set ground -friction 0", "advance 700"])
    hook = (stage.machine.pose("car") @ [-0.4, 0, 0, 1])[:3]
    far = np.linalg.norm(hook - stage.machine.pose("can")[:3, 3])
    assert stage.machine.pose("can")[0, 3] > -1.0 and far < 0.88 * (1 + 1e-6)


def test_ends_that_are_free_and_links_that_go() -> None:
    stage = Stage()
    stage.run(["add wire one -a world 0 0 2 -b world .5 0 2 -free b -links 4"])
    assert stage.machine.model.nv == 3 * 4
    stage.run(["add wire two -a world 0 1 2 -b world .5 1 2 -free both -links 4"])
    assert stage.machine.model.nv == 3 * 4 + 6 + 3 * 3
    stage.run(["delete one_2"])  # cut through: what is below falls
    assert stage.machine.model.nv == 3 + 6 + 3 + 6 + 3 * 3
    stage.run(["advance 400"])
    assert stage.machine.pose("one_3")[2, 3] < 2 - 0.5 * 9.81 * 0.16 + 0.2
    stage.run(["undo"])
    assert "one_2" in stage.document.names


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ("-a world 0 0 1", "-b"),
        ("-a world 0 0 1 -b world 1 0 1 -length .5", "-length"),
        ("-a world 0 0 1 -b world 0 0 1", "-length"),
        ("-a world 0 0 1 -b world 1 0 1 -links 2.5", "-links"),
        ("-a world 0 0 1 -b world 1 0 1 -links 1000", "-links"),
        ("-a world 0 0 1 -b world 1 0 1 -radius 0", "-radius"),
        ("-a world 0 0 1 -b world 1 0 1 -free c", "-free"),
        ("-a nobody 0 0 1 -b world 1 0 1", "-a"),
    ],
)
def test_wrong_wires_name_the_option(options: str, field: str) -> None:
    stage = Stage()
    answer = stage.do(f"add wire w {options}")
    assert not answer.ok and answer.field == field and not stage.document.description.bodies
