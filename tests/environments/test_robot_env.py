"""Environments of terms: Gymnasium is content, lanes are single environments bit for bit."""

from __future__ import annotations

import pickle
import re
import warnings
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from learned_tasks import everything_varies

import tarsus as ts
from tarsus import environments
from tarsus.environments import (
    ActuatorControls,
    Alive,
    Clock,
    FeetHeights,
    JointEfforts,
    JointPositions,
    JointTargets,
    JointVelocities,
    RobotEnv,
    RobotLanes,
    RobotTask,
    RobotVectorEnv,
    robot_task,
)
from tarsus.robots.load import example
from tarsus.robots.quadrupeds import legged

BENT = np.array([0.1, 0.3, -0.2, -1.5, 0.1, 1.2, 0.3, 0.02, 0.02])
"""An arm within its limits."""


def actions(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(-1.0, 1.0, shape).astype(np.float32)


@pytest.mark.parametrize("name", environments.TASKS)
@pytest.mark.parametrize("robot", ["quadruped", "solo12"])
def test_the_checker_has_no_warnings(robot: str, name: str) -> None:
    env = gymnasium.make(environments.ROBOT, model=robot, task=name, render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_environments_are_made_by_name() -> None:
    envs = gymnasium.make_vec(
        environments.ROBOT, num_envs=3, vectorization_mode="vector_entry_point", model="solo12"
    )
    observations, _ = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("threads", [1, 2])
def test_lanes_are_single_environments_bit_for_bit(threads: int) -> None:
    """Gymnasium steps single environments one by one: ends, new starts, noise and pushes too."""
    task = everything_varies(episode=0.3)
    lanes = RobotVectorEnv("solo12", task, 5, threads=threads)
    alone = SyncVectorEnv([lambda: RobotEnv("solo12", task)] * 5)
    rng = np.random.default_rng(0)
    assert lanes.reset(seed=3)[0].tobytes() == alone.reset(seed=3)[0].tobytes()
    ends = 0
    for _ in range(50):
        action = actions(rng, (5, 12))
        found, expected = lanes.step(action), alone.step(action)
        for a, b in zip(found[:4], expected[:4], strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
        ends += int((found[2] | found[3]).sum())
    print(f"{ends} episodes ended on the way")
    assert ends > 10


def test_robots_that_start_anew_do_not_disturb_the_others() -> None:
    task = everything_varies(episode=5.0)
    calm, disturbed = (RobotVectorEnv("solo12", task, 4) for _ in range(2))
    mask = np.array([False, True, False, True])
    first, last = (envs.reset(seed=9)[0] for envs in (calm, disturbed))
    assert first.tobytes() == last.tobytes()
    rng = np.random.default_rng(1)
    for k in range(12):
        if k % 3 == 2:
            seen, _ = disturbed.reset(options={"reset_mask": mask})
            assert seen[~mask].tobytes() == last[~mask].tobytes()
        action = actions(rng, (4, 12))
        other, last = calm.step(action)[0], disturbed.step(action)[0]
        assert other[~mask].tobytes() == last[~mask].tobytes()
        assert k < 2 or (other[mask] != last[mask]).any()


def test_seeds_repeat_to_the_bit_and_differ() -> None:
    def play(seed: int) -> bytes:
        env = RobotEnv("solo12", everything_varies(episode=0.2))
        seen = [env.reset(seed=seed)[0]]
        rng = np.random.default_rng(0)
        for _ in range(25):
            observation, _, terminated, truncated, _ = env.step(actions(rng, (12,)))
            seen.append(env.reset()[0] if terminated or truncated else observation)
        return np.array(seen).tobytes()

    assert play(4) == play(4)
    assert play(4) != play(5)


@pytest.mark.parametrize("robots", [None, 3])
def test_pickled_on_the_way_they_go_on_with_the_same_bits(robots: int | None) -> None:
    task = everything_varies(episode=0.3)
    env: Any = RobotEnv("solo12", task, render_mode="rgb_array")
    if robots is not None:
        env = RobotVectorEnv("solo12", task, robots)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    if robots is None:
        env.render()
    for _ in range(5):
        env.step(actions(rng, env.action_space.shape))
    copy = pickle.loads(pickle.dumps(env))
    for _ in range(8):
        action = actions(rng, env.action_space.shape)
        a, b = env.step(action), copy.step(action)
        for x, y in zip(a[:4], b[:4], strict=True):
            assert np.asarray(x).tobytes() == np.asarray(y).tobytes()


def test_pictures() -> None:
    env = RobotEnv("solo12", render_mode="rgb_array")
    env.reset(seed=0)
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.shape == (300, 480, 3)
    assert picture.std() > 5.0
    assert RobotEnv("solo12").render() is None


def test_any_model_with_terms_of_one_s_own() -> None:
    """An arm without a free root, driven by efforts, with functions as terms."""
    panda = example("panda")
    target = 0.3

    def error(robots: RobotLanes) -> np.ndarray:
        return np.abs(robots.q[:, 0] - target)

    task = RobotTask(
        observes=(JointPositions(), JointVelocities(), Clock(1.0)),
        rewards={error: -1.0, Alive(): 0.5},
        acts=JointEfforts(most=10.0, joints=("panda_joint1", "panda_joint2")),
        ground=None,
        dt=1e-3,
    )
    env = RobotEnv(panda, task)
    assert env.action_space.shape == (2,)
    env.reset(seed=0)
    _, reward, _, _, info = env.step(np.array([0.5, 0.0], np.float32))
    assert info["Alive"] == 0.5
    assert info["error"] == pytest.approx(-abs(env.robots.q[0, 0] - target))
    assert reward == pytest.approx(sum(info.values()))


def test_efforts_move_joints_as_the_equations_of_motion_say() -> None:
    """One step from rest: v = dt · H⁻¹ (τ − g), by dense matrices of the model."""
    panda = example("panda")
    task = RobotTask(
        observes=(JointPositions(),),
        rewards={},
        acts=JointEfforts(most=5.0),
        ground=None,
        dt=1e-5,
        hold=1,
    )
    env = RobotEnv(panda, replace(task, stance=BENT))
    env.reset(seed=0)
    action = actions(np.random.default_rng(0), (panda.nv,))
    env.step(action)
    force = 5.0 * action - panda.gravity_forces(BENT)
    expected = 1e-5 * np.linalg.solve(panda.mass_matrix(BENT), force)
    assert env.robots.v[0] == pytest.approx(expected, rel=1e-3, abs=1e-9)


def servos() -> ts.Model:
    """An arm with a motor on one joint and a servo on the other."""
    b = ts.Builder("servos")
    for k, parent in enumerate(("world", "a")):
        b.body("ab"[k], mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.01))
        b.joint(f"j{k}", "revolute", parent, "ab"[k], axis="y", position=(0, 0, -0.4 * k))
    b.actuator("motor", "j0", gear=2.0, control=(-1.0, 3.0))
    b.actuator("servo", "j1", "position", kp=20.0, kd=1.0)
    return b.build()


def test_controls_of_actuators_are_those_of_a_run() -> None:
    model = servos()
    acts = ActuatorControls(most=0.5)
    task = RobotTask(observes=(JointPositions(),), rewards={}, acts=acts, ground=None, dt=1e-3)
    envs = RobotVectorEnv(model, task, 3)
    envs.reset(seed=0)
    rng = np.random.default_rng(0)
    given = [actions(rng, (3, 2)) for _ in range(8)]
    for action in given:
        envs.step(action)
    for k in range(3):
        # the range of the motor is not symmetric: zero is in its middle
        u = np.array([[1.0 + 2.0 * a[k, 0], 0.5 * a[k, 1]] for a in given], np.float64)

        def control(t: float, q: np.ndarray, v: np.ndarray, u: np.ndarray = u) -> np.ndarray:
            return model.actuation(q, v, u[min(int(t / 0.01 + 1e-6), 7)])

        sim = ts.Simulation(model, ground=None, dt=1e-3)
        run = sim.run(model.neutral(), duration=0.08, controller=control)
        assert envs.robots.q[k] == pytest.approx(run.q[-1], abs=1e-9)
    assert np.abs(envs.robots.q).max() > 0.01


def test_setpoints_are_the_stance_and_the_reach() -> None:
    """In free space, where nothing pulls, joints arrive at what actions ask for."""
    robot = legged("solo12")
    task = robot_task(
        "walk", ground=None, varies=(), ends=(), acts=JointTargets(reach=0.2), episode=5.0
    )
    env = RobotEnv(robot, task)
    env.reset(seed=0)
    action = np.linspace(-1.0, 1.0, 12).astype(np.float32)
    for _ in range(100):
        env.step(action)
    moved = env.robots.q[0, 7:] - robot.stance[7:]
    assert moved == pytest.approx(0.2 * action, abs=2e-3)


WRONG: dict[str, tuple[Any, str]] = {
    "name of a task": (lambda: RobotEnv("solo12", "wlak"), "no task 'wlak'; did you mean 'walk'"),
    "name of a robot": (lambda: RobotEnv("solo"), "no robot on legs 'solo'"),
    "task": (lambda: RobotEnv("solo12", 3), "task is a int, must be a RobotTask"),  # type: ignore[arg-type]
    "render mode": (lambda: RobotEnv("solo12", render_mode="human"), "render_mode is 'human'"),
    "no gains": (lambda: RobotEnv(legged("solo12").model), "has kp None and kd None"),
    "no actuators": (
        lambda: RobotEnv("solo12", robot_task("walk", acts=ActuatorControls())),
        "has no actuators",
    ),
    "no range": (
        lambda: RobotEnv(
            servos(), RobotTask(observes=(Clock(),), rewards={}, acts=ActuatorControls())
        ),
        "actuator 'servo' has no range of controls: state most",
    ),
    "no base": (
        lambda: RobotEnv(example("panda"), robot_task("walk", acts=JointTargets(1.0, 1.0))),
        "no free root",
    ),
    "no feet": (lambda: RobotEnv("solo12", robot_task("trot", feet=())), "has no feet: state"),
    "no feet felt": (
        lambda: RobotEnv("solo12", robot_task("walk", feet=(), observes=(FeetHeights(),))),
        "the task states none",
    ),
    "nothing felt": (lambda: robot_task("walk", observes=()), "observes is empty"),
    "no tuple": (lambda: robot_task("walk", observes=Clock()), "must be a tuple of terms"),
    "no term": (lambda: robot_task("walk", rewards={"speed": 1.0}), "'speed' is no term"),
    "weight": (lambda: robot_task("walk", rewards={Alive(): np.nan}), "the weight of Alive"),
    "shape": (
        lambda: RobotEnv("solo12", robot_task("walk", rewards={Clock(): 1.0})),
        "must be (1,)",
    ),
    "joint": (
        lambda: RobotEnv("solo12", robot_task("walk", acts=JointTargets(joints=("knee",)))),
        "knee",
    ),
    "episode": (lambda: robot_task("walk", episode=0.0), "episode is 0.0, must be positive"),
    "lanes": (lambda: RobotVectorEnv("solo12", num_envs=0), "num_envs is 0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_named(case: str) -> None:
    make, message = WRONG[case]
    with pytest.raises((ValueError, TypeError, KeyError), match=re.escape(message)):
        make()


def test_a_rejected_action_or_reset_changes_nothing() -> None:
    envs, calm = (RobotVectorEnv("solo12", everything_varies(episode=1.0), 3) for _ in range(2))
    for each in (envs, calm):
        each.reset(seed=0)
    bad = np.zeros((3, 12), np.float32)
    bad[1, 4] = np.nan
    with pytest.raises(ValueError, match="action has entries that are not finite"):
        envs.step(bad)
    with pytest.raises(ValueError, match=r"action must have shape \(3, 12\)"):
        envs.step(np.zeros((2, 12), np.float32))
    with pytest.raises(ValueError, match="reset_mask must have shape"):
        envs.reset(options={"reset_mask": np.ones(2, bool)})
    with pytest.raises(ValueError, match="seed has 2 numbers, must have 3"):
        envs.reset(seed=[1, 2])
    action = actions(np.random.default_rng(0), (3, 12))
    assert envs.step(action)[0].tobytes() == calm.step(action)[0].tobytes()


def test_an_episode_that_ends_says_so_and_another_begins() -> None:
    task = robot_task("walk", acts=JointTargets(kp=0.01, kd=0.01), episode=4.0)
    envs = RobotVectorEnv("solo12", task, 2)
    envs.reset(seed=0)
    zeros = np.zeros((2, 12), np.float32)
    ended = np.zeros(2, bool)
    for _ in range(100):
        _, rewards, terminations, truncations, _ = envs.step(zeros)
        if ended.any():
            assert (rewards[ended] == 0.0).all()
            assert (envs.robots.age[ended] == 0).all()
            break
        ended = terminations
        assert not truncations.any()
    assert ended.any()


def test_tasks_are_changed_by_fields() -> None:
    task = robot_task("walk")
    assert replace(task, episode=1.0).episode == 1.0
    assert RobotEnv("solo12", task).task.feet == tuple(legged("solo12").feet.values())


def test_a_step_before_reset_is_refused() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match="before reset"):
        RobotVectorEnv("solo12", num_envs=2).step(np.zeros((2, 12), np.float32))


def test_robots_that_are_torn_apart_end_and_start_anew() -> None:
    """Efforts far beyond reason: whatever comes of it, observations and rewards are numbers."""
    task = robot_task("walk", acts=JointEfforts(most=1000.0))
    envs = RobotVectorEnv("solo12", task, 8)
    envs.reset(seed=0)
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(60):
        observations, rewards, terminations, *_ = envs.step(actions(rng, (8, 12)))
        assert envs.observation_space.contains(observations)
        assert np.isfinite(rewards).all()
        ends += int(terminations.sum())
    assert ends > 20
