"""Wrong input to flows and to contact "event": refused by name, or told with what was before."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tarsus as ts

STRIKE = ts.guards.Height("ball")


def ball() -> ts.Model:
    builder = ts.Builder("ball").body("ball", 2.0, inertia=np.full(3, 0.01))
    builder.joint("fall", "prismatic", "world", "ball", axis="z")
    return builder.shape("ball", "sphere", (0.1,), role="collision").build()


def simulation(**options: Any) -> ts.Simulation:
    return ts.Simulation(ball(), **{"ground": ts.Ground(), "contact": "event", **options})


INTERACTIVE: dict[str, Callable[[ts.Simulation], object]] = {
    "reset": lambda sim: sim.reset([1.0]),
    "rollout": lambda sim: ts.rollout(sim, [1.0], torques=np.zeros((1, 3, 1))),
    "resume": lambda sim: sim.resume(Path("no") / "file.npz"),
}


@pytest.mark.parametrize("name", INTERACTIVE)
def test_what_makes_steps_of_dt_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"contact 'event' is for whole runs .*contact='exact'"):
        INTERACTIVE[name](simulation())


def test_there_is_no_motion_to_step_or_to_take_a_snapshot_of() -> None:
    sim = simulation()
    for ask in (sim.step, sim.snapshot):
        with pytest.raises(ValueError, match="contact 'event' is for whole runs"):
            ask()
    other = ts.Simulation(ball(), ground=ts.Ground())
    other.reset([1.0])
    with pytest.raises(ValueError, match="contact 'event' is for whole runs"):
        sim.restore(other.snapshot())


def test_constraints_are_diagnosed_all_the_same() -> None:
    sim = simulation(forces=[ts.forces.Spring("ball", ("world", (0, 0, 2.0)), 10.0, 1.0)])
    assert str(sim.diagnose([1.0])) == str(ts.Simulation(ball()).diagnose([1.0]))


@pytest.mark.parametrize(
    "option", [{"external": ts.Push("ball", (1, 0, 0))}, {"checkpoint": Path("run.npz")}]
)
def test_what_runs_do_not_know(option: dict[str, Any]) -> None:
    (name,) = option
    with pytest.raises(ValueError, match=rf"contact 'event' .*takes no {name}"):
        simulation().run([1.0], duration=0.1, **option)


def test_a_law_that_belongs_to_a_step() -> None:
    model = ball()
    law = ts.control.ImplicitPD(model, 10.0, 1.0)
    for controller in (law, ts.control.Cascade(lambda t, q, v: q, law, 0.1)):
        with pytest.raises(ValueError, match=r"ImplicitPD belong to a step.*use ts\.control\.PD"):
            simulation().run([1.0], duration=0.1, controller=controller)
    run = simulation().run([1.0], duration=0.1, controller=ts.control.PD(model, 10.0, 1.0))
    assert run.t[-1] == pytest.approx(0.1)


@pytest.mark.parametrize("name", ["rtol", "atol"])
@pytest.mark.parametrize("value", [-1e-9, 0.0, np.nan, np.inf])
def test_tolerances_are_positive(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        ts.contact.Event(**{name: value})
    with pytest.raises(ValueError, match=name):
        ts.flow(ball(), [1.0], duration=1.0, **{name: value})


FLOWS: dict[str, tuple[str, Callable[[], object]]] = {
    "q0": (
        r"q0 has shape \(2,\), must be \(1,\) or \(B, 1\)",
        lambda: ts.flow(ball(), [1.0, 2.0], duration=1.0),
    ),
    "v0": (
        r"v0 has shape \(3, 2\), must be \(1,\) or \(B, 1\)",
        lambda: ts.flow(ball(), [1.0], np.zeros((3, 2)), duration=1.0),
    ),
    "not finite": (
        "q0 has entries that are not finite",
        lambda: ts.flow(ball(), [np.nan], duration=1.0),
    ),
    "as many": (
        "q0 has 2 states and v0 3",
        lambda: ts.flow(ball(), np.ones((2, 1)), np.ones((3, 1)), duration=1.0),
    ),
    "tau": (
        r"tau has shape \(2,\)",
        lambda: ts.flow(ball(), [1.0], tau=[1.0, 2.0], duration=1.0),
    ),
    "tau as many": (
        r"tau has shape \(3, 1\), expected \(2, 1\)",
        lambda: ts.flow(ball(), np.ones((2, 1)), tau=np.zeros((3, 1)), duration=1.0),
    ),
    "duration": ("duration", lambda: ts.flow(ball(), [1.0], duration=-1.0)),
    "events": ("events", lambda: ts.flow(ball(), [1.0], duration=1.0, events=0)),
    "threads": ("threads", lambda: ts.flow(ball(), [1.0], duration=1.0, threads=-1)),
    "no phases": ("phases is empty", lambda: ts.flow([], [1.0], duration=1.0)),
    "two of a name": (
        "two phases are named 'phase'",
        lambda: ts.flow([ts.Phase(ball()), ts.Phase(ball())], [1.0], duration=1.0),
    ),
    "unknown phase": (
        "an exit of phase 'flight' leads to 'fligth', must be one of 'flight', or None",
        lambda: fall(ts.Exit(STRIKE, to="fligth")),
    ),
    "unknown joint": ("fal", lambda: fall(ts.Exit(ts.guards.JointPosition("fal")))),
    "unknown velocity": ("fal", lambda: fall(ts.Exit(ts.guards.JointVelocity("fal")))),
    "unknown frame": ("bal", lambda: fall(ts.Exit(ts.guards.Height("bal")))),
    "unknown place": ("bal", lambda: fall(ts.Exit(ts.guards.Distance("ball", "bal")))),
    "normal": ("normal is zero", lambda: fall(ts.Exit(ts.guards.Height("ball", normal=(0, 0, 0))))),
    "crossing": ("crossing is 'down', must be one of", lambda: ts.Exit(STRIKE, crossing="down")),
    "matrix": (
        r"matrix has shape \(1, 2\), must be \(n, 1\)",
        lambda: fall(ts.Exit(STRIKE, to="flight", reset=ts.resets.Linear([[1.0, 2.0]]))),
    ),
    "shift": (
        "shift",
        lambda: fall(ts.Exit(STRIKE, to="flight", reset=ts.resets.Linear([[1.0]], [1.0, 2.0]))),
    ),
    "sizes": (
        "leads to 'flight' with nq, nv = 2, 2, must be 1, 1: its resets do not fit",
        lambda: fall(ts.Exit(STRIKE, to="flight", reset=ts.resets.Linear([[1.0], [1.0]]))),
    ),
    "impact": ("has no constraints to fall onto", lambda: ts.resets.Impact(ball())),
    "size of a function": (
        "v of a reset",
        lambda: fall(ts.Exit(STRIKE, to="flight", reset=returning((q, np.zeros(2))))),
    ),
    "NaN of a function": (
        "q of a reset",
        lambda: fall(ts.Exit(STRIKE, to="flight", reset=returning(([np.nan], [0.0])))),
    ),
}
q = [0.5]


def fall(exit: ts.Exit) -> ts.Flowed:
    return ts.flow(ts.Phase(ball(), exit, name="flight"), [1.0], duration=1.0)


def returning(made: Any) -> ts.resets.Function:
    return ts.resets.Function(lambda t, q, v: made)


@pytest.mark.parametrize("name", FLOWS)
def test_wrong_input_to_a_flow(name: str) -> None:
    match, call = FLOWS[name]
    with pytest.raises(ValueError, match=match) as error:
        call()
    print(re.sub(r"\s+", " ", str(error.value)))


def test_what_is_no_guard_no_reset_no_phase() -> None:
    made: list[tuple[str, Callable[[], object]]] = [
        ("guard is", lambda: ts.Exit(1.0)),  # type: ignore[arg-type]
        ("reset has", lambda: ts.Exit(STRIKE, reset=[np.eye(1)])),  # type: ignore[list-item]
        ("when has", lambda: ts.Exit(STRIKE, when=[1.0])),  # type: ignore[list-item]
        ("exits has", lambda: ts.Phase(ball(), [STRIKE])),  # type: ignore[list-item]
        ("phases has", lambda: ts.flow([ball()], [1.0], duration=1.0)),  # type: ignore[list-item]
        ("function is", lambda: ts.guards.Function(1.0)),  # type: ignore[arg-type]
        ("function is", lambda: ts.resets.Function(1.0)),  # type: ignore[arg-type]
        ("controller is", lambda: ts.Phase(ball(), controller=1.0)),  # type: ignore[arg-type]
        ("must be .q, v.", lambda: fall(ts.Exit(STRIKE, to="flight", reset=returning(1.0)))),
    ]
    for match, call in made:
        with pytest.raises(TypeError, match=match):
            call()


def test_a_guard_that_is_no_number_ends_its_own_motion_only() -> None:
    """It is NaN below half a metre: told, with the state before; others of a batch go on."""
    guard = ts.guards.Function(lambda t, q, v: np.nan if q[0] < 0.5 else 1.0)
    phase = ts.Phase(ball(), ts.Exit(guard, name="never"))
    with pytest.raises(ts.FlowError, match="no finite value") as error:
        ts.flow(phase, [1.0], duration=1.0)
    kept = error.value.flowed
    assert 0.0 <= kept.t < 1.0 and np.isfinite(kept.q).all() and np.isfinite(kept.v).all()
    both = ts.flow(phase, [[1.0], [100.0]], duration=1.0)
    assert both.failed.tolist() == [True, False] and both.t[1] == 1.0
    assert both.ended[1] == "lasted as long as it should"


def test_errors_of_functions_are_their_own() -> None:
    def trouble(t: float, q: Any, v: Any) -> float:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fall(ts.Exit(ts.guards.Function(trouble)))
    with pytest.raises(TypeError):
        fall(ts.Exit(ts.guards.Function(lambda t, q, v: "x")))  # type: ignore[arg-type,return-value]


def test_contacts_that_cannot_slip_say_what_they_do_not_know() -> None:
    builder = ts.Builder("foot").body("foot", 1.0, inertia=(0.1, 0.1, 0.1))
    builder.joint("flight", "free", "world", "foot")
    builder.body("toe", 1.0, (0.1, 0.0, 0.0), (0.01, 0.01, 0.01))
    builder.joint("hinge", "revolute", "foot", "toe", axis="y", friction=5.0)
    builder.shape("foot", "sphere", (0.1,), role="collision")
    model = builder.build()
    q = model.neutral()
    q[2] = 0.1
    law = ts.contact.Event(slips=False)
    with pytest.raises(ts.SimulationError, match=r"slips=False no joint may .* dry friction"):
        ts.Simulation(model, ground=ts.Ground(), contact=law, dt=0.01).run(q, duration=0.1)
