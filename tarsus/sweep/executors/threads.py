"""Threads of this process: for functions that spend their time in the core, which lets others run.

A thread cannot be ended from outside. After Ctrl-C the cells that are being computed are waited
for and kept; with a second Ctrl-C they are not.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Empty, SimpleQueue

from tarsus.sweep.chunks import Chunks
from tarsus.sweep.executors.executor import LOOK, Executor
from tarsus.sweep.work import Outcome, Work


class Threads(Executor):
    """Workers that are threads."""

    def __init__(self, work: Work, workers: int | None) -> None:
        super().__init__(work, workers)
        self._done: SimpleQueue[Outcome | BaseException] = SimpleQueue()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def open(self) -> None:
        """Threads need nothing."""

    def outcomes(self, chunks: Chunks) -> Iterator[list[Outcome]]:
        """Yield what comes of all cells, as they are done."""
        for _ in range(min(self.workers, chunks.unanswered)):
            thread = threading.Thread(target=self._serve, args=(chunks,), daemon=True)
            self._threads.append(thread)
            thread.start()
        while chunks.unanswered:
            try:
                group = [_checked(self._done.get(timeout=LOOK)), *self._rest()]
            except Empty:
                group = []
            chunks.answer(group)
            yield group

    def close(self) -> list[Outcome]:
        """Let threads end after the cells at which they are, and return these."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        return self._rest()

    def _rest(self) -> list[Outcome]:
        """Return what is there without waiting."""
        found = []
        try:
            while True:
                found.append(_checked(self._done.get_nowait()))
        except Empty:
            return found

    def _serve(self, chunks: Chunks) -> None:
        try:
            while not self._stop.is_set() and (tasks := chunks.take()):
                for outcome in self.work.outcomes(tasks):
                    self._done.put(outcome)
                    if self._stop.is_set():
                        return
        except BaseException as error:  # nobody else would hear of it
            self._done.put(error)


def _checked(found: Outcome | BaseException) -> Outcome:
    if isinstance(found, BaseException):
        raise found
    return found
