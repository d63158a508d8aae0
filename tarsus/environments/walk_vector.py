"""Thousands of robots that learn to walk, in SIMD lanes and threads."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus._lib.checks import count
from tarsus.environments.batch_env import Batch, BatchEnv, Seed, Stepped
from tarsus.environments.lanes import checked_action
from tarsus.environments.task import Task, WalkTask
from tarsus.environments.walk import spaces


class WalkVectorEnv(BatchEnv):
    """`num_envs` robots that take their steps together; otherwise as `WalkEnv`.

    A robot whose episode has ended starts anew in the next step, whatever its action is then
    (`AutoresetMode.NEXT_STEP`). Results do not depend on `threads`.
    """

    def __init__(
        self, num_envs: int = 1, task: Task | str = "quadruped", *, threads: int = 1
    ) -> None:
        count(num_envs, "num_envs")
        self.task: Task = WalkTask.of(task) if isinstance(task, str) else task
        self.herd = self.task.herd(num_envs, threads)
        self.of_spaces(num_envs, *spaces(self.herd))
        self._ended = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: Seed = None, options: dict[str, Any] | None = None
    ) -> tuple[Batch, dict[str, Any]]:
        """Start new episodes; one `seed` is for all robots together.

        With `options={"reset_mask": mask}` only some robots start anew.
        """
        if isinstance(seed, list):
            raise ValueError("seed is a list: all robots draw from one generator, pass one number")
        which = self.who_starts(options)
        super().reset(seed=seed)
        self.herd.start(which, self.np_random)
        self._ended[which] = False
        return self.herd.observe(), {}

    def step(self, actions: Batch) -> Stepped:
        """Go on by one control period; robots whose episode had ended start anew instead.

        What is no action, even of one robot, is refused, and changes nothing.
        """
        shape = self.num_envs, self.herd.action_size
        outcome = self.herd.move(checked_action(actions, shape))
        rewards = np.asarray(self.task.reward(outcome))
        terminations, truncations = outcome.fallen.copy(), self.herd.over()
        fresh = self._ended
        if fresh.any():
            self.herd.start(fresh, self.np_random)
            rewards = np.where(fresh, 0.0, rewards)
            terminations, truncations = terminations & ~fresh, truncations & ~fresh
        self._ended = terminations | truncations
        info = {"speed": outcome.velocity[:, 0], "power": outcome.power}
        return self.herd.observe(), rewards, terminations, truncations, info
