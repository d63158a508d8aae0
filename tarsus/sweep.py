"""Evaluation of a function over a grid, on threads, processes or a cluster, with checkpoints.

result = ts.sweep(fall, {"slope": slopes, "mass": masses}, checkpoint="falls")
result.array("time")  # (slopes, masses)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tarsus._lib.checks import UnknownNameError, count, suggestion
from tarsus._lib.console import Interrupt, Status, Told
from tarsus._lib.errors import Failure, JournalError, Problem, SweepError
from tarsus._lib.journal import Journal
from tarsus._lib.sweep_executors import EXECUTORS
from tarsus._lib.sweep_grid import Cell, Grid, Name, seed_of, told, wants_seed
from tarsus._lib.sweep_workers import Chunks, Executor, Outcome, Task, Work

__all__ = ["Failure", "JournalError", "SweepError", "Swept", "sweep"]


@dataclass(frozen=True, eq=False)
class Swept:
    """Results of a function over a grid, in the order of the grid: the last axis runs first."""

    function: str
    """Its name."""
    names: tuple[str, ...]
    """Of the arguments that cells give."""
    axes: dict[str, list[Any]]
    """Values by name, if the grid is a product; otherwise there are none."""
    shape: tuple[int, ...]
    """Of the grid."""
    cells: list[Cell]
    results: list[Any]
    """Of cells, in their order; None for those that failed."""
    failures: tuple[Failure, ...]
    """Cells that failed, and why."""
    seconds: np.ndarray[Any, np.dtype[np.float64]]
    """How long each cell took (n,) [s]."""
    resumed: int
    """How many results were in the journal before."""

    def array(self, name: str | None = None) -> np.ndarray[Any, Any]:
        """Return results on the grid (*shape, …), or those of a name, if results are dictionaries.

        Cells that failed are NaN; without failures integers, Booleans and words keep their type.
        """
        failed = {failure.index for failure in self.failures}
        there = [k for k in range(len(self.cells)) if k not in failed]
        if not there:
            raise ValueError(f"all {len(self.cells)} cells failed, such as {self._first_failure()}")
        values = [np.asarray(self._value(k, name)) for k in there]
        for k, value in zip(there, values, strict=True):
            if value.shape != values[0].shape:
                raise ValueError(
                    f"results have shapes {values[0].shape} (at {told(self.cells[there[0]])}) "
                    f"and {value.shape} (at {told(self.cells[k])}): they form no array"
                )
        table = np.stack(values)
        if failed:
            kind = np.result_type(table.dtype, np.float64)
            if kind.kind not in "fc":
                raise ValueError(f"results are words, and {len(failed)} cells have none")
            full = np.full((len(self.cells), *table.shape[1:]), np.nan, kind)
            full[there] = table
            table = full
        return table.reshape(*self.shape, *table.shape[1:])

    def table(self) -> str:
        """Return a line for each cell: its arguments and its result."""
        headings, lines = self._headings(), []
        reasons = {failure.index: failure.kind for failure in self.failures}
        for index, cell in enumerate(self.cells):
            found = [reasons[index]] if index in reasons else self._words(index, headings)
            empty = [""] * (len(headings) - len(found))
            lines.append([*(_short(cell[name]) for name in self.names), *found, *empty])
        lines.insert(0, [*self.names, *headings])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(word.rjust(width) for word, width in zip(line, widths, strict=True))
            for line in lines
        )

    def plot(self, name: str | None = None, path: str | Path | None = None) -> Any:
        """Return a figure of numbers over one or two axes; `path` writes it to a file."""
        return plot_sweep(self, name, path)

    def __str__(self) -> str:
        count = len(self.cells)
        parts = [f"{self.function}: {count - len(self.failures)} of {count} cells"]
        if self.resumed:
            parts.append(f"{self.resumed} of them from the journal")
        if self.failures:
            parts.append(f"{len(self.failures)} failed, such as {self._first_failure()}")
        return "; ".join(parts)

    def __repr__(self) -> str:
        return f"<tarsus.sweep.Swept {self}>"

    def _value(self, index: int, name: str | None) -> Any:
        result = self.results[index]
        if name is None:
            if isinstance(result, dict):
                raise ValueError(f"results have names: name one of {', '.join(result)}")
            return result
        if not isinstance(result, dict):
            raise ValueError(f"results have no names, such as {name!r}: ask for array()")
        if name not in result:
            where = f"at {told(self.cells[index])} there is no result {name!r}"
            raise UnknownNameError(where + suggestion(name, result))
        return result[name]

    def _first_failure(self) -> str:
        first = self.failures[0]
        return f"{told(first.cell)} ({first.kind}: {first.message})"

    def _headings(self) -> list[str]:
        named = [result for result in self.results if isinstance(result, dict)]
        return list(dict.fromkeys(name for each in named for name in each)) or ["result"]

    def _words(self, index: int, headings: list[str]) -> list[str]:
        """Return a result in words, in the order of its headings."""
        result = self.results[index]
        if not isinstance(result, dict):
            return [_short(result)]
        return [_short(result[name]) if name in result else "" for name in headings]


def _short(value: Any) -> str:
    """Return a value in a word."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


