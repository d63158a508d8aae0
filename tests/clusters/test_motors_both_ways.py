"""Motors both ways: positions, velocities and torques, from coordinates to motors and back."""

from __future__ import annotations

import numpy as np
import pytest
from cluster_cases import case
from driven_machines import KNEE, MACHINES, WORKING, ankle, belt, knee, near
from oracle import slope

import tarsus as ts
from tarsus.model.actuator_map import MotorSearch
from tarsus.model.actuators import motors_of

LEAD = 2 * np.pi / KNEE["lead"]


@pytest.mark.parametrize("name", MACHINES)
def test_power_and_slopes(name: str) -> None:
    """Motors do the work of the coordinates, and M is the slope of their positions."""
    make, motors = MACHINES[name]
    model, rng = make(), np.random.default_rng(1)
    q, v = near(model, rng, 20, 0.1), rng.normal(size=(20, model.nv))
    speed = model.motor_velocities(q, v, motors=motors)
    t = rng.normal(size=speed.shape)
    tau = model.from_motor_torques(q, t, motors=motors)
    scale = np.abs(t * speed).sum(axis=1)
    power = np.abs((t * speed).sum(axis=1) - (tau * v).sum(axis=1)) / scale
    back = np.abs(model.motor_torques(q, tau, motors=motors) - t).max()
    rows = model.motor_matrix(q, motors=motors)
    rate = slope(lambda h: model.motor_positions(model.integrate(q, h * v), motors=motors))
    slopes = np.abs(rate - (rows @ v[..., None])[..., 0]).max() / np.abs(speed).max()
    print(f"{name}: power {power.max():.1e}, torques back {back:.1e}, slopes {slopes:.1e}")
    assert power.max() < 1e-12
    assert back < 1e-10
    assert slopes < 1e-8  # of the differences: their step to the fourth, and rounding over it


@pytest.mark.parametrize("name", MACHINES)
def test_positions_and_velocities_back(name: str) -> None:
    make, motors = MACHINES[name]
    model, rng = make(), np.random.default_rng(2)
    reach = WORKING.get(name, 0.3)
    start = near(model, rng, 50, 0.3 * reach)
    moved = model.motor_matrix(start, motors=motors).any(axis=-2)
    q = model.integrate(start, reach * rng.uniform(-1, 1, (50, model.nv)) * moved)
    positions = model.motor_positions(q, motors=motors)
    found = model.from_motor_positions(positions, start, motors=motors)
    error = np.abs(model.motor_positions(found, motors=motors) - positions).max()
    there = np.abs(model.difference(found, q)).max()
    v = rng.normal(size=(50, model.nv))
    speed = model.motor_velocities(q, v, motors=motors)
    back = np.abs(model.from_motor_velocities(q, speed, v * ~moved, motors=motors) - v).max()
    print(
        f"{name}: motors {error:.1e} of {np.abs(positions).max():.0f}, q {there:.1e}, v {back:.1e}"
    )
    assert error < 1e-11 * max(1.0, np.abs(positions).max())
    assert there < 1e-9 and back < 1e-10
    each = [
        model.from_motor_positions(p, s, motors=motors)
        for p, s in zip(positions, start, strict=True)
    ]
    assert np.array_equal(found, each)  # a state does not ask about its neighbours


@pytest.mark.parametrize("flavour", ["gears", "couplings", "forms", "loops", "everything"])
def test_rows_of_the_oracle(flavour: str) -> None:
    """On random machines M has the rows of G, of the oracle that shares no code."""
    worst = 0.0
    for seed in range(3):
        own = case(flavour, seed)
        views = [j for j in own.model.joints if (j.nq, j.nv) == (1, 1)]
        motors = [view.name for view in views]
        rows = own.g[[view.velocity_slice.start for view in views]]
        error = np.abs(own.model.motor_matrix(own.q, motors=motors) - rows).max()
        worst = max(worst, error / max(1.0, np.abs(rows).max()))
    print(f"{flavour}: {worst:.1e}")
    assert worst < 1e-9


def test_golden_knee() -> None:
    """Schwienbacher 2013, section 3.2, with the slope of the length as its chain rule gives it."""
    model = knee()
    for q, length, first, reduction in (
        (0.0, 0.323882694814, 0.070704611165, 88.85003480),
        (0.7, 0.369615548259, 0.055578585142, 69.84210991),
        (1.2, 0.391894408285, 0.032352021395, 40.65474910),
    ):
        assert model.motor_positions([q])[0] / LEAD == pytest.approx(length, abs=1e-12)
        assert model.motor_matrix([q])[0, 0] / LEAD == pytest.approx(first, abs=1e-12)
        assert model.motor_matrix([q])[0, 0] == pytest.approx(reduction, abs=1e-8)


