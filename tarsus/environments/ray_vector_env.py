"""Robots on the machines of a Ray cluster: a batch in each of some actors."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tarsus._lib.checks import count
from tarsus._lib.sweep_executors import connected
from tarsus.environments.batch_env import Batch, BatchEnv, Seed, Stepped
from tarsus.environments.lanes import checked_action
from tarsus.environments.robot_task import RobotTask
from tarsus.environments.robot_vector_env import RobotVectorEnv
from tarsus.environments.walk import spaces
from tarsus.model import Model
from tarsus.robots.quadrupeds import Legged


class RayVectorEnv(BatchEnv):
    """`num_envs` robots, shared out to `workers` actors, each with a `RobotVectorEnv` of its own.

    It gives the same bits as one `RobotVectorEnv` with all robots. The cluster is the one that is
    connected, the one at RAY_ADDRESS, or one of this machine, which `close` ends.
    """

    def __init__(
        self,
        model: Model | Legged | str = "quadruped",
        task: RobotTask | str = "walk",
        num_envs: int = 2,
        *,
        workers: int = 2,
        threads: int = 1,
    ) -> None:
        count(num_envs, "num_envs")
        count(workers, "workers", most=num_envs)
        one = RobotVectorEnv(model, task, 1)
        self.task = one.task
        self.of_spaces(num_envs, *spaces(one.robots))
        self._shares = np.linspace(0, num_envs, workers + 1).round().astype(int).tolist()
        self._ray, self._own = connected(workers, "RayVectorEnv")
        # one core each, so that a cluster with many machines spreads them
        make = self._ray.remote(num_cpus=1)(RobotVectorEnv)
        sizes = [last - first for first, last in pairwise(self._shares)]
        self._actors = [make.remote(model, task, size, threads=threads) for size in sizes]

    def reset(
        self, *, seed: Seed = None, options: dict[str, Any] | None = None
    ) -> tuple[Batch, dict[str, Any]]:
        """Start new episodes, as `RobotVectorEnv.reset` does."""
        which, seeds = self.who_starts(options), self.seeds_of(seed)
        calls = []
        for actor, (first, last) in zip(self._actors, pairwise(self._shares), strict=True):
            own = None if seeds is None else seeds[first:last]
            only = {"reset_mask": which[first:last]}
            calls.append(actor.reset.remote(seed=own, options=only))
        found = self._ray.get(calls)
        return np.concatenate([observations for observations, _ in found]), {}

    def step(self, actions: Batch) -> Stepped:
        """Go on by one control period on all machines at once."""
        checked_action(actions, self.action_space.shape or ())
        shares = zip(self._actors, pairwise(self._shares), strict=True)
        calls = [actor.step.remote(actions[first:last]) for actor, (first, last) in shares]
        found = self._ray.get(calls)
        parts = [np.concatenate([each[k] for each in found]) for k in range(4)]
        infos = [each[4] for each in found]
        info = {name: np.concatenate([each[name] for each in infos]) for name in infos[0]}
        return parts[0], parts[1], parts[2], parts[3], info

    def close_extras(self, **options: Any) -> None:
        """End the actors, and the cluster if it is ours."""
        for actor in self._actors:
            self._ray.kill(actor)
        if self._own:
            self._ray.shutdown()
