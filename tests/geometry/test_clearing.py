"""Postures of arms that are clear of the ground, held to the heights of their shapes."""

from __future__ import annotations

import numpy as np
import pytest
from touching import robot

import tarsus as ts

ARMS = ("ur5_robot.urdf", "ur10_robot.urdf", "kinova.urdf")


@pytest.mark.parametrize("name", ARMS)
def test_arms_start_from_a_clear_posture(name: str) -> None:
    m = robot(name, base="fixed")
    sim = ts.Simulation(m, ground=ts.Ground())
    start = np.clip(m.neutral(), m.lower, m.upper)
    with pytest.raises(ts.StartError, match=r"ts\.clear_posture\(model, q0\)") as error:
        sim.run(start, duration=0.01)
    assert str(error.value).count("wrist_3_link in ground") <= 1  # each link once, its deepest
    q = ts.clear_posture(m, start)
    assert ts.height_over_ground(m, q) >= 1e-3
    assert (q >= m.lower).all() and (q <= m.upper).all()
    hold = ts.control.ImplicitPD(m, 500.0, 50.0, q)
    run = sim.run(q, duration=0.05, controller=hold)
    assert np.abs(run.q[-1] - q).max() < 0.2
    np.testing.assert_array_equal(ts.clear_posture(m, q), q)  # what is clear stays


def test_what_cannot_be_clear_is_said() -> None:
    m = robot("ur5_robot.urdf", base="fixed")
    with pytest.raises(ts.ModelError, match=r"touches something in all of 1536 postures"):
        ts.clear_posture(m, ground=ts.Ground(level=5.0))
    with pytest.raises(ValueError, match=r"q has shape \(3,\), must be \(6,\)"):
        ts.clear_posture(m, np.zeros(3))


def test_gains_of_driven_joints_alone_are_told_how_to_be_stated() -> None:
    m = ts.robots.quadruped()
    count = int(m.driven.sum())
    with pytest.raises(ValueError, match=r"full\[model\.driven\] = kp"):
        ts.control.PD(m, np.ones(count), 1.0, m.neutral())
