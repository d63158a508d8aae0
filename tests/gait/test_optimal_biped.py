"""A humanoid's file becomes a walker whose gait needs the least efforts, within all its limits."""

from __future__ import annotations

import numpy as np
import pytest
from walking_machines import machine

import tarsus as ts


def on_two_legs(name: str) -> tuple[ts.Model, ts.gait.Anatomy]:
    """Return a machine whose joints above the legs are locked, with frames of its soles."""
    whole = machine(name)
    legs = ts.gait.Anatomy.from_model(whole).legs
    editor = ts.Editor(whole)
    moving = {joint for leg in legs for joint in leg.joints}
    for joint in whole.joints:
        if joint.kind != "free" and joint.name not in moving:
            editor.change("joint", joint.name, kind="fixed")
    for leg, side in zip(legs, ("left", "right"), strict=True):
        editor.frame(f"{side}_sole", leg.sole.body, placement=leg.sole.placement)
    model = editor.build()
    return model, ts.gait.Anatomy.from_model(model)


@pytest.mark.slow
def test_g1_walks_with_least_efforts() -> None:
    model, anatomy = on_two_legs("g1")
    walker = ts.gait.Walker(model, feet=["left_sole", "right_sole"], stance="flat")
    stance = walker.phases[0].model
    soles = np.stack([np.eye(4), np.eye(4)])
    soles[:, :3, 3] = [[0.1, 0.1, 0.0], [-0.1, -0.1, 0.0]]
    standing = ts.gait.stance(anatomy, soles=soles)
    posture = stance.from_original(standing, at=model.frame_pose(standing, "left_sole")).q
    sole = (-0.085, 0.085, -0.025, 0.025)
    beside = ts.guards.Height("right_sole", normal=(0.0, 1.0, 0.0))
    gait = ts.gait.optimize(
        walker,
        0.4,
        basis=8,
        require=[
            *ts.gait.flat_strike("right_sole", sole),
            ts.gait.Require(beside, high=-0.15, points=11, label="legs apart"),
            ts.gait.Grip(friction=0.6, least=20.0, sole=sole),
        ],
        posture=posture,
        starts=1,
    )
    assert gait.success, (gait.status, gait.violations)
    assert gait.speed == pytest.approx(0.4, abs=1e-8)
    assert len(gait.state[1]) == 12
    # periodic, by the core: a strike leads from the end of the step to its begin
    end = gait.duration
    push = 1e-6 * gait.v(end)
    flowed = ts.flow(walker.phases, gait.q(end) - push, gait.v(end), duration=1e-3, events=1)
    assert flowed.events, "the foot does not strike"
    assert flowed.events[0].next_q == pytest.approx(gait.state[0], abs=1e-5)
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
