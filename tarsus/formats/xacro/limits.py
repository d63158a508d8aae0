"""Limits of xacro expansion: a small file must not take unbounded time or memory.

Work is counted in units of about a microsecond, not in seconds, so that a file is accepted or
rejected alike on every machine. Values are numbers, texts, lists, tuples, dictionaries, ranges,
functions and namespaces; their size is the number of characters and items in them.
"""

from __future__ import annotations

from typing import Any

from tarsus._lib.errors import TarsusError

MAX_WORK = 3_000_000
"""Units for one file with everything that it includes; the PR2 of ROS takes 150 000."""

MAX_SIZE = 100_000
"""Characters and items of one value."""

MAX_BITS = 1024
"""Of integers: as large as floating-point numbers."""

MAX_KEY = 2**53
"""Numeric keys of dictionaries are smaller, so that few of them have the same hash."""

MAX_NESTING = 50
"""Levels of lists and dictionaries inside each other."""

CHARACTERS_PER_UNIT = 16


class ExpressionError(TarsusError, ValueError):
    """An expression that cannot be evaluated, or is not allowed."""


class XacroFunction:
    """A function that expressions may call; it is not callable in Python itself."""

    def __init__(self, name: str, call: Any, kind: type | None = None) -> None:
        self.name = name
        self.call = call
        self.kind = kind
        """The type for `isinstance`, if the function is the name of one."""

    def __repr__(self) -> str:
        return f"<function {self.name}>"


class Namespace:
    """Named values, which expressions read as `namespace.name`."""

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self.name = name
        self.members = members

    def lookup(self, name: str) -> Any:
        """Return the value of a name; KeyError if there is none."""
        return self.members[name]

    def __repr__(self) -> str:
        return f"<namespace {self.name}>"


class Budget:
    """The work that is left for one file."""

    def __init__(self, work: int = MAX_WORK) -> None:
        self.work = self.left = work

    def spend(self, units: int) -> None:
        """Subtract units of work; an error if none are left."""
        self.left -= units
        if self.left < 0:
            raise ExpressionError(
                f"the expansion takes more than {self.work} units of work; "
                "a recursion or a loop in the file may not end"
            )

    def spend_text(self, text: str) -> str:
        """Pay for a text, and return it; an error if it is too long."""
        if len(text) > MAX_SIZE:
            raise ExpressionError(f"a text has {len(text)} characters, at most {MAX_SIZE} allowed")
        self.spend(1 + work_of(text))
        return text

    def spend_value(self, value: Any) -> Any:
        """Pay for the size of a value, and return it; an error if it is too large or no value."""
        if value is None or isinstance(value, bool | float | XacroFunction | Namespace):
            return value
        if isinstance(value, str):
            return self.spend_text(value)
        if isinstance(value, int):
            return check_integer(value)
        self._spend_items(value)
        return value

    def _spend_items(self, value: Any) -> None:
        """Count what is in a list or dictionary, as often as it occurs there."""
        size = 0
        stack = [(value, 0)]
        while stack:
            item, depth = stack.pop()
            size += 1
            if isinstance(item, str | range):
                size += len(item)
            elif isinstance(item, list | tuple | dict):
                if depth >= MAX_NESTING:
                    raise ExpressionError(f"lists are nested more than {MAX_NESTING} deep")
                if len(item) > MAX_SIZE:
                    raise _too_large()
                stack += [(each, depth + 1) for each in item]
                if isinstance(item, dict):
                    stack += [(each, depth + 1) for each in item.values()]
            else:
                _check_scalar(item)
            if size + len(stack) > MAX_SIZE:
                raise _too_large()
        self.spend(size)


def work_of(text: str | bytes) -> int:
    """Return the units of work that it takes to copy or to search a text."""
    return len(text) // CHARACTERS_PER_UNIT


def check_key(key: Any) -> Any:
    """Return a key of a dictionary; an error unless it is a text or a number of usual size."""
    if key is None or isinstance(key, str) or (isinstance(key, int | float) and _is_small(key)):
        return key
    kind = type(key).__name__
    raise ExpressionError(
        f"a key of a dictionary is of type {kind}, must be a text or a number below 2**53"
    )


def check_length(length: int) -> None:
    """Raise if a text or list of this length would be too large."""
    if length > MAX_SIZE:
        raise _too_large()


def _is_small(number: float) -> bool:
    return not abs(number) >= MAX_KEY


def _too_large() -> ExpressionError:
    return ExpressionError(f"a value has more than {MAX_SIZE} characters and items")


def _check_scalar(value: Any) -> None:
    if value is None or isinstance(value, float | XacroFunction | Namespace):
        return
    if not isinstance(value, int):
        raise ExpressionError(f"values of type {type(value).__name__} are not supported")
    check_integer(value)


def check_integer(value: int) -> int:
    """Return an integer; an error if it has more than MAX_BITS bits."""
    if value.bit_length() > MAX_BITS:
        raise ExpressionError(f"an integer has more than {MAX_BITS} bits")
    return value
