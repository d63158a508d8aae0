"""Plain data: values that are the same in memory, between processes and in files; content hashes.

A value is a number (Boolean, integer, float, complex), a string, None, an array of numbers, or a
list, tuple or dictionary of values. In JSON these are

    1, 0.5, "knee", null, [1, 2], {"mass": 2.0}     as they are
    {"$number": "inf"}                              a float that is not finite
    {"$complex": [0.0, 1.0]}                        a complex number
    {"$tuple": [1, 2]}                              a tuple
    {"$array": ["<f8", [2, 3], "AAAAAAAA8D8…"]}     an array: type, shape, bytes in base64
    {"$kind": "Ground", "friction": 0.5}            an object of a class that the caller lists
    {"$$x": 1}                                      a dictionary whose key is "$x"

Numbers come back from a file with the same bits, arrays with the same type and shape. Reading
executes nothing: there is no pickle, and only listed classes are made.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import TarsusError

KINDS = "biufc"
"""Of arrays: Booleans, integers, floats and complex numbers."""

NUMBER, COMPLEX, TUPLE, ARRAY, KIND = "$number", "$complex", "$tuple", "$array", "$kind"
"""Keys of what JSON has no notation for."""

TYPE = re.compile("[<|][iu][1248]|[|]b1|<f[248]|<c8|<f16|<c16|<c32")
"""Types of arrays, little-endian."""

NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}

Classes = Mapping[str, type[Any]]
"""Dataclasses that a file may state, by name."""


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
    if isinstance(value, Mapping):
        return {_name(name, what): plain(each, f"{what}[{name!r}]") for name, each in value.items()}
    return _refuse(value, what)


_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def to_json(value: Any) -> str:
    """Return a value as JSON on one line; dictionaries keep their order."""
    return _JSON.encode(encode(value))


def encode(value: Any, what: str = "the value", classes: Classes | None = None) -> Any:
    """Return a value as data for JSON; a `TypeError` names what no file can keep."""
    try:
        return _encode(value, classes or {})
    except _NotPlainError as error:
        raise TypeError(f"{what}{''.join(reversed(error.path))} {error.args[0]}") from None


class _NotPlainError(TarsusError, ValueError):
    """A value that no file can keep, and the way to it, the last part first."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.path: list[str] = []


def _encode(value: Any, classes: Classes) -> Any:
    kind = type(value)
    if kind in (int, str, bool) or value is None:
        return value
    if kind is float:
        return value if math.isfinite(value) else {NUMBER: str(value)}
    if isinstance(value, np.generic) and not isinstance(value, (np.longdouble, np.clongdouble)):
        return _encode(value.item(), classes)
    if kind is complex:
        return {COMPLEX: [_encode(value.real, classes), _encode(value.imag, classes)]}
    if isinstance(value, np.ndarray) and value.dtype.kind in KINDS:
        small = value.astype(value.dtype.newbyteorder("<"), copy=False)
        text = base64.b64encode(small.tobytes()).decode("ascii")
        return {ARRAY: [small.dtype.str, list(value.shape), text]}
    if isinstance(value, (tuple, list)):
        entries = []
        for k, each in enumerate(value):
            try:
                entries.append(_encode(each, classes))
            except _NotPlainError as error:
                error.path.append(f"[{k}]")
                raise
        return {TUPLE: entries} if isinstance(value, tuple) else entries
    if isinstance(value, Mapping):
        return _encode_mapping(value, classes)
    for name, stated in classes.items():
        if kind is stated:
            given = {key: getattr(value, key) for key in _arguments(stated)}
            return {KIND: name, **_encode_mapping(given, classes)}
    raise _NotPlainError(_reason(value))


def _encode_mapping(values: Mapping[Any, Any], classes: Classes) -> dict[str, Any]:
    data = {}
    for name, each in values.items():
        if not isinstance(name, str):
            raise _NotPlainError(f"has the name {name!r}, must be a string")
        try:
            data[f"${name}" if name.startswith("$") else name] = _encode(each, classes)
        except _NotPlainError as error:
            error.path.append(f"[{name!r}]")
            raise
    return data