def test_newton_at_the_knee_is_quick() -> None:
    model, rng = knee(), np.random.default_rng(0)
    q = rng.uniform(-0.3, 1.3, (200, 1))
    start = np.clip(q + rng.uniform(-0.3, 0.3, q.shape), -0.3, 1.4)
    search = MotorSearch(model, motors_of(model), model.motor_positions(q), start)
    error = np.abs(search.run() - q).max()
    print(f"{search.steps.max()} steps, {error:.1e} rad")
    assert search.steps.max() <= 6
    assert error < 1e-12


def test_golden_ankle() -> None:
    """Schwienbacher 2013, section 3.3: ways of the screws, and their slopes."""
    model, q = ankle(), np.array([0.2, -0.1])
    ways = np.array([0.020799463560, 0.010824201796])
    slopes = [[-0.078564355056, -0.051871878933], [-0.077257757287, 0.047471236182]]
    np.testing.assert_allclose(model.motor_positions(q) / LEAD, ways, atol=1e-12)
    np.testing.assert_allclose(model.motor_matrix(q) / LEAD, slopes, atol=1e-12)
    found = model.from_motor_positions(ways * LEAD, np.zeros(2))
    np.testing.assert_allclose(found, q, atol=1e-10)  # ways have twelve digits


def test_golden_vergence() -> None:
    """Schwienbacher 2013, section 3.4, with the slope of the arc cosine as differences have it."""
    model = ts.robots.vergence()
    for angle, lever, ratio in (
        (0.0, 1.2, 0.7956445685),
        (0.1, 1.252093109, 0.2660605625),
        (-0.1, 1.088107960, 1.4736682089),
    ):
        q = model.neutral()
        q[model.joint("left").q_slice] = angle
        assert model.motor_positions(q, motors=["lever"])[0] == pytest.approx(lever, abs=1e-9)
        assert model.motor_matrix(q, motors=["lever"])[0, 0] == pytest.approx(ratio, abs=1e-9)
        both = model.motor_positions(model.close(q), motors=["left", "right"])
        np.testing.assert_allclose(both, angle, atol=1e-10)  # the loops close to 1e-12 m
    with pytest.raises(ArithmeticError, match="motor 'motor' cannot be brought to 200 from q"):
        model.from_motor_positions([200.0], model.neutral())


def test_branches_are_kept() -> None:
    """Either side of its dead centre a spindle has the same length; the start says which."""
    model = knee()
    reach = np.linspace(-np.pi, np.pi, 20001)[:, None]
    longest = reach[np.argmax(model.motor_positions(reach)[:, 0])]
    for side in (-1.0, 1.0):
        q = longest + side * np.array([0.05, 0.4, 0.9, 1.5])[:, None]
        found = model.from_motor_positions(model.motor_positions(q), longest + side * 0.7)
        assert np.abs(found - q).max() < 1e-9
    beyond = model.motor_positions(longest) + 2.5
    with pytest.raises(ArithmeticError, match=r"'motor' cannot .* is .*, 2\.5 away"):
        model.from_motor_positions(beyond, longest - 0.4)


def test_one_of_many_is_out_of_reach() -> None:
    model = ankle()
    positions = np.tile(model.motor_positions([0.1, 0.0]), (3, 1))
    positions[1] += 600.0
    with pytest.raises(ArithmeticError, match="motors 'left', 'right' of state 1 cannot"):
        model.from_motor_positions(positions, np.zeros(2))


def test_coordinates_without_motors_stay() -> None:
    model = ts.robots.lola()
    q = model.random_configuration(3)
    start = model.neutral()
    start[:7] = q[:7]
    start[7:] = q[7:] + 0.1 * np.sin(np.arange(24.0))
    found = model.from_motor_positions(model.motor_positions(q), start)
    assert np.array_equal(found[:7], q[:7])
    assert np.abs(found - q).max() < 1e-9


