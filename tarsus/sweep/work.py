"""What a worker does, be it a thread, a process or a task of a cluster: cells one by one, or many.

Cells come in chunks, with their arguments. Outcomes of small cells are handed out together every
few milliseconds: if a worker is killed, no more than these have to be computed again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus.sweep.failures import Problem
from tarsus.sweep.values import plain

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
