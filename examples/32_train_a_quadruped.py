"""Train a quadruped to trot at the speed that it is told, in a minute or two on one core.

Augmented random search (Mania, Guy and Recht 2018), an evolution strategy in plain NumPy: each
robot of the batch tries its own policy, half of them one way and half of them the other, and the
policy moves towards those that earned more. A policy is a matrix: the clock among the observations
lets it trot.

    python examples/32_train_a_quadruped.py --rounds 160    # then it walks
    python examples/32_train_a_quadruped.py --sb3    # the same in Stable-Baselines3
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarsus.environments import (
    ActionRate,
    Command,
    Energy,
    Friction,
    JointTargets,
    Masses,
    Progress,
    RobotEnv,
    RobotTask,
    RobotVectorEnv,
    StartAngles,
    Trot,
    TurnTracking,
    VelocityTracking,
    robot_task,
)

Array = NDArray[np.float64]
ROBOT, FREQUENCY = "solo12", 2.5
PAIRS, BEST, EXPLORES, LEARNS = 32, 16, 0.04, 0.03


def trotting(episode: float = 2.0) -> RobotTask:
    """Return the task: terms and their weights, and what differs from episode to episode."""
    return robot_task(
        "trot",
        frequency=FREQUENCY,
        episode=episode,
        acts=JointTargets(reach=0.5),
        command=Command(ahead=(0.2, 0.5)),
        rewards={
            Progress(): 2.0,
            VelocityTracking(0.15): 0.5,
            TurnTracking(): 0.2,
            Trot(FREQUENCY): 0.3,
            Energy(): -0.02,
            ActionRate(): -0.02,
        },
        varies=(StartAngles(high=0.03), Friction(0.6, 1.0), Masses(0.95, 1.05)),
    )


@dataclass
class Policy:
    """Actions W (o − mean) / deviation, with the mean and deviation of all that was felt."""

    weights: Array
    count: int = 0
    sums: Array = field(default_factory=lambda: np.zeros(0))
    squares: Array = field(default_factory=lambda: np.zeros(0))

    def act(self, observations: NDArray[np.float32], weights: Array) -> NDArray[np.float32]:
        """Return actions (B, m) of weights (B, m, n), or (m, n) for all."""
        mean = self.sums / max(self.count, 1)
        variance = self.squares / max(self.count, 1) - mean**2 if self.count else 1.0
        felt = (observations - mean) / np.sqrt(np.maximum(variance, 1e-4))
        actions = (weights @ felt[..., None])[..., 0]
        return np.clip(actions, -1.0, 1.0).astype(np.float32)

    def note(self, observations: NDArray[np.float32]) -> None:
        """Learn how large observations are."""
        felt = observations.astype(np.float64)
        self.count += len(felt)
        self.sums = self.sums + felt.sum(axis=0)
        self.squares = self.squares + (felt**2).sum(axis=0)


def play(
    envs: RobotVectorEnv, policy: Policy, weights: Array, seeds: list[int], learn: bool
) -> tuple[Array, NDArray[np.bool_]]:
    """Return what an episode was worth (B,), and who is up at its end (B,)."""
    observations, _ = envs.reset(seed=list(seeds))
    earned, up = np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
    for _ in range(envs.robots.periods - 1):
        actions = policy.act(observations, weights)
        observations, rewards, fallen, _, _ = envs.step(actions)
        earned += rewards * up
        up &= ~fallen
        if learn:
            policy.note(observations[up])
    return earned, up


def train(rounds: int, seed: int = 0, tell: bool = True) -> tuple[Policy, list[float]]:
    """Return a policy, and what an episode was worth on average in each round."""
    envs = RobotVectorEnv(ROBOT, trotting(), 2 * PAIRS)
    rng, curve = np.random.default_rng(seed), []
    n, m = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    policy = Policy(np.zeros((m, n)), 0, np.zeros(n), np.zeros(n))
    for k in range(rounds):
        tried = EXPLORES * rng.standard_normal((PAIRS, m, n))
        weights = np.concatenate([policy.weights + tried, policy.weights - tried])
        # both of a pair meet the same ground, masses and command
        seeds = [100_000 * seed + PAIRS * k + pair for pair in range(PAIRS)]
        earned, up = play(envs, policy, weights, seeds + seeds, learn=True)
        one, other = earned[:PAIRS], earned[PAIRS:]
        best = np.argsort(-np.maximum(one, other))[:BEST]
        spread = np.concatenate([one[best], other[best]]).std() + 1e-6
        change = np.einsum("b,bij->ij", (one - other)[best] / spread, tried[best] / EXPLORES)
        policy.weights = policy.weights + LEARNS / BEST * change
        curve.append(float(earned.mean()))
        if tell and k % 10 == 9:
            print(f"round {k + 1:3d}: {curve[-1]:5.1f} on average, {up.mean():4.0%} stay up")
    return policy, curve


def walked(policy: Policy, seconds: float, robots: int = 8) -> tuple[Array, Array, int]:
    """Return how far robots came (B,) [m], how far they were asked to, and how many fell."""
    envs = RobotVectorEnv(ROBOT, replace(trotting(), episode=seconds), robots)
    _, up = play(envs, policy, policy.weights, list(range(1_000_000, 1_000_000 + robots)), False)
    way = np.linalg.norm(envs.robots.q[:, :2], axis=1)
    return way, envs.robots.command[:, 0] * seconds, int((~up).sum())


def with_stable_baselines(steps: int) -> None:
    """Train by proximal policy optimisation of another library, on the same environment."""
    try:
        from stable_baselines3 import PPO
    except ModuleNotFoundError:
        print("there is no Stable-Baselines3 here: pip install stable-baselines3")
        return
    model = PPO("MlpPolicy", RobotEnv(ROBOT, trotting()), n_steps=512, seed=0, device="cpu")
    first = worth(model)
    model.learn(total_timesteps=steps)
    print(f"Stable-Baselines3: an episode is worth {first:.1f} at first,", end=" ")
    print(f"{worth(model):.1f} after {steps} steps")


def worth(model: Any, episodes: int = 8) -> float:
    """Return what an episode of a model of Stable-Baselines3 is worth on average."""
    env, earned = RobotEnv(ROBOT, trotting()), 0.0
    for seed in range(episodes):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            action, _ = model.predict(observation, deterministic=True)
            observation, reward, fallen, late, _ = env.step(action)
            earned, over = earned + reward, fallen or late
    return earned / episodes


def main() -> None:
    """Train, and show how far the robots come."""
    parser = argparse.ArgumentParser(description="train a quadruped to trot")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sb3", action="store_true", help="with Stable-Baselines3, if installed")
    parser.add_argument("--steps", type=int, default=200_000, help="of Stable-Baselines3")
    told = parser.parse_args()
    if told.sb3:
        with_stable_baselines(told.steps)
        return
    policy, curve = train(told.rounds, told.seed)
    way, asked, fell = walked(policy, 5.0)
    print(f"an episode was worth {curve[0]:.1f} at first, {curve[-1]:.1f} at last")
    print(f"in 5 s robots came {way.mean():.2f} m far of {asked.mean():.2f} m, {fell} of 8 fell")
    assert curve[-1] > curve[0]


if __name__ == "__main__":
    main()
