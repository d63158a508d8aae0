"""Curves that are drawn: what they are between points, what follows them, and that it replays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator
from worlds import bits

from tarsus.studio import Stage
from tarsus.studio.autosave import Autosave
from tarsus.studio.bindings import plan_of

POINTS = [(0.0, 0.1), (0.4, 0.5), (0.5, 0.45), (1.3, -0.2), (2.0, 0.1)]
AT = np.linspace(-1.5, 5.0, 1301)
ARM = """set ground -on off
add rod arm -length 1 -t .5 0 1
add revolute hinge -a world 0 0 1 -b arm -.5 0 0 -axis 0 1 0
"""


def expression(name: str, points: list[tuple[float, float]] = POINTS) -> str:
    return f"{name}(t, {', '.join(f'{t!r}, {x!r}' for t, x in points)})"


def seen(name: str) -> np.ndarray:
    plan = plan_of(expression(name))
    return np.array([plan(float(t)) for t in AT])


def test_straight_curves_are_those_of_numpy() -> None:
    t, x = np.array(POINTS).T
    np.testing.assert_allclose(seen("linear"), np.interp(AT, t, x), atol=1e-14)
    np.testing.assert_allclose(seen("linear_cycle"), np.interp(AT, t, x, period=2.0), atol=1e-13)


def test_smooth_curves_are_those_of_scipy() -> None:
    """Level beyond their ends; cycles are the same points again and again."""
    t, x = np.array(POINTS).T
    level = PchipInterpolator([-9, *t, 9], [x[0], *x, x[-1]])
    np.testing.assert_allclose(seen("smooth"), level(AT), atol=1e-13)
    tiled = np.concatenate([t[:-1] + 2.0 * k for k in range(-3, 5)])
    again = PchipInterpolator(tiled, np.tile(x[:-1], 8))
    np.testing.assert_allclose(seen("smooth_cycle"), again(AT), atol=1e-13)


def test_smooth_curves_never_overshoot() -> None:
    for values in np.random.default_rng(3).normal(size=(20, 6)):
        points = list(zip(np.cumsum(0.1 + abs(values)).tolist(), values.tolist(), strict=True))
        plan = plan_of(expression("smooth", points))
        found = [plan(t) for t in np.linspace(points[0][0], points[-1][0], 500)]
        assert min(values) - 1e-12 <= min(found) and max(found) <= max(values) + 1e-12


WRONG = {
    "smooth(t)": "times and values",
    "smooth(t, 0, 1)": "times and values",
    "linear(t, 0, 1, 2)": "times and values",
    "linear(t, 0, 0, 0, 1)": "must rise",
    "smooth(t, 1, 0, .5, 1)": "must rise",
    "smooth_cycle(t, 0, 0, 1, 1)": "end where it begins",
    "smooth(t, 0, t, 1, 1)": "must be a number",
    "smoth(t, 0, 0, 1, 1)": "smooth",
    "along(wire, t)": "no path",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_curves_are_told(text: str) -> None:
    stage = Stage()
    stage.run(f"{ARM}add nail n -where arm .5 0 0\nadd joint_motion drive -joint hinge")
    target = "n.target" if "along" in text else "drive.target"
    answer = stage.do(f"bind {target} {text}")
    assert not answer.ok and WRONG[text] in answer.text and answer.field == "EXPRESSION"
    assert not stage.document.bindings


def test_a_joint_goes_as_the_curve_and_replays_to_the_same_bits(tmp_path: Path) -> None:
    stage = Stage()
    stage.run(f"{ARM}add joint_motion drive -joint hinge -target 0")
    stage.run(f"bind drive.target {expression('smooth_cycle')}\nset drive -time_constant 0")
    stage.run("chart q:hinge\nadvance 3000")
    t, x = np.array(POINTS).T
    tiled = np.concatenate([t[:-1] + 2.0 * k for k in range(-2, 4)])
    again = PchipInterpolator(tiled, np.tile(x[:-1], 6))
    late = [moment for moment in stage.recording.moments if moment.t > 1.0]
    error = max(abs(moment.values["q:hinge"] - float(again(moment.t))) for moment in late)
    print("off by", error)
    assert error < 2e-3  # a step of 1 ms at 2 rad/s
    twin = Stage()
    twin.run(stage.take.script())
    assert bits(twin) == bits(stage)
    stage.do("undo")
    stage.do("undo")
    assert not stage.document.bindings
    stage.do("redo")
    assert stage.document.bindings["drive.target"].startswith("smooth_cycle(t, ")
    stage.root = tmp_path
    stage.do("save scene.json")
    read = Stage(root=tmp_path)
    read.do("load scene.json")
    assert read.document.bindings == stage.document.bindings


SPRUNG = """add sphere ball -radius .1 -t 0 0 1 -m 2
set ground -on off
add spring coil -a world 0 0 2 -b ball 0 0 0 -stiffness 50
"""


def test_a_knob_follows_a_curve_sixty_times_a_second(tmp_path: Path) -> None:
    stage = Stage()
    stage.run(f"{SPRUNG}bind coil.stiffness linear(t, 0, 50, 1, 150)")
    handle = lambda: stage.machine.simulation.parts["coil"].stiffness  # noqa: E731
    for steps in (1, 7, 300, 500):
        stage.advance(steps)
        assert handle() == pytest.approx(50 + 100 * stage.t, abs=100 / 58)
    stage.advance(1000)
    assert handle() == 150.0
    twin = Stage()
    twin.run(stage.take.script())
    assert bits(twin) == bits(stage)
    stage.do("bind coil.stiffness")
    assert handle() == 50.0  # as it was stated


def test_a_knob_goes_on_after_a_crash_to_the_same_bits(tmp_path: Path) -> None:
    stage = Stage()
    stage.run(f"{SPRUNG}bind coil.stiffness 50+30*sin(5*t)\nadvance 123")
    Autosave(stage, tmp_path).close()
    other = Stage()
    Autosave(other, tmp_path).close()
    for each in (stage, other):
        each.run("advance 200")
    assert bits(other) == bits(stage)


def test_a_number_that_becomes_wrong_stops_the_motion_and_is_told() -> None:
    stage = Stage()
    stage.run(f"{SPRUNG}bind coil.stiffness 50-100*t")
    answer = stage.do("advance 1000")
    assert not answer.ok and "stiffness" in answer.text and "coil" in answer.text


@pytest.mark.parametrize("target", ["coil.nothing", "ball.m", "world.gravity.z", "coil", "coil.a"])
def test_what_cannot_be_bound_is_refused(target: str) -> None:
    stage = Stage()
    stage.run(SPRUNG)
    answer = stage.do(f"bind {target} t")
    assert not answer.ok and answer.field in ("TARGET", "EXPRESSION")


@pytest.mark.parametrize("closed", ["off", "on"])
def test_a_body_is_led_along_a_path(closed: str) -> None:
    """The way is SciPy's spline through the points, by the lengths between them."""
    turns = np.array([0.0, 0.7, 1.6, 2.4, 3.5, 4.6, 5.4])
    points = np.stack([np.cos(turns), 1.2 * np.sin(turns), 1 + 0.2 * np.sin(2 * turns)], axis=1)
    numbers = " ".join(str(x) for x in points.ravel())
    stage = Stage()
    stage.run(
        "set ground -on off\nadd sphere bead -radius .05 -t 1 0 1\n"
        f"add point_on_path wire -where bead 0 0 0 -closed {closed} -path {numbers}\n"
        "set wire -on off\nadd nail lead -where bead 0 0 0 -target 1 0 1\n"
        "bind lead.target along(wire, smooth(t, 0, 0, 2, .8))\nset lead -time_constant 0"
    )
    stage.do("advance 2500")
    knots = np.vstack([points, points[:1]]) if closed == "on" else points
    at = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(knots, axis=0), axis=1))])
    spline = CubicSpline(at, knots, bc_type="periodic" if closed == "on" else "natural")
    np.testing.assert_allclose(stage.machine.pose("bead")[:3, 3], spline(0.8 * at[-1]), atol=1e-6)
