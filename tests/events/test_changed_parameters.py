"""Machines whose parameters are changed move as derivatives of flows foresee."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.events.phase import changed_phases
from tarsus.gait.walkers import compass

P = ts.parameters


def machine() -> ts.Model:
    b = ts.Builder("arm", gravity=(0.5, 0.0, -9.7))
    b.body("upper", 2.0, (0.1, 0.05, -0.3), inertia=(0.2, 0.2, 0.1))
    b.body("lower", 1.0, (0.02, 0.0, -0.2), inertia=(0.1, 0.11, 0.05))
    b.joint("shoulder", "spherical", "world", "upper", damping=0.1)
    b.joint(
        *("elbow", "revolute", "upper", "lower"),
        position=(0.0, 0.1, -0.6),
        axis="y",
        damping=0.2,
        friction=0.1,
        stiffness=1.0,
        rest=0.1,
    )
    return b.build()


@pytest.mark.parametrize(
    "parameter",
    [
        P.Mass("lower"),
        P.Mass("lower", (0.1, 0.2, -0.1)),
        P.CenterOfMass("upper", "x"),
        P.Inertia("lower", (1.0, 1.0, 0.0)),
        P.Length("elbow"),
        P.Length("elbow", "x"),
        P.Stiffness("elbow"),
        P.Damping("shoulder"),
        P.Rest("elbow"),
        P.Friction("elbow"),
        P.Gravity(),
        P.Slope(),
        P.Mass("lower") + 2.0 * P.Damping("elbow"),
    ],
    ids=str,
)
def test_motions_change_as_derivatives_say(parameter: P.Parameter) -> None:
    model = machine()
    q = model.integrate(model.neutral(), [0.3, -0.2, 0.4, 0.2])
    v = np.array([0.1, -0.2, 0.1, 6.0])
    phase = ts.Phase(model, rubbing={"elbow": 1})
    by_flow = ts.flow(phase, q, v, duration=0.1, derivatives=True, parameters=parameter)
    assert by_flow.n_events == 0
    step = 1e-4

    def end(by: float) -> ts.Flowed:
        changed = changed_phases([phase], [(parameter, by)])
        return ts.flow(changed, q, v, duration=0.1, rtol=1e-12, atol=1e-14)

    more, less = end(step), end(-step)
    moved = np.concatenate([model.difference(less.q, more.q), more.v - less.v]) / (2.0 * step)
    slope = by_flow.derivatives[:, -1]
    assert np.abs(slope).max() > 1e-5
    assert np.abs(moved - slope).max() < 1e-6 * max(1.0, np.abs(slope).max())


@pytest.mark.parametrize(
    "parameter, value",
    [
        (P.Mass("lower"), 1.0),
        (P.Mass("lower", (0.0, 0.0, 1.0)), 0.0),
        (P.CenterOfMass("upper", "z"), -0.3),
        (P.Inertia("lower", "y"), 0.11),
        (P.Length("elbow"), np.hypot(0.1, 0.6)),
        (P.Rest("elbow"), 0.1),
        (P.Gravity(), np.hypot(0.5, 9.7)),
        (P.Slope(), np.arctan2(0.5, 9.7)),
        (P.Mass("lower") + 0.5 * P.Mass("upper"), 0.0),
        (P.Mass("lower") + 2.0 * P.Mass("upper"), 1.0),
    ],
    ids=str,
)
def test_values_are_those_of_the_model(parameter: P.Parameter, value: float) -> None:
    assert abs(parameter.value(machine()) - value) < 1e-12


def test_values_change_by_what_is_said() -> None:
    model = machine()
    for each in (P.Mass("lower"), P.Length("elbow"), P.Gravity(), P.Slope(), P.Stiffness("elbow")):
        assert abs(each.value(each.changed(model, 0.03)) - each.value(model) - 0.03) < 1e-12


def test_phases_of_a_walker_change_with_their_impacts() -> None:
    """They are those that the walker's own recipe makes."""
    walker = compass(damping=0.1)
    names = ("leg_mass", "hip_mass", "slope", "gravity", "damping")
    more = {"leg_mass": 0.2, "hip_mass": -0.4, "slope": 0.004, "gravity": 0.1, "damping": 0.05}
    changed = changed_phases(walker.phases, [(walker.parameters[k], more[k]) for k in names])
    other = walker.but(**{name: walker.numbers[name] + more[name] for name in names})
    ours, theirs = (ts.flow(x, *walker.start, duration=2.0) for x in (changed, other.phases))
    assert ours.n_events == theirs.n_events == 2
    assert np.abs(ours.q - theirs.q).max() < 1e-9
    assert np.abs(ours.v - theirs.v).max() < 1e-9


def test_exits_of_joints_that_rub_are_not_doubled() -> None:
    phase = ts.Phase(machine(), rubbing={"elbow": 1})
    (again,) = changed_phases([phase], [(P.Mass("lower"), 0.1)])
    assert len(again.exits) == len(phase.exits) == 1
