"""Gymnasium environments: the checker is content, seeds repeat, lanes do not know each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import tarsus as ts
from tarsus import environments
from tarsus.environments import Outcome, WalkEnv, WalkReward, WalkTask, WalkVectorEnv
from tarsus.geometry import HeightField
from tarsus.view import frame_sequence as stage
from tarsus.view.triangle_meshes import surfaces


@pytest.fixture(scope="module")
def task() -> WalkTask:
    return WalkTask.of("quadruped", episode=0.5)


def vector(task: WalkTask, robots: int, threads: int = 1) -> WalkVectorEnv:
    return WalkVectorEnv(robots, task, threads=threads)


def test_check_env() -> None:
    env = gymnasium.make(environments.WALK, render_mode="rgb_array").unwrapped
    check_env(env)


def test_pictures_of_an_episode_make_the_robot_s_surfaces_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("matplotlib")
    made: list[ts.Model] = []

    def counted(model: ts.Model, *rest: Any, **options: Any) -> Any:
        made.append(model)
        return surfaces(model, *rest, **options)

    monkeypatch.setattr(stage, "surfaces", counted)
    env = WalkEnv(render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    for _ in range(5):
        env.step(env.action_space.sample())
    assert (env.render() != first).any()
    assert len(made) == 1


def test_make_vec() -> None:
    envs = gymnasium.make_vec(
        environments.WALK, num_envs=3, vectorization_mode="vector_entry_point"
    )
    observations, _ = envs.reset(seed=1)
    assert observations.shape == envs.observation_space.shape
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP


def test_observations(task: WalkTask) -> None:
    env = WalkEnv(task)
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    n = env.action_space.shape[0]
    assert n == 16
    assert len(observation) == 10 + 3 * n
    assert observation[0] == pytest.approx(task.stance[2], abs=0.05)
    assert observation[1:4] == pytest.approx([0, 0, 1], abs=1e-6)
    assert (np.abs(observation[10 : 10 + n]) <= task.noise).all()


def test_a_robot_that_does_nothing_stands(task: WalkTask) -> None:
    env = WalkEnv(replace(task, episode=2.0))
    env.reset(seed=3)
    for k in range(100):
        _, reward, terminated, truncated, info = env.step(np.zeros(16, np.float32))
        assert not terminated
        assert truncated == (k == 99)
    print(f"reward {reward:.4f}, speed {info['speed']:.2e} m/s")
    assert abs(info["speed"]) < 0.02
    assert 0.2 < reward < 0.4


def test_legs_that_give_way_end_the_episode(task: WalkTask) -> None:
    env = WalkEnv(replace(task, kp=50.0, kd=5.0, episode=5.0))
    env.reset(seed=0)
    for _ in range(250):
        _, reward, terminated, truncated, _ = env.step(np.zeros(16, np.float32))
        if terminated:
            break
    assert terminated
    assert not truncated
    assert reward == 0.0


def test_seeds_repeat(task: WalkTask) -> None:
    def play(seed: int) -> np.ndarray:
        env = WalkEnv(task)
        first, _ = env.reset(seed=seed)
        rng = np.random.default_rng(0)
        seen = [env.step(rng.uniform(-0.3, 0.3, 16).astype(np.float32))[0] for _ in range(5)]
        return np.array([first, *seen])

    assert (play(4) == play(4)).all()
    assert (play(4) != play(5)).any()


def everything(env: WalkEnv | WalkVectorEnv) -> list[bytes | str]:
    """Return all bits that the next step depends on."""
    herd = env.herd
    arrays = (herd.q, herd.v, herd.memory, herd.parameters, herd.action, herd.age, herd._commands)
    ended = getattr(env, "_ended", np.zeros(0))
    return [*(x.tobytes() for x in (*arrays, ended)), str(env.np_random.bit_generator.state)]


BAD_ACTIONS: dict[str, tuple[Any, str]] = {
    "nan": (
        lambda a: np.where(np.arange(16) == 3, np.nan, a),
        "action has entries that are not fi",
    ),
    "inf": (
        lambda a: np.where(np.arange(16) == 3, np.inf, a),
        "action has entries that are not fi",
    ),
    "size": (lambda a: a[..., :-1], r"action has shape \(.*15,?\), must be \(.*16\)"),
    "states": (lambda a: np.stack([a, a]), r"action must have shape \(.*16,?\), got \(2, .*16\)"),
    "words": (lambda a: "ahead", "action is not an array of numbers"),
}


@pytest.mark.parametrize("case", BAD_ACTIONS)
@pytest.mark.parametrize("robots", [None, 3])
def test_a_rejected_action_leaves_all_as_it_was(
    task: WalkTask, robots: int | None, case: str
) -> None:
    spoil, message = BAD_ACTIONS[case]
    disturbed, calm = (WalkEnv(task) if robots is None else vector(task, robots) for _ in range(2))
    rng = np.random.default_rng(0)
    for env in (disturbed, calm):
        env.reset(seed=4)
        env.herd.age[-1] = 21  # its episode ends on the way, and in a batch it starts anew
    for _ in range(8):
        action = rng.uniform(-0.3, 0.3, calm.action_space.shape).astype(np.float32)
        before = everything(disturbed)
        with pytest.raises((ValueError, TypeError), match=message):
            disturbed.step(spoil(action))
        assert everything(disturbed) == before
        found, expected = disturbed.step(action), calm.step(action)
        for a, b in zip(found[:4], expected[:4], strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
        assert everything(disturbed) == everything(calm)


def test_a_rejected_reset_leaves_all_as_it_was(task: WalkTask) -> None:
    envs = vector(task, 3)
    envs.reset(seed=4)
    before = everything(envs)
    for mask in (np.ones(2, bool), np.ones((3, 1), bool)):
        with pytest.raises(ValueError, match=r"reset_mask must have shape \(3,\), got"):
            envs.reset(seed=7, options={"reset_mask": mask})
        assert everything(envs) == before


def test_a_robot_does_not_know_its_neighbours_nor_threads(task: WalkTask) -> None:
    """The same states and actions give the same bits, alone, in a batch and on two threads."""
    many, threaded = vector(task, 7), vector(task, 7, threads=2)
    many.reset(seed=2)
    threaded.reset(seed=2)
    alone = vector(task, 1)
    alone.reset(seed=0)
    for name in ("q", "v", "memory", "parameters", "action"):
        getattr(alone.herd, name)[:] = getattr(many.herd, name)[4:5]
    rng = np.random.default_rng(1)
    for _ in range(4):
        actions = rng.uniform(-0.3, 0.3, (7, 16)).astype(np.float32)
        batch, threads, one = (
            env.step(actions[part])[0]
            for env, part in ((many, slice(None)), (threaded, slice(None)), (alone, slice(4, 5)))
        )
        assert (batch == threads).all()
        assert (batch[4] == one[0]).all()


def test_robots_start_anew_in_the_step_after_the_end(task: WalkTask) -> None:
    envs = vector(task, 3)
    envs.reset(seed=0)
    envs.herd.age[1] = 10  # half of its episode is over
    zeros = np.zeros((3, 16), np.float32)
    periods = round(task.episode / task.period)
    for k in range(1, periods + 2):
        observations, rewards, terminations, truncations, _ = envs.step(zeros)
        assert not terminations.any()
        assert truncations[1] == (k == periods - 10)
        assert truncations[0] == (k == periods)
        if k == periods - 10 + 1:
            assert rewards[1] == 0.0
            assert envs.herd.age[1] == 0
            assert (observations[1, -16:] == 0.0).all()
            assert (envs.herd.memory[1] == 0.0).all()
            assert rewards[0] > 0.0


def test_only_some_start_anew(task: WalkTask) -> None:
    envs = vector(task, 3)
    before, _ = envs.reset(seed=0)
    mask = np.array([False, True, False])
    after, _ = envs.reset(options={"reset_mask": mask})
    assert ((before != after).any(axis=1) == mask).all()


def test_friction_is_drawn_for_each_robot(task: WalkTask) -> None:
    envs = vector(replace(task, friction=(0.4, 0.6)), 50)
    envs.reset(seed=0)
    friction = envs.herd.parameters[:, 0]
    assert 0.4 <= friction.min() < 0.45
    assert 0.55 < friction.max() <= 0.6


def test_feet_start_on_the_ground(task: WalkTask) -> None:
    envs = vector(replace(task, noise=0.2), 20)
    envs.reset(seed=0)
    gaps = np.asarray(envs.herd.world.contacts(envs.herd.q))[:, :, 0].min(axis=1)
    print(f"lowest points: {gaps.min():.2e} … {gaps.max():.2e} m")
    assert np.abs(gaps).max() < 1e-9


def test_reward_can_be_changed(task: WalkTask) -> None:
    def height_of_action(outcome: Outcome) -> np.ndarray:
        return outcome.action.mean(axis=1)

    envs = vector(replace(task, reward=height_of_action), 2)
    envs.reset(seed=0)
    _, rewards, *_ = envs.step(np.full((2, 16), 0.25, np.float32))
    assert rewards == pytest.approx(0.25)


def test_reward_prefers_the_wanted_speed() -> None:
    def outcome(speed: float, *, fallen: bool = False) -> Outcome:
        zeros = np.zeros((1, 4))
        return Outcome(
            *(np.array([[speed, 0.0, 0.0]]), np.zeros(1), np.zeros(1), zeros, zeros),
            np.array([fallen]),
        )

    reward = WalkReward(speed=0.5)
    values = [float(reward(outcome(speed))[0]) for speed in (-0.5, 0.0, 0.25, 0.5, 0.75, 2.0)]
    print(values)
    assert values[3] == max(values) == pytest.approx(1.25)
    assert values[0] == values[1] == values[5] == pytest.approx(0.25)
    assert float(reward(outcome(0.5, fallen=True))[0]) == 0.0


def test_a_trot_walks_ahead() -> None:
    """Targets that a person would choose are rewarded more than standing."""
    task = WalkTask.of("quadruped", episode=4.0, noise=0.0)
    env = WalkEnv(task)
    env.reset(seed=0)
    names = [joint.name for joint in task.model.joints if joint.nq == 1]
    total = 0.0
    for k in range(150):
        phase = 2 * np.pi * k * task.period / 0.5
        action = np.zeros(16, np.float32)
        for i, name in enumerate(names):
            pair = 0.0 if name.startswith(("hind_right", "front_left")) else np.pi
            if name.endswith("hip_pitch"):
                action[i] = -0.5 * np.sin(phase + pair)
            if name.endswith("knee"):
                lift = max(0.0, float(np.cos(phase + pair)))
                action[i] = 0.7 * lift * np.sign(task.stance[task.joints[i]])
        _, reward, terminated, _, _ = env.step(action)
        assert not terminated
        total += reward
    way = env.herd.q[0, 0]
    print(f"{way:.3f} m in 3 s, reward {total:.1f}")
    assert way > 0.5
    assert total > 150 * 0.3


def test_terrain() -> None:
    hills = HeightField.from_function(
        lambda x, y: 0.02 * np.sin(3 * x) * np.cos(3 * y), (-3, -3), (3, 3), 0.1
    )
    env = WalkEnv(WalkTask.of("quadruped", ground=hills))
    env.reset(seed=0)
    for _ in range(10):
        _, _, terminated, _, _ = env.step(np.zeros(16, np.float32))
    assert not terminated


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="there is no robot on legs 'cow'"):
        WalkEnv("cow")
    with pytest.raises(ValueError, match="num_envs is 0, must be at least 1"):
        WalkVectorEnv(0)
    with pytest.raises(ValueError, match="render_mode is 'human'"):
        WalkEnv(render_mode="human")
    with pytest.raises(ValueError, match="friction is"):
        WalkTask.of("quadruped", friction=(0.5, 0.1))
    with pytest.raises(ValueError, match="episode is 0, must be positive"):
        WalkTask.of("quadruped", episode=0)
    task = WalkTask.of("quadruped")
    with pytest.raises(ValueError, match="seed is a list"):
        WalkVectorEnv(2, task).reset(seed=[1, 2])
    with pytest.raises(ValueError, match="has no free root: it cannot walk"):
        replace(task, model=ts.robots.chain(3))
