"""Environments of machines that walk by a controller, as Gymnasium makes them by name."""

from __future__ import annotations

from tarsus.environments.residual_task import ResidualTask
from tarsus.environments.walk import WalkEnv
from tarsus.environments.walk_vector import WalkVectorEnv


def residual_env(task: ResidualTask | str = "lola", render_mode: str | None = None) -> WalkEnv:
    """Return the environment of one machine; `task` may be its name."""
    return WalkEnv(ResidualTask.of(task) if isinstance(task, str) else task, render_mode)


def residual_vector_env(
    num_envs: int = 1, task: ResidualTask | str = "lola", *, threads: int = 1
) -> WalkVectorEnv:
    """Return the environment of many machines; `task` may be their name."""
    own = ResidualTask.of(task) if isinstance(task, str) else task
    return WalkVectorEnv(num_envs, own, threads=threads)
