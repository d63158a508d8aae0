"""`sweep`: a function over a grid, on threads, processes or a cluster, kept as it is computed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tarsus._lib.checks import count, suggestion
from tarsus._lib.console import Interrupt
from tarsus.sweep.cells import Grid, told
from tarsus.sweep.chunks import Chunks
from tarsus.sweep.executors import EXECUTORS, Executor
from tarsus.sweep.failures import Failure, Problem, SweepError
from tarsus.sweep.journal import Journal
from tarsus.sweep.names import Name
from tarsus.sweep.seeds import seed_of, wants_seed
from tarsus.sweep.status import Status, Told
from tarsus.sweep.swept import Swept
from tarsus.sweep.work import Outcome, Task, Work

ERRORS = ("raise", "keep")


def sweep(
    function: Callable[..., Any],
    grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | np.ndarray[Any, Any],
    *,
    executor: Literal["threads", "processes", "ray"] = "threads",
    workers: int | None = None,
    checkpoint: str | Path | None = None,
    seed: int = 0,
    batch: int | None = None,
    errors: Literal["raise", "keep"] = "raise",
    retries: int = 2,
    progress: bool | Told | None = None,
) -> Swept:
    """Return what a function gives at each cell of a grid.

    `grid` has lists of values by argument, whose product is computed, or it is a list of
    dictionaries of arguments, or an array (…, n) whose rows are the function's first argument. The
    function returns a number, a string, an array, or a list, tuple or dictionary of these; if it
    has an argument `seed`, it gets an integer that depends on `seed` and the content of the cell
    alone. With `batch` it is called with arrays (b, …) of up to so many cells, and returns arrays
    (b, …) or a dictionary of them.

    `executor` is "threads", "processes" or "ray"; `workers` compute at once, one for each core
    unless told. `checkpoint` is a folder with a journal: what it has is not computed again, and
    what is done is in it, whichever process is killed. A cell whose worker dies is tried
    `retries` times more. With `errors` "raise" the first cell that fails ends the study, with
    "keep" it is among `failures`. `progress` shows a bar on a terminal when it takes long, unless
    told; or it is a function of a text (cells, rate, time left) and the share that is done.
    """
    if not callable(function):
        raise TypeError(f"function is of type {type(function).__name__}, must be a function")
    if executor not in EXECUTORS:
        raise ValueError(f"executor is {executor!r}{suggestion(executor, EXECUTORS)}")
    if errors not in ERRORS:
        raise ValueError(f"errors is {errors!r}{suggestion(errors, ERRORS)}")
    for value, name, least in ((workers, "workers", 1), (batch, "batch", 1), (seed, "seed", 0)):
        if value is not None:
            count(value, name, least)
    count(retries, "retries", 0)
    study = _Study(function, Grid.of(grid, function), seed, errors == "raise")
    pool = EXECUTORS[executor](Work(function, batch is not None), workers)
    study.run(pool, checkpoint, batch, retries, progress)
    return study.swept()


class _Study:
    """A function and a grid, and the outcomes of cells as they come."""

    def __init__(self, function: Callable[..., Any], grid: Grid, seed: int, strict: bool) -> None:
        self.grid = grid
        self.name = Name(function)
        self.seed = seed
        self.strict = strict
        self.seeded = wants_seed(function, grid.names)
        self.outcomes: dict[int, Outcome] = {}
        self.resumed = 0

    def run(
        self,
        pool: Executor,
        checkpoint: str | Path | None,
        batch: int | None,
        retries: int,
        progress: bool | Told | None,
    ) -> None:
        """Compute all cells that are not in the journal."""
        with ExitStack() as stack:
            journal = None
            if checkpoint is not None:
                self.name.check()
                journal = Journal(checkpoint, self.name.text, self.seed, self.grid)
                stack.callback(journal.close)
                self._recall(journal)
            left = [k for k in range(len(self.grid.cells)) if k not in self.outcomes]
            if not left:
                return
            interrupt = stack.enter_context(Interrupt())
            status = stack.enter_context(Status(len(self.grid.cells), self.resumed, progress))
            keep = functools.partial(self._keep, journal, status)
            stack.callback(lambda: keep(pool.close()))
            pool.open()
            chunks = Chunks(left, self._task, workers=pool.workers, batch=batch, retries=retries)
            for group in pool.outcomes(chunks):
                keep(group)
                self._raise_failures(group, journal)
                if interrupt.pressed:
                    raise KeyboardInterrupt(self._so_far(journal))

    def swept(self) -> Swept:
        """Return all results."""
        grid, found = self.grid, [self.outcomes[k] for k in range(len(self.grid.cells))]
        failures = tuple(self._failure(x.index, x.problem) for x in found if x.problem is not None)
        values, seconds = [x.value for x in found], np.array([x.seconds for x in found])
        shown = (grid.names, grid.axes, grid.shape, grid.cells)
        return Swept(self.name.text, *shown, values, failures, seconds, self.resumed)

    def _recall(self, journal: Journal) -> None:
        """Take what the journal has; a failure is a result only if failures are kept."""
        for index, outcome in journal.known.items():
            if outcome.problem is None or not self.strict:
                self.outcomes[index] = outcome
        self.resumed = len(self.outcomes)

    def _task(self, index: int) -> Task:
        arguments = self.grid.cells[index]
        if self.seeded:
            arguments = {**arguments, "seed": seed_of(self.seed, self.grid.keys[index])}
        return Task(index, arguments)

    def _keep(self, journal: Journal | None, status: Status, group: list[Outcome]) -> None:
        """Remember outcomes, on the disk, too; failures only if they are results."""
        if not group:
            return
        kept = [x for x in group if x.problem is None or not self.strict]
        self.outcomes.update((outcome.index, outcome) for outcome in kept)
        if journal is not None and kept:
            journal.add(kept)
        status.update(len(kept), sum(x.problem is not None for x in kept))

    def _raise_failures(self, group: list[Outcome], journal: Journal | None) -> None:
        for outcome in group:
            if self.strict and outcome.problem is not None:
                failure = self._failure(outcome.index, outcome.problem)
                words = f"the cell {told(failure.cell)} failed: {failure.kind}: {failure.message}"
                error = SweepError(words, failure)
                error.add_note(f"{failure.trace}\n{self._so_far(journal)}")
                raise error

    def _failure(self, index: int, problem: Problem) -> Failure:
        words = (problem.kind, problem.message, problem.trace)
        return Failure(self.grid.cells[index], index, *words)

    def _so_far(self, journal: Journal | None) -> str:
        where = "lost: there is no checkpoint" if journal is None else f"in {journal.path}"
        return f"{len(self.outcomes)} of {len(self.grid.cells)} cells are done, and {where}"
