"""Gaits whose motors take the least electrical energy, and joints with dry friction."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import Bounds, minimize

import tarsus as ts
from tarsus.control import CurrentMotor
from tarsus.gait.optimal.collocation import TURNS
from tarsus.gait.optimal.costs import TransportCost
from tarsus.gait.optimal.design import Design, drives
from tarsus.gait.optimal.search import start
from tarsus.gait.optimal.transcription import Transcription
from tarsus.gait.walkers import Walker, compass, dribbel
from tarsus.model import Editor

MOTOR = CurrentMotor(constant=0.03, resistance=0.3, ratio=43.0, efficiency=0.8)
WEAK = CurrentMotor(constant=0.05, resistance=2.0, ratio=10.0, efficiency=0.5)


def objective(walker: Walker, width: float = 1e-2, motor: CurrentMotor = MOTOR) -> TransportCost:
    return TransportCost(drives(walker, motor, complete=True), walker.weight, width)


def rubbed(friction: float) -> Walker:
    """Return a compass whose hip rubs."""
    walker = compass(slope=0.0)
    editor = Editor(walker.phases[0].model)
    editor.change("joint", "hip", friction=[friction])
    phase = replace(walker.phases[0], model=editor.build())
    return Walker.from_phases(phase, start=walker.start, ahead=walker.ahead)


def test_powers_by_hand() -> None:
    """1 N m through 10 : 1, 50 % of 0.05 N m/A, is 4 A: 32 W of heat in 2 Ω, 6 W at 3 rad/s."""
    assert float(WEAK.current(1.0)) == pytest.approx(4.0)
    walker = compass()
    (driven,) = drives(walker, {"hip": WEAK}, complete=False)
    efforts = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [2.0, 0.0], [2.0, 0.0]])
    rates = np.array([[0.0, 3.0], [0.0, -10.0], [0.0, -20.0], [3.0, 0.0], [-3.0, 0.0]])
    # fed back by 8 W, and by an ideal motor by 6 W: lost
    assert driven.power(rates, efforts) == pytest.approx([38.0, 12.0, 0.0, 6.0, 0.0])
    # half a second of 38 W at both joints, 100 J of weight times way, and a slope of 0.1
    cost = objective(walker, 1e-12, WEAK).at(np.full(4, 0.25))
    outputs = np.concatenate([np.tile([1.0, 1.0, 3.0, 3.0], 4), [0.5, 100.0, 0.1]])
    assert cost.cost(outputs) == pytest.approx(2 * 38.0 * 0.5 / 100.0 + 0.1)


def test_smooth_powers_are_above_by_half_their_width() -> None:
    walker = compass()
    cost = objective(walker).at(np.ones(1))
    rng = np.random.default_rng(0)
    tau, v = 5.0 * rng.standard_normal((2, 1000, 2))
    (driven,) = cost.phases
    over = cost._power(0, tau, v)[0].sum(axis=-1) - driven.power(v, tau)
    assert over.min() > 0.0
    assert over.max() < 2 * 0.5 * 1e-2 * walker.weight


@pytest.mark.parametrize("speed", [0.7, None])
@pytest.mark.parametrize("case", ["compass", "dribbel", "masses", "slopes"])
def test_gradients(case: str, speed: float | None) -> None:
    """By differences; masses change the weight, and slopes what they give."""
    walker = dribbel() if case == "dribbel" else compass()
    free = {"masses": {"leg_mass": (0.5, 3.0)}, "slopes": {"slope": (0.0, 0.2)}}.get(case, {})
    stated = Transcription(
        walker,
        ts.gait.Chebyshev(6),
        objective=objective(walker),
        speed=speed,
        design=Design(free),
    )
    assert (stated.designs._blends is not None) == (case == "masses")
    sizes = stated.unknowns.sizes
    rng = np.random.default_rng(1)
    c = [0.1 * rng.standard_normal((stated.basis.size, n)) for n in sizes]
    first = np.array([1.2 if case == "masses" else 0.07][: len(free)])
    x = stated.joined(c, 0.5 + 0.1 * np.arange(len(sizes)), first)
    here = stated.linearised(x)
    steps = 1e-5 * np.eye(len(x))
    ahead, back = (np.array([stated.values(x + way * s).cost for s in steps]) for way in (1, -1))
    gradient = (ahead - back) / 2e-5
    assert here.gradient == pytest.approx(gradient, abs=1e-7 * np.abs(gradient).max())
    assert np.linalg.eigvalsh(here.curvature)[0] > -1e-9 * np.abs(here.curvature).max()


def test_curvatures_are_those_of_powers_where_these_are_convex() -> None:
    """At rest power is heat alone: with outputs as unknowns, second differences."""
    walker = compass()
    weights = np.array([0.3, 0.7])
    cost = objective(walker).at(weights)
    outputs = np.array([1.0, -2.0, 0.0, 0.0, 0.5, 3.0, 0.0, 0.0, 0.6, 40.0, 0.0])
    found = cost.curvature(outputs, np.eye(len(outputs)))
    efforts = [0, 1, 4, 5]
    h = 1e-4
    for k in efforts:
        step = h * np.eye(len(outputs))[k]
        near = [cost.cost(outputs + way * step) for way in (1, 0, -1)]
        bend = (near[0] - 2 * near[1] + near[2]) / h**2
        # the mixed term of effort and velocity is not convex: leaving it out bends no less
        assert found[k, k] >= 0.999 * bend


def test_another_solver_finds_the_same_gait() -> None:
    """SLSQP of SciPy on the same programme, from straight lines."""
    walker = compass(slope=0.0)
    gait = ts.gait.optimize(walker, 0.8, motors=MOTOR)
    assert gait.success
    stated = Transcription(walker, gait.basis, objective=objective(walker, 1e-4), speed=0.8)
    begin = start(walker, 0.8)
    x = stated.joined(begin.coefficients(gait.basis), begin.durations, np.zeros(0))
    found = minimize(
        lambda y: stated.values(y).cost,
        x,
        jac=lambda y: stated.linearised(y).gradient,
        bounds=Bounds(*stated.bounds),
        constraints={
            "type": "eq",
            "fun": lambda y: stated.values(y).equations,
            "jac": lambda y: stated.linearised(y).equation_slopes,
        },
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert np.abs(stated.values(found.x).equations).max() < 1e-6
    assert gait.cost == pytest.approx(found.fun, rel=2e-3)


def test_gaits_of_least_energy_are_not_those_of_least_efforts() -> None:
    walker = compass(slope=0.0)
    efforts = ts.gait.optimize(walker, 0.8, starts=1)
    energy = ts.gait.optimize(walker, 0.8, motors=MOTOR, starts=1)
    assert energy.success
    assert energy.cost == pytest.approx(energy.cost_with_motors(MOTOR), rel=1e-5)
    assert energy.cost < 0.95 * efforts.cost_with_motors(MOTOR)
    # motors that lose nothing: what strikes take is the least that has to be given
    assert energy.cost > energy.cost_of_transport >= energy.net_cost_of_transport
    again = ts.gait.optimize(walker, 0.8, motors={"hip": MOTOR, "lean": MOTOR}, guess=efforts)
    assert again.cost == pytest.approx(energy.cost, rel=1e-4)


def test_downhill_brakes_cost_nothing() -> None:
    walker = compass()
    gait = ts.gait.optimize(walker, 0.5, motors=MOTOR, starts=1)
    assert gait.success
    assert gait.power < 0.0
    assert gait.cost == pytest.approx(math.sin(walker.slope), rel=1e-3)


def test_phases_and_masses() -> None:
    bends = ts.gait.Require(ts.guards.JointPosition("swing_knee"), high=-0.3, during=(0.5, 0.5))
    given = {"require": [bends], "posture": [0.25, -0.5, 0.0], "starts": 1}
    walker = dribbel(slope=0.0)
    gait = ts.gait.optimize(walker, 0.5, motors=MOTOR, **given)
    assert gait.success
    assert gait.cost < ts.gait.optimize(walker, 0.5, **given).cost_with_motors(MOTOR)
    free = {"leg_mass": (0.5, 2.0)}
    light = ts.gait.optimize(compass(slope=0.0), 0.8, motors=MOTOR, design=free, starts=1)
    assert light.success
    # of a blend in the search, and of the walker that it stands for
    assert light.cost == pytest.approx(light.cost_with_motors(MOTOR), rel=1e-5)


def test_currents_are_limited() -> None:
    walker = compass(slope=0.0)
    free = ts.gait.optimize(walker, 0.8, motors=MOTOR, starts=1)
    most = 0.8 * float(MOTOR.current(free.peak_efforts["hip"]))
    weak = ts.gait.optimize(walker, 0.8, motors=replace(MOTOR, limit=most), starts=1)
    assert weak.success
    assert float(MOTOR.current(weak.peak_efforts["hip"])) <= most + 1e-5
    assert weak.cost > free.cost


def test_friction_is_worked_against() -> None:
    walker = rubbed(0.3)
    gait = ts.gait.optimize(walker, 0.8, starts=1)
    assert gait.success
    model = walker.phases[0].model

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        friction = np.array([0.0, 0.3 * math.tanh(y[3] / TURNS)])
        tau = gait.tau(min(t, gait.duration)) - friction
        return np.concatenate([y[2:], model.forward_dynamics(y[:2], y[2:], tau)])

    begin = np.concatenate([gait.q(0.0), gait.v(0.0)])
    end = solve_ivp(rate, (0.0, gait.duration), begin, rtol=1e-10, atol=1e-12)
    assert end.y[:2, -1] == pytest.approx(gait.q(gait.duration), abs=1e-6)
    # energy: motors give what the strike takes and what rubs
    t = np.linspace(0.0, gait.duration, 4001)
    v = gait.v(t)[:, 1]
    heat = float(np.trapezoid(0.3 * v * np.tanh(v / TURNS), t))
    taken = float(
        ts.gait.impact_analysis(walker, gait.q(gait.duration)).lost(gait.v(gait.duration))
    )
    assert gait.power * gait.duration == pytest.approx(taken + heat, abs=1e-5)
    assert heat == pytest.approx(float(np.trapezoid(0.3 * np.abs(v), t)), rel=1e-2)
    assert gait.power > 1.1 * ts.gait.optimize(rubbed(0.0), 0.8, starts=1).power


def test_friction_has_exact_derivatives() -> None:
    walker = rubbed(0.3)
    stated = Transcription(
        walker, ts.gait.Chebyshev(5), objective=objective(walker), speed=0.5, nodes=8
    )
    c = 0.05 * np.random.default_rng(2).standard_normal((6, 2))
    x = stated.joined([c], np.array([0.7]), np.zeros(0))
    here = stated.linearised(x)
    steps = 1e-6 * np.eye(len(x))
    sides = [np.array([stated.values(x + way * s).outputs for s in steps]) for way in (1, -1)]
    numeric = ((sides[0] - sides[1]) / 2e-6).T
    assert here.output_slopes == pytest.approx(numeric, abs=1e-6 * np.abs(numeric).max())


def test_motors_are_told() -> None:
    walker = compass()
    with pytest.raises(ValueError, match=r"motors lacks joints \['lean'\]"):
        ts.gait.optimize(walker, motors={"hip": MOTOR})
    with pytest.raises(ValueError, match=r"joint 'knee', which motors names.*hip"):
        ts.gait.optimize(walker, motors={"knee": MOTOR})
    with pytest.raises(TypeError, match="motors: hip is of type float"):
        ts.gait.optimize(walker, motors={"hip": 2.0, "lean": MOTOR})
    with pytest.raises(TypeError, match="motors is of type int"):
        ts.gait.optimize(walker, motors=3)
    with pytest.raises(ValueError, match="weights are of squared efforts"):
        ts.gait.optimize(walker, motors=MOTOR, weights={"hip": 2.0})
