"""What a study found: results on the grid, as arrays, a table, a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.checks import UnknownNameError, suggestion
from tarsus.sweep.cells import Cell, told
from tarsus.sweep.failures import Failure


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
        from tarsus.sweep.plot import plot_sweep  # figures need Matplotlib

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
