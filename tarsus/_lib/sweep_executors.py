"""Executors of sweeps: threads, processes of this machine, a Ray cluster."""

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
from queue import Empty, SimpleQueue
from typing import Any

from tarsus._lib.sweep_workers import LOOK, Chunks, Executor, Outcome, Task, Work

# Threads, for functions that spend their time in the core, which releases the interpreter lock.
#
# A thread cannot be ended from outside. After Ctrl-C the cells that are being computed are waited
# for and kept; with a second Ctrl-C they are not.


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


# Processes of this machine. Each has its own pipe: if one is killed, the others continue.
#
# They are spawned, not forked, because threads of the core do not survive a fork. The function must
# therefore be importable by name. Processes end with the process that started them.
#
# Why not loky: its speed is the same (1,000 cells of 10 ms on two processes: 5.44 s, here 5.34 s)
# and so is its reaction to Ctrl-C (0.1 s), but one killed worker ends the whole pool (1.7 s to
# restart, cells of other workers are lost, and which cell killed it is unknown), and its workers
# run on for minutes when the first process is killed.


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


# A Ray cluster: the one that is connected, the one at RAY_ADDRESS, or one of this machine.
#
# A chunk is a task that streams its outcomes: if a worker or machine is lost, only the cell that it
# was computing is computed again. Ray's own retries are off. The journal is written where the sweep
# was started; workers need no access to that disk.


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


EXECUTORS: dict[str, type[Executor]] = {
    "threads": Threads,
    "processes": Processes,
    "ray": RayCluster,
}