def decode(data: Any, what: str = "the value", classes: Classes | None = None) -> Any:
    """Return the value that `encode` made `data` from; a `ValueError` if there is none."""
    if isinstance(data, list):
        return [decode(each, what, classes) for each in data]
    if not isinstance(data, dict):
        return data
    if KIND in data:
        return _made(data, what, classes or {})
    if ARRAY in data:
        return _array(data, what)
    if TUPLE in data:
        return tuple(decode(each, what, classes) for each in _entries(data, TUPLE, None, what))
    if COMPLEX in data:
        parts = [decode(each, what) for each in _entries(data, COMPLEX, 2, what)]
        if {*map(type, parts)} != {float}:
            raise ValueError(f"{what} is {data!r}, which is no complex number")
        return complex(*parts)
    if NUMBER in data:
        if len(data) != 1 or data[NUMBER] not in list(NOT_FINITE):
            raise ValueError(f"{what} is {data!r}, which is no number")
        return NOT_FINITE[data[NUMBER]]
    for name in data:
        if name.startswith("$") and not name.startswith("$$"):
            raise ValueError(f"{what} has the unknown key {name!r}")
    return {
        name[name.startswith("$") :]: decode(each, f"{what}: {name}", classes)
        for name, each in data.items()
    }


def _arguments(kind: type[Any]) -> list[str]:
    """Return the names of the arguments with which an object of a dataclass is made."""
    return [field.name for field in dataclasses.fields(kind) if field.init and field.compare]


def _made(data: dict[str, Any], what: str, classes: Classes) -> Any:
    """Return an object of one of the classes."""
    name = data[KIND]
    if not isinstance(name, str) or name not in classes:
        raise ValueError(f"{what}: there is no {name!r}{suggestion(name, classes)}")
    valid = _arguments(classes[name])
    for key in data:
        if key not in (KIND, *valid):
            raise ValueError(f"{what}: {name} has no argument {key!r}{suggestion(key, valid)}")
    values = {key: decode(data[key], f"{what}: {key}", classes) for key in data if key != KIND}
    try:
        return classes[name](**values)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{what}: {name} cannot be made: {error}") from None


def _array(data: dict[str, Any], what: str) -> np.ndarray[Any, Any]:
    """Return an array, whose bytes must be as many as its type and shape say."""
    kind, shape, text = _entries(data, ARRAY, 3, what)
    if not isinstance(kind, str) or not isinstance(text, str) or not isinstance(shape, list):
        raise ValueError(f"{what}: an array is not a type, a shape and bytes")
    if not all(type(n) is int and 0 <= n < 2**48 for n in shape):
        raise ValueError(f"{what}: an array has the shape {shape}")
    # NumPy parses other texts as Python
    try:
        found = np.dtype(kind if TYPE.fullmatch(kind) else object)
    except TypeError:  # a precision that this machine does not have
        found = np.dtype(object)
    if found.str != kind:
        raise ValueError(f"{what}: an array has the type {kind!r}")
    numbers = base64.b64decode(text, validate=True)
    if len(numbers) != math.prod(shape) * found.itemsize:
        raise ValueError(
            f"{what}: an array of type {kind} and shape {shape} has {len(numbers)} bytes"
        )
    return np.frombuffer(numbers, found).reshape(shape).astype(found.newbyteorder("="))


def _entries(data: dict[str, Any], name: str, count: int | None, what: str) -> list[Any]:
    entries = data[name]
    if len(data) != 1 or not isinstance(entries, list) or count not in (None, len(entries)):
        raise ValueError(f"{what} has no {name} of that form")
    return entries


def _name(name: Any, what: str) -> str:
    """Return a name in a dictionary."""
    if not isinstance(name, str) or name.startswith("$"):
        raise TypeError(f"{what} has the name {name!r}, must be a string that begins without $")
    return name


def _refuse(value: Any, what: str) -> Any:
    raise TypeError(f"{what} {_reason(value)}")


def _reason(value: Any) -> str:
    kind = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
    return (
        f"is {kind}, must be a number, a string, None, an array of numbers, or a list, "
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
