"""Actions on top of a walking controller: none is the walker, seeds repeat, lanes begin again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import tarsus as ts
from tarsus import environments
from tarsus.environments import Outcome, ResidualTask, WalkEnv, WalkVectorEnv


@pytest.fixture(scope="module")
def task() -> ResidualTask:
    return ResidualTask.of("lola", steps=3)


def nothing(env: WalkEnv | WalkVectorEnv) -> np.ndarray:
    return np.zeros(env.action_space.shape or (), np.float32)


@pytest.mark.parametrize("adds", ["torques", "references"])
def test_the_checker_is_content(task: ResidualTask, adds: Any) -> None:
    own = replace(task, adds=adds)
    check_env(gymnasium.make(environments.RESIDUAL, task=own, render_mode="rgb_array").unwrapped)


def test_environments_are_made_by_name(task: ResidualTask) -> None:
    env = gymnasium.make(environments.RESIDUAL, task=task)
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    envs = gymnasium.make_vec(
        environments.RESIDUAL, num_envs=2, task=task, vectorization_mode="vector_entry_point"
    )
    assert envs.reset(seed=1)[0].shape == (2, *observation.shape)


def test_without_action_the_walker_walks(task: ResidualTask) -> None:
    """The same motion as `ts.walking.walk`, which goes through `Simulation.run`."""
    env = WalkEnv(task)
    env.reset(seed=0)
    seen = [env.herd.q[0].copy()]
    terminated = truncated = False
    while not (terminated or truncated):
        _, _, terminated, truncated, _ = env.step(nothing(env))
        seen.append(env.herd.q[0].copy())
    assert truncated
    walked = ts.walking.walk(task.body, speed=task.speed, steps=task.steps, friction=0.7)
    every = round(task.period / task.dt)
    q = walked.run.q[::every][: len(seen)]
    print(f"{len(seen)} periods, {q[-1, 0]:.3f} m far; apart by {np.abs(q - seen).max():.1e}")
    assert q[-1, 0] > 0.3
    assert np.abs(q - seen).max() < 1e-6


def test_torques_are_what_the_controller_asks_for_and_the_action(task: ResidualTask) -> None:
    env = WalkEnv(replace(task, hold=1))
    env.reset(seed=0)
    joints, limit = env.herd.velocities, task.model.effort_limit
    plain = task.herd(1).control(0.0, env.herd.q, env.herd.v)[0]
    action = np.random.default_rng(2).uniform(-1, 1, len(joints)).astype(np.float32)
    env.step(action)
    weight = task.model.total_mass * np.linalg.norm(task.model.gravity)
    most = np.minimum(limit[joints], 0.1 * weight * task.walker.height)
    plain[joints] += 0.1 * most * action
    assert env.herd._commands[0, 0] == pytest.approx(np.clip(plain, -limit, limit), abs=1e-6)


def test_references_move_the_zero_moment_point(task: ResidualTask) -> None:
    """Pressed to the left with all that is allowed, the machine goes to the right, and back."""
    aside = []
    for action in (-1.0, 1.0):
        env = WalkEnv(replace(task, adds="references"))
        env.reset(seed=0)
        for _ in range(10):
            env.step(np.array([0.0, action, 0.0], np.float32))
        aside.append(float(task.model.center_of_mass(env.herd.q[0])[1]))
    print(aside)
    assert aside[0] > aside[1] + 1e-3


def test_seeds_repeat_and_differ(task: ResidualTask) -> None:
    drawn = replace(task, friction=(0.5, 0.9), mass=(0.9, 1.1), push=0.2)

    def play(seed: int) -> np.ndarray:
        env = WalkEnv(drawn)
        first, _ = env.reset(seed=seed)
        rng = np.random.default_rng(0)
        shape = env.action_space.shape
        seen = [env.step(rng.uniform(-1, 1, shape).astype(np.float32))[0] for _ in range(5)]
        return np.array([first, *seen])

    assert (play(4) == play(4)).all()
    assert (play(4) != play(5)).any()


def test_machines_that_begin_again_do_not_disturb_the_others(task: ResidualTask) -> None:
    calm, disturbed = WalkVectorEnv(3, task), WalkVectorEnv(3, task)
    for envs in (calm, disturbed):
        envs.reset(seed=0)
    for k in range(70):
        for envs in (calm, disturbed):
            envs.step(nothing(envs))
        if k == 39:
            disturbed.reset(options={"reset_mask": np.array([False, True, False])})
    apart = np.abs(calm.herd.q - disturbed.herd.q).max(axis=1)
    print(apart)
    assert apart[[0, 2]].max() < 1e-6
    assert apart[1] > 1e-3
    # … and what begins again does what a fresh one does
    fresh = WalkVectorEnv(1, task)
    fresh.reset(seed=0)
    for _ in range(30):
        fresh.step(nothing(fresh))
    assert np.abs(disturbed.herd.q[1] - fresh.herd.q[0]).max() < 1e-6


def test_a_push_changes_the_momentum_by_what_is_stated(task: ResidualTask) -> None:
    herd = task.herd(2)
    herd.start(np.ones(2, bool), np.random.default_rng(0))
    herd._push[:] = [[0.3, 0.0], [0.0, -0.2]]
    before = task.model.centroidal_momentum(herd.q, herd.v)
    herd._hit(np.array([True, True]))
    gained = task.model.centroidal_momentum(herd.q, herd.v) - before
    expected = task.model.total_mass * np.array([[0.3, 0.0, 0.0], [0.0, -0.2, 0.0]])
    assert gained[:, :3] == pytest.approx(expected, abs=1e-8)


def test_a_machine_that_is_pushed_over_ends_its_episode(task: ResidualTask) -> None:
    env = WalkEnv(replace(task, push=2.0))
    env.reset(seed=1)
    env.unwrapped.herd._pushed[:] = 1  # type: ignore[attr-defined]
    env.unwrapped.herd._push[:] = [[0.0, 1.5]]  # type: ignore[attr-defined]
    for _ in range(150):
        _, reward, terminated, truncated, _ = env.step(nothing(env))
        if terminated or truncated:
            break
    assert terminated
    assert reward == 0.0


def test_reward_can_be_changed(task: ResidualTask) -> None:
    def size_of_action(outcome: Outcome) -> np.ndarray:
        return np.abs(outcome.action).max(axis=1)

    envs = WalkVectorEnv(2, replace(task, reward=size_of_action, adds="references"))
    envs.reset(seed=0)
    _, rewards, *_ = envs.step(np.full((2, 3), 0.25, np.float32))
    assert rewards == pytest.approx(0.25)


def test_wrong_arguments(task: ResidualTask) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"adds": "torque"}, "adds is 'torque'.*torques"),
        ({"friction": (0.5, 0.1)}, "friction is"),
        ({"mass": (0.0, 1.0)}, "mass is"),
        ({"hold": 0}, "hold is 0, must be at least 1"),
        ({"hold": 2.5}, "hold is 2.5, must be an integer"),
        ({"steps": True}, "steps is True, must be an integer"),
        ({"dt": 0.0}, "dt is 0.0, must be positive"),
        ({"speed": np.nan}, "speed is not finite"),
        ({"push": np.inf}, "push is not finite"),
        ({"share": np.nan}, "share is not finite"),
        ({"friction": (0.5, np.inf)}, "friction is not finite"),
        ({"mass": 1.0}, "mass has shape"),
        ({"reach": (np.nan,) * 3}, "reach .* is not finite"),
        ({"reach": (0.1, 0.1, -0.1)}, "reach .* must not be negative"),
        ({"push": -1.0}, "push is -1.0, must not be negative"),
        ({"reach": (0.1, 0.1)}, "reach is .*, must be three lengths"),
    ]
    for change, message in wrong:
        with pytest.raises((ValueError, TypeError), match=message):
            replace(task, **change)
