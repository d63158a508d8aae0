"""Learn to walk by trial and error: robots that walk better pass on how they move.

The cross-entropy method (Rubinstein 1999) on the vector environment: many robots try gaits that are
drawn at random, and the next gaits are drawn around the best ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus.environments import WalkReward, WalkTask, WalkVectorEnv

ROBOTS, BEST, ROUNDS = 48, 8, 5

task = WalkTask.of("quadruped", episode=1.5, noise=0.02, reward=WalkReward(speed=0.5))
envs = WalkVectorEnv(ROBOTS, task)
names = [joint.name for joint in task.model.joints if joint.nq == 1]
hips = np.array([name.endswith("hip_pitch") for name in names])
knees = np.array([name.endswith("knee") for name in names])
# diagonal legs move together
phases = np.array([np.pi * name.startswith(("hind_left", "front_right")) for name in names])
# knees bend further in the direction in which they are bent
bend = np.sign(task.stance[task.joints])


def actions(gaits: NDArray[np.float64], t: float) -> NDArray[np.float32]:
    """Return what gaits (B, 4) do at a time: frequency, swing of hips, lift of knees, delay."""
    frequency, swing, lift, delay = gaits.T[..., None]
    angle = 2 * np.pi * (2.0 + 0.5 * np.tanh(frequency)) * t + phases
    hip = swing * np.sin(angle)
    knee = lift * np.maximum(np.cos(angle + delay), 0.0) * bend
    return np.clip(hips * hip + knees * knee, -1.0, 1.0).astype(np.float32)


def try_out(gaits: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rewards of an episode (B,) and how far the robots came [m]."""
    envs.reset(seed=0)
    total, standing = np.zeros(ROBOTS), np.ones(ROBOTS, bool)
    for k in range(round(task.episode / task.period)):
        _, rewards, fallen, _, _ = envs.step(actions(gaits, k * task.period))
        total += rewards * standing
        standing &= ~fallen
    return total, envs.herd.q[:, 0].copy()


rng = np.random.default_rng(0)
mean, spread = np.array([0.0, 0.0, 0.4, 0.0]), np.array([0.5, 0.4, 0.3, 0.5])
first = None
for k in range(ROUNDS):
    gaits = mean + spread * rng.standard_normal((ROBOTS, 4))
    reward, way = try_out(gaits)
    best = np.argsort(-reward)[:BEST]
    mean, spread = gaits[best].mean(axis=0), gaits[best].std(axis=0) + 0.02
    print(
        f"round {k}: reward {reward.mean():5.1f} on average, {reward.max():5.1f} at best, "
        f"the best came {way[best[0]]:.2f} m far"
    )
    first = reward.mean() if first is None else first

frequency, swing, lift, delay = mean
print(f"hips swing by {task.reach * swing:+.2f} rad, knees lift by {task.reach * lift:.2f} rad")
assert first is not None
assert reward.mean() > first
