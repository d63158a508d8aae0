"""Every controller of ts.control: called alike, in simulations, for one state and for a batch."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from closed_loop import BENT, redundant_arm
from oracle import Array

import tarsus as ts
from tarsus import control
from tarsus.control import (
    PD,
    PID,
    AdaptiveControl,
    Cascade,
    CurveTracking,
    ImpedanceControl,
    ImplicitPD,
    IntegralCurveTracking,
    InverseDynamics,
    OperationalSpaceControl,
    PassivityControl,
    SwitchingHip,
    VirtualConstraints,
    WholeBody,
)

DT = 2e-3
M = redundant_arm()
INERTIA = np.diagonal(M.mass_matrix(BENT))
KP, KI, KD = 300.0 * INERTIA, 200.0 * INERTIA, 20.0 * INERTIA  # that efforts held over DT can bear


TURNS, *OTHERS = (joint.name for joint in M.joints if len(joint.own_velocities) == 1)
WAY = BENT + np.linspace(-1.0, 1.0, 9)[:, None] * np.linspace(1.0, 0.2, 7)


def joints(t: float) -> tuple[Array, Array]:
    """Return a motion of all joints, and its velocity."""
    return BENT + 0.2 * np.sin(4.0 * t), np.full(7, 0.8 * np.cos(4.0 * t))


def hand(t: float) -> tuple[Array, Array]:
    """Return a motion of the hand up and down, and its velocity."""
    start = M.frame_pose(BENT, "hand")[:3, 3]
    return start + [0.0, 0.0, 0.05 * np.sin(4.0 * t)], np.array([0.0, 0.0, 0.2 * np.cos(4.0 * t)])


def spring_on_hand(t: float, q: Array, v: Array) -> Array:
    """Return a wrench that a sensor might feel."""
    return np.asarray(-20.0 * (M.frame_pose(q, "hand")[..., :3, 3] - hand(0.0)[0]))


def wavy(q: Array) -> Array:
    """Return a field that is nowhere zero."""
    return np.asarray(2.0 + np.sin(q + np.arange(7)))


def whole_body() -> WholeBody:
    """Return a controller of the hand and a posture."""
    tasks = [
        ts.ik.PositionTask("hand", name="hand", gain=10.0),
        ts.ik.PostureTask(BENT, weight=1e-2, gain=5.0, level=0),
    ]
    return WholeBody(M, tasks, reference=lambda t: {"hand": hand(t)})


MAKE: dict[str, Callable[[], Any]] = {
    "PD": lambda: PD(M, KP, KD, joints),
    "ImplicitPD": lambda: ImplicitPD(M, 200.0, 20.0, joints, dt=DT),
    "PID": lambda: PID(M, KP, KI, KD, joints, period=DT),
    "InverseDynamics": lambda: InverseDynamics(M, 100.0, 20.0, joints),
    "PassivityControl": lambda: PassivityControl(M, 5.0, KD, joints),
    "PassivityControl, matrices": lambda: PassivityControl(M, 5.0 * np.eye(7) + 0.1, KD, joints),
    "AdaptiveControl": lambda: AdaptiveControl(M, 5.0, KD, joints, adaptation=5.0),
    "OperationalSpaceControl": lambda: OperationalSpaceControl(
        M, "hand", 100.0, None, hand, task="position", posture=BENT
    ),
    "ImpedanceControl": lambda: ImpedanceControl(M, "hand", 400.0, None, hand, task="position"),
    "ImpedanceControl, inertia": lambda: ImpedanceControl(
        M, "hand", 400.0, None, hand, task="position", inertia=5.0, wrench=spring_on_hand
    ),
    "CurveTracking": lambda: CurveTracking(
        M, wavy, 0.01, lambda t: t, transfer=0.2, softening=1e-2
    ),
    "IntegralCurveTracking": lambda: IntegralCurveTracking(
        M, wavy, 0.01, 0.02, lambda t: t, period=DT, transfer=0.2, softening=1e-2
    ),
    "SwitchingHip": lambda: SwitchingHip(M, 10.0, 0.1, lambda t: 0.3 + t, joint=TURNS),
    "VirtualConstraints": lambda: VirtualConstraints(
        M, WAY, 10.0, lambda t: 0.1 + t, joints=OTHERS, phase=TURNS
    ),
    "WholeBody": lambda: whole_body(),
    "Cascade": lambda: Cascade(lambda t, q, v: joints(t), PD(M, KP, KD), outer_period=2 * DT),
    "Cascade, in Python": lambda: Cascade(
        lambda t, q, v: joints(t), AdaptiveControl(M, 5.0, KD), outer_period=2 * DT
    ),
}
ABSTRACT = {"ControlLaw", "JointController", "FrameController"}
NOT_CONTROLLERS = {
    *("Actuated", "Contact", "Table"),
    *("CurrentMotor", "CurveEfforts", "CurveField", "RE40_GP42C"),
}


def states(count: int) -> tuple[Array, Array]:
    """Return states (count, 7) near the arm's bent configuration."""
    rng = np.random.default_rng(0)
    return BENT + 0.1 * rng.normal(size=(count, 7)), 0.3 * rng.normal(size=(count, 7))