def test_motors_that_share_a_coordinate() -> None:
    builder = ts.Builder("pair").body("link", 1.0, inertia=(1, 1, 1)).body("r").body("s")
    builder.joint("hinge", "revolute", "world", "link").gear("hinge", 3, "r").gear("hinge", 4, "s")
    model = builder.build()
    np.testing.assert_allclose(model.from_motor_positions([1.5, 2.0], [9.0]), [0.5])
    np.testing.assert_allclose(model.from_motor_velocities([0.0], [6.0, 8.0]), [2.0])
    with pytest.raises(ArithmeticError, match="velocities of motors 'r_joint', 's_joint' contra"):
        model.from_motor_velocities([0.0], [6.0, 9.0])
    with pytest.raises(ArithmeticError, match=r"'s_joint' cannot be brought to 1\.5, 2\.1"):
        model.from_motor_positions([1.5, 2.1], [0.0])
    with pytest.raises(ArithmeticError, match="cannot move independently"):
        model.motor_inertia([0.0])


def test_inertia_at_the_motors() -> None:
    """The inertia of the motors moves them as forward dynamics does; a closed form agrees."""
    model, rng = ts.robots.lola(), np.random.default_rng(4)
    q = near(model, rng, 1, 0.3)[0]
    felt, t = model.motor_inertia(q), rng.normal(size=len(model.motors))
    zero, tau = np.zeros(model.nv), model.from_motor_torques(q, t)
    a = model.forward_dynamics(q, zero, tau) - model.forward_dynamics(q, zero, zero)
    error = np.abs(felt @ (model.motor_matrix(q) @ a) - t).max()
    print(f"felt inertia: {error:.1e} N m")
    assert error < 1e-9
    pendulum = ts.Builder("pendulum").body("link", 1.0, (0.5, 0, 0), (0.0, 1 / 12, 1 / 12))
    pendulum.joint("hinge", "revolute", "world", "link").body("r", inertia=(1e-4, 1e-4, 1e-4))
    geared = pendulum.gear("hinge", 100, "r").build()
    np.testing.assert_allclose(geared.reflected_inertia([0.3]), [[1.0]], rtol=1e-14)
    np.testing.assert_allclose(geared.motor_inertia([0.3]), [[(1 / 3 + 1) / 1e4]], rtol=1e-13)
    np.testing.assert_allclose(belt().reflected_inertia([0, 0])[1, 1], 400 * 3e-5, rtol=1e-12)


def test_wrong_motors() -> None:
    model = ts.robots.lola()
    q = model.neutral()
    with pytest.raises(ts.UnknownNameError, match="there is no joint 'left_nee'"):
        model.motor_positions(q, motors=["left_nee"])
    with pytest.raises(ValueError, match="joint 'root' is free and has 7 positions"):
        model.motor_positions(q, motors=["root"])
    with pytest.raises(ValueError, match="motors has joint 'left_knee_motor' twice"):
        model.motor_matrix(q, motors=["left_knee_motor", "left_knee_motor"])
    with pytest.raises(TypeError, match="motors is 'left_knee_motor', must be a list"):
        model.motor_matrix(q, motors="left_knee_motor")
    with pytest.raises(TypeError, match=r"motors has \['a'\], must be a list"):
        model.motor_matrix(q, motors=[["a"]])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="motors is 5, must be a list"):
        model.motor_matrix(q, motors=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"positions has shape \(3,\), must be \(…, 24\)"):
        model.from_motor_positions(np.zeros(3), q)
    with pytest.raises(ValueError, match="positions has entries that are not finite"):
        model.from_motor_positions(np.full(24, np.nan), q)
    with pytest.raises(ValueError, match="velocities has entries that are not finite"):
        model.from_motor_velocities(q, np.full(24, 1e200))  # products would overflow
    with pytest.raises(ValueError, match="q has entries that are not finite"):
        model.from_motor_positions(np.zeros(24), np.full(31, np.inf))
    with pytest.raises(ValueError, match=r"q has shape \(2,\), must be \(…, 31\)"):
        model.from_motor_positions(np.zeros(24), np.zeros(2))
    with pytest.raises(ValueError, match="the model states no motors, name them"):
        ts.robots.chain(2).from_motor_torques(np.zeros(2), [1.0, 2.0])
    cylinder = ts.Builder("roll").body("c", 1.0, inertia=(1, 1, 1))
    rolling = cylinder.joint("r", "rolling_cylinder", "world", "c", radius=0.1).build()
    with pytest.raises(ValueError, match="joint 'r' is rolling_cylinder: no rotor"):
        rolling.reflected_inertia(rolling.neutral(), motors=["r"])
