"""What walkers survive: a map over pushes and friction, and actions on top of their controller.

All machines walk at once, one in each lane of the core.
"""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus.environments import ResidualTask, WalkVectorEnv

body = ts.gait.Anatomy.from_model(ts.robots.lola())

# who stays up when pushed to the left, on grounds that rub more or less than it counts on
found = ts.walking.robustness(
    body, push=[0.0, 50.0, 100.0, 200.0], friction=[0.2, 0.7], known=0.5, steps=3
)
print(found)

# the controller as a baseline: with the action zero the machines walk
task = ResidualTask(body, steps=3, adds="references", push=0.1)
envs = WalkVectorEnv(8, task)
observation, _ = envs.reset(seed=0)
joints = len(envs.herd.joints)
error = slice(10 + 2 * joints, 12 + 2 * joints)  # of the divergent component, ahead and aside


def play(gain: float) -> float:
    """Return the mean reward of an episode in which the error moves the zero moment point."""
    felt, _ = envs.reset(seed=0)
    total, walking = np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
    for _ in range(envs.herd.periods):
        action = np.zeros(envs.action_space.shape, np.float32)
        action[:, :2] = gain * felt[:, error] / task.reach[:2]
        felt, reward, fallen, _, _ = envs.step(np.clip(action, -1.0, 1.0))
        total += reward * walking
        walking &= ~fallen
    return float(total.mean())


rewards = {gain: play(gain) for gain in (-0.5, 0.0, 0.5)}
for gain, reward in rewards.items():
    print(f"the zero moment point follows the error by {gain:+.1f}: reward {reward:.1f}")
assert rewards[0.0] > 0.0
