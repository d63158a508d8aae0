"""What an executor is: it takes chunks of cells and hands out outcomes."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator

from tarsus.sweep.chunks import Chunks
from tarsus.sweep.work import Outcome, Work

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
