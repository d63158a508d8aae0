"""Cells of a study: points of a grid by their content, in an order that never changes.

A cell is a dictionary of a function's arguments. Its key is a hash of its content: by it cells are
found in a journal and get their seeds, wherever and in whatever order they are computed.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus._lib.files import check_result_size
from tarsus.sweep.values import KINDS, plain, written

Cell = dict[str, Any]

CELL_BYTES = 500
"""Memory of a cell and its key, without its result."""


@dataclass(frozen=True, eq=False)
class Grid:
    """All cells, the last axis first, and their keys."""

    names: tuple[str, ...]
    """Of the arguments that cells give."""
    axes: dict[str, list[Any]]
    """Values by name, if the grid is a product of them."""
    shape: tuple[int, ...]
    cells: list[Cell]
    keys: list[bytes]

    @classmethod
    def of(cls, grid: Any, function: Callable[..., Any]) -> Grid:
        """Return the cells of lists of values by name, of a list of cells, or of an array."""
        if isinstance(grid, Mapping):
            found = _product(grid)
        elif isinstance(grid, np.ndarray):
            found = _rows(grid, _first_argument(function))
        elif isinstance(grid, Sequence) and not isinstance(grid, str):
            found = _listed(grid)
        else:
            raise TypeError(
                f"grid is of type {type(grid).__name__}, must be a dictionary of lists of values, "
                "a list of dictionaries, or an array (…, n) of cells"
            )
        found._check_different()
        _check_accepted(function, found.names)
        return found

    def _check_different(self) -> None:
        seen: dict[bytes, int] = {}
        for index, key in enumerate(self.keys):
            before = seen.setdefault(key, index)
            if before != index:
                raise ValueError(
                    f"grid has the cell {told(self.cells[index])} twice, at {before} and {index}; "
                    "if it is meant to be repeated, add a name such as repeat = 0, 1, 2, …"
                )


def told(cell: Cell) -> str:
    """Return a cell in a few words: slope = 0.1, mass = 2."""
    words = []
    for name, value in cell.items():
        text = np.array2string(value, threshold=8) if isinstance(value, np.ndarray) else repr(value)
        words.append(f"{name} = {text if len(text) <= 60 else text[:59] + '…'}")
    return ", ".join(words)


def key_of(cell: Cell) -> bytes:
    """Return the hash (32 bytes) of a plain cell's content."""
    return _key({name: written(value) for name, value in cell.items()})


def _key(texts: Mapping[str, str]) -> bytes:
    words = ",".join(f"{json.dumps(name)}:{texts[name]}" for name in sorted(texts))
    return hashlib.sha256(words.encode()).digest()


def _product(grid: Mapping[str, Any]) -> Grid:
    names = _names(grid, "grid")
    axes = {name: _axis(grid[name], f"grid[{name!r}]") for name in names}
    shape = tuple(len(axis) for axis in axes.values())
    check_result_size(
        CELL_BYTES * math.prod(shape),
        f"a grid of {' × '.join(map(str, shape))} = {math.prod(shape)} cells",
        "use fewer values, or several studies",
    )
    # each value is written once, not in each cell
    texts = [[(value, written(value)) for value in axes[name]] for name in names]
    cells, keys = [], []
    for point in itertools.product(*texts):
        cells.append({name: value for name, (value, _) in zip(names, point, strict=True)})
        keys.append(_key({name: text for name, (_, text) in zip(names, point, strict=True)}))
    return Grid(names, axes, shape, cells, keys)


def _listed(grid: Sequence[Any]) -> Grid:
    cells: list[Cell] = []
    for index, each in enumerate(grid):
        if not isinstance(each, Mapping):
            raise TypeError(f"grid[{index}] is {each!r}, must be a dictionary of arguments")
        names = _names(each, f"grid[{index}]")
        cells.append({name: plain(each[name], f"grid[{index}][{name!r}]") for name in names})
    if not cells:
        raise ValueError("grid has no cells")
    names = tuple(cells[0])
    for index, cell in enumerate(cells):
        if set(cell) != set(names):
            raise ValueError(f"grid[{index}] has the names {list(cell)}, grid[0] has {list(names)}")
    return Grid(names, {}, (len(cells),), cells, [key_of(cell) for cell in cells])


def _rows(grid: np.ndarray[Any, Any], name: str) -> Grid:
    if grid.ndim < 2 or not grid.size or grid.dtype.kind not in KINDS:
        raise ValueError(
            f"grid is an array of {grid.dtype} of shape {grid.shape}, must be one of numbers of "
            "shape (…, n): a cell is a row"
        )
    shape = grid.shape[:-1]
    table = plain(grid.reshape(math.prod(shape), -1), "grid")
    cells: list[Cell] = [{name: row} for row in table]
    return Grid((name,), {}, shape, cells, [key_of(cell) for cell in cells])


def _names(found: Mapping[str, Any], what: str) -> tuple[str, ...]:
    for name in found:
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"{what} has the name {name!r}, must be that of an argument")
    if not found:
        raise ValueError(f"{what} has no names")
    return tuple(found)


def _axis(values: Any, what: str) -> list[Any]:
    scalar = isinstance(values, np.ndarray) and not values.ndim
    if scalar or isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{what} is {values!r}, must be a list of values")
    found = [plain(value, f"{what}[{k}]") for k, value in enumerate(values)]
    if not found:
        raise ValueError(f"{what} has no values")
    return found


def _first_argument(function: Callable[..., Any]) -> str:
    names = [name for name in inspect.signature(function).parameters if name != "seed"]
    if not names:
        raise TypeError("function has no argument: it must take a cell, a row of the array")
    return names[0]


def _check_accepted(function: Callable[..., Any], names: tuple[str, ...]) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some that are written in C do not tell theirs
        return
    given = dict.fromkeys(names)
    if "seed" in signature.parameters:
        given["seed"] = None
    try:
        signature.bind(**given)
    except TypeError as error:
        wants = ", ".join(signature.parameters)
        raise TypeError(f"function takes ({wants}), grid has {', '.join(names)}: {error}") from None
