"""Which cells a free worker gets next, and what becomes of cells whose worker died."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from tarsus.sweep.failures import Problem
from tarsus.sweep.work import Outcome, Task

CHUNK_SECONDS = 0.1
"""How long a worker should be busy with a chunk, if its cells are small.

Workers of a cluster go on with a chunk for a while after their head was killed: all in vain."""


class Chunks:
    """A queue of cells. Chunks grow with the speed of cells and shrink towards the end.

    When a worker dies, cells of its chunk that are not answered come back in halves, until the cell
    that kills workers is alone; it may try `retries` times more, then it has failed.
    """

    def __init__(
        self,
        indices: Iterable[int],
        task: Callable[[int], Task],
        *,
        workers: int,
        batch: int | None,
        retries: int,
    ) -> None:
        self._waiting = deque(indices)
        self._back: deque[list[int]] = deque()
        self._open = set(self._waiting)
        self._task = task
        self._workers, self._batch, self._retries = workers, batch, retries
        self._deaths: dict[int, int] = {}
        self._seconds = 0.0
        self._count = 0
        self._lock = threading.Lock()

    @property
    def unanswered(self) -> int:
        """How many cells have no outcome yet."""
        return len(self._open)

    def take(self) -> list[Task]:
        """Return the next chunk; none if all cells are with workers."""
        with self._lock:
            if self._back:
                chosen = self._back.popleft()
            else:
                size = min(self._size(), len(self._waiting))
                chosen = [self._waiting.popleft() for _ in range(size)]
        return [self._task(index) for index in chosen]

    def answer(self, outcomes: Sequence[Outcome]) -> None:
        """Note that cells are done."""
        with self._lock:
            for outcome in outcomes:
                self._open.discard(outcome.index)
                self._seconds += outcome.seconds
                self._count += 1

    def lost(self, tasks: Sequence[Task]) -> list[Outcome]:
        """Take back what a worker that died has not answered; return what has failed for good."""
        left = [task.index for task in tasks if task.index in self._open]
        if len(left) > 1:
            half = (len(left) + 1) // 2
            self._back += [left[:half], left[half:]]
            return []
        failed = []
        for index in left:
            self._deaths[index] = self._deaths.get(index, 0) + 1
            if self._deaths[index] > self._retries:
                failed.append(_died(index, self._deaths[index]))
            else:
                self._back.append([index])
        return failed

    def _size(self) -> int:
        if self._batch is not None:
            return self._batch
        if not self._count:
            return 1
        wanted = CHUNK_SECONDS * self._count / max(self._seconds, 1e-9)
        fair = -(-len(self._waiting) // (2 * self._workers))
        return int(max(1, min(wanted, fair)))


def _died(index: int, times: int) -> Outcome:
    message = f"the worker died while it computed this cell, {times} times"
    return Outcome(index, None, Problem("WorkerDied", message, ""))
