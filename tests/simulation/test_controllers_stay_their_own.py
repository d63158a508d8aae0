"""What is a controller's stays its own in a run: its reference, its model, what it learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from movers import ARM, arm

import tarsus as ts
from tarsus.control import PD, Table
from tarsus.simulation import Simulation


def test_a_reference_is_the_controller_s_own() -> None:
    target = ARM + 0.2
    control = PD(arm(), 60.0, 3.0, target)
    table = Table(arm(), [0.0, 1.0], rows := np.stack([ARM, ARM + 0.3]))
    before = Simulation(arm()).run(ARM, duration=0.1, controller=control).q
    target[:], rows[:] = 7.0, 7.0
    np.testing.assert_array_equal(
        Simulation(arm()).run(ARM, duration=0.1, controller=control).q, before
    )
    assert table(1.0)[0] == pytest.approx(ARM + 0.3)


def heavier(model: ts.Model) -> ts.Model:
    """Return the model with bodies of three times the mass."""
    bodies = [
        replace(body, mass=3.0 * body.mass, inertia=3.0 * body.inertia)
        for body in model.description.bodies
    ]
    return ts.Model(replace(model.description, bodies=bodies))


def test_a_law_with_another_model_computes_with_it() -> None:
    m, wrong = arm(), heavier(arm())
    for law in (ts.control.InverseDynamics, ts.control.PassivityControl):
        gains = (30.0, 5.0) if law is ts.control.InverseDynamics else (5.0, 20.0)
        believed = law(wrong, *gains, reference=ARM + 0.2)
        ends = [
            Simulation(m).run(ARM, duration=0.2, controller=controller).q[-1]
            for controller in (believed, lambda t, q, v, b=believed: b(t, q, v))
        ]
        right = Simulation(m).run(ARM, duration=0.2, controller=law(m, *gains, reference=ARM + 0.2))
        np.testing.assert_array_equal(*ends)
        assert np.abs(ends[0] - right.q[-1]).max() > 1e-3


def test_what_a_law_learns_is_its_owner_s_whatever_the_limits() -> None:
    for options in ({}, {"effort_limits": False}, {"integrator": "rk4"}):
        control = ts.control.AdaptiveControl(arm(), 4.0, 20.0, ARM + 0.2, adaptation=0.5)
        start = control.parameters.copy()
        Simulation(arm(), **options).run(ARM, duration=0.05, controller=control)
        assert np.abs(control.parameters - start).max() > 0.0, options
