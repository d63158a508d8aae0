"""Thousands of robots with any task, in SIMD lanes and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.utils.seeding import np_random

from tarsus._lib.checks import count
from tarsus.environments.batch_env import Batch, BatchEnv, Seed, Stepped
from tarsus.environments.lanes import checked_action
from tarsus.environments.robot_env import robots_of, total
from tarsus.environments.robot_task import RobotTask
from tarsus.environments.walk import spaces
from tarsus.model import Model
from tarsus.robots.quadrupeds import Legged


class RobotVectorEnv(BatchEnv):
    """`num_envs` robots that take their steps together; otherwise as `RobotEnv`.

    Robot i of a batch with seed s does, bit for bit, what a `RobotEnv` with seed s + i does, as in
    Gymnasium's `SyncVectorEnv`, whatever its neighbours do and how many `threads` there are. A
    robot whose episode has ended starts anew in the next step, whatever its action is then
    (`AutoresetMode.NEXT_STEP`).
    """

    def __init__(
        self,
        model: Model | Legged | str = "quadruped",
        task: RobotTask | str = "walk",
        num_envs: int = 1,
        *,
        threads: int = 1,
    ) -> None:
        count(num_envs, "num_envs")
        self.robots = robots_of(model, task, num_envs, threads)
        self.task = self.robots.task
        self.of_spaces(num_envs, *spaces(self.robots))
        self._generators = [np_random()[0] for _ in range(num_envs)]

    def reset(
        self, *, seed: Seed = None, options: dict[str, Any] | None = None
    ) -> tuple[Batch, dict[str, Any]]:
        """Start new episodes; a `seed` is for the first robot and the next ones for the others.

        A list has one for each. With `options={"reset_mask": mask}` only some robots start anew.
        """
        which, seeds = self.who_starts(options), self.seeds_of(seed)
        for k, own in enumerate(seeds or []):
            if own is not None and which[k]:
                self._generators[k] = np_random(own)[0]
        if seeds is not None and None not in seeds and which.all():
            self.robots.begin_anew(self._generators)
        else:
            self.robots.start(which, self._generators)
        return self.robots.observe(), {}

    def step(self, actions: Batch) -> Stepped:
        """Go on by one control period; robots whose episode had ended start anew instead.

        What is no action, even of one robot, is refused, and changes nothing.
        """
        robots = self.robots
        given = checked_action(actions, (self.num_envs, robots.action_size))
        fresh = robots.done.copy()
        robots.move(given)
        info: dict[str, Any] = dict(robots.rewards())
        rewards = total(info, self.num_envs)
        terminations, truncations = robots.ended.copy(), robots.over()
        if fresh.any():
            robots.start(fresh, self._generators)
            rewards = np.where(fresh, 0.0, rewards)
            terminations, truncations = terminations & ~fresh, truncations & ~fresh
        return robots.observe(), rewards, terminations, truncations, info
