"""Sensors in runs, with errors, in controllers, and where formulas know what they tell."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.sensors import Errors
from tarsus.sensors.errors import Readings
from tarsus.simulation.named_columns import named_columns

LENGTH = 0.7


def pendulum() -> ts.Model:
    b = ts.Builder("pendulum").body("bob", mass=2.0, com=(0, 0, -LENGTH), inertia=(0, 0, 0))
    b.joint("hinge", "revolute", "world", "bob", axis="y")
    return b.frame("tip", "bob", position=(0, 0, -LENGTH)).build()


def stool() -> tuple[ts.Model, Array]:
    b = ts.Builder("stool").body("seat", mass=3.0, com=(0.02, -0.01, 0), inertia=(0.1, 0.1, 0.1))
    b.joint("root", "free", "world", "seat")
    b.body("arm", mass=0.5, com=(0, 0, 0.2), inertia=(0.01, 0.01, 0.01))
    b.joint("shoulder", "revolute", "seat", "arm", axis="y", position=(0, 0, 0.1))
    for x in (-0.2, 0.2):
        for y in (-0.15, 0.15):
            at = (x, y, -0.3)
            b.shape("seat", "sphere", (0.02,), role="collision", position=at)
    model = b.build()
    q = model.neutral()
    return model, ts.stand(model, q, ts.Ground())


def test_a_pendulum_feels_along_its_rod_what_the_formula_says() -> None:
    model = pendulum()
    sensors = {"tip": ts.sensors.Accelerometer("tip"), "gyro": ts.sensors.Gyroscope("tip")}
    run = ts.Simulation(model, dt=1e-4).run([1.0], duration=0.5, sensors=sensors)
    angle, rate = run.q[1:, 0], run.v[1:, 0]
    felt = run.sensors["tip"][1:]
    # a mass point on a rod: nothing across it, g cos θ + l θ̇² along it
    np.testing.assert_allclose(felt[:, 2], 9.81 * np.cos(angle) + LENGTH * rate**2, atol=5e-3)
    np.testing.assert_allclose(felt[:, :2], 0.0, atol=5e-3)
    np.testing.assert_allclose(run.sensors["gyro"][:, 1], run.v[:, 0], atol=1e-12)
    assert run.sensors["tip"].shape == (len(run), 3)


def test_at_rest_the_ground_bears_the_weight_and_points_agree() -> None:
    model, q = stool()
    weight = model.total_mass * 9.81
    sensors = {
        "seat": ts.sensors.ContactWrench("seat"),
        "cop": ts.sensors.CenterOfPressure(),
        "one": ts.sensors.CenterOfPressure("seat"),
        "zmp": ts.sensors.ZeroMomentPoint(),
        "imu": ts.sensors.IMU("seat"),
    }
    hold = ts.control.ImplicitPD(model, 50.0, 5.0, q)
    sim = ts.Simulation(model, ground=ts.Ground())
    run = sim.run(q, duration=1.0, controller=hold, sensors=sensors)
    np.testing.assert_allclose(run.sensors["seat"][-1, :3], [0, 0, weight], atol=1e-3 * weight)
    np.testing.assert_allclose(run.sensors["imu"][-1], [0, 0, 9.81, 0, 0, 0], atol=1e-3)
    below = model.center_of_mass(run.q[-1])
    np.testing.assert_allclose(run.sensors["cop"][-1, :2], below[:2], atol=1e-4)
    np.testing.assert_array_equal(run.sensors["cop"], run.sensors["one"])


def test_the_zero_moment_point_is_the_centre_of_pressure() -> None:
    model, q = stool()
    target = q.copy()

    def swing(t: float) -> Array:
        target[model.joint("shoulder").q_slice] = 0.3 * np.sin(6.0 * t)
        return target

    sensors = {"cop": ts.sensors.CenterOfPressure(), "zmp": ts.sensors.ZeroMomentPoint()}
    sim = ts.Simulation(model, ground=ts.Ground(friction=2.0), dt=1e-3)
    controller = ts.control.ImplicitPD(model, 50.0, 5.0, swing)
    run = sim.run(q, duration=1.0, controller=controller, sensors=sensors)
    cop, zmp = (run.sensors[name][50:, :2] for name in sensors)
    gap = np.abs(cop - zmp).max()
    print(gap, np.ptp(cop, axis=0))
    assert np.ptp(cop[:, 0]) > 0.01
    assert gap < 2e-3 * 5  # of first order in the step
    fine = ts.Simulation(model, ground=ts.Ground(friction=2.0), dt=2.5e-4)
    run = fine.run(q, duration=1.0, controller=controller, sensors=sensors, every=1)
    finer = np.abs(run.sensors["cop"][200:, :2] - run.sensors["zmp"][200:, :2]).max()
    assert finer < 0.5 * gap


def test_nothing_presses_in_free_fall() -> None:
    model, q = stool()
    run = ts.Simulation(model).run(
        q, duration=0.01, sensors={"zmp": ts.sensors.ZeroMomentPoint(), "i": ts.sensors.IMU("seat")}
    )
    assert np.isnan(run.sensors["zmp"][1:, 0]).all()
    np.testing.assert_allclose(run.sensors["i"][:, :3], 0.0, atol=1e-9)


def test_errors_have_the_sizes_that_are_stated() -> None:
    still = np.zeros((400, 500, 2))
    t = 0.01 * np.arange(500)

    def all_of(errors: Errors) -> Array:
        readings = Readings(errors, (3,))
        return np.stack([readings.next(x, still[:, k]) for k, x in enumerate(t)], axis=1)

    assert all_of(Errors(noise=0.2)).std() == pytest.approx(0.2, rel=0.01)
    bias = all_of(Errors(bias=0.3))
    assert np.ptp(bias, axis=1).max() == 0.0
    assert bias.std() == pytest.approx(0.3, rel=0.1)
    walked = all_of(Errors(walk=0.5))
    assert walked[:, -1].std() == pytest.approx(0.5 * np.sqrt(t[-1]), rel=0.1)
    assert walked[:, 0].std() == 0.0
    steps = Readings(Errors(quantum=0.25), (0,)).next(0.0, np.array([0.3, -0.4]))
    assert steps.tolist() == [0.25, -0.5]
    late = Readings(Errors(delay=0.02), (0,))
    told = [float(late.next(0.01 * k, np.array([float(k)]))[0]) for k in range(5)]
    assert told == [0.0, 0.0, 0.0, 1.0, 2.0]


def test_a_batch_errs_as_its_states_and_live_as_recorded() -> None:
    model = pendulum()
    errors = Errors(noise=0.1, bias=0.2, walk=0.3, quantum=0.01, delay=0.003)
    suite = ts.sensors.Suite({"g": ts.sensors.Gyroscope("tip", errors=errors)}, seed=5)
    sim = ts.Simulation(model)
    two = sim.run([[1.0], [0.5]], duration=0.02, sensors=suite)
    three = sim.run([[1.0], [0.5], [0.2]], duration=0.02, sensors=suite)
    np.testing.assert_array_equal(two.sensors["g"], three.sensors["g"][:2])
    np.testing.assert_array_equal(two[1].sensors["g"], two.sensors["g"][1])
    live = ts.sensors.Live(model, suite)
    sim.reset([[1.0], [0.5]])
    found = [sim.read(live)["g"]]
    for _ in range(20):
        sim.step()
        found.append(sim.read(live)["g"])
    np.testing.assert_array_equal(np.stack(found, axis=1), two.sensors["g"])
    other = ts.sensors.Suite(suite, seed=6)
    assert (
        sim.run([1.0], duration=0.01, sensors=other).sensors["g"] != two.sensors["g"][0, :11]
    ).any()


def test_contacts_are_felt_in_interactive_motions() -> None:
    model, q = stool()
    sim = ts.Simulation(model, ground=ts.Ground())
    live = ts.sensors.Live(model, {"c": ts.sensors.ContactWrench("seat")})
    for start in (q, np.tile(q, (2, 1))):
        live.reset()
        run = sim.run(start, duration=0.01, sensors=live.suite)
        sim.reset(start)
        sim.step(steps=10)
        np.testing.assert_allclose(sim.read(live)["c"], run.sensors["c"][..., -1, :], atol=1e-9)


def test_controllers_know_their_machine_by_sensors() -> None:
    model = pendulum()
    live = ts.sensors.Live(
        model, {"p": ts.sensors.JointPosition("hinge"), "g": ts.sensors.Gyroscope("tip")}
    )
    law = live.controlled(lambda t, told: -30.0 * told["p"] - 3.0 * told["g"][..., 1:2])
    run = ts.Simulation(model).run([[1.0], [0.2]], duration=0.05, controller=law)
    plain = ts.Simulation(model).run(
        [[1.0], [0.2]], duration=0.05, controller=lambda t, q, v: -30.0 * q - 3.0 * v
    )
    np.testing.assert_allclose(run.q, plain.q, atol=1e-12)


def test_tables_have_columns_of_sensors() -> None:
    model = pendulum()
    sensors = {"d": ts.sensors.Distance("tip"), "e": ts.sensors.Distance("tip", "bob")}
    run = ts.Simulation(model).run([1.0], duration=0.01, sensors=sensors)
    for name in sensors:
        np.testing.assert_allclose(named_columns(run)[f"sensor:{name}.d [m]"], LENGTH, atol=1e-12)


def test_mistakes_of_sensors_are_named() -> None:
    model = pendulum()
    sim = ts.Simulation(model)
    with pytest.raises(ValueError, match=r"frame 'top'.*tip"):
        sim.run([1.0], duration=0.01, sensors={"x": ts.sensors.IMU("top")})
    effort = {"x": ts.sensors.JointEffort("hinge")}
    with pytest.raises(ValueError, match=r"sensor 'x' needs 'tau', which record="):
        sim.run([1.0], duration=0.01, sensors=effort, record=("q", "v"))
    with pytest.raises(ValueError, match=r"no sensor of this run 'y'.*valid: x"):
        sim.run([1.0], duration=0.01, sensors=effort).sensors["y"]
    with pytest.raises(TypeError, match=r"sensors\['x'\]"):
        sim.run([1.0], duration=0.01, sensors={"x": 3})  # type: ignore[dict-item]
    live = ts.sensors.Live(model, {"c": ts.sensors.ContactWrench("tip")})
    with pytest.raises(ValueError, match="contacts are not known here"):
        live.read(0.0, [1.0], [0.0])
    with pytest.raises(ValueError, match=r"noise is -1.0, must not be negative"):
        Errors(noise=-1.0)
