"""Thousands of robots that learn to walk, in SIMD lanes and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from tarsus.environments.lanes import checked_action
from tarsus.environments.task import Task, WalkTask
from tarsus.environments.walk import spaces

Batch = NDArray[np.float32]


class WalkVectorEnv(VectorEnv[Batch, Batch, NDArray[Any]]):
    """`num_envs` robots that take their steps together; otherwise as `WalkEnv`.

    A robot whose episode has ended starts anew in the next step, whatever its action is then
    (`AutoresetMode.NEXT_STEP`). Results do not depend on `threads`.
    """

    metadata = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self, num_envs: int = 1, task: Task | str = "quadruped", *, threads: int = 1
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs is {num_envs}, must be at least 1")
        self.num_envs = num_envs
        self.task: Task = WalkTask.of(task) if isinstance(task, str) else task
        self.herd = self.task.herd(num_envs, threads)
        self.single_observation_space, self.single_action_space = spaces(self.herd)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._ended = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Batch, dict[str, Any]]:
        """Start new episodes; one `seed` is for all robots together.

        With `options={"reset_mask": mask}` only some robots start anew.
        """
        if isinstance(seed, list):
            raise ValueError("seed is a list: all robots draw from one generator, pass one number")
        mask = (options or {}).get("reset_mask")
        which = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask, bool)
        if which.shape != (self.num_envs,):
            raise ValueError(f"reset_mask must have shape ({self.num_envs},), got {which.shape}")
        super().reset(seed=seed)
        self.herd.start(which, self.np_random)
        self._ended[which] = False
        return self.herd.observe(), {}

    def step(
        self, actions: Batch
    ) -> tuple[Batch, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
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
