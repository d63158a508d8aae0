"""Steps by hand with a controller: as in a run, contacts and all, to setpoints that are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, on_ground, quadruped, standing, stiff
from oracle import Array

from tarsus.control import PD, PID, Cascade, ImplicitPD, InverseDynamics, OperationalSpaceControl
from tarsus.simulation import Simulation, SimulationError

DT = 2e-3


def crouching() -> Array:
    """Return the standing quadruped with its knees bent further (nq,)."""
    m, q = quadruped(), standing()
    for joint in m.joints:
        if joint.name.endswith("hip"):
            q[joint.q_slice] += 0.2
        if joint.name.endswith("knee"):
            q[joint.q_slice] -= 0.4
    return q


def sag(q: Array) -> float:
    """Return how far the trunk is below where it stood [mm]."""
    return 1e3 * float(standing()[2] - q[2])


def test_a_controller_holds_a_robot_step_by_step_as_it_does_in_a_run() -> None:
    sim = on_ground(DT)
    run = sim.run(standing(), duration=1.0, controller=stiff())
    sim.reset(standing(), controller=stiff())
    for _ in range(500):
        q, v = sim.step()
    print(f"sag {sag(run.q[-1]):.2f} mm in a run, {sag(q):.2f} mm step by step")
    assert q.tobytes() == run.q[-1].tobytes() and v.tobytes() == run.v[-1].tobytes()
    assert sim.t == pytest.approx(1.0) and len(sim.contacts_now()) == len(run.contacts.at(-1)) > 0
    sim.reset(standing())
    outside = stiff()
    for _ in range(500):
        q, _ = sim.step(outside(sim.t, sim.q, sim.v))
    print(f"called from Python, which knows of no contact: {sag(q):.2f} mm")
    assert sag(q) > 1.5 * sag(run.q[-1])


def test_setpoints_replace_the_reference() -> None:
    sim, low = on_ground(DT), crouching()
    own = ImplicitPD(quadruped(), 120.0, 6.0, low)
    expected = sim.run(standing(), duration=0.2, controller=own).q[-1]
    sim.reset(standing(), controller=stiff())
    for k in range(50):
        setpoint = low if k % 2 else (low, np.zeros(18), np.zeros(18))
        q, _ = sim.step(setpoint, steps=2)
    assert q.tobytes() == expected.tobytes()
    for _ in range(500):
        q, _ = sim.step()  # and back to its own reference
    off = np.abs(q - standing())[7:].max()
    print(f"{off:.3f} rad from where it shall stand")
    assert off < 0.15 < 0.2 < np.abs(q - low)[7:].max()


def test_each_state_has_its_own_setpoint() -> None:
    sim = on_ground(DT)
    setpoints = np.stack([standing(), crouching(), 0.5 * (standing() + crouching())])
    sim.reset(np.tile(standing(), (3, 1)), controller=stiff())
    for _ in range(20):
        together, _ = sim.step(setpoints)
    for k in range(3):
        sim.reset(standing(), controller=stiff())
        for _ in range(20):
            alone, _ = sim.step(setpoints[k])
        assert alone.tobytes() == together[k].tobytes()


@pytest.mark.parametrize("period", [None, 5 * DT])
def test_a_moving_reference_is_followed(period: float | None) -> None:
    m, sim = arm(), Simulation(arm(), dt=DT)

    def wave(t: float) -> tuple[Array, Array]:
        return ARM + 0.3 * np.sin(5.0 * t), np.full(4, 1.5 * np.cos(5.0 * t))

    for make in (PD, InverseDynamics, ImplicitPD):
        controller = make(m, 60.0, 3.0, wave, period=period)
        run = sim.run(ARM, duration=0.1, controller=controller)
        sim.reset(ARM, controller=controller)
        for steps in (1, 3, 7, 1, 38):
            q, _ = sim.step(steps=steps)
        assert q.tobytes() == run.q[-1].tobytes(), make.__name__


def test_a_new_motion_starts_anew() -> None:
    m, sim = arm(), Simulation(arm(), dt=DT)
    controller, found = PID(m, 60.0, 300.0, 3.0, ARM + 0.2), []
    for _ in range(2):
        sim.reset(ARM, controller=controller)
        found.append(sim.step(steps=50)[0])
    assert found[0].tobytes() == found[1].tobytes()


def test_functions_of_python_may_be_given_too() -> None:
    m, sim, calls = arm(), Simulation(arm(), dt=DT), []

    def springs(t: float, q: Array, v: Array) -> Array:
        calls.append(round(t / DT))
        return -20.0 * (q - ARM) - 2.0 * v

    springs.period = 4 * DT  # type: ignore[attr-defined]
    run = sim.run(ARM + 0.1, duration=20 * DT, controller=springs)
    calls.clear()
    sim.reset(ARM + 0.1, controller=springs)
    for steps in (1, 1, 10, 8):
        q, _ = sim.step(steps=steps)
    assert q.tobytes() == run.q[-1].tobytes() and calls == [0, 4, 8, 12, 16]
    with pytest.raises(TypeError, match="takes no setpoint"):
        sim.step(ARM)
    # a law of ours that the core does not know takes setpoints as well
    place = m.frame_pose(ARM, "hand")[:3, 3]
    reach = OperationalSpaceControl(m, "hand", 50.0, task="position")
    sim.reset(ARM, controller=reach)
    for _ in range(20):
        q, _ = sim.step(place + [0.01, 0.0, 0.0])
    own = OperationalSpaceControl(m, "hand", 50.0, None, place + [0.01, 0.0, 0.0], task="position")
    assert q.tobytes() == sim.run(ARM, duration=20 * DT, controller=own).q[-1].tobytes()


@pytest.mark.parametrize(
    ("setpoint", "message"),
    [
        (np.zeros(3), r"reference has shape \(3,\), must be \(…, 4\)"),
        (np.full(4, np.nan), "reference has entries that are not finite"),
        ((ARM, np.zeros(2)), r"velocity of reference has shape \(2,\), must be \(…, 4\)"),
        ((ARM, ARM, ARM, ARM), "at most three parts, got 4"),
        (np.zeros((3, 4)), "setpoints are for 3 states, but the motion has 1"),
        (np.zeros((1, 1, 4)), "at most one batch dimension"),
        ("high", "reference is not an array of numbers"),
    ],
)
def test_setpoints_that_are_none_are_refused(setpoint: Any, message: str) -> None:
    sim = Simulation(arm())
    sim.reset(ARM, controller=PD(arm(), 60.0, 3.0, ARM))
    with pytest.raises((ValueError, TypeError), match=message):
        sim.step(setpoint)
    assert sim.t == 0.0 and (sim.q == ARM).all()


def test_controllers_that_do_not_fit_are_refused() -> None:
    sim = Simulation(arm())
    with pytest.raises(ValueError, match="the controller is for 'quadruped', the simulation for"):
        sim.reset(ARM, controller=stiff())
    with pytest.raises(ValueError, match="the controller is for 'quadruped', the simulation for"):
        sim.reset(ARM, controller=Cascade(lambda t, q, v: q, stiff(), 0.01))
    with pytest.raises(TypeError, match="controller is of type int"):
        sim.reset(ARM, controller=3)  # type: ignore[arg-type]
    bad = PD(arm(), 60.0, 3.0, lambda t: ARM if t < 0.0015 else ARM[:2])
    sim.reset(ARM, controller=bad)
    sim.step()
    sim.step()
    with pytest.raises(ValueError, match="reference has shape"):
        sim.step()
    sim.reset(ARM, controller=lambda t, q, v: np.full(4, np.nan))
    with pytest.raises(SimulationError, match="the controller returned nan"):
        sim.step()


def test_a_cascade_has_its_inner_controller_in_the_core() -> None:
    """On the ground it holds as the controller itself does, and knows what it touches."""
    sim = on_ground(DT)
    cascade = Cascade(lambda t, q, v: standing(), stiff(), outer_period=0.02)
    run = sim.run(standing(), duration=0.5, controller=cascade)
    own = sim.run(standing(), duration=0.5, controller=stiff())
    print(f"sag {sag(run.q[-1]):.2f} mm in a cascade, {sag(own.q[-1]):.2f} mm by itself")
    assert run.q.tobytes() == own.q.tobytes()
    with pytest.raises(ValueError, match=r"outer_period of the cascade is 0\.003 s, must be"):
        sim.run(standing(), duration=0.1, controller=Cascade(cascade.outer, stiff(), 0.003))
    low = Cascade(lambda t, q, v: standing() if t < 0.05 else ARM, stiff(), outer_period=0.02)
    with pytest.raises(
        SimulationError, match="outer controller returned: reference has shape"
    ) as caught:
        sim.run(standing(), duration=0.1, controller=low)
    assert caught.value.time == pytest.approx(0.06)
    assert caught.value.trajectory is not None and len(caught.value.trajectory.t) == 31
    sim.reset(standing(), controller=cascade)
    with pytest.raises(TypeError, match="a Cascade takes no setpoint"):
        sim.step(standing())


def test_a_cascade_goes_on_from_a_checkpoint_in_the_middle_of_its_period(tmp_path: Path) -> None:
    m, sim, file = arm(), Simulation(arm()), tmp_path / "run.npz"
    for inner in (PD(m, 60.0, 3.0), InverseDynamics(m, 60.0, 8.0)):
        cascade = Cascade(lambda t, q, v: (q + 0.1, 0.5 * v), inner, outer_period=0.05)
        options: Any = {"controller": cascade, "checkpoint": file, "checkpoint_every": 0.07}
        whole = sim.run(ARM, duration=0.1, **options)
        rest = sim.resume(file, Cascade(cascade.outer, inner, outer_period=0.05))
        assert rest.t[0] == pytest.approx(0.07)
        np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
        with pytest.raises(ValueError, match="another controller"):
            sim.resume(file, inner)
    sim.run(ARM, duration=0.1, **{**options, "controller": inner})
    with pytest.raises(ValueError, match="another controller"):
        sim.resume(file, cascade)
