"""Integrators that take each state at its own pace: times, tolerances, statistics, jumps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bars import chain, turn_last
from movers import ARM, arm
from oracle import Array
from scipy.integrate import ode, solve_ivp

import tarsus as ts
from tarsus import _core, integrators
from tarsus.simulation import Simulation, SimulationError

KINDS = sorted(_core.joint_kinds())
NAMES = ["dormand_prince", "radau", "gauss", "adams"]


def mechanism(kind: str) -> ts.Model:
    """Return three bodies in a row, the first and the last on joints of a kind, with springs."""
    return ts.robots.random_mechanism(KINDS.index(kind), 3, [kind, "revolute", kind], springs=True)


def bent() -> ts.Model:
    """Return two hinges, the second of which turns by the sine of the first's angle."""

    def sine(y: Array) -> tuple[Array, Array, Array]:
        return np.sin(y), np.cos(y)[..., None], -np.sin(y)[..., None, None]

    b = ts.Builder("bent")
    b.body("a", 1.0, com=(0.3, 0.0, 0.0), inertia=(0.01, 0.02, 0.02))
    b.body("b", 0.5, com=(0.2, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))
    b.joint("first", "revolute", "world", "a", axis="y")
    b.joint("second", "revolute", "a", "b", position=(0.5, 0.0, 0.0), axis="y")
    return b.transmission("function", ["first"], ["second"], function=sine).build()


def end(run: ts.Trajectory) -> Array:
    return np.concatenate([run.q[..., -1, :], run.v[..., -1, :]], axis=-1)


def swing(m: ts.Model, integrator: Any, steps: int) -> ts.Trajectory:
    rng = np.random.default_rng(7)
    q, v = m.random_configuration(rng), 2.0 * rng.normal(size=m.nv)
    sim = Simulation(m, dt=0.25 / steps, integrator=integrator, joint_friction=False)
    return sim.run(q, v, duration=0.25)


@pytest.mark.parametrize("kind", KINDS)
def test_every_joint_by_methods_of_the_core(kind: str) -> None:
    m = mechanism(kind)
    fine = swing(m, integrators.DormandPrince(1e-12, 1e-13), 16)
    gauss, radau = swing(m, "gauss", 16), swing(m, integrators.Radau(1e-10, 1e-11), 16)
    scale = 1.0 + np.abs(end(fine))
    off = [np.abs((end(run) - end(fine)) / scale).max() for run in (gauss, radau)]
    print(f"{kind}: gauss {off[0]:.1e}, radau {off[1]:.1e}, {radau.integration.steps} steps")
    assert off[0] < 1e-9 and off[1] < 1e-7
    # samples between steps, from the dense output
    np.testing.assert_allclose(radau.q, fine.q, atol=1e-6)
    assert np.abs(gauss.energy.relative_residual).max() < 1e-10
    assert np.abs(radau.energy.relative_residual).max() < 1e-6


def test_radau_is_of_order_five() -> None:
    m, v0 = arm(), np.array([1.0, -2.0, 3.0, 1.0])
    exact = end(Simulation(m, dt=0.02, integrator="gauss").run(ARM, v0, duration=1.0))
    tighter = end(Simulation(m, dt=0.01, integrator="gauss").run(ARM, v0, duration=1.0))
    np.testing.assert_allclose(exact, tighter, atol=1e-11)
    steps, errors = [], []
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
        chosen = integrators.Radau(rtol, rtol)
        run = Simulation(m, dt=1.0, integrator=chosen).run(ARM, v0, duration=1.0)
        assert run.integration is not None
        steps.append(float(run.integration.steps))
        errors.append(np.abs(end(run) - exact).max())
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    print(f"steps {steps}, errors {errors}, order {-slope:.2f}")
    assert -slope > 4.5
    assert (np.array(errors) < 100 * np.array([1e-4, 1e-6, 1e-8, 1e-10])).all()