def test_the_table_has_all_of_them() -> None:
    made = {name.split(",")[0] for name in MAKE}
    assert made | ABSTRACT | NOT_CONTROLLERS == set(control.__all__)
    for name in ABSTRACT:
        assert inspect.isabstract(getattr(control, name))


@pytest.mark.parametrize("name", MAKE)
def test_a_row_of_a_batch_is_one_state(name: str) -> None:
    together, (q, v) = MAKE[name](), states(3)
    alone = [MAKE[name]() for _ in range(3)]
    for t in (0.0, DT, 2 * DT):
        batch = together(t, q, v)
        assert batch.shape == (3, 7)
        for k, one in enumerate(alone):
            tau = one(t, q[k], v[k])
            assert tau.shape == (7,)
            scale = np.abs(tau).max()
            np.testing.assert_allclose(batch[k], tau, rtol=1e-8, atol=1e-9 * scale)


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4"])
@pytest.mark.parametrize("name", MAKE)
def test_runs_alone_and_in_a_batch(name: str, integrator: str) -> None:
    sim = ts.Simulation(M, dt=DT, integrator=integrator)
    controller, (q, v) = MAKE[name](), states(3)
    batch = sim.run(q, v, duration=0.05, controller=controller)
    again = sim.run(q, v, duration=0.05, controller=controller)
    np.testing.assert_array_equal(again.q, batch.q)  # a run starts anew
    assert np.abs(batch.tau).max() > 0.1
    for k in range(3):
        one = sim.run(q[k], v[k], duration=0.05, controller=MAKE[name]())
        np.testing.assert_allclose(batch.q[k], one.q, rtol=0.0, atol=1e-10)
        np.testing.assert_allclose(batch.v[k], one.v, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("name", MAKE)
def test_reset_starts_anew(name: str) -> None:
    controller, (q, v) = MAKE[name](), states(4)

    def three() -> list[Array]:
        return [controller(DT * k, q[k], v[k]) for k in range(3)]

    first = three()
    controller.reset()
    assert all((a == b).all() for a, b in zip(first, three(), strict=True))
    controller.reset()
    assert controller(0.0, q, v).shape == (4, 7)  # another number of states


@pytest.mark.parametrize("name", MAKE)
def test_steps_by_hand_are_those_of_a_run(name: str) -> None:
    sim, (q, v) = ts.Simulation(M, dt=DT), states(2)
    for start in ((q, v), (q[0], v[0])):
        run = sim.run(*start, duration=10 * DT, controller=MAKE[name]())
        sim.reset(*start, controller=MAKE[name]())
        for steps in (1, 1, 5, 3):
            sim.step(steps=steps)
        np.testing.assert_array_equal(sim.q, run.q[..., -1, :])
        np.testing.assert_array_equal(sim.v, run.v[..., -1, :])


@pytest.mark.parametrize("name", [name for name in MAKE if "Cascade" not in name])
def test_a_setpoint_of_a_call_replaces_the_reference(name: str) -> None:
    q, v = states(2)
    one, other = MAKE[name](), MAKE[name]()
    other.reference = type(other.reference)(one.reference(0.1), other.setpoint)
    np.testing.assert_array_equal(one(0.0, q, v, one.reference(0.1)), other(0.0, q, v))
    assert (MAKE[name]()(0.0, q, v) != other(0.0, q, v)).any()


@pytest.mark.parametrize("name", [name for name in MAKE if "Cascade" not in name])
def test_the_words_are_the_same(name: str) -> None:
    words = list(inspect.signature(getattr(control, name.split(",")[0])).parameters)
    assert words[0] == "model"
    assert {"reference", "effort", "period"} <= set(words)
    known = {"kp", "ki", "kd", "bandwidth", "field", "frame", "samples", "tasks", "contacts"}
    before = words[1 : words.index("reference")]
    assert set(before) <= known and {"kd", "tasks", "field", "samples"} & set(before)
    call = list(inspect.signature(type(MAKE[name]()).__call__).parameters)
    assert call == ["self", "t", "q", "v", "reference"]


@pytest.mark.parametrize("name", [name for name in MAKE if MAKE[name]().remembers])
def test_what_is_remembered_can_be_kept(name: str) -> None:
    (q, v), one, other = states(4), MAKE[name](), MAKE[name]()
    for k in range(3):
        one(DT * k, q[k], v[k])
    other.set_state(one.get_state())
    np.testing.assert_array_equal(other(3 * DT, q[3], v[3]), one(3 * DT, q[3], v[3]))
    other.reset()
    anew = other(3 * DT, q[3], v[3]) != one(3 * DT, q[3], v[3])
    assert anew.any() or name == "WholeBody"  # which remembers only where it began to search
