"""Plain data: values that are the same in memory, between processes and in files; content hashes.

A value is a number (Boolean, integer, float, complex), a string, None, an array of numbers, or a
list, tuple or dictionary of values. Numbers come back from a file with the same bits, arrays with
the same type and shape. Reading executes nothing: there is no pickle.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

KINDS = "biufc"
"""Of arrays: Booleans, integers, floats and complex numbers."""

ARRAY, TUPLE, COMPLEX = "$array", "$tuple", "$complex"
"""Names of what JSON has no words for."""


def plain(value: Any, what: str) -> Any:
    """Return a value with NumPy's scalars as Python's and arrays of its own.

    A `TypeError` names what cannot be kept.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, float, complex, str):
        return value
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in KINDS:
            _refuse(value, what)
        return np.array(value, order="C", dtype=value.dtype.newbyteorder("="))
    if type(value) in (list, tuple):
        return type(value)(plain(each, f"{what}[{k}]") for k, each in enumerate(value))
    if isinstance(value, dict):
        return {_name(name, what): plain(each, f"{what}[{name!r}]") for name, each in value.items()}
    return _refuse(value, what)


def written(value: Any) -> str:
    """Return a plain value as JSON on one line; dictionaries keep their order."""
    return json.dumps(_data(value), separators=(",", ":"))


def read(data: Any) -> Any:
    """Return the value from parsed JSON that `written` has made; a `ValueError` if it has not."""
    if isinstance(data, list):
        return [read(each) for each in data]
    if not isinstance(data, dict):
        return data
    if ARRAY in data:
        return _array(data)
    if TUPLE in data:
        return tuple(read(each) for each in _entries(data, TUPLE, None))
    if COMPLEX in data:
        real, imaginary = _entries(data, COMPLEX, 2)
        if type(real) is not float or type(imaginary) is not float:
            raise ValueError(f"{data!r} is no complex number")
        return complex(real, imaginary)
    return {name: read(each) for name, each in data.items()}


def _data(value: Any) -> Any:
    """Return a plain value as data for JSON."""
    if isinstance(value, np.ndarray):
        small = value.astype(value.dtype.newbyteorder("<"), copy=False)
        text = base64.b64encode(small.tobytes()).decode("ascii")
        return {ARRAY: [small.dtype.str, list(value.shape), text]}
    if isinstance(value, complex):
        return {COMPLEX: [value.real, value.imag]}
    if isinstance(value, tuple):
        return {TUPLE: [_data(each) for each in value]}
    if isinstance(value, list):
        return [_data(each) for each in value]
    if isinstance(value, dict):
        return {name: _data(each) for name, each in value.items()}
    return value


def _array(data: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Return an array, whose bytes must be as many as its type and shape say."""
    kind, shape, text = _entries(data, ARRAY, 3)
    if not isinstance(kind, str) or not isinstance(text, str) or not isinstance(shape, list):
        raise ValueError("an array is not a type, a shape and bytes")
    if not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError(f"an array has the shape {shape}")
    try:
        found = np.dtype(kind)
    except (TypeError, ValueError):
        found = np.dtype(object)
    if found.kind not in KINDS or found.str != kind:
        raise ValueError(f"an array has the type {kind!r}")
    numbers = base64.b64decode(text, validate=True)
    if len(numbers) != math.prod(shape) * found.itemsize:
        raise ValueError(f"an array of type {kind} and shape {shape} has {len(numbers)} bytes")
    return np.frombuffer(numbers, found).reshape(shape).astype(found.newbyteorder("="))


def _entries(data: dict[str, Any], name: str, count: int | None) -> list[Any]:
    entries = data[name]
    if len(data) != 1 or not isinstance(entries, list) or count not in (None, len(entries)):
        raise ValueError(f"there is no value {name} of that form")
    return entries


def _name(name: Any, what: str) -> str:
    """Return a name in a dictionary."""
    if not isinstance(name, str) or name.startswith("$"):
        raise TypeError(f"{what} has the name {name!r}, must be a string that begins without $")
    return name


def _refuse(value: Any, what: str) -> Any:
    kind = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
    raise TypeError(
        f"{what} is {kind}, must be a number, a string, None, an array of numbers, or a list, "
        "tuple or dictionary of these"
    )


# Content hashes: two objects are the same if all their numbers have the same bits.
#
# What a Python function computes cannot be compared: functions are compared by name, or by the text
# that the argument `told` returns.


Told = Callable[[Callable[..., Any]], str]
"""From a function to what it is known by."""


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function, or of the class of what is called."""
    return str(getattr(function, "__qualname__", type(function).__name__))


def content_hash(*parts: Any, told: Told = name_of) -> str:
    """Return a hash of numbers, words, arrays, and of lists, mappings and dataclasses of these.

    Objects with a `fingerprint()` count by it, functions by what `told` returns.
    """
    found = hashlib.sha256()
    for piece in _pieces(parts, told):
        found.update(len(piece).to_bytes(8, "little"))
        found.update(piece)
    return found.hexdigest()


def _pieces(value: Any, told: Told) -> Iterable[bytes]:
    """Yield a value as bytes, each piece behind the kind of what it belongs to."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        yield f"array {value.shape}".encode()
        yield value.astype(np.float64).tobytes()
    elif isinstance(value, (bool, int, float, np.generic)):
        yield b"number"
        yield np.float64(value).tobytes()
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)}".encode()
        for name in sorted(value):
            yield from _pieces((name, value[name]), told)
    elif isinstance(value, (list, tuple)):
        yield f"list {len(value)}".encode()
        for item in value:
            yield from _pieces(item, told)
    elif hasattr(value, "fingerprint"):
        yield b"fingerprint"
        yield value.fingerprint().encode()
    elif is_dataclass(value):
        yield type(value).__name__.encode()
        for field in fields(value):
            if field.compare:
                yield from _pieces((field.name, getattr(value, field.name)), told)
    elif isinstance(value, str) or value is None:
        yield repr(value).encode()
    elif isinstance(value, Callable):  # type: ignore[arg-type]
        yield told(value).encode()
    else:
        raise TypeError(f"{value!r} has no content that can be compared")
