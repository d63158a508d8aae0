"""Values that users give (numbers, arrays, names, tuples and mappings of them) as data for JSON.

Numbers come back with the same bits. Those that JSON does not know are `{"number": "inf"}`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tarsus._lib.checks import reals

INFINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def plain(value: Any) -> Any:
    """Return a value as plain data; a `TypeError` if it is anything else."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Mapping):
        return {"map": {str(name): plain(each) for name, each in value.items()}}
    if isinstance(value, tuple):
        return {"tuple": [plain(each) for each in value]}
    return _finite(reals(value, "a value").tolist())


def unplain(data: Any) -> Any:
    """Return the value that `plain` made plain: arrays of float64 for lists."""
    if isinstance(data, list):
        return reals(_infinite(data), "a value")
    if not isinstance(data, dict):
        return float(data) if type(data) is int else data
    if set(data) == {"map"} and isinstance(data["map"], dict):
        return {name: unplain(each) for name, each in data["map"].items()}
    if set(data) == {"tuple"} and isinstance(data["tuple"], list):
        return tuple(unplain(each) for each in data["tuple"])
    return _infinite(data)


def _finite(numbers: Any) -> Any:
    if isinstance(numbers, list):
        return [_finite(each) for each in numbers]
    return numbers if math.isfinite(numbers) else {"number": str(numbers)}


def _infinite(data: Any) -> Any:
    if isinstance(data, list):
        return [_infinite(each) for each in data]
    if not isinstance(data, dict):
        return data
    if list(data) != ["number"] or data["number"] not in list(INFINITE):
        raise ValueError(f"{data!r} is no value")
    return INFINITE[data["number"]]
