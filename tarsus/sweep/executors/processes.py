"""Processes of this machine: each has a pipe, so that one that is killed takes no other along.

They are spawned, not forked: threads of the core and of others do not survive a fork. So the
function must be found by its name in a module. They end with the process that started them.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from tarsus.sweep.chunks import Chunks
from tarsus.sweep.executors.executor import LOOK, Executor
from tarsus.sweep.work import Outcome, Task, Work

STILLBORN = 3
"""So many processes may die before they can compute anything, then something is wrong."""


@dataclass(eq=False)
class _Worker:
    """A process, our end of its pipe, and what it has not answered yet."""

    process: SpawnProcess
    pipe: Connection
    ready: bool = False
    tasks: dict[int, Task] = field(default_factory=dict)


class Processes(Executor):
    """Workers that are processes."""

    def __init__(self, work: Work, workers: int | None) -> None:
        super().__init__(work, workers)
        self._context = multiprocessing.get_context("spawn")
        self._staff: list[_Worker] = []
        self._stillborn = 0
        self._packed = b""

    def open(self) -> None:
        """Make sure that the function can be sent."""
        try:
            self._packed = pickle.dumps(self.work)
        except Exception as error:  # pickle fails in all ways
            raise TypeError(
                f"function cannot be sent to processes: {error}. Define it at the top of a module, "
                "bind what it needs by functools.partial, or use threads or ray"
            ) from None

    def outcomes(self, chunks: Chunks) -> Iterator[list[Outcome]]:
        """Yield what comes of all cells, as they are done."""
        for _ in range(min(self.workers, chunks.unanswered)):
            self._hire()
        while chunks.unanswered:
            pipes = {worker.pipe: worker for worker in self._staff}
            for pipe in wait(list(pipes), LOOK):
                group = self._heard(pipes[pipe], chunks)  # type: ignore[index]
                chunks.answer(group)
                yield group
            for worker in self._staff:
                self._feed(worker, chunks)
            yield []

    def close(self) -> list[Outcome]:
        """End all processes at once; cells that are not done are given up."""
        found = []
        for worker in self._staff:
            try:
                while worker.pipe.poll():
                    heard = worker.pipe.recv()
                    found += heard if isinstance(heard, list) else []
            except (EOFError, OSError):
                pass
            worker.process.terminate()
        for worker in self._staff:
            worker.process.join(5.0)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.pipe.close()
        self._staff = []
        return found

    def _hire(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, self._packed), daemon=False)
        process.start()
        theirs.close()
        self._staff.append(_Worker(process, ours))

    def _feed(self, worker: _Worker, chunks: Chunks) -> None:
        if not worker.ready or worker.tasks:
            return
        tasks = chunks.take()
        if tasks:
            worker.tasks = {task.index: task for task in tasks}
            with suppress(OSError):  # it has died: the end of its pipe is heard next
                worker.pipe.send(tasks)

    def _heard(self, worker: _Worker, chunks: Chunks) -> list[Outcome]:
        """Return outcomes that a worker sends, or that follow from its death."""
        try:
            heard = worker.pipe.recv()
        except (EOFError, OSError):
            return self._buried(worker, chunks)
        if isinstance(heard, str):
            raise TypeError(
                f"function cannot be found by processes: {heard}. Define it at the top of a "
                "module, or use threads or ray"
            )
        worker.ready = True
        for outcome in heard:
            worker.tasks.pop(outcome.index, None)
        return list(heard)

    def _buried(self, worker: _Worker, chunks: Chunks) -> list[Outcome]:
        """Replace a worker that died, and return cells that have failed by it."""
        worker.process.join()
        worker.pipe.close()
        self._staff.remove(worker)
        if not worker.ready:
            self._stillborn += 1
            if self._stillborn >= STILLBORN:
                raise RuntimeError(
                    f"processes end before they begin (exit code {worker.process.exitcode}). "
                    'A script must call sweep under if __name__ == "__main__":'
                )
        failed = chunks.lost(list(worker.tasks.values()))
        self._hire()
        return failed


def _serve(pipe: Connection, packed: bytes) -> None:
    """Compute chunks until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the first process decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        work: Work = pickle.loads(packed)
    except Exception as error:  # a module that is not found, or whatever it raises
        pipe.send(f"{type(error).__name__}: {error}")
        return
    pipe.send([])
    while (tasks := _received(pipe)) is not None:
        for group in work.groups(tasks):
            pipe.send(group)


def _received(pipe: Connection) -> Sequence[Task] | None:
    try:
        tasks: Any = pipe.recv()
    except (EOFError, OSError):
        return None
    return list(tasks)


def _end_with_parent() -> None:
    """End this process when the one that started it has ended, in whatever way."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
