"""Where cells are computed: threads, processes, or a Ray cluster, by the same few functions."""

from __future__ import annotations

from tarsus.sweep.executors.executor import Executor
from tarsus.sweep.executors.processes import Processes
from tarsus.sweep.executors.ray_cluster import RayCluster
from tarsus.sweep.executors.threads import Threads

EXECUTORS: dict[str, type[Executor]] = {
    "threads": Threads,
    "processes": Processes,
    "ray": RayCluster,
}

__all__ = ["EXECUTORS", "Executor"]
