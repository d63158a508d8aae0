"""Single elements of our own format: how the values of their fields are written and read.

A placement is written as `position` and `rotation` (3×3), those of a loop's frames as
`position_a`, …; an inertia without products is written as three numbers, and a limit that is
infinite as null.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from tarsus._lib.checks import is_triple, number, numbers, suggestion
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array
from tarsus.model.actuators import RANGE_FIELDS
from tarsus.model.description import (
    LIMIT_FIELDS,
    SURFACE_NUMBERS,
    Coupling,
    Shape,
    SurfaceStatement,
)
from tarsus.model.description_builder import AXES

PLACEMENT = "placement"


def encode(element: Any, default: Any, required: tuple[str, ...]) -> dict[str, Any]:
    """Return an element as plain data, without what is as in `default`."""
    if isinstance(element, Coupling) and element.function is not None:
        message = f"coupling {element.name!r} is a function of your own, which no file can keep"
        raise ModelError(message, element.source)
    data: dict[str, Any] = {}
    for field in dataclasses.fields(element):
        key, value = field.name, getattr(element, field.name)
        if key == "source" or (key not in required and same(value, getattr(default, key))):
            continue
        if key.startswith(PLACEMENT):
            data |= _encode_placement(value, key.removeprefix(PLACEMENT))
        elif key == "inertia" and not (value - np.diag(np.diag(value))).any():
            data[key] = np.diag(value).tolist()
        elif key in (*LIMIT_FIELDS, *RANGE_FIELDS):
            data[key] = [x if np.isfinite(x) else None for x in value.tolist()]
        else:
            data[key] = _plain(value)
    return data


def decode(entry: Any, default: Any, required: tuple[str, ...], what: str, source: Source) -> Any:
    """Return the element that `encode` made `entry` from."""
    fields = [field.name for field in dataclasses.fields(default)]
    ends = [key.removeprefix(PLACEMENT) for key in fields if key.startswith(PLACEMENT)]
    keys = [key for key in fields if key not in ("source", "function")]
    keys = [key for key in keys if not key.startswith(PLACEMENT)]
    keys += [part + end for end in ends for part in ("position", "rotation")]
    data = dict(mapping(entry, keys, required, what, source))
    what = f"{type(default).__name__.lower()} {data.get('name', '')!r}"
    values: dict[str, Any] = {
        PLACEMENT + end: _decode_placement(data, end, what, source) for end in ends
    }
    for key, value in data.items():
        own = number if isinstance(default, Shape) and key in SURFACE_NUMBERS else None
        read = own or READERS.get(key) or _reader(getattr(default, key), key in required)
        values[key] = read(value, f"{what}: {key}", source)
    return type(default)(**values, source=source)


def mapping(
    data: Any, keys: Any, required: tuple[str, ...], what: str, source: Source
) -> dict[str, Any]:
    """Return `data`, which must be a mapping with all required keys and no unknown ones."""
    if not isinstance(data, dict):
        raise ModelError(f"{what} must be a mapping with the keys {', '.join(keys)}", source)
    for key in data:
        if key not in keys:
            raise ModelError(f"{what} has an unknown key {key!r}{suggestion(key, keys)}", source)
    for key in required:
        if key not in data:
            raise ModelError(f"{what} has no {key!r}", source)
    return data


def same(value: Any, other: Any) -> bool:
    """Whether two values have the same bits: −0.0 is not 0.0 here."""
    if isinstance(value, np.ndarray) and isinstance(other, np.ndarray):
        return value.shape == other.shape and value.tobytes() == other.tobytes()
    return type(value) is type(other) and repr(value) == repr(other)


def _encode_placement(placement: Array, end: str) -> dict[str, Any]:
    parts = {
        f"position{end}": (placement[:3, 3], np.zeros(3)),
        f"rotation{end}": (placement[:3, :3], np.eye(3)),
    }
    return {key: part.tolist() for key, (part, none) in parts.items() if not same(part, none)}


def _decode_placement(data: dict[str, Any], end: str, what: str, source: Source) -> Array:
    placement = np.eye(4)
    position, rotation = f"position{end}", f"rotation{end}"
    if position in data:
        placement[:3, 3] = numbers(data.pop(position), (3,), f"{what}: {position}", source)
    if rotation in data:
        placement[:3, :3] = numbers(data.pop(rotation), (3, 3), f"{what}: {rotation}", source)
    return placement


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, SurfaceStatement):
        return {"kind": value.kind, "numbers": list(value.numbers)}
    return value.tolist() if isinstance(value, np.ndarray) else value


Reader = Callable[[Any, str, Source], Any]


def _reader(known: Any, required: bool) -> Reader:
    """Return how to read a field with a usual value: by the type of its default."""
    if isinstance(known, float):
        return number
    return _string if isinstance(known, str) or required else _vector


def _vector(value: Any, what: str, source: Source) -> Array:
    return numbers(value, (len(_list(value, what, source)),), what, source)


def _tuple(value: Any, what: str, source: Source) -> tuple[float, ...]:
    return tuple(_vector(value, what, source).tolist())


def _axis(value: Any, what: str, source: Source) -> Array:
    """Return three numbers, or the axis that a letter stands for."""
    return _vector(list(AXES[value]) if value in list(AXES) else value, what, source)


def _array(value: Any, what: str, source: Source) -> Array:
    """Return numbers in any shape; whether it is the right one is checked with the element."""
    try:
        shape = np.shape(value)
    except ValueError:  # nested lists of different lengths
        shape = ()
    return numbers(value, shape, what, source)


def _inertia(value: Any, what: str, source: Source) -> Array:
    if is_triple(value):
        return np.diag(numbers(value, (3,), what, source))
    return numbers(value, (3, 3), what, source, accepted="(3,), the diagonal, or (3, 3)")


def _limits(none: float) -> Reader:
    def read(value: Any, what: str, source: Source) -> Array:
        filled = [none if x is None else x for x in _list(value, what, source)]
        return numbers(filled, (len(filled),), what, source, infinite=True)

    return read


def _range(value: Any, what: str, source: Source) -> Array:
    pair = _list(value, what, source)
    if len(pair) != 2:
        raise ModelError(f"{what} must be two numbers, or null where there is no limit", source)
    filled = [none if x is None else x for x, none in zip(pair, (-np.inf, np.inf), strict=True)]
    return numbers(filled, (2,), what, source, infinite=True)


def _string(value: Any, what: str, source: Source) -> str:
    if not isinstance(value, str):
        raise ModelError(f"{what} must be a string, not {value!r}", source)
    return value


def _surface(value: Any, what: str, source: Source) -> SurfaceStatement:
    data = mapping(value, ("kind", "numbers"), ("kind",), what, source)
    stated = _tuple(data.get("numbers", []), f"{what}: numbers", source)
    return SurfaceStatement(_string(data["kind"], f"{what}: kind", source), stated)


def _names(value: Any, what: str, source: Source) -> tuple[str, ...]:
    return tuple(_string(name, what, source) for name in _list(value, what, source))


def _truth(value: Any, what: str, source: Source) -> bool:
    if not isinstance(value, bool):
        raise ModelError(f"{what} must be true or false, not {value!r}", source)
    return value


def _each(read: Reader) -> Reader:
    def read_all(value: Any, what: str, source: Source) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ModelError(f"{what} must be a mapping", source)
        return {key: read(part, f"{what}: {key}", source) for key, part in value.items()}

    return read_all


def _list(value: Any, what: str, source: Source) -> list[Any]:
    if not isinstance(value, list):
        raise ModelError(f"{what} must be a list", source)
    return value


READERS: dict[str, Reader] = {
    "inertia": _inertia,
    "axis": _axis,
    "second_axis": _axis,
    "surface": _surface,
    "ground": _surface,
    "size": _tuple,
    "color": _tuple,
    "file": _string,
    "leaders": _names,
    "followers": _names,
    "independent": _names,
    "matrix": _array,
    "parameters": _each(_array),
    "start": _each(number),
    "joints": _each(number),
    "motor": _truth,
    "constraint": _truth,
    **dict.fromkeys(RANGE_FIELDS, _range),
    **{key: _limits(-np.inf if key == "lower" else np.inf) for key in LIMIT_FIELDS},
}
"""Fields that are not read by the type of their default."""
