"""Gymnasium environments on the batched core: one robot, or thousands in lanes.

import gymnasium, tarsus.environments

env = gymnasium.make("tarsus/Walk-v0")
envs = gymnasium.make_vec("tarsus/Walk-v0", num_envs=1024, vectorization_mode="vector_entry_point")
"""

from __future__ import annotations

try:
    import gymnasium
except ModuleNotFoundError:
    message = "environments need gymnasium: pip install 'tarsus[rl]'"
    raise ModuleNotFoundError(message, name="gymnasium") from None

from tarsus.environments.residual_task import ResidualTask
from tarsus.environments.reward import Outcome, WalkReward
from tarsus.environments.task import WalkTask
from tarsus.environments.walk import WalkEnv
from tarsus.environments.walk_vector import WalkVectorEnv

__all__ = ["Outcome", "ResidualTask", "WalkEnv", "WalkReward", "WalkTask", "WalkVectorEnv"]

WALK, RESIDUAL = "tarsus/Walk-v0", "tarsus/ResidualWalk-v0"

if WALK not in gymnasium.registry:
    gymnasium.register(
        WALK,
        entry_point="tarsus.environments.walk:WalkEnv",
        vector_entry_point="tarsus.environments.walk_vector:WalkVectorEnv",
    )
    gymnasium.register(
        RESIDUAL,
        entry_point="tarsus.environments.residual:residual_env",
        vector_entry_point="tarsus.environments.residual:residual_vector_env",
    )
