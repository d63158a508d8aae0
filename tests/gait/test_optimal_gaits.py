"""Gaits of least efforts, by what a thesis and other solvers find, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import Bounds, OptimizeResult, minimize

import tarsus as ts
from tarsus.gait.optimal.costs import EffortCost
from tarsus.gait.optimal.search import start
from tarsus.gait.optimal.sqp import minimise
from tarsus.gait.optimal.transcription import Transcription, Unknowns
from tarsus.gait.walkers import Walker, compass, dribbel, walker3d

NOMINAL = {0.5: 1.434, 0.6: 0.4385, 0.7: 0.0283, 0.8: 0.0048, 0.9: 0.0215}
NOMINAL |= {1.0: 0.268, 1.1: 0.802, 1.2: 1.626, 1.3: 2.745}
"""Least costs of the compass walker by its speed [m/s], of an independent computation."""
SPRINGS = {0.9: 0.633, 1.0: 2.867, 1.1: 6.098, 1.2: 10.81, 1.3: 17.69}
"""And the stiffnesses between its legs [N m/rad] that are best."""
MASSES = dict(
    zip(NOMINAL, (0.062, 0.011, 0.0023, 0.0032, 0.0071, 0.012, 0.016, 0.011, 0.011), strict=True)
)
ALL = dict(
    zip(
        NOMINAL,
        (0.037, 0.0029, 0.0017, 0.0014, 0.0016, 0.0027, 0.0042, 0.0054, 0.0099),
        strict=True,
    )
)
"""Costs of the thesis with masses free, and with all free."""
TRUNKS = {
    1: (0.601, 0.301, 0.100, 7.09, 2.51),
    2: (0.696, 0.348, 0.093, 5.68, 1.88),
    3: (0.754, 0.377, 0.088, 4.96, 1.57),
    4: (0.799, 0.400, 0.082, 4.49, 1.37),
    5: (0.834, 0.417, 0.077, 4.15, 1.24),
}
"""By the mass of the hip: duration, step ahead and aside, cost, power of dense quadrature."""
FEW = (0.5, 0.8, 1.3)


def strike_speed(walker: Walker, least: float = 0.5) -> ts.gait.Require:
    """Return that the foot comes down at least so fast."""
    normal = (math.sin(walker.slope), 0.0, math.cos(walker.slope))
    height = ts.guards.Height("right_foot", normal=normal)
    return ts.gait.Require(height, high=-least, during=(1, 1), rate=True, label="strike speed")


def clearance() -> ts.gait.Require:
    height = ts.guards.Height("left_foot")
    return ts.gait.Require(height, low=0.01, during=(0.1, 0.9), label="clearance")


def tied(free: dict[str, float]) -> dict[str, float]:
    return {"hip_mass": 7.0 - 2.0 * free["leg_mass"]}


def test_without_a_guess_the_compass_finds_its_passive_gaits() -> None:
    gait = ts.gait.optimize(compass(), posture=[0.2, -0.4])
    assert gait.success
    assert gait.cost < 4e-4  # of the thesis
    assert gait.duration == pytest.approx(0.6079, abs=1e-3)
    assert gait.speed == pytest.approx(0.908, abs=1e-3)


def test_a_strike_speed_leads_to_the_stable_gait() -> None:
    walker = compass()
    gait = ts.gait.optimize(walker, require=[strike_speed(walker)], posture=[0.2, -0.4])
    assert gait.success
    assert gait.cost < 1e-3
    assert gait.duration == pytest.approx(0.7828, abs=2e-3)
    # its state, simulated without any efforts, comes to the passive gait
    flowed = walker.steps(*gait.state, 40)
    assert flowed.q == pytest.approx([0.299294, -0.598588], abs=1e-5)
    assert flowed.v == pytest.approx([-1.072963, 0.708407], abs=1e-5)


def test_from_standing_it_finds_the_stable_gait() -> None:
    """Zero angles all the time, as the thesis begins: a posture that leads nowhere is not held."""
    walker = compass()
    gait = ts.gait.optimize(walker, require=[strike_speed(walker)], posture=[0.0, 0.0])
    assert gait.success
    assert gait.cost < 1e-3  # of the thesis
    assert gait.duration == pytest.approx(0.7828, abs=2e-3)
    flowed = walker.steps(*gait.state, 40)
    assert flowed.q == pytest.approx([0.299294, -0.598588], abs=1e-5)


@pytest.mark.parametrize(("fast", "cost"), [(False, 0.4733), (True, 6.980)])
def test_standing_leads_other_solvers_elsewhere(fast: bool, cost: float) -> None:
    """From zero angles and 1 s, without that strikes are taken: optima that are no walks.

    Standing keeps all equations already. SLSQP of SciPy ends where our solver does: in steps ever
    shorter, or in feet that strike from below.
    """
    walker = compass()
    basis = ts.gait.Chebyshev(10)
    require = [strike_speed(walker)] if fast else []
    stated = Transcription(walker, basis, objective=EffortCost([np.eye(2)]), conditions=require)
    x = stated.joined([np.zeros((basis.size, 2))], np.ones(1), np.zeros(0))
    assert np.abs(stated.values(x).equations).max() == 0.0
    ours = minimise(stated, x)
    assert ours.status == "converged"
    found = slsqp(stated, x)
    assert ours.values.cost == pytest.approx(cost, rel=1e-3)
    assert found.fun == pytest.approx(cost, rel=1e-3)


def test_efforts_of_a_gait_lead_through_it() -> None:
    """Forward dynamics with the efforts that were found, by another integrator."""
    walker = compass()
    gait = ts.gait.optimize(walker, 1.1, require=[strike_speed(walker)], starts=1)
    assert gait.success
    model = walker.phases[0].model

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        tau = gait.tau(min(t, gait.duration))
        return np.concatenate([y[2:], model.forward_dynamics(y[:2], y[2:], tau)])

    end = solve_ivp(rate, (0.0, gait.duration), np.concatenate(gait.state), rtol=1e-10, atol=1e-12)
    assert end.y[:2, -1] == pytest.approx(gait.q(gait.duration), abs=1e-6)
    # energy: what motors give is what the strike takes, less gravity's
    analysis = ts.gait.impact_analysis(walker, gait.q(gait.duration))
    taken = float(analysis.lost(gait.v(gait.duration)))
    assert gait.power * gait.duration == pytest.approx(taken - analysis.work, abs=1e-5)


@pytest.mark.parametrize(
    "speed", [v if v in FEW else pytest.param(v, marks=pytest.mark.slow) for v in NOMINAL]
)
def test_nominal_costs(speed: float) -> None:
    walker = compass()
    gait = ts.gait.optimize(walker, speed, require=[strike_speed(walker)], starts=1)
    assert gait.success
    assert gait.speed == pytest.approx(speed, abs=1e-9)
    assert gait.cost == pytest.approx(NOMINAL[speed], rel=0.03)


@pytest.mark.parametrize(
    "speed", [v if v in FEW else pytest.param(v, marks=pytest.mark.slow) for v in NOMINAL]
)
def test_designs(speed: float) -> None:
    walker = compass()
    given = {"speed": speed, "require": [strike_speed(walker)], "starts": 1}
    springs = {"stiffness": (0.0, 50.0), "damping": (0.0, 5.0)}
    spring = ts.gait.optimize(walker, design=springs, **given)
    masses = {"leg_mass": (0.01, 3.45)}
    mass = ts.gait.optimize(walker, design=ts.gait.Design(masses, tied), **given)
    best = min((mass, spring), key=lambda each: each.cost)
    both = ts.gait.optimize(
        walker, design=ts.gait.Design(masses | springs, tied), guess=best, **given
    )
    assert spring.success
    assert mass.success
    assert spring.cost <= 1.001 * NOMINAL[speed] + 1e-3
    if speed in SPRINGS:
        assert spring.design["stiffness"] == pytest.approx(SPRINGS[speed], rel=0.01)
        assert spring.cost < 1e-4
    if speed == 0.8:
        assert spring.design["damping"] == pytest.approx(0.0478, abs=1e-3)
    assert mass.cost <= MASSES[speed]
    assert both.cost <= ALL[speed]
    assert both.cost <= 1.01 * best.cost + 1e-7
    assert spring.walker.numbers["stiffness"] == spring.design["stiffness"]


@pytest.mark.parametrize("hip", TRUNKS)
def test_gaits_in_space(hip: int) -> None:
    walker = walker3d(hip_mass=hip, head_mass=6.0 - hip)
    gait = ts.gait.optimize(walker, 0.5, require=[clearance()], starts=1)
    assert gait.success
    q = gait.q(gait.duration)
    aside = math.sin(q[3]) - math.sin(q[1])
    found = (gait.duration, gait.step_length, aside, gait.cost, gait.power)
    assert found == pytest.approx(TRUNKS[hip], rel=0.02)
    t = np.linspace(0.1, 0.9, 200) * gait.duration
    angles = gait.q(t)
    height = np.cos(angles[:, 0]) * np.cos(angles[:, 1]) - np.cos(angles[:, 2]) * np.cos(
        angles[:, 3]
    )
    assert height.min() > 0.01 - 1e-6
    # level ground: motors give what the strike takes
    taken = float(ts.gait.impact_analysis(walker, q).lost(gait.v(gait.duration)))
    assert gait.power * gait.duration == pytest.approx(taken, rel=1e-3)
    net = gait.net_cost_of_transport
    assert net == pytest.approx(gait.power / (8 * 9.81 * 0.5), rel=1e-6)
    assert gait.cost_of_transport > net  # what motors brake is not given back


def test_dribbel_finds_both_passive_gaits() -> None:
    walker = dribbel()
    posture = [0.25, -0.5, 0.0]
    bends = ts.gait.Require(ts.guards.JointPosition("swing_knee"), high=-0.3, during=(0.5, 0.5))
    short = ts.gait.optimize(walker, require=[bends], posture=posture, starts=1)
    assert short.success
    assert short.cost < 1e-4  # the thesis: 0.0122
    assert short.durations == pytest.approx([0.53044, 0.22206], abs=1e-3)
    # its knee is locked by the strike, exactly, so that it does not strike at once
    assert (short.state[0][2], short.state[1][2]) == (0.0, 0.0)
    after = walker.steps(*short.state)
    assert after.q == pytest.approx(short.state[0], abs=1e-3)
    assert after.v == pytest.approx(short.state[1], abs=1e-3)
    long = ts.gait.optimize(walker, 0.562, require=[bends], posture=posture, starts=2)
    assert long.success
    assert long.cost < 1e-4
    q, v = long.state
    assert (q[0], v[0], v[1]) == pytest.approx((0.2689, -1.1452, 0.3396), abs=2e-3)
    # stable: without efforts its steps come to the gait
    flowed = walker.steps(q, v, 30)
    assert flowed.q[0] == pytest.approx(0.268905, abs=1e-5)
    assert flowed.v[:2] == pytest.approx([-1.145241, 0.339580], abs=1e-5)


def test_another_solver_finds_the_same_gait() -> None:
    """SLSQP of SciPy on the same programme, from straight lines."""
    walker = compass()
    require = [strike_speed(walker)]
    gait = ts.gait.optimize(walker, 1.0, require=require, starts=1)
    stated = Transcription(
        walker, gait.basis, objective=EffortCost([np.eye(2)]), conditions=require, speed=1.0
    )
    begin = start(walker, 1.0)
    x = stated.joined(begin.coefficients(gait.basis), begin.durations, np.zeros(0))
    found = slsqp(stated, x)
    assert found.success
    assert found.fun == pytest.approx(gait.cost, rel=1e-4)


def slsqp(stated: Transcription, x: np.ndarray) -> OptimizeResult:
    """Return what SLSQP of SciPy makes of a programme."""

    def rows(key: str) -> dict[str, object]:
        return {
            "type": "eq" if key == "equation" else "ineq",
            "fun": lambda y: getattr(stated.values(y), f"{key}s"),
            "jac": lambda y: getattr(stated.linearised(y), f"{key}_slopes"),
        }

    return minimize(
        lambda y: stated.values(y).cost,
        x,
        jac=lambda y: stated.linearised(y).gradient,
        bounds=Bounds(*stated.bounds),
        constraints=[rows("equation"), *([rows("slack")] if stated.conditions else [])],
        method="SLSQP",
        options={"maxiter": 300, "ftol": 1e-10},
    )


def test_motors_that_get_warm_cost_more() -> None:
    walker = compass()
    gait = ts.gait.optimize(walker, 1.1, require=[strike_speed(walker)], starts=1)
    assert gait.cost_with_motors({}) == gait.cost_of_transport
    # 2 W for a squared newton metre: so much heat that nothing is fed back, and all work counts
    warm = gait.cost_with_motors(ts.control.CurrentMotor(constant=1.0, resistance=2e3))
    heat = 2e3 * gait.cost + gait.power * gait.duration
    given = math.sin(walker.slope)
    assert warm - given == pytest.approx(heat / (walker.weight * gait.step_length), rel=1e-6)


def test_splines_find_the_same_gait() -> None:
    walker = compass()
    given = {"require": [strike_speed(walker)], "starts": 1}
    polynomials = ts.gait.optimize(walker, 1.0, **given)
    splines = ts.gait.optimize(walker, 1.0, basis=ts.gait.BSpline(8, 5), **given)
    assert splines.success
    assert splines.cost == pytest.approx(polynomials.cost, rel=0.01)


def test_friction_and_torques_are_kept() -> None:
    walker = walker3d()
    free = ts.gait.optimize(walker, 0.5, require=[clearance()], starts=1)
    most = 0.7 * free.peak_efforts["left_roll"]
    bound = ts.gait.optimize(
        walker,
        0.5,
        require=[clearance(), ts.gait.Grip(friction=0.15)],
        effort_limits={"left_roll": most},
        starts=1,
    )
    assert bound.success
    assert bound.cost > free.cost
    assert bound.peak_efforts["left_roll"] <= most + 1e-5
    t = np.linspace(0.0, bound.duration, 300)
    # the force of the ground, by Newton: mass times the acceleration of the centre of mass
    model = walker.phases[0].model
    h = 1e-4
    inner = np.clip(t, h, bound.duration - h)
    places = [np.asarray(model.center_of_mass(bound.q(inner + k * h))) for k in (-1, 0, 1)]
    force = 8.0 * (places[0] - 2.0 * places[1] + places[2]) / h**2 + [0.0, 0.0, 8.0 * 9.81]
    needed = np.linalg.norm(force[:, :2], axis=1) / force[:, 2]
    assert needed.max() < 0.15 + 1e-3


def test_contradictions_end_with_a_reason() -> None:
    walker = compass()
    hip = ts.guards.JointPosition("hip")
    require = [
        ts.gait.Require(hip, low=0.5, during=(0.5, 0.5)),
        ts.gait.Require(hip, high=0.3, during=(0.5, 0.5)),
    ]
    gait = ts.gait.optimize(walker, 0.8, require=require, starts=1)
    assert not gait.success
    assert "no way found" in gait.status or "no convergence" in gait.status
    assert gait.violations


def test_wrong_arguments_are_told() -> None:
    walker = compass()
    with pytest.raises(ValueError, match="leg_mas"):
        ts.gait.optimize(walker, design={"leg_mas": (0.1, 1.0)})
    with pytest.raises(ValueError, match="in order"):
        ts.gait.Design({"leg_mass": (1.0, 0.1)})
    with pytest.raises(ValueError, match="phase is 3"):
        ts.gait.optimize(
            walker, require=[ts.gait.Require(ts.guards.JointPosition("hip"), low=0.0, phase=3)]
        )
    with pytest.raises(ValueError, match="low or high"):
        ts.gait.Require(ts.guards.JointPosition("hip"))
    with pytest.raises(ValueError, match="knee"):
        ts.gait.optimize(walker, effort_limits={"knee": 1.0})
    with pytest.raises(ValueError, match="lasts"):
        ts.gait.optimize(walker, starts=1).q(7.0)


def test_unknowns_are_where_they_were_put() -> None:
    unknowns = Unknowns(3, (2, 1), 1)
    parts = [np.arange(6.0).reshape(3, 2), np.arange(3.0)[:, None]]
    x = unknowns.joined(parts, np.array([0.5, 0.7]), np.array([9.0]))
    assert len(x) == unknowns.count
    for (c, duration), part, took in zip(unknowns.phases(x), parts, (0.5, 0.7), strict=True):
        assert np.array_equal(c, part)
        assert duration == took
    assert unknowns.design(x) == [9.0]
