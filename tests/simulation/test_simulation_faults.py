"""What goes wrong stops with the time, the place, the cause, and what was simulated until then."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, ball, batch, on_ground, on_tip, point_mass, quadruped, standing, stiff
from oracle import Array

import tarsus as ts
from tarsus.check.peers import NotComparableError
from tarsus.control import PD
from tarsus.geometry import Ground
from tarsus.model.couplings import MissingDerivativeError
from tarsus.simulation import Simulation, SimulationError, StartError, contact


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (np.full(4, np.nan), "returned nan for joint 'joint_0'"),
        (np.array([0.0, 0.0, np.inf, 0.0]), "returned inf for joint 'joint_2'"),
        (np.zeros(3), "the shape \\(3,\\), must be \\(4,\\)"),
        ("fast", "no numbers"),
    ],
    ids=["nan", "inf", "size", "text"],
)
def test_controllers_that_return_nonsense(value: Any, cause: str) -> None:
    def control(t: float, q: Array, v: Array) -> Any:
        return np.zeros(4) if t < 0.0095 else value

    with pytest.raises(SimulationError, match=cause) as caught:
        Simulation(arm()).run(ARM, duration=0.1, controller=control)
    error = caught.value
    assert error.time == pytest.approx(0.01) and "t = 0.01 s" in str(error)
    assert error.trajectory is not None and len(error.trajectory) == 11
    assert np.isfinite(error.trajectory.q).all()


@pytest.mark.parametrize("record", [True, False], ids=["recorded", "ends"])
def test_a_diverging_run_tells_where_and_keeps_the_rest(record: bool) -> None:
    wild = PD(arm(), 1e9, 0.0, ARM)
    with pytest.raises(SimulationError) as caught:
        Simulation(arm(), dt=1e-2).run(ARM + 0.1, duration=5.0, controller=wild, record=record)
    error = caught.value
    print(error)
    assert 0.0 < error.time < 5.0 and "diverged" in error.cause
    assert error.body in arm().body_names
    run = error.trajectory
    assert run is not None and run.t[-1] == pytest.approx(error.time, abs=1.1e-2)
    assert np.isfinite(run.q).all() and np.abs(run.v).max() < 1e8


def test_in_a_batch_the_others_go_on() -> None:
    m = arm()
    kp = np.array([50.0, 1e9, 60.0])[:, None] * np.ones(4)
    sim = Simulation(m, dt=1e-2)
    run = sim.run(np.tile(ARM + 0.1, (3, 1)), duration=1.0, controller=PD(m, kp, 0.0, ARM))
    print(run, run.failures)
    (failure,) = run.failures
    assert failure.state == 1 and 0.0 < failure.time < 1.0 and "diverged" in failure.cause
    assert failure.body in m.body_names
    assert np.isfinite(run.q).all()
    assert (run.q[1, -1] == run.q[1, -2]).all()  # it stands still
    for k in (0, 2):
        alone = sim.run(ARM + 0.1, duration=1.0, controller=PD(m, kp[k], 0.0, ARM))
        np.testing.assert_array_equal(run.q[k], alone.q)
    assert run[1].failures == run.failures and run[0].failures == ()


def test_a_start_in_the_ground_is_refused_with_a_way_out() -> None:
    q0 = standing()
    q0[2] -= 0.03
    with pytest.raises(StartError) as caught:
        on_ground().run(q0, duration=0.1)
    message = str(caught.value)
    print(message)
    assert "front_left_foot in ground by 0.03" in message and "ts.stand" in message
    with pytest.raises(StartError):
        on_ground().reset(q0)
    low = np.stack([standing(), q0])
    with pytest.raises(StartError, match="q0 of state 1"):
        on_ground().run(low, duration=0.1)


def test_ends_of_chains_without_mass_are_named() -> None:
    b = ts.Builder("chain")
    b.body("link", 1.0, com=(0, 0, 0.1), inertia=(0.01, 0.01, 0.01))
    b.joint("first", "revolute", "world", "link", axis="x")
    b.body("ghost", 0.0)
    b.joint("second", "revolute", "link", "ghost", axis="y", position=(0, 0, 0.2))
    m = b.build()
    with pytest.raises(StartError, match=r"ghost.*no inertia"):
        Simulation(m).run(duration=0.1)


def test_open_loops_are_refused() -> None:
    m = ts.robots.four_bar()
    q0 = m.neutral()
    q0[-1] += 0.2
    with pytest.raises(StartError, match="loops are open by"):
        Simulation(m).run(q0, duration=0.1)


def test_ctrl_c_returns_what_was_simulated() -> None:
    before = signal.getsignal(signal.SIGINT)

    def control(t: float, q: Array, v: Array) -> Array:
        if abs(t - 0.02) < 1e-9:  # a smooth run asks twice: that is Ctrl-C and Ctrl-C again
            signal.raise_signal(signal.SIGINT)
        return np.zeros(4)

    run = Simulation(arm()).run(ARM, duration=10.0, controller=control)
    assert run.interrupted and "interrupted" in repr(run)
    assert run.t[-1] == pytest.approx(0.021)
    smooth = Simulation(arm(), integrator="rk4").run(ARM, duration=10.0, controller=control)
    assert smooth.interrupted and 0.018 < smooth.t[-1] < 0.022
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4", "dormand_prince"])
@pytest.mark.parametrize("states", [None, 3])
def test_a_controllers_own_error_passes(integrator: str, states: int | None) -> None:
    before = signal.getsignal(signal.SIGINT)

    def control(t: float, q: Array, v: Array) -> Array:
        if t > 0.05:
            raise ZeroDivisionError("mine")
        return np.zeros(4)

    q0 = ARM if states is None else np.tile(ARM, (states, 1))
    with pytest.raises(ZeroDivisionError, match="mine"):
        Simulation(arm(), integrator=integrator).run(q0, duration=0.1, controller=control)
    assert signal.getsignal(signal.SIGINT) is before


def test_too_many_contacts_say_what_to_do() -> None:
    sim = Simulation(quadruped(), ground=Ground(), max_contacts=3)
    with pytest.raises(SimulationError, match="max_contacts"):
        sim.run(standing(), duration=0.1)


def test_no_motion_before_reset() -> None:
    sim = Simulation(arm())
    for what in (sim.step, lambda: sim.q, lambda: sim.t, sim.contacts_now):
        with pytest.raises(RuntimeError, match="call reset"):
            what()
    sim.reset(ARM)
    with pytest.raises(ValueError, match="tau has shape"):
        sim.step(np.zeros(3))
    with pytest.raises(ValueError, match="not finite"):
        sim.step(np.full(4, np.nan))
    with pytest.raises(ValueError, match="steps is 0"):
        sim.step(steps=0)


def simulation(**options: Any) -> Callable[[], Any]:
    return lambda: Simulation(arm(), **options)


def run(*args: Any, **options: Any) -> Callable[[], Any]:
    return lambda: Simulation(arm()).run(*args, **{"duration": 0.01, **options})


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "model": (lambda: Simulation("arm"), TypeError, "model is of type str"),  # type: ignore
    "ground": (simulation(ground=0.7), TypeError, "ground is of type float"),
    "collision": (simulation(collision=[]), TypeError, "collision is of type list"),
    "law": (simulation(contact="exakt"), ValueError, "did you mean 'exact'"),
    "law type": (simulation(contact=3), TypeError, "contact is of type int"),
    "dt": (simulation(dt=0.0), ValueError, "dt is 0"),
    "dt nan": (simulation(dt=np.nan), ValueError, "dt is not finite"),
    "integrator": (simulation(integrator="rk45"), ValueError, "unknown integrator 'rk45'"),
    "integrator type": (simulation(integrator=4), TypeError, "integrator is of type int"),
    "smooth ground": (simulation(ground=Ground(), integrator="rk4"), ValueError, "smooth"),
    "stiction": (simulation(stiction=[1.0]), ValueError, "stiction"),
    "contacts": (simulation(max_contacts=0), ValueError, "max_contacts is 0"),
    "q0 size": (run(np.zeros(3)), ValueError, "q0 has shape"),
    "q0 nan": (run(np.full(4, np.nan)), ValueError, "q0 has entries"),
    "q0 deep": (run(np.zeros((2, 2, 4))), ValueError, "at most one batch"),
    "q0 none": (run(np.zeros((0, 4))), ValueError, "no states"),
    "v0 size": (run(ARM, np.zeros(5)), ValueError, "v0 has shape"),
    "batches": (run(np.zeros((2, 4)), np.zeros((3, 4))), ValueError, "different numbers"),
    "duration": (run(duration=-1.0), ValueError, "duration is -1"),
    "controller": (run(controller=3.0), TypeError, "controller is of type float"),
    "other robot": (
        run(controller=PD(quadruped(), 1.0, 1.0)),
        ValueError,
        "the controller is for 'quadruped'",
    ),
    "period": (
        run(controller=PD(arm(), 1.0, 1.0, period=1.5e-3)),
        ValueError,
        "whole number of steps",
    ),
    "record": (run(record=("q", "w")), ValueError, "unknown name 'w'"),
    "record none": (run(record=()), ValueError, "record is empty"),
    "every": (run(every=0), ValueError, "every is 0"),
    "too much": (run(duration=1e7), ValueError, "GiB"),
    "mass": (run(mass_scale=-1.0), ValueError, "mass_scale must be"),
    "mass size": (run(mass_scale=[1.0, 2.0]), ValueError, "mass_scale has shape"),
    "mass name": (run(mass_scale={"leg": 2.0}), KeyError, "leg"),
    "gains batch": (
        run(controller=PD(arm(), np.ones((3, 4)), 1.0)),
        ValueError,
        "kp are for 3 states",
    ),
    "threads": (run(threads=0), ValueError, "threads"),
    "checkpoint": (run(checkpoint="x", checkpoint_every=0.0), ValueError, "checkpoint_every"),
    "smooth mass": (
        lambda: Simulation(arm(), integrator="rk4").run(duration=1.0, mass_scale=2.0),
        ValueError,
        "no mass_scale",
    ),
    "smooth reset": (
        lambda: Simulation(arm(), integrator="rk4").reset(),
        ValueError,
        "smooth runs",
    ),
    "quaternion": (
        lambda: Simulation(ball()).run(2.0 * ball().neutral(), duration=0.1),
        ValueError,
        "quaternion of joint 'root'",
    ),
    "iterations": (lambda: contact.Exact(iterations=0), ValueError, "iterations is 0"),
    "tolerance": (lambda: contact.Exact(tolerance=-1.0), ValueError, "tolerance is -1"),
    "solver": (lambda: contact.Exact(solver="gauss"), ValueError, "solver"),  # type: ignore
    "facets": (lambda: contact.Lemke(facets=3), ValueError, "facets is 3"),
    "stiffness": (lambda: contact.Penalty(stiffness=0.0), ValueError, "stiffness is 0"),
    "damping": (lambda: contact.Penalty(damping="much"), TypeError, "damping is"),  # type: ignore
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case: str) -> None:
    make, error, message = BAD[case]
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("stiction", "cause"),
    [([1.0], r"has shape \(1,\), must be \(4,\)"), (np.full(4, np.nan), "is not finite")],
)
def test_wrong_stiction_is_an_error_of_the_argument_not_of_the_model(
    stiction: Any, cause: str
) -> None:
    with pytest.raises(ValueError, match=f"stiction {cause}") as caught:
        Simulation(arm(), stiction=stiction)
    assert not isinstance(caught.value, ts.ModelError)


def test_bad_contact_names() -> None:
    m = point_mass()
    found = Simulation(m, ground=Ground(), collision=on_tip(m)).run(duration=0.01).contacts
    with pytest.raises(ValueError, match="'leg' has no contact points"):
        found.force_on("leg")
    with pytest.raises(IndexError):
        found.at(50)


def test_a_failed_batch_raises_only_if_all_fail() -> None:
    q, v = batch(3)
    sim = Simulation(quadruped(), ground=Ground(), max_contacts=3)
    with pytest.raises(SimulationError, match="max_contacts") as caught:
        sim.run(q, v, duration=1.0, controller=stiff())
    assert caught.value.trajectory is not None
    assert len(caught.value.trajectory.failures) == 3


def test_a_loop_that_locks_says_so() -> None:
    b = ts.Builder("rocker")
    for name, parent, x in (
        ("crank", "world", 0.0),
        ("rocker", "world", 1.2),
        ("rod", "crank", 1.0),
    ):
        b.body(name, 1.0, com=(0.3, 0.0, 0.0), inertia=(0.01, 0.05, 0.05))
        b.joint(f"{name}_joint", "revolute", parent, name, axis="y", position=(x, 0, 0))
    b.close_loop(
        "spherical",
        "rod",
        (0.7, 0, 0),
        "rocker",
        (0.4, 0, 0),
        independent=["crank_joint"],
        start={"crank_joint": -0.6, "rod_joint": 1.2, "rocker_joint": -1.0},
    )
    with pytest.raises(SimulationError, match="loops cannot be closed any more") as caught:
        Simulation(b.build()).run(v0=[5.0], duration=3.0)  # to where the crank can go no further
    error = caught.value
    print(error)
    assert error.trajectory is not None and 0.01 < error.time < 1.0
    assert np.abs(error.trajectory.loop_gaps).max() < 1e-9


def test_errors_come_through_processes_as_they_are() -> None:
    with pytest.raises(SimulationError) as caught:
        Simulation(arm(), dt=1e-2).run(ARM, duration=5.0, controller=PD(arm(), 1e9, 0.0, -ARM))
    error = caught.value
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is SimulationError and str(back) == str(error)
    assert (back.cause, back.time, back.body) == (error.cause, error.time, error.body)
    assert error.trajectory is not None and len(back.trajectory) == len(error.trajectory)
    np.testing.assert_array_equal(back.trajectory.q, error.trajectory.q)


@pytest.mark.parametrize(
    "error",
    [
        StartError("it is in the ground", body="foot"),
        ts.EnergyError("there is more than there was"),
        ts.ModelError("no mass", ts.Source("robot.urdf", 7)),
        ts.UnknownNameError("there is no joint 'knee'"),
        MissingDerivativeError("no third derivatives"),
        NotComparableError("not installed"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_all_errors_can_be_copied(error: Exception) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error) and str(back) == str(error)
    assert vars(back) == vars(error)


def test_starts_far_beyond_joint_limits_are_refused() -> None:
    q0 = standing()
    q0[7:] = np.degrees(q0[7:])
    message = r"joint 'front_left_hip' at 40\.1\d+, beyond its limits -1\.2 and 2\.4; is it in deg"
    for start in (lambda: on_ground().run(q0, duration=0.1), lambda: on_ground().reset(q0)):
        with pytest.raises(StartError, match=message) as caught:
            start()
        assert caught.value.body == "front_left_thigh"
    both = np.stack([standing(), q0])
    with pytest.raises(StartError, match="q0 of state 1 has joint 'front_left_hip'"):
        on_ground().run(both, duration=0.1)
    far = standing()
    far[8] = -300.0  # which is no angle in degrees within the limits, either
    with pytest.raises(StartError, match=r"limits -1\.2 and 2\.4\. Start within them") as caught:
        on_ground().run(far, duration=0.1)
    assert "degrees" not in str(caught.value)


def test_starts_a_little_beyond_joint_limits_come_back() -> None:
    m, q0 = quadruped(), standing()
    q0[8] = m.upper[8] + 0.2
    q0[2] += 1.0
    run = on_ground().run(q0, duration=0.2)
    assert run.q[-1, 8] <= m.upper[8] + 1e-3
    q0[8] = 40.0
    without = on_ground(joint_limits=False).run(q0, duration=0.01)
    assert without.q[-1, 8] > 39.0
    Simulation(arm()).run(np.full(4, 50.0), duration=0.01)  # which has none


def test_joints_that_the_first_steps_move_back_are_told() -> None:
    m, q0 = quadruped(), standing()
    q0[2] += 1.0
    q0[8] = m.upper[8] + 0.9
    with pytest.warns(
        UserWarning, match=r"'front_left_hip' at 3\.3, beyond its limits -1\.2 and 2"
    ):
        on_ground().run(q0, duration=0.01)
    on_ground().run(np.clip(q0, m.lower, m.upper), duration=0.01)
    on_ground(joint_limits=False).run(q0, duration=0.01)


def test_a_slide_far_beyond_its_limits_is_not_asked_for_degrees() -> None:
    b = ts.Builder("slide").body("cart", mass=1.0, inertia=(1, 1, 1))
    m = b.joint("rail", "prismatic", "world", "cart", axis="x", lower=0.0, upper=0.04).build()
    with pytest.raises(StartError, match=r"joint 'rail' at 0\.9, beyond its limits") as caught:
        Simulation(m).run([0.9], duration=0.01)
    assert "degrees" not in str(caught.value)