# Figures of results: a line over one axis, a map over two.


def plot_sweep(found: Swept, name: str | None, path: str | Path | None) -> Any:
    """Return a figure of numbers over the axes that have more than one value."""
    from tarsus.view.figures import INK, new_figure, style_axes, write_figure

    axes_of = {axis: values for axis, values in found.axes.items() if len(values) > 1}
    if len(axes_of) not in (1, 2):
        told = ", ".join(axes_of) or "none"
        raise ValueError(f"pictures have one or two axes with several values, not {told}")
    numbers = found.array(name)
    shape = tuple(len(values) for values in axes_of.values())
    if numbers.ndim != len(found.shape) or numbers.dtype.kind not in "biuf":
        raise ValueError(
            f"results are {numbers.dtype} of shape {numbers.shape[len(found.shape) :]}, "
            "must be a number each to be drawn"
        )
    figure = new_figure(6.0, 4.0)
    axes = figure.add_subplot()
    draw = _line if len(shape) == 1 else _map
    draw(figure, axes, axes_of, np.asarray(numbers.reshape(shape), np.float64))
    style_axes(axes, name or found.function, "")
    axes.set_xlabel(list(axes_of)[-1], fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


def _line(figure: Any, axes: Any, axes_of: dict[str, list[Any]], numbers: Any) -> None:
    from tarsus.view.figures import LINES

    ((_, values),) = axes_of.items()
    places, labels = _places(values)
    axes.plot(places, numbers, "o-", color=LINES[0], lw=1.2, ms=3)
    if labels:
        axes.set_xticks(places, labels)


def _map(figure: Any, axes: Any, axes_of: dict[str, list[Any]], numbers: Any) -> None:
    from tarsus.view.figures import INK

    (down, rows), (_, columns) = axes_of.items()
    (y, names_down), (x, names_across) = _places(rows), _places(columns)
    picture = axes.pcolormesh(x, y, numbers, cmap="YlGnBu", shading="nearest")
    figure.colorbar(picture, ax=axes).ax.tick_params(labelsize=8)
    if names_across:
        axes.set_xticks(x, names_across)
    if names_down:
        axes.set_yticks(y, names_down)
    axes.set_ylabel(down, fontsize=8, color=INK)


def _places(values: list[Any]) -> tuple[Any, list[str]]:
    """Return where values are on an axis, and names if they are no numbers that rise or fall."""
    if all(type(value) in (int, float) for value in values):
        steps = np.diff(values)
        if (steps > 0).all() or (steps < 0).all():
            return np.array(values, np.float64), []
    return np.arange(len(values)), [str(value) for value in values]


# The function `sweep`.


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
    """Evaluate a function at each cell of a grid.

    Parameters
    ----------
    function : callable
        Returns a number, a string, an array, or a list, tuple or dictionary of these. If it has an
        argument `seed` that the grid does not give, it gets an integer that depends on `seed` and
        the content of the cell only.
    grid : mapping, sequence of mappings, or array (…, n)
        Lists of values by argument, whose product is computed; or a list of dictionaries of
        arguments; or an array whose rows are the first argument of the function.
    executor : {"threads", "processes", "ray"}, default "threads"
        Threads suit functions that spend their time in the core; processes need a function that
        can be imported by name; a Ray cluster needs `pip install 'tarsus[ray]'`.
    workers : int, optional
        How many cells are computed at once, by default one for each core.
    checkpoint : path, optional
        Folder with a journal, to which each finished cell is added. Cells that it has are not
        computed again, whichever process was killed.
    seed : int, default 0
        Seed of the sweep.
    batch : int, optional
        Call the function with arrays (b, …) of up to so many cells; it returns arrays (b, …), or a
        dictionary or tuple of them.
    errors : {"raise", "keep"}, default "raise"
        Whether the first cell that fails ends the sweep, or is listed in `failures`.
    retries : int, default 2
        How often a cell is repeated whose worker died.
    progress : bool or callable, optional
        Whether to show a progress bar, by default on a terminal after a second; or a function of a
        text (cells, rate, remaining time) and the finished share.

    Returns
    -------
    Swept
        Results in the order of the grid.

    Raises
    ------
    SweepError
        If a cell fails and `errors` is "raise".
    JournalError
        If the journal is damaged, in use, or of another function or grid.
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
