"""What environments of many robots have in common: spaces, seeds, and who starts anew."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from tarsus._lib.checks import count
from tarsus.environments.lanes import MASK

Batch = NDArray[np.float32]
Seed = int | list[int | None] | None
Stepped = tuple[Batch, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]
"""Observations, rewards, terminations, truncations, and what else is told."""


class BatchEnv(VectorEnv[Batch, Batch, NDArray[Any]]):
    """`num_envs` robots, of which those whose episodes have ended start anew in the next step."""

    metadata = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def of_spaces(self, num_envs: int, observation: Box, action: Box) -> None:
        """Take the spaces of one robot for all."""
        count(num_envs, "num_envs")
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = observation, action
        self.observation_space = batch_space(observation, num_envs)
        self.action_space = batch_space(action, num_envs)

    def who_starts(self, options: dict[str, Any] | None) -> MASK:
        """Return which robots (B,) start anew: all unless options have a `reset_mask`."""
        mask = (options or {}).get("reset_mask")
        which = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask, bool)
        if which.shape != (self.num_envs,):
            raise ValueError(f"reset_mask must have shape ({self.num_envs},), got {which.shape}")
        return which

    def seeds_of(self, seed: Seed) -> list[int | None] | None:
        """Return a seed for each robot: one number is that of the first, the next ones follow."""
        if isinstance(seed, int):
            return [seed + k for k in range(self.num_envs)]
        if seed is not None and len(seed) != self.num_envs:
            raise ValueError(f"seed has {len(seed)} numbers, must have {self.num_envs}")
        return seed
