"""Hashes of content: things are the same if all their numbers have the same bits.

What a Python function computes cannot be compared: it counts by its name, or by what it is told by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

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
