"""A Ray cluster: the one that is connected, the one at RAY_ADDRESS, or one of this machine.

A chunk is a task that streams its outcomes, so that a worker or machine that is lost takes no more
along than the cell at which it was. Ray's own retries are off: what has to be computed again is
known here. The journal is written where the study was started; others need not see its disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from tarsus.sweep.chunks import Chunks
from tarsus.sweep.executors.executor import LOOK, Executor
from tarsus.sweep.work import Outcome, Task, Work


class RayCluster(Executor):
    """Workers that are processes of a cluster."""

    def __init__(self, work: Work, workers: int | None) -> None:
        super().__init__(work, workers)
        self._ray: Any = None
        self._own = False
        self._busy: dict[Any, dict[int, Task]] = {}

    @property
    def workers(self) -> int:
        """How many cells are computed at once: as many as the cluster has cores, unless told."""
        return self.wanted or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def open(self) -> None:
        """Connect, or start a cluster of this machine that ends with the study."""
        self._ray, self._own = connected(self.wanted, "the executor ray")

    def outcomes(self, chunks: Chunks) -> Iterator[list[Outcome]]:
        """Yield what comes of all cells, as they are done."""
        work = self._ray.put(self.work)
        remote = self._ray.remote(num_returns="streaming", max_retries=0)(_stream)
        while chunks.unanswered:
            while len(self._busy) < self.workers and (tasks := chunks.take()):
                self._busy[remote.remote(work, tasks)] = {task.index: task for task in tasks}
            ready, _ = self._ray.wait(list(self._busy), num_returns=1, timeout=LOOK)
            group = [outcome for stream in ready for outcome in self._heard(stream, chunks)]
            chunks.answer(group)
            yield group

    def close(self) -> list[Outcome]:
        """Cancel what runs; end the cluster, if it is ours."""
        if self._ray is None:
            return []
        found = []
        if self._busy:
            ready, _ = self._ray.wait(list(self._busy), num_returns=len(self._busy), timeout=0.0)
            with suppress(self._ray.exceptions.RayError):
                for stream in ready:
                    found += self._next(stream) or []
            for stream in self._busy:
                self._ray.cancel(stream, force=True)
        self._busy = {}
        if self._own:
            self._ray.shutdown()
        return found

    def _heard(self, stream: Any, chunks: Chunks) -> list[Outcome]:
        """Return outcomes that a stream has, or that follow from its end."""
        group = self._next(stream)
        if group is None:
            return chunks.lost(list(self._busy.pop(stream).values()))
        for outcome in group:
            self._busy[stream].pop(outcome.index, None)
        return group

    def _next(self, stream: Any) -> list[Outcome] | None:
        """Return the next outcomes of a stream; None if it has ended or its worker was lost."""
        try:
            group: list[Outcome] = self._ray.get(next(stream))
        except StopIteration:
            return None
        except self._ray.exceptions.RayTaskError:
            raise  # not the cell's fault: the function cannot be found, or tarsus itself
        except self._ray.exceptions.RayError:
            return None
        return group


def _stream(work: Work, tasks: Sequence[Task]) -> Iterator[list[Outcome]]:
    """Yield outcomes on a worker of the cluster."""
    yield from work.groups(tasks)


def connected(workers: int | None, what: str) -> tuple[Any, bool]:
    """Return Ray with a cluster, and whether that was started here and is ours to end.

    Without one that is connected or at RAY_ADDRESS, it is one of this machine.
    """
    try:
        import ray
    except ModuleNotFoundError:
        message = f"{what} needs Ray: pip install 'tarsus[ray]'"
        raise ModuleNotFoundError(message, name="ray") from None
    own = not ray.is_initialized()
    if own and "RAY_ADDRESS" in os.environ:
        ray.init(log_to_driver=False)
    elif own:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # which Ray reports otherwise
        # as urgent as threads and processes are: on a busy machine Ray's usual 15 stand still
        os.environ.setdefault("RAY_worker_niceness", "0")
        ray.init("local", num_cpus=workers, include_dashboard=False, log_to_driver=False)
    return ray, own
