"""Motors beside closed forms, SciPy on the same equations, and their own ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus.simulation import load_run

Array = np.ndarray
J, K, R, L, N = 0.02, 0.05, 0.8, 0.004, 20.0


def wheel(**stated: Any) -> ts.Model:
    """A wheel on a vertical axis, of inertia J at the joint."""
    b = ts.Builder("wheel")
    b.body("wheel", 1.0, inertia=(J, J, J)).joint("axle", "revolute", "world", "wheel", **stated)
    return b.build()


def driven(model: ts.Model, *motors: ts.forces.Motor, dt: float = 1e-4) -> ts.Simulation:
    return ts.Simulation(model, ground=None, forces=list(motors), dt=dt)


def two_poles(t: Array, u: float, load: float = 0.0) -> tuple[Array, Array]:
    """Current and speed of the joint after a step of voltage u, by eigenvalues."""
    a = np.array([[-R / L, -K * N / L], [K * N / J, -load / J]])
    at_last = -np.linalg.solve(a, [u / L, 0.0])
    values, vectors = np.linalg.eig(a)
    shares = np.linalg.solve(vectors, -at_last)
    found = (vectors * shares) @ np.exp(np.outer(values, t)) + at_last[:, None]
    return found.real[0], found.real[1]


def test_a_step_of_voltage_has_two_poles() -> None:
    errors = []
    for dt in (2e-4, 1e-4, 5e-5):
        motor = ts.forces.Motor("axle", K, R, L, ratio=N, voltage=6.0, viscous=0.01, name="m")
        run = driven(wheel(), motor, dt=dt).run([0.0], [0.0], duration=0.05, every=1)
        current, speed = two_poles(run.t, 6.0, 0.01)
        errors.append(np.abs(run.v[:, 0] - speed).max() / speed.max())
        assert np.abs(run.parts["m"].current - current).max() < 200 * dt * current.max()
    print("of the speed:", *(f"{e:.1e}" for e in errors))
    assert errors[-1] < 2e-3
    # of first order, as the step is
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 2.0, atol=0.2)


def test_the_electrical_time_may_be_shorter_than_a_step() -> None:
    """Without inductance, and with one of a microsecond: the motor is a damper, and stable."""
    runs = []
    for inductance in (0.0, 1e-6):
        motor = ts.forces.Motor("axle", K, R, inductance, ratio=N, voltage=6.0, name="m")
        runs.append(driven(wheel(), motor, dt=1e-3).run([0.0], [0.0], duration=0.3))
    rate = (K * N) ** 2 / R / J
    for run in runs:
        exact = 6.0 / (K * N) * -np.expm1(-rate * run.t)
        assert np.abs(run.v[:, 0] - exact).max() < 0.03 * exact.max()
        np.testing.assert_allclose(run.v[-1, 0], 6.0 / (K * N), rtol=1e-6)


def test_a_pendulum_that_warms_its_motor_beside_radau() -> None:
    b = ts.Builder("pendulum")
    b.body("arm", 1.0, com=(0.3, 0.0, 0.0), inertia=(J, J, J))
    b.joint("axle", "revolute", "world", "arm", axis=(0.0, 1.0, 0.0), armature=0.01)
    warm = {"thermal_resistance": 2.0, "thermal_capacity": 5.0, "warming": 0.01}
    motor = ts.forces.Motor("axle", K, R, L, ratio=N, voltage=3.0, name="m", **warm)
    run = driven(b.build(), motor).run([0.0], [0.0], duration=0.5)

    def rates(_: float, y: Array) -> list[float]:
        q, v, i, rise = y
        resistance = R * (1.0 + 0.01 * rise)
        a = (N * K * i + 0.3 * 9.81 * np.cos(q)) / (J + 0.09 + 0.01)
        di = (3.0 - resistance * i - K * N * v) / L
        return [v, a, di, (resistance * i**2 - rise / 2.0) / 5.0]

    times = run.t
    exact = solve_ivp(rates, (0, 0.5), [0, 0, 0, 0], "Radau", times, rtol=1e-10, atol=1e-12).y
    found = [run.q[:, 0], run.v[:, 0], run.parts["m"].current, run.parts["m"].rise]
    for mine, theirs in zip(found, exact, strict=True):
        assert np.abs(mine - theirs).max() < 5e-3 * np.abs(theirs).max()
    assert exact[3].max() > 0.15


def test_voltage_and_current_are_limited() -> None:
    limits = {"voltage_limit": 4.0, "current_limit": 1.5}
    motor = ts.forces.Motor("axle", K, R, 0.0, ratio=N, voltage=100.0, name="m", **limits)
    run = driven(wheel(), motor, dt=1e-3).run([0.0], [0.0], duration=0.5)
    current = run.parts["m"].current
    # the torque of the largest current, until the back-EMF leaves less than that of 4 V
    held = run.t < 0.02
    np.testing.assert_allclose(run.v[held, 0], 1.5 * K * N / J * run.t[held], rtol=1e-9)
    assert np.abs(current).max() == 1.5
    np.testing.assert_allclose(run.v[-1, 0], 4.0 / (K * N), rtol=1e-6)
    # which limit acts is decided by the speed at the start of a step
    change = 1e-3 * 1.5 * (K * N) ** 2 / J
    assert 4.0 <= np.abs(run.parts["m"].voltage).max() < 4.0 + change


def test_dry_friction_of_the_gear_holds_until_it_does_not() -> None:
    """Standing, the bound is c₀ + c₁ τ: the motor breaks away where its own torque exceeds it."""
    motor = ts.forces.Motor("axle", K, R, ratio=N, coulomb=0.5, load=0.2, name="m")
    simulation = driven(wheel(), motor, dt=1e-3)
    away = 0.5 / (1.0 - 0.2)  # torque
    for torque, moves in ((0.98 * away, False), (1.02 * away, True)):
        simulation.reset([0.0])
        simulation.parts["m"].target = torque * R / (N * K)
        for _ in range(50):
            _, v = simulation.step()
        assert (v[0] > 1e-3) == moves
        if not moves:
            assert v[0] == pytest.approx(0.0, abs=1e-12)


def test_the_ledger_has_what_was_supplied_lost_and_stored() -> None:
    motor = ts.forces.Motor("axle", K, R, L, ratio=N, voltage=6.0, coulomb=0.1, name="m")
    run = driven(wheel(), motor).run([0.0], [0.0], duration=0.2)
    part = run.parts["m"]
    np.testing.assert_allclose(part.energy, 0.5 * L * part.current**2, rtol=1e-12)
    assert np.abs(run.energy.residual).max() < 1e-9 * run.energy.flow
    # supplied = heat + rubbed + in the winding + in the wheel, but for the step's order
    turned = run.energy.kinetic
    rubbed = 0.1 * run.q[:, 0]
    balance = part.supplied - part.heat - rubbed - part.energy - turned
    assert np.abs(balance).max() < 0.01 * part.supplied[-1]
    half = driven(wheel(), motor, dt=5e-5).run([0.0], [0.0], duration=0.2)
    finer = half.parts["m"]
    again = finer.supplied - finer.heat - 0.1 * half.q[:, 0] - finer.energy - half.energy.kinetic
    assert np.abs(again).max() < 0.6 * np.abs(balance).max()


def test_states_of_a_batch_are_runs_of_their_own() -> None:
    b = ts.Builder("arm")
    for k in range(3):
        b.body(f"link_{k}", 1.0, com=(0.2, 0.0, 0.0), inertia=(0.02, 0.02, 0.02))
        on = f"link_{k - 1}" if k else "world"
        b.joint(
            f"joint_{k}", "revolute", on, f"link_{k}", axis=(0.0, 1.0, 0.0), position=(0.4, 0, 0)
        )
    model = b.build()
    motors = [
        ts.forces.Motor(
            f"joint_{k}", K, R, L * (k > 0), ratio=N, coulomb=0.2 * k, current_limit=4.0
        )
        for k in range(3)
    ]
    rng = np.random.default_rng(0)
    q, v, volts = rng.normal(size=(3, 5, 3))

    def run(rows: Any) -> tuple[Array, ...]:
        simulation = driven(model, dt=1e-3)
        simulation.reset(q[rows], v[rows])
        handles = [simulation.add(motor) for motor in motors]
        for k, handle in enumerate(handles):
            handle.target = 10 * volts[rows, k]
        handles[0].coulomb = np.array([0.0, 0.3, 0.0, 0.1, 0.0])[rows]
        found = simulation.step(steps=100)
        return *found, *(handle.current for handle in handles)

    together = run(slice(None))
    for s in range(5):
        for many, one in zip(together, run(s), strict=True):
            assert np.asarray(many[s]).tobytes() == np.asarray(one).tobytes()


def test_a_motor_on_a_rotor_drives_its_joint_through_the_gear() -> None:
    """A rotor in the model and the ratio there, or a motor with the ratio and reflected inertia."""
    b = ts.Builder("geared")
    b.body("wheel", 1.0, inertia=(J, J, J)).joint("axle", "revolute", "world", "wheel")
    b.body("rotor", 0.1, inertia=(1e-5, 1e-5, 1e-5))
    b.gear("axle", N, "rotor", name="shaft")
    direct = driven(b.build(), ts.forces.Motor("shaft", K, R, L, voltage=6.0, name="m"))
    reflected = driven(
        wheel(armature=1e-5 * N**2),
        ts.forces.Motor("axle", K, R, L, ratio=N, voltage=6.0, name="m"),
    )
    one, other = (each.run([0.0], [0.0], duration=0.05) for each in (direct, reflected))
    np.testing.assert_allclose(one.v, other.v, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(one.parts["m"].current, other.parts["m"].current, rtol=1e-9)


def test_handles_read_what_flows() -> None:
    simulation = driven(wheel())
    motor = simulation.add(ts.forces.Motor("axle", K, R, L, ratio=N, voltage=6.0))
    simulation.reset([0.0])
    simulation.step(steps=10)
    assert motor.current > 0.0 and motor.supplied > motor.heat > 0.0 and motor.rise == 0.0
    assert motor.force[0] == pytest.approx(N * K * motor.current, rel=1e-12)
    motor.on = False
    simulation.step()
    assert motor.current == 0.0 and motor.force[0] == 0.0


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"resistance": 0.0}, "resistance is 0, must be positive"),
        ({"inductance": -1.0}, "inductance is -1, must be at least 0"),
        ({"load": 1.0}, "load is 1, must be below 1"),
        ({"voltage": np.nan}, "voltage is not finite"),
        ({"current_limit": -1.0}, "current_limit is -1"),
    ],
)
def test_wrong_numbers(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ts.forces.Motor(**{"joint": "axle", "constant": K, "resistance": R, **stated})


def test_wrong_joints() -> None:
    with pytest.raises(ValueError, match="no joint 'hip'"):
        driven(wheel(), ts.forces.Motor("hip", K, R))
    b = ts.Builder("stone")
    b.body("stone", 1.0, inertia=(1, 1, 1)).joint("base", "free", "world", "stone")
    with pytest.raises(ValueError, match="must have one coordinate"):
        driven(b.build(), ts.forces.Motor("base", K, R))


def test_motors_are_in_files(tmp_path: Path) -> None:
    b = ts.Builder("wheel")
    b.body("wheel", 1.0, inertia=(J, J, J)).joint("axle", "revolute", "world", "wheel")
    b.force(ts.forces.Motor("axle", K, R, L, ratio=N, voltage=6.0, current_limit=2.0, name="m"))
    model = b.build()
    ts.save(model, tmp_path / "wheel.yaml")
    again = ts.load(tmp_path / "wheel.yaml")
    assert again == model and again.forces[0].ratio == N
    first, second = (
        ts.Simulation(m, ground=None).run([0.0], duration=0.05) for m in (model, again)
    )
    assert first.v.tobytes() == second.v.tobytes() and first.v[-1, 0] > 0.1
    first.save(tmp_path / "run.npz")
    kept = load_run(tmp_path / "run.npz")
    assert kept.parts["m"].current.tobytes() == first.parts["m"].current.tobytes()
