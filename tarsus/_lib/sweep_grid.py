"""Cells of a sweep: points of a grid with their keys and seeds, and names of functions.

A cell is a dictionary of a function's arguments. Its key is a hash of its content: it identifies
the cell in a journal and determines its seed, independent of where and in which order cells are
computed.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from tarsus._lib.data import KINDS, plain, to_json
from tarsus._lib.files import check_result_size

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
    return _key({name: to_json(value) for name, value in cell.items()})


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
    texts = [[(value, to_json(value)) for value in axes[name]] for name in names]
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


# Seeds of cells depend on the content of the cell only.


def wants_seed(function: Callable[..., Any], names: tuple[str, ...]) -> bool:
    """Whether a function has an argument `seed` that cells do not give."""
    try:
        return "seed" in inspect.signature(function).parameters and "seed" not in names
    except (TypeError, ValueError):  # some that are written in C do not tell theirs
        return False


def seed_of(root: int, key: bytes) -> int:
    """Return the seed of a cell, 0 … 2⁶³ − 1, from that of the study and the cell's key.

    `numpy.random.SeedSequence` mixes them: neighbours on the grid share nothing.
    """
    words = [root, *np.frombuffer(key, "<u4").tolist()]
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0] >> np.uint64(1))


# A journal identifies a function by its name and by the content of all that is bound to it:
# arguments of `functools.partial`, variables of a closure, defaults of nested functions, objects of
# methods, and callable objects. Two sweeps are the same if all of these are.


class Name:
    """The name of a function as `text`, and in `unknown` what of it nothing is known of.

    Objects are known by their content if it is plain, by what `fingerprint()` returns if they have
    it and it raises no ValueError, or by their `repr`, unless it has an address, which is another
    one next time.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.unknown: list[str] = []
        self._within: list[int] = []
        self.text = self._function(function)

    def check(self) -> None:
        """Raise ValueError where a journal could not tell this function from another one."""
        if self.unknown:
            raise ValueError(
                f"checkpoint: a journal could not tell {self.text} from another study, for nothing "
                f"is known of {', '.join(dict.fromkeys(self.unknown))}: give the class a method "
                "fingerprint() -> str or a __repr__ with its content, or make the object within "
                "the function"
            )

    def _function(self, function: Callable[..., Any]) -> str:
        if isinstance(function, functools.partial):
            bound = [self._content(value, f"argument {k}") for k, value in enumerate(function.args)]
            bound += self._named(function.keywords)
            return f"{self._function(function.func)}({', '.join(bound)})"
        if getattr(function, "__qualname__", None) is None:
            return self._content(function, "the object that is called")
        if not inspect.isfunction(function) and hasattr(function, "__wrapped__"):  # by a cache
            return self._function(function.__wrapped__)
        name = f"{_module(function)}.{function.__qualname__}"
        if id(function) in self._within:  # one that calls itself
            return name
        self._within.append(id(function))
        bound = self._around(function)
        self._within.pop()
        return f"{name}[{', '.join(bound)}]" if bound else name

    def _around(self, function: Callable[..., Any]) -> list[str]:
        """Return the content of what a function has from where it was made."""
        if inspect.ismethod(function) and not inspect.isclass(function.__self__):
            bound = [self._content(function.__self__, "the object of the method")]
            return bound + self._around(function.__func__)
        if not inspect.isfunction(function):
            return []
        bound = self._named(_closed_over(function))
        if "<" in function.__qualname__:  # of a lambda or a function in a function
            signature = inspect.signature(function, follow_wrapped=False).parameters
            defaults = {name: each.default for name, each in signature.items()}
            empty = inspect.Parameter.empty
            bound += self._named({k: each for k, each in defaults.items() if each is not empty})
        return bound

    def _named(self, values: dict[str, Any]) -> list[str]:
        return [f"{name}={self._content(values[name], name)}" for name in sorted(values)]

    def _content(self, value: Any, what: str) -> str:
        """Return a value as words: its content if that is plain, or what it says of itself."""
        try:
            return to_json(plain(value, "value"))
        except TypeError:
            pass
        kind = type(value).__qualname__
        if type(value) in (list, tuple, set, frozenset):
            parts = [self._content(each, f"{what}, entry {k}") for k, each in enumerate(value)]
            ordered = parts if isinstance(value, (list, tuple)) else sorted(parts)
            return f"{kind}({', '.join(ordered)})"
        if type(value) is dict:
            pairs = [(self._content(k, what), self._content(v, what)) for k, v in value.items()]
            return f"dict({', '.join(f'{key}: {each}' for key, each in pairs)})"
        if callable(getattr(value, "fingerprint", None)) and not inspect.isclass(value):
            try:
                return f"{kind}:{_told(value)}"
            except ValueError as error:
                self.unknown.append(f"{what}, of type {kind} ({error})")
                return f"<{kind}>"
        if isinstance(value, functools.partial) or hasattr(value, "__qualname__"):
            return self._function(value)
        said = repr(value)
        if " at 0x" in said:
            self.unknown.append(f"{what}, of type {kind}")
            return f"<{kind}>"
        return said


def _closed_over(function: FunctionType) -> dict[str, Any]:
    """Return variables of a closure by name; those that have no value yet are None."""
    found: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # it is empty
            found[name] = None
    return found


def _told(value: Any) -> str:
    found = value.fingerprint()
    if not isinstance(found, str):
        raise TypeError(f"fingerprint() of {type(value).__qualname__} is {found!r}, must be a text")
    return found


def _module(function: Callable[..., Any]) -> str:
    module = getattr(function, "__module__", None) or type(function).__module__
    if module == "__main__":
        # a script has the same name whether it runs or is imported
        return Path(getattr(sys.modules["__main__"], "__file__", None) or module).stem
    return str(module)
