"""Controllers: the core and Python do the same, at the rate that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from movers import ARM, arm, quadruped, standing
from oracle import Array

import tarsus as ts
from tarsus.control import (
    PD,
    PID,
    AdaptiveControl,
    Cascade,
    ImpedanceControl,
    ImplicitPD,
    InverseDynamics,
    OperationalSpaceControl,
    PassivityControl,
    Table,
)
from tarsus.simulation import Simulation, SimulationError

DT = 1e-3


def wave(t: float) -> tuple[Array, Array, Array]:
    """Return a motion of the arm, its velocity, and something to add."""
    x = 0.3 * np.sin(4.0 * t + np.arange(4.0))
    return ARM + x, 1.2 * np.cos(4.0 * t + np.arange(4.0)), 0.1 * x


def law(name: str, target: Any = wave, **options: Any) -> ts.control.ControlLaw:
    m = arm()
    return {
        "pd": lambda: PD(m, 60.0, 3.0, target, **options),
        "implicit_pd": lambda: ImplicitPD(m, 400.0, 30.0, target, dt=DT, **options),
        "pid": lambda: PID(m, 60.0, 80.0, 3.0, target, **{"period": DT, **options}),
        "inverse_dynamics": lambda: InverseDynamics(m, 100.0, 20.0, target, **options),
        "passivity": lambda: PassivityControl(m, 8.0, 4.0, target, **options),
    }[name]()


NAMES = ("pd", "implicit_pd", "pid", "inverse_dynamics", "passivity")


def outside(controller: Any) -> Callable[[float, Array, Array], Array]:
    """Return the controller as a plain function, so that it runs in Python."""

    def call(t: float, q: Array, v: Array) -> Array:
        return np.asarray(controller(t, q, v))

    if controller.period is not None:
        call.period = controller.period  # type: ignore[attr-defined]
    return call


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", [ARM, wave], ids=["constant", "moving"])
def test_core_and_python_agree(name: str, target: Any) -> None:
    sim = Simulation(arm(), dt=DT)
    inside = sim.run(ARM, np.full(4, 0.5), duration=0.3, controller=law(name, target))
    python = sim.run(ARM, np.full(4, 0.5), duration=0.3, controller=outside(law(name, target)))
    for what in ("q", "v", "tau"):
        a, b = inside.recorded[what], python.recorded[what]
        off = np.abs(a - b).max() / np.abs(b).max()
        print(f"{name}, {what}: off by {off:.1e}")
        assert off < 1e-9
    assert np.abs(inside.tau).max() > 1.0


@pytest.mark.parametrize("name", [name for name in NAMES if name != "implicit_pd"])
def test_efforts_are_held_over_the_period(name: str) -> None:
    sim = Simulation(arm(), dt=DT)
    control = law(name, period=5 * DT)
    inside = sim.run(ARM, duration=0.2, controller=control)
    python = sim.run(ARM, duration=0.2, controller=outside(law(name, period=5 * DT)))
    steps = inside.tau[1:].reshape(-1, 5, 4)
    assert (steps == steps[:, :1]).all() and (np.diff(steps[:, 0], axis=0) != 0.0).any()
    np.testing.assert_allclose(inside.q, python.q, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_efforts_stay_within_their_limits(name: str) -> None:
    limits = np.array([2.0, 1.0, 0.5, 0.0])
    sim = Simulation(arm(), dt=DT)
    inside = sim.run(ARM, duration=0.2, controller=law(name, effort=limits))
    if name != "implicit_pd":  # which may give way in the last step before the limit
        assert (np.abs(inside.tau) <= limits).all()
        python = sim.run(ARM, duration=0.2, controller=outside(law(name, effort=limits)))
        np.testing.assert_allclose(inside.q, python.q, atol=1e-9)
    assert (inside.tau[:, 3] == 0.0).all()


def test_a_pid_removes_the_sag_and_does_not_wind_up() -> None:
    sim = Simulation(arm(), dt=DT)
    sag = sim.run(ARM, duration=4.0, controller=law("pd", ARM))
    held = sim.run(ARM, duration=4.0, controller=law("pid", ARM))
    offs = [float(np.abs(run.q[-1] - ARM).max()) for run in (sag, held)]
    print(f"off by {offs[0]:.1e} rad with PD, {offs[1]:.1e} with PID")
    assert offs[0] > 1e-2 > 1e-3 > offs[1]


def test_inverse_dynamics_errors_decay_as_stated() -> None:
    sim = Simulation(arm(), dt=1e-4)
    control = InverseDynamics(arm(), 100.0, 20.0, wave_exact)
    e0 = np.array([0.1, -0.05, 0.08, 0.02])
    q, v, _ = wave_exact(0.0)
    run = sim.run(q + e0, v, duration=0.5, controller=control)
    e = run.q - np.array([wave_exact(t)[0] for t in run.t])
    decay = np.exp(-10.0 * run.t) * (1.0 + 10.0 * run.t)  # ë + 20 ė + 100 e = 0, from rest
    off = np.abs(e - decay[:, None] * e0).max() / np.abs(e0).max()
    print(f"decay off by {off:.1e}")
    assert off < 5e-3


def wave_exact(t: float) -> tuple[Array, Array, Array]:
    """Return a motion with its derivatives."""
    phase = 4.0 * t + np.arange(4.0)
    return ARM + 0.3 * np.sin(phase), 1.2 * np.cos(phase), -4.8 * np.sin(phase)


def test_implicit_gains_never_explode() -> None:
    m, sim = arm(), Simulation(arm(), dt=5e-3)
    stiff = {"kp": 1e6, "kd": 1e4}
    run = sim.run(ARM + 0.1, duration=1.0, controller=ImplicitPD(m, **stiff, reference=ARM))
    off = np.abs(run.q[-1] - ARM).max()
    print(f"implicit: off by {off:.1e} rad")
    assert off < 1e-4
    with pytest.raises(SimulationError, match=r"diverged|not finite"):
        sim.run(ARM + 0.1, duration=1.0, controller=PD(m, **stiff, reference=ARM))


def test_gains_by_joint_and_by_state() -> None:
    m = arm()
    named = PD(m, {"joint_1": 5.0, "joint_3": 7.0}, 1.0)
    np.testing.assert_array_equal(named.kp, [0.0, 5.0, 0.0, 7.0])
    sim, q0 = Simulation(m), np.tile(ARM, (3, 1))
    kp = np.array([20.0, 60.0, 90.0])[:, None] * np.ones(4)
    together = sim.run(q0, duration=0.2, controller=PD(m, kp, 2.0, ARM + 0.2))
    for k in range(3):
        alone = sim.run(ARM, duration=0.2, controller=PD(m, kp[k], 2.0, ARM + 0.2))
        np.testing.assert_array_equal(together.q[k], alone.q)
    python = sim.run(q0, duration=0.2, controller=outside(PD(m, kp, 2.0, ARM + 0.2)))
    np.testing.assert_allclose(python.q, together.q, atol=1e-10)


def test_limits_by_names_leave_the_others_as_they_are() -> None:
    m = quadruped()
    named = PD(m, 10.0, 1.0, effort={"root_joint": np.inf, "front_left_knee": 2.0}).effort
    assert np.isinf(named[:6]).all() and named[m.joint("front_left_knee").v_slice] == 2.0
    usual = PD(m, 10.0, 1.0).effort
    assert (named != usual).sum() == 7 and usual[6:].all()


def test_a_number_leaves_the_free_base_alone() -> None:
    m = quadruped()
    control = PD(m, 10.0, 1.0, standing())
    assert (control.kp[:6] == 0.0).all() and (control.kp[6:] == 10.0).all()
    assert (control.effort[:6] == 0.0).all() and (control.effort[6:] == m.effort_limit[6:]).all()
    tau = control(0.0, m.random_configuration(0), np.ones(m.nv))
    assert (tau[:6] == 0.0).all() and (np.abs(tau[6:]) <= m.effort_limit[6:]).all()


def base(values: Any) -> Array:
    """Return zeros (18,) but for the free base of the quadruped."""
    found = np.zeros(18)
    found[:6] = values
    return found


LOST: dict[str, tuple[Callable[[ts.Model], Any], str]] = {
    "kp": (lambda m: PD(m, base([0, 0, 50, 0, 0, 0]), 1.0), r"kp has 50\.0"),
    "kp of a state": (lambda m: PD(m, np.stack([base(0), base(2)]), 1.0), r"kp has 2\.0"),
    "kd": (lambda m: ImplicitPD(m, 1.0, {"root_joint": 3.0}), r"kd has 3\.0"),
    "ki": (lambda m: PID(m, 1.0, base(7), 1.0), r"ki has 7\.0"),
    "added": (
        lambda m: PD(m, 1.0, 1.0, (standing(), base(0), base(9))),
        r"the effort that reference adds has 9\.0",
    ),
    "added by a table": (
        lambda m: PD(m, 1, 1, Table(m, [0, 1], [standing()] * 2, added=[base(9)] * 2)),
        r"the effort that reference adds has 9\.0",
    ),
    "added in a call": (
        lambda m: PD(m, 1.0, 1.0)(0.0, standing(), base(0), (standing(), base(0), base(9))),
        r"the effort that reference adds has 9\.0",
    ),
}


@pytest.mark.parametrize("case", LOST)
def test_what_would_act_on_a_free_base_without_a_drive_is_refused(case: str) -> None:
    make, message = LOST[case]
    with pytest.raises(ValueError, match=f"{message} for joint 'root_joint', which floats"):
        make(quadruped())


def test_a_free_base_that_is_driven_may_have_gains() -> None:
    m = quadruped()
    effort = np.where(np.arange(18) < 6, np.inf, m.effort_limit)
    kp, kd = base([3000.0] * 3 + [50.0] * 3) + 20.0, base([300.0] * 3 + [2.0] * 3) + 0.5
    hold = PD(m, kp, kd, standing(), effort=effort)
    run = Simulation(m, dt=1e-3).run(standing(), duration=0.5, controller=hold)
    fall = standing()[2] - run.q[-1, 2]
    print(f"hangs {fall:.3f} m below its reference, in free space")
    assert 0.0 < fall < 0.5  # free fall would be 1.2 m
    # rows that a motor may help are kept: accelerations of the base need efforts of the joints
    lifted = InverseDynamics(m, 1.0, 1.0, (standing(), base(0), base([0, 0, 1, 0, 0, 0])))
    still = InverseDynamics(m, 1.0, 1.0, standing())
    state = 0.0, standing(), np.zeros(18)
    assert (lifted(*state) != still(*state)).any()


LAWS: dict[str, Callable[..., Any]] = {
    "PassivityControl": lambda m, **o: PassivityControl(m, 1.0, 1.0, **o),
    "AdaptiveControl": lambda m, **o: AdaptiveControl(m, 1.0, 1.0, **o),
    "OperationalSpaceControl": lambda m, **o: OperationalSpaceControl(m, "trunk", 1.0, **o),
    "ImpedanceControl": lambda m, **o: ImpedanceControl(m, "trunk", 1.0, **o),
}


@pytest.mark.parametrize("name", LAWS)
def test_laws_that_need_a_drive_everywhere_say_so(name: str) -> None:
    m = quadruped()
    with pytest.raises(
        ValueError, match=r"asks for forces on all coordinates, but .* 'root_joint'"
    ):
        LAWS[name](m)
    tau = LAWS[name](m, effort=np.full(18, np.inf))(0.0, standing(), np.ones(18))
    assert np.abs(tau[:6]).max() > 1.0


def test_what_is_changed_in_a_controller_counts_from_the_next_run_on() -> None:
    m, sim, target = arm(), Simulation(arm()), ARM + 0.2
    control = PD(m, 60.0, 3.0, target)

    def stiffen() -> None:
        control.kp *= 2.0

    def move() -> None:
        control.reference = PD(m, 60.0, 3.0, target + 0.1).reference

    def weaken() -> None:
        control.effort = np.full(4, 0.5)

    def slow() -> None:
        control.period = 0.01

    def follow() -> None:
        control.reference = PD(m, 60.0, 3.0, wave).reference

    before = sim.run(ARM, duration=0.1, controller=control).q
    for change in (stiffen, move, slow, weaken, follow):
        change()
        after = sim.run(ARM, duration=0.1, controller=control).q
        assert np.abs(after - before).max() > 1e-6, change.__name__
        fresh = Simulation(m).run(ARM, duration=0.1, controller=control).q
        np.testing.assert_array_equal(after, fresh)
        before = after


def test_the_drive_of_a_controller_is_used_again() -> None:
    m, sim = arm(), Simulation(arm())
    assert sim.starts is not None
    control, states = PD(m, 60.0, 3.0, ARM + 0.2), np.tile(ARM, (3, 1))
    first = sim.run(ARM, duration=0.05, controller=control)
    kept = sim.starts.kept
    heavy = sim.run(ARM, duration=0.05, controller=control, mass_scale=2.0)
    batch = sim.run(states, duration=0.05, controller=control)
    np.testing.assert_array_equal(sim.run(ARM, duration=0.05, controller=control).q, first.q)
    np.testing.assert_array_equal(batch.q, np.tile(first.q, (3, 1, 1)))
    assert np.abs(heavy.q - first.q).max() > 1e-6
    assert kept is not None and sim.starts.kept is kept


def test_targets_differ_within_a_batch() -> None:
    m, sim = arm(), Simulation(arm())
    targets = ARM + 0.1 * np.arange(3.0)[:, None]

    def moving(t: float) -> tuple[Array, Array]:
        return targets + 0.1 * np.sin(t), np.full(4, 0.1 * np.cos(t))

    run = sim.run(np.tile(ARM, (3, 1)), duration=0.1, controller=PD(m, 60.0, 3.0, moving))
    for k in range(3):
        own = PD(m, 60.0, 3.0, lambda t, k=k: (moving(t)[0][k], moving(t)[1]))
        np.testing.assert_array_equal(sim.run(ARM, duration=0.1, controller=own).q, run.q[k])


def test_a_table_is_a_way_from_point_to_point() -> None:
    m = quadruped()
    rng = np.random.default_rng(3)
    q = m.random_configuration(rng, 3)
    table = Table(m, [0.0, 0.5, 2.0], q)
    np.testing.assert_allclose(table(0.5)[0], q[1], atol=1e-12)
    half, v, added = table(1.25)
    np.testing.assert_allclose(m.difference(q[1], half), 0.5 * m.difference(q[1], q[2]), atol=1e-9)
    np.testing.assert_allclose(v, m.difference(q[1], q[2]) / 1.5, atol=1e-12)
    assert (added == 0.0).all()
    for outside_time, end in ((-1.0, q[0]), (5.0, q[2])):
        np.testing.assert_allclose(table(outside_time)[0], end, atol=1e-12)
        assert (table(outside_time)[1] == 0.0).all()
    rates, efforts = rng.normal(size=(2, 3, m.nv))
    full = Table(m, [0.0, 0.5, 2.0], q, rates, efforts)
    np.testing.assert_allclose(full(1.25)[1], (rates[1] + rates[2]) / 2, atol=1e-12)
    np.testing.assert_allclose(full(0.25)[2], (efforts[0] + efforts[1]) / 2, atol=1e-12)


def test_a_cascade_runs_at_two_rates() -> None:
    m, calls = arm(), []
    inner = PD(m, 80.0, 4.0, period=2e-3)

    def outer(t: float, q: Array, v: Array) -> Array:
        calls.append(round(t, 9))
        return ARM + 0.1 * len(calls)

    cascade = Cascade(outer, inner, outer_period=0.01)
    sim = Simulation(m)
    first = sim.run(ARM, duration=0.05, controller=cascade)
    np.testing.assert_allclose(calls, [0.0, 0.01, 0.02, 0.03, 0.04])
    steps = first.tau[1:].reshape(-1, 2, 4)
    assert (steps[:, 0] == steps[:, 1]).all() and (np.diff(steps[:, 0], axis=0) != 0.0).any()
    calls.clear()  # and a run starts anew
    np.testing.assert_array_equal(sim.run(ARM, duration=0.05, controller=cascade).q, first.q)


def test_a_cascade_does_not_feel_where_a_run_is_cut(tmp_path: Path) -> None:
    """Checkpoints, pushes and looks at Ctrl-C cut runs anywhere: the inner period goes on."""
    m = arm()
    cascade = Cascade(lambda t, q, v: ARM + 2.0 * t, PD(m, 80.0, 4.0, period=4e-3), 0.02)
    whole = Simulation(m).run(ARM, duration=0.06, controller=cascade)
    cut = Simulation(m).run(
        ARM, duration=0.06, controller=cascade, checkpoint=tmp_path / "c.npz", checkpoint_every=3e-3
    )
    np.testing.assert_array_equal(cut.q, whole.q)
    np.testing.assert_array_equal(cut.tau, whole.tau)


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "gain shape": (lambda: PD(arm(), np.ones(3), 1.0), ValueError, "kp has shape"),
    "gain sign": (lambda: PD(arm(), 1.0, -1.0), ValueError, "kd is"),
    "gain nan": (lambda: PD(arm(), np.nan, 1.0), ValueError, "kp is"),
    "gain text": (lambda: PD(arm(), "high", 1.0), TypeError, "kp is not an array"),
    "joint": (lambda: PD(arm(), {"joint_9": 1.0}, 1.0), KeyError, "joint_9"),
    "target": (
        lambda: PD(arm(), 1.0, 1.0, np.zeros(5)),
        ValueError,
        r"reference has shape .*, must be \(…, 4\)",
    ),
    "target nan": (lambda: PD(arm(), 1.0, 1.0, np.full(4, np.nan)), ValueError, "not finite"),
    "function": (
        lambda: PD(arm(), 1.0, 1.0, lambda t: (ARM, ARM[:2])),
        ValueError,
        "velocity of ref",
    ),
    "effort": (lambda: PD(arm(), 1.0, 1.0, effort=-1.0), ValueError, "effort is"),
    "period": (lambda: PD(arm(), 1.0, 1.0, period=0.0), ValueError, "period is 0.0"),
    "model": (lambda: PD("arm", 1.0, 1.0), TypeError, "model is of type str"),  # type: ignore
    "times": (lambda: Table(arm(), [0.0, 0.0], np.zeros((2, 4))), ValueError, "times must rise"),
    "rows": (lambda: Table(arm(), [0.0, 1.0], np.zeros((3, 4))), ValueError, "q has shape"),
    "follower": (
        lambda: PD(ts.robots.four_bar(), {"rocker": 1.0}, 1.0),
        ValueError,
        r"kp names joint 'rocker', which follows others .* \(valid: crank\)",
    ),
    "words": (lambda: PD(arm(), {"joint_1": "high"}, 1.0), TypeError, "kp of joint 'joint_1' is"),
    "nothing": (lambda: PD(arm(), 1, 1, lambda t: None), TypeError, "reference is None"),
    "no time": (lambda: Table(arm(), [0.0, np.inf], np.zeros((2, 4))), ValueError, "times must"),
    "outer": (
        lambda: Cascade(lambda t, q, v: None, PD(arm(), 1, 1), 0.1)(0.0, ARM, ARM),
        TypeError,
        "outer returned None at t = 0 s",
    ),
    "inner": (lambda: Cascade(lambda t, q, v: q, 3, 0.1), TypeError, "inner"),  # type: ignore
    "rates": (
        lambda: Cascade(PD(arm(), 1, 1), PD(arm(), 1, 1, period=0.2), 0.1),
        ValueError,
        "longer",
    ),
    "no rate": (lambda: Cascade(wave, PD(arm(), 1, 1), None), TypeError, "outer_period"),  # type: ignore
    "no integral": (lambda: PD(arm(), 1, 1, ki=3.0), TypeError, "'ki'"),  # type: ignore
    "implicit": (lambda: ImplicitPD(arm(), 1.0, 1.0, dt=-1.0), ValueError, "dt is"),
    "pid": (lambda: PID(arm(), 1, 1, 1)(0.0, ARM, ARM), ValueError, "needs a period"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_controllers_are_named(case: str) -> None:
    make, error, message = BAD[case]
    with pytest.raises(error, match=message):
        make()


def test_a_table_is_the_same_function_in_the_core() -> None:
    m, sim = arm(), Simulation(arm())
    rng = np.random.default_rng(5)
    ways = ARM + 0.2 * rng.normal(size=(3, 4, 4))
    table = Table(m, [0.0, 0.05, 0.1, 0.2], ways, rng.normal(size=(3, 4, 4)))
    run = sim.run(np.tile(ARM, (3, 1)), duration=0.25, controller=PD(m, 60.0, 3.0, table))
    plain = PD(m, 60.0, 3.0, lambda t: table(t))
    again = sim.run(np.tile(ARM, (3, 1)), duration=0.25, controller=plain)
    np.testing.assert_array_equal(run.q, again.q)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", [ARM, wave], ids=["constant", "moving"])
def test_periods_do_not_depend_on_samples(name: str, target: Any) -> None:
    sim = Simulation(arm(), dt=DT)
    control = law(name, target, period=5 * DT)
    whole = sim.run(ARM + 0.1, duration=0.1, controller=control)
    part = sim.run(ARM + 0.1, duration=0.1, controller=control, every=3)
    np.testing.assert_array_equal(part.q, whole.q[::3])
    np.testing.assert_array_equal(part.tau, whole.tau[::3])
    held = outside(law(name, target, period=5 * DT))
    python = sim.run(ARM + 0.1, duration=0.1, controller=held, every=3)
    if name != "implicit_pd":  # which answers in every step, only its reference is held
        np.testing.assert_allclose(python.q, part.q, atol=1e-9)


def weak_arm() -> ts.Model:
    """Return the arm with motors of 3 N m."""
    description = arm().description
    joints = [replace(joint, effort_limit=np.array([3.0])) for joint in description.joints]
    return ts.Model(replace(description, joints=joints))


@pytest.mark.parametrize("way", ["core", "python", "rk4", "dormand_prince", "rollout"])
@pytest.mark.parametrize(
    ("cut", "own", "most"),
    [(True, None, 3.0), (False, None, np.inf), (True, 2.0, 2.0), (False, 2.0, 2.0)]
    + [(True, 5.0, 3.0), (False, 5.0, 5.0)],
)
def test_limits_of_the_simulation_and_of_the_controller_hold(
    way: str, cut: bool, own: float | None, most: float
) -> None:
    m = weak_arm()
    integrator = way if way in ("rk4", "dormand_prince") else "semi_implicit"
    sim = Simulation(m, effort_limits=cut, integrator=integrator)
    control = PD(m, 100.0, 1.0, ARM + 0.2, effort=own)
    if way == "rollout":
        targets = np.tile(ARM + 0.2, (20, 1))
        run = ts.rollout(sim, ARM, setpoints=targets, controller=control, record=("q", "tau"))
    else:
        run = sim.run(
            ARM, duration=0.02, controller=outside(control) if way == "python" else control
        )
    if way == "python" and own is None:  # a function of its own keeps to the model's limits
        most = 3.0
    assert np.abs(run.tau).max() == pytest.approx(min(most, 20.0), rel=0.05)
    assert control.effort.tolist() == ([3.0] * 4 if own is None else [own] * 4)
