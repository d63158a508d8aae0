"""Angular momentum: arms that make up for legs, plans of turns, and what motions have of it."""

from __future__ import annotations

import numpy as np
import pytest
from walker import ARMS, PERIOD, standing, walk, walker

import tarsus as ts
from tarsus.ik import MomentumTracking, MomentumWeight, PartComTask
from tarsus.walking.arms import ArmSwing, MomentumPlan, momentum_peaks, vertical_inertia


def test_arms_reduce_the_angular_momentum_of_a_walk() -> None:
    """Peaks of |L_z| beside arms that are held: −27 % by tracking, −13 % by weight (δ = 0.5).

    The walk, and these numbers from an implementation of its own, are beside section 7.3 of
    Schwienbacher 2013; longer steps of time than there change peaks by less than a hundredth.
    """
    model = walker()
    arms = np.concatenate([np.arange(model.nv)[model.joint(name).v_slice] for name in ARMS])
    peaks, fastest = {}, {}
    variants: dict[str, dict[str, object]] = {
        "held": {"fixed": True},
        "tracking": {"costs": [MomentumTracking(ARMS)]},
        "weight 0.1": {"weight": MomentumWeight(0.1)},
        "weight 0.5": {"weight": MomentumWeight(0.5)},
        "weight 2.0": {"weight": MomentumWeight(2.0)},
    }
    for name, options in variants.items():
        times, q, v, error = walk(model, dt=8e-3, duration=3.2, **options)
        peaks[name] = momentum_peaks(model, times, q, v)
        fastest[name] = float(np.abs(v[:, arms]).max())
        assert error < 2e-3  # second order of a step of 8 ms
    change = {name: own.peak / peaks["held"].peak - 1.0 for name, own in peaks.items()}
    print({name: f"{value:+.3f}" for name, value in change.items()}, fastest)
    assert abs(change["tracking"] + 0.27) < 0.03
    assert abs(change["weight 0.5"] + 0.13) < 0.03
    assert change["weight 0.1"] < change["weight 0.5"] < change["weight 2.0"] < 0.0
    assert peaks["tracking"].rate_peak < 0.85 * peaks["held"].rate_peak
    assert max(fastest.values()) < 2.0


def test_plans_of_turns_have_no_kinks() -> None:
    model = walker()
    inertia = float(vertical_inertia(model, standing(model)))
    # the oracle: momentum of the whole machine that turns about the vertical
    q = standing(model)
    v = np.zeros(model.nv)
    v[5] = 1.0  # the torso's axes are those of the world
    assert abs(model.centroidal_momentum(q, v)[5] - inertia) < 1e-9
    first = MomentumPlan.of_turn(inertia, 0.2, PERIOD)
    second = MomentumPlan.of_turn(inertia, 0.0, PERIOD, after=first)
    assert abs(first.end - 0.25 * inertia) < 1e-12
    assert np.abs(np.array(first.at(PERIOD)) - [0.25 * inertia, 0.0]).max() < 1e-12
    assert np.abs(np.array(first.at(PERIOD)) - second.at(0.0)).max() < 1e-12
    assert np.abs(np.array(second.at(PERIOD))).max() < 1e-12
    t, h = np.linspace(0.1, 0.7, 7), 1e-5
    slope = (first.at(t + h)[0] - first.at(t - h)[0]) / (2 * h)
    assert np.abs(slope - first.at(t)[1]).max() < 1e-6
    started = MomentumPlan(1.0, -2.0, 0.5, 0.8)
    assert np.abs(np.array(started.at(0.0)) - [1.0, -2.0]).max() < 1e-15


def test_arms_swing_with_the_opposite_leg() -> None:
    model = walker()
    rest = standing(model)
    arm = PartComTask("b_shoulder_y_l", relative_to="com", axes="torso")
    solver = ts.ik.Solver(model, [arm])
    swing = ArmSwing(arm, "b_hip_z_r", rest, scale=0.5)
    swing.update(rest)
    assert np.abs(arm.error(rest)).max() < 1e-12
    q = rest.copy()
    q[model.joint("hip_y_r").q_slice] -= 0.3  # the right leg goes ahead, so does the left arm
    swing.update(q)
    assert arm.target[0] - arm.place(rest)[0] > 0.02
    assert solver.step(q, 0.01).v[model.joint("shoulder_y_l").v_slice] < 0.0
    with pytest.raises(ValueError, match="relative_to='com'"):
        ArmSwing(PartComTask("b_shoulder_y_l").bind(model), "b_hip_z_r", rest)


def test_tracking_is_exact_where_nothing_else_is_asked_for() -> None:
    model = walker()
    q = standing(model)
    row = model.centroidal_momentum_matrix(q)[5]
    tracking = MomentumTracking(ARMS, damping=1e-9).bind(model)
    v = np.zeros(model.nv)
    v[model.joint("hip_y_l").v_slice] = 1.0
    moved = v - tracking.reaction(q, v)
    assert abs(row @ v) > 0.01
    assert abs(row @ moved) < 1e-9


def test_wrong_statements_are_named() -> None:
    model = walker()
    for message, call in (
        ("needs method='rate'", lambda: ts.ik.Solver(model, [], weight=MomentumWeight())),
        ("delta is 0", lambda: MomentumWeight(0.0)),
        ("axis is 'w'", lambda: MomentumTracking(ARMS, axis="w")),
        ("no joint 'arm'", lambda: ts.ik.Solver(model, [], costs=[MomentumTracking("arm")])),
        ("duration is 0", lambda: MomentumPlan(0.0, 0.0, 1.0, 0.0)),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            call()