def test_stiff_drives_take_few_steps() -> None:
    b = ts.Builder("stiff")
    b.body("a", 1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01)).joint(
        "j", "revolute", "world", "a", axis="y"
    )
    b.body("b", 0.1, com=(0, 0, -0.2), inertia=(1e-3, 1e-3, 1e-4))
    b.joint("k", "revolute", "a", "b", position=(0, 0, -1), axis="y", stiffness=1e5, damping=1e3)
    m = b.build()
    # its time constants are 10 ms and 5 µs; the rest is a pendulum with its second body held
    run = Simulation(m, dt=1e-2, integrator="radau").run([1.0, 0.1], duration=2.0)

    def rates(t: float, y: Array) -> Array:
        q, v = y[:2], y[2:]
        return np.concatenate([v, m.forward_dynamics(q, v, m.passive_forces(q, v))])

    found = solve_ivp(rates, (0.0, 2.0), [1.0, 0.1, 0.0, 0.0], "BDF", rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(run.q[-1], found.y[:2, -1], atol=1e-6)
    run.energy.check(1e-6)
    assert run.integration is not None and run.integration.steps < 400
    # explicit steps must be shorter than 3e-6 s: 40 times as many for a twentieth of the time
    explicit = Simulation(m, dt=1e-2, integrator="dormand_prince").run([1.0, 0.1], duration=0.02)
    assert explicit.integration is not None and explicit.integration.steps > 500


@pytest.mark.parametrize("name", NAMES)
def test_what_rests_does_not_loosen_what_moves(name: str) -> None:
    found = []
    chosen = integrators.INTEGRATORS[name]
    rough = chosen() if name == "gauss" else chosen(rtol=1e-5, atol=1e-6)
    for idle in (0, 12):
        m = chain(3, idle=idle)
        v = turn_last(m, 3, 2.0)
        run = Simulation(m, dt=0.1, integrator=rough).run(None, v, duration=2.0)
        assert run.integration is not None
        found.append((run.q[:, :5], float(run.integration.steps)))
    (alone, steps), (beside, steps_beside) = found
    exact = Simulation(chain(3), dt=0.1, integrator="gauss").run(
        None, turn_last(chain(3), 3, 2.0), duration=2.0
    )
    errors = [np.abs(q - exact.q).max() for q in (alone, beside)]
    print(f"{name}: steps {steps} and {steps_beside}, errors {errors}")
    # VODE begins with steps that depend on how many numbers there are
    if name == "adams":
        assert steps_beside >= 0.9 * steps and errors[1] < 5 * errors[0]
    else:
        assert steps_beside == steps
        np.testing.assert_allclose(errors[0], errors[1], rtol=0.1, atol=1e-12)


@pytest.mark.parametrize("name", [each for each in NAMES if each != "gauss"])
def test_a_jump_of_forces_is_not_stepped_over(name: str) -> None:
    jump = 0.2345
    asked: list[float] = []
    m = arm()
    on = np.array([5.0, -3.0, 2.0, 1.0])

    def push(t: float, q: Array, v: Array) -> Array:
        asked.append(t)
        return on if t < jump else 0.0 * on

    def before(t: float, q: Array, v: Array) -> Array:
        assert t <= jump * (1 + 1e-12)
        return on

    chosen = integrators.INTEGRATORS[name]
    whole, first = chosen(1e-10, 1e-11, tcrit=(jump,)), chosen(1e-10, 1e-11)
    free = {"effort_limits": False}
    part = Simulation(m, dt=jump, integrator=first, **free).run(
        ARM, duration=jump, controller=before
    )
    rest = Simulation(m, dt=0.5 - jump, integrator=first, **free).run(
        part.q[-1], part.v[-1], duration=0.5 - jump
    )
    run = Simulation(m, dt=0.05, integrator=whole, **free).run(ARM, duration=0.5, controller=push)
    # what is behind the jump, or the end, is not tried before
    behind = np.array(asked) >= jump
    assert np.count_nonzero(np.diff(behind.astype(int))) == 1
    assert max(asked) <= 0.5 * (1 + 1e-12)
    off = np.abs(end(run) - end(rest)).max()
    print(f"{name}: off by {off:.1e}, {run.integration}")
    assert off < 1e-7
    assert len(run) == 11


@pytest.mark.parametrize("name", NAMES)
def test_statistics_of_states(name: str) -> None:
    sim = Simulation(arm(), dt=1e-2, integrator=name)
    q0 = ARM + np.array([[0.0], [0.5], [1.0]])
    run = sim.run(q0, duration=0.5)
    assert run.integration is not None and run.integration.name == name
    assert run.integration.steps.shape == (3,) and (run.integration.steps > 0).all()
    assert (run.integration.rates >= run.integration.steps).all()
    for k in range(3):
        alone = sim.run(q0[k], duration=0.5)
        np.testing.assert_array_equal(run.q[k], alone.q)
        assert alone.integration is not None
        assert alone.integration.steps == run.integration.steps[k]
        one = run[k].integration
        assert one is not None and one.last_step == alone.integration.last_step
    assert "last_step" in str(run.integration)
    assert Simulation(arm()).run(duration=0.01).integration is None


@pytest.mark.parametrize("name", ["radau", "gauss"])
def test_threads_take_states_and_change_no_bit(name: str) -> None:
    q0 = ARM + np.linspace(0.0, 1.0, 5)[:, None]
    sim = Simulation(arm(), dt=1e-3, integrator=name)
    one, four = (sim.run(q0, duration=0.2, threads=n) for n in (1, 4))
    np.testing.assert_array_equal(one.q, four.q)
    np.testing.assert_array_equal(one.energy.rows, four.energy.rows)
    until = ts.until.Position("joint_1", above=1.2)
    one, four = (sim.run(q0, duration=0.3, threads=n, until=until) for n in (1, 4))
    assert one.ended
    np.testing.assert_array_equal(one.q, four.q)


def test_a_step_that_is_too_long_for_gauss_says_so() -> None:
    b = ts.Builder("stiff")
    b.body("a", 1.0).joint("j", "prismatic", "world", "a", axis="x", stiffness=1e8)
    with pytest.raises(SimulationError, match=r"stages .* not found.*shorten it, or use 'radau'"):
        Simulation(b.build(), dt=1e-2, integrator="gauss").run([0.1], duration=0.1)


@pytest.mark.parametrize("name", [each for each in NAMES if each != "gauss"])
def test_tolerances_are_positive_numbers(name: str) -> None:
    made = integrators.INTEGRATORS[name]
    assert made(tcrit=0.5).tcrit == (0.5,)
    for wrong in (0.0, -1e-6, float("nan")):
        with pytest.raises(ValueError, match="rtol"):
            made(rtol=wrong)
        with pytest.raises(ValueError, match="atol"):
            made(atol=wrong)
    with pytest.raises((TypeError, ValueError), match="tcrit"):
        made(tcrit=("soon",))


@pytest.mark.parametrize("name", ["lsoda", "bdf", "cvode"])
def test_removed_integrators_are_unknown(name: str) -> None:
    valid = "semi_implicit, explicit, rk4, dormand_prince, radau, gauss, adams"
    with pytest.raises(ValueError, match=f"unknown integrator '{name}'.*valid: {valid}"):
        Simulation(arm(), integrator=name)


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_move_stays(name: str) -> None:
    b = ts.Builder("rock")
    b.body("rock", 1.0).joint("ground", "fixed", "world", "rock")
    run = Simulation(b.build(), dt=0.1, integrator=name).run(duration=0.3)
    assert run.q.shape == (4, 0)
    assert len(Simulation(arm(), integrator=name).run(duration=0.0)) == 1


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_users_give_positions(name: str) -> None:
    m = bent()
    exact = Simulation(m, dt=1e-3, integrator="rk4").run([0.3], [2.0], duration=0.5)
    run = Simulation(m, dt=0.05, integrator=name).run([0.3], [2.0], duration=0.5)
    np.testing.assert_allclose(run.q, exact.q[::50], atol=1e-5)
    run.energy.check(1e-5)


def test_what_fails_in_a_controller_is_raised() -> None:
    def wrong(t: float, q: Array, v: Array) -> Array:
        if t > 0.05:
            raise LookupError("no such table")
        return np.zeros(4)

    for name in NAMES:
        with pytest.raises(LookupError, match="no such table"):
            Simulation(arm(), dt=1e-2, integrator=name).run(ARM, duration=0.2, controller=wrong)


def test_multistep_runs_end_at_their_last_sample() -> None:
    """VODE of SciPy 1.17 stops some ulp before the end in one of four such runs."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        n, dt = int(rng.integers(1, 5)), float(rng.choice([1e-3, 2e-3, 1e-2, 1 / 60]))
        steps, q = int(rng.integers(1, 60)), 0.5 * rng.normal(size=n)
        run = Simulation(ts.robots.chain(n), integrator="adams", dt=dt).run(q, duration=steps * dt)
        assert len(run.t) == steps + 1
        assert run.t[-1] == steps * dt


def test_multistep_samples_against_a_reference() -> None:
    m, q, v = ts.robots.chain(3), np.full(3, 0.1), np.array([0.0, 1.0, -1.0])
    run = Simulation(m, integrator="adams").run(q, v, duration=0.05)

    def rates(t: float, y: Array) -> Array:
        return np.concatenate([y[3:], m.forward_dynamics(y[:3], y[3:], np.zeros(3))])

    start, span = np.concatenate([q, v]), (0.0, run.t[-1])
    found = solve_ivp(rates, span, start, "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.hstack([run.q, run.v]), found.y.T, rtol=1e-7, atol=1e-7)


def test_a_multistep_method_without_progress_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ode, "integrate", lambda self, t: self.y)
    with pytest.raises(SimulationError, match="vode made no progress from"):
        Simulation(ts.robots.chain(1), integrator="adams").run([0.1], duration=0.01)
