"""Robots in environments feel what their sensors tell."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.environments import (
    Alive,
    BaseVelocity,
    FeetForces,
    JointTargets,
    RobotEnv,
    RobotTask,
    RobotVectorEnv,
    Sensed,
    WalkTask,
)

EVERYONE = np.ones(3, bool)


def task(**errors: float) -> WalkTask:
    told = ts.sensors.Errors(**errors)
    model = WalkTask.of().model
    assert model.base is not None
    sensors = {"gyro": ts.sensors.Gyroscope(model.base.child, errors=told)}
    return WalkTask.of(sensors=sensors)


def test_a_gyroscope_is_part_of_what_is_observed() -> None:
    herd, plain = task().herd(3), WalkTask.of().herd(3)
    for each in (herd, plain):
        each.start(EVERYONE, np.random.default_rng(0))
    assert herd.observation_size == plain.observation_size + 3
    actions = np.random.default_rng(1).uniform(-1, 1, (5, 3, herd.action_size))
    for action in actions:
        for each in (herd, plain):
            each.move(action)
        found = herd.observe()
        np.testing.assert_array_equal(found[:, :-3], plain.observe())
        # the base's own rates of turning, which are observed as they are, too
        np.testing.assert_allclose(found[:, -3:], found[:, 7:10], atol=1e-6)


def test_errors_and_new_episodes() -> None:
    herd = task(delay=0.04, bias=0.5).herd(3)
    herd.start(EVERYONE, np.random.default_rng(0))
    assert (herd.observe()[:, -3:] == 0.0).all()
    rates = []
    for _ in range(4):
        herd.move(np.full((3, herd.action_size), 0.7))
        rates.append(herd.observe()[:, 7:10])
    bias = herd.observe()[:, -3:] - rates[-3]  # two periods of 20 ms ago
    assert np.abs(bias).max() > 0.01
    herd.start(np.array([True, False, False]), np.random.default_rng(5))
    herd.move(np.zeros((3, herd.action_size)))
    after = herd.observe()[:, -3:]
    np.testing.assert_allclose(after[1:], (rates[-2] + bias)[1:], atol=1e-6)
    assert np.abs(after[0] - rates[-2][0]).max() > 1e-3


def feet_task(model: ts.Model) -> RobotTask:
    feet = tuple(name for name in model.frame_names if name.endswith("foot"))
    wrench = Sensed(ts.sensors.ContactWrench(feet[0]))
    terms = (FeetForces(), wrench, Sensed(ts.sensors.CenterOfPressure()))
    return RobotTask(
        observes=terms, rewards={Alive(): 1.0}, acts=JointTargets(100.0, 3.0), feet=feet
    )


def test_feet_are_felt_as_a_simulation_of_the_same_steps_records_them() -> None:
    model = ts.robots.quadruped()
    task = feet_task(model)
    env = RobotEnv(model, task)
    found, _ = env.reset(seed=0)
    assert (found == 0.0).all()  # nothing has touched yet
    robots, lanes = env.robots, env.robots.task
    assert lanes.stance is not None and lanes.feet is not None
    for _ in range(5):
        found, *_ = env.step(np.zeros(env.action_space.shape, np.float32))
    hold = ts.control.ImplicitPD(model, 100.0, 3.0, lanes.stance)
    sim = ts.Simulation(model, ground=lanes.ground, collision=lanes.collision, dt=lanes.dt)
    sensors = {foot: ts.sensors.Touch(foot) for foot in lanes.feet}
    sensors |= {"wrench": ts.sensors.ContactWrench(lanes.feet[0])}
    sensors |= {"cop": ts.sensors.CenterOfPressure()}
    run = sim.run(lanes.stance, duration=5 * robots.period, controller=hold, sensors=sensors)
    np.testing.assert_allclose(robots.q[0], run.q[-1], atol=1e-12)
    forces = np.concatenate([run.sensors[foot][-1] for foot in lanes.feet]) / robots.weight
    np.testing.assert_allclose(found[:4], forces, rtol=1e-5)
    assert forces.sum() == pytest.approx(1.0, rel=0.05)  # they bear the robot
    np.testing.assert_allclose(found[4:10], run.sensors["wrench"][-1], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found[10:], run.sensors["cop"][-1], atol=1e-5)


def test_a_robot_in_a_batch_feels_what_it_feels_alone() -> None:
    model = ts.robots.quadruped()
    task = feet_task(model)
    envs, alone = RobotVectorEnv(model, task, 3), RobotEnv(model, task)
    envs.reset(seed=[4, 5, 6])
    alone.reset(seed=5)
    actions = (
        np.random.default_rng(0)
        .uniform(-1, 1, (12, 3, envs.single_action_space.shape[0]))
        .astype(np.float32)
    )
    for action in actions:
        together, *_ = envs.step(action)
        single, *_ = alone.step(action[1])
        np.testing.assert_array_equal(together[1], single)
    assert np.abs(together[1]).max() > 0.0


def test_walkers_feel_contacts_and_nothing_in_the_air() -> None:
    herd = WalkTask.of(sensors={"c": ts.sensors.CenterOfPressure()}).herd(3)
    herd.start(EVERYONE, np.random.default_rng(0))
    assert (herd.observe()[:, -3:] == 0.0).all()
    for _ in range(50):
        herd.move(np.zeros((3, herd.action_size)))
    below = herd.model.center_of_mass(herd.q)
    np.testing.assert_allclose(herd.observe()[:, -3:-1], below[:, :2], atol=0.01)
    assert np.isfinite(herd.observe()).all()


def test_sensors_are_terms_of_robots() -> None:
    model = ts.robots.quadruped()
    assert model.base is not None
    gyro, meter = (
        kind(model.base.child) for kind in (ts.sensors.Gyroscope, ts.sensors.Accelerometer)
    )
    task = RobotTask(
        observes=(BaseVelocity(), Sensed(gyro), Sensed(meter)),
        rewards={Alive(): 1.0},
        acts=JointTargets(100.0, 3.0),
    )
    env = RobotEnv(model, task)
    found, _ = env.reset(seed=0)
    assert found.shape == (12,)
    np.testing.assert_allclose(found[9:], [0, 0, 9.81], atol=1e-5)
    for _ in range(3):
        before = found
        found, *_ = env.step(np.full(env.action_space.shape, 0.3, np.float32))
        np.testing.assert_allclose(found[6:9], found[3:6], atol=1e-6)
    # the mean acceleration of the period, in axes of the base as they are now
    rotation = env.robots.rotations()[0]
    period = env.robots.period
    rise = (found[:3] - before[:3]) / period + np.cross(found[3:6], found[:3])
    np.testing.assert_allclose(found[9:], rise + rotation.T @ [0, 0, 9.81], rtol=1e-3, atol=1e-3)


def test_what_terms_of_sensors_refuse() -> None:
    with pytest.raises(TypeError, match="sensor is of type str"):
        Sensed("foot")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="wrap the term in Noisy"):
        Sensed(ts.sensors.Gyroscope("trunk", errors=ts.sensors.Errors(noise=1.0)))
