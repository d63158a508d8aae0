"""A humanoid's file becomes a walker whose gait needs the least efforts, within all its limits."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import tarsus as ts

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from gait_biped import Legs, period_error


@pytest.mark.slow
def test_g1_walks_with_least_efforts() -> None:
    legs = Legs.of("g1")
    walker, stance = legs.walker, legs.walker.phases[0].model
    gait = legs.optimized()
    assert gait.success, (gait.status, gait.violations)
    assert gait.speed == pytest.approx(0.4, abs=1e-8)
    assert len(gait.state[1]) == 12
    # periodic, by the core: a strike leads from the end of the step to its begin
    end = gait.duration
    assert period_error(gait) < 1e-8
    # what the ground does, by the reaction at the root that shares no code with the search
    t = np.linspace(0.0, end, 300)
    found = stance.reaction(gait.q(t), gait.v(t), gait.a(t))
    assert found.normal_force.min() > 20.0 - 1e-3
    assert found.friction.max() < 0.6
    assert np.abs(found.pressure[:, 0]).max() < 0.085 + 1e-4
    assert np.abs(found.pressure[:, 1]).max() < 0.025 + 1e-4
    # limits of the file
    for name, most in gait.peak_efforts.items():
        assert most <= stance.joint(name).effort_limit[0] + 1e-6
    q = gait.q(t)
    for name in stance.joint_names:
        joint = stance.joint(name)
        angle = q[:, joint.q_slice.start]
        assert angle.min() >= joint.lower[0] - 1e-5
        assert angle.max() <= joint.upper[0] + 1e-5
    # work of the motors is what the strike takes
    taken = float(ts.gait.impact_analysis(walker, gait.q(end)).lost(gait.v(end)))
    assert gait.power * gait.duration == pytest.approx(taken, rel=1e-2)
