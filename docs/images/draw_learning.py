"""Draw how a quadruped learns to trot: what episodes are worth, and the robot on its way."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__)
ROUNDS, SEEDS = 160, (0, 1)

spec = importlib.util.spec_from_file_location(
    "train_a_quadruped", HERE.parents[2] / "examples" / "32_train_a_quadruped.py"
)
example = importlib.util.module_from_spec(spec)
sys.modules["train_a_quadruped"] = example
spec.loader.exec_module(example)

found = [example.train(ROUNDS, seed, tell=False) for seed in SEEDS]
for (policy, _), seed in zip(found, SEEDS, strict=True):
    way, asked, fell = example.walked(policy, 6.0)
    print(f"seed {seed}: {way.mean():.2f} m of {asked.mean():.2f} m, {fell} of {len(way)} fell")

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9.0, 3.4), width_ratios=(1.2, 1.0), layout="constrained"
)
for (_, curve), seed in zip(found, SEEDS, strict=True):
    left.plot(np.arange(1, ROUNDS + 1), curve, lw=1.2, label=f"seed {seed}")
left.set(xlabel="rounds of 64 episodes of 2 s", ylabel="return", xlim=(0, ROUNDS))
left.legend(frameon=False)
left.spines[["top", "right"]].set_visible(False)

policy = found[0][0]
env = example.RobotEnv("solo12", replace(example.trotting(), episode=4.0), "rgb_array")
observation, _ = env.reset(seed=1)
for _ in range(88):
    action = policy.act(observation[None], policy.weights)[0]
    observation, *_ = env.step(action)
right.imshow(env.render())
right.set_title(f"after {env.robots.time()[0]:.1f} s, {env.robots.q[0, 0]:.2f} m ahead", fontsize=9)
right.axis("off")
figure.savefig(HERE.with_name("learning.png"), dpi=110)
