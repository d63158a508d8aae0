"""Work of a sweep: computing cells, chunks of cells for workers, the interface of executors.

Cells come in chunks, with their arguments. Outcomes of small cells are handed out together every
few milliseconds: if a worker is killed, no more than these have to be computed again.
"""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus._lib.data import plain
from tarsus._lib.errors import Problem

HAND_OUT = 0.01
"""Seconds for which outcomes wait for others."""


@dataclass(frozen=True)
class Task:
    """A cell to be computed."""

    index: int
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What came of a cell: a plain value, or a problem."""

    index: int
    value: Any
    problem: Problem | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Work:
    """A function, and whether it takes many cells at once."""

    function: Callable[..., Any]
    together: bool = False

    def outcomes(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Yield what comes of tasks, as soon as it is known."""
        if not self.together:
            yield from (self._one(task) for task in tasks)
            return
        start = time.perf_counter()
        try:
            values = self._many(tasks)
        except Exception as error:
            if len(tasks) == 1:
                yield Outcome(tasks[0].index, None, Problem.of(error), time.perf_counter() - start)
                return
            # one may have spoilt it for all: which one?
            for task in tasks:
                yield from self.outcomes([task])
            return
        seconds = (time.perf_counter() - start) / len(tasks)
        for task, value in zip(tasks, values, strict=True):
            yield Outcome(task.index, value, None, seconds)

    def groups(self, tasks: Sequence[Task]) -> Iterator[list[Outcome]]:
        """Yield outcomes of tasks, those of small cells together."""
        return _grouped(self.outcomes(tasks))

    def _one(self, task: Task) -> Outcome:
        start = time.perf_counter()
        value, problem = None, None
        try:
            value = plain(self.function(**task.arguments), "the result")
        except (Exception, SystemExit) as error:
            problem = Problem.of(error)
        return Outcome(task.index, value, problem, time.perf_counter() - start)

    def _many(self, tasks: Sequence[Task]) -> list[Any]:
        """Return the values of tasks from one call with arrays (n, …) of their arguments."""
        names = tasks[0].arguments
        found = self.function(**{x: np.stack([t.arguments[x] for t in tasks]) for x in names})
        return _apart(found, len(tasks), "the result")


def _apart(found: Any, count: int, what: str) -> list[Any]:
    """Return values of cells from arrays (count, …), or from a dictionary or tuple of them."""
    if isinstance(found, dict):
        columns = {name: _apart(each, count, f"{what}[{name!r}]") for name, each in found.items()}
        return [{name: column[k] for name, column in columns.items()} for k in range(count)]
    if isinstance(found, tuple):
        parts = [_apart(each, count, f"{what}[{k}]") for k, each in enumerate(found)]
        return [tuple(part[k] for part in parts) for k in range(count)]
    if not isinstance(found, (np.ndarray, list)) or len(found) != count:
        size = f"shape {found.shape}" if isinstance(found, np.ndarray) else f"{found!r}"
        raise ValueError(f"{what} of {count} cells is {size}, must be an array ({count}, …)")
    return [plain(each, f"{what}[{k}]") for k, each in enumerate(found)]


def _grouped(outcomes: Iterable[Outcome]) -> Iterator[list[Outcome]]:
    group: list[Outcome] = []
    last = time.perf_counter()
    for outcome in outcomes:
        group.append(outcome)
        if time.perf_counter() - last >= HAND_OUT:
            yield group
            group, last = [], time.perf_counter()
    if group:
        yield group


# Chunks: which cells a free worker gets next, and which are repeated after a worker died.


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


# Executors take chunks of cells and return outcomes.


LOOK = 0.1
"""Seconds after which `outcomes` lets the caller look for Ctrl-C, though nothing is done."""


class Executor(ABC):
    """Workers that compute the cells of a study. `open` begins, `close` ends, whatever happened."""

    def __init__(self, work: Work, workers: int | None) -> None:
        self.work = work
        self.wanted = workers

    @property
    def workers(self) -> int:
        """How many cells are computed at once: as many as there are cores, unless told."""
        if self.wanted is not None:
            return self.wanted
        known = hasattr(os, "sched_getaffinity")  # not on every system
        return len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1

    @abstractmethod
    def open(self) -> None:
        """Start what is needed to have workers."""

    @abstractmethod
    def outcomes(self, chunks: Chunks) -> Iterator[list[Outcome]]:
        """Yield what comes of all cells, as they are done; nothing, from time to time."""

    @abstractmethod
    def close(self) -> list[Outcome]:
        """End all workers, and return what they had done that was not handed out yet."""
