"""Forces in our own format: each a mapping with its `kind` and what it states, by name.

    forces:
    - kind: spring
      name: calf
      a: [thigh, [0.0, 0.0, -0.1]]
      b: heel
      stiffness: 4000.0

A place is a frame, a frame and a point (or a pose, 4×4) in it, or a point of the world. A limit
that is infinite is written as null.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from tarsus.forces import FORCES
from tarsus.formats.native_elements import mapping, same
from tarsus.model.checks import suggestion
from tarsus.model.description import ModelError, Source
from tarsus.model.forces import Force, label, plain

FileValue = None | bool | float | str | list[Any] | dict[str, Any]


def encode_force(
    force: Force, number: int, known: Mapping[str, type[Any]] = FORCES
) -> dict[str, Any]:
    """Return a force, or another of the `known` parts, as data without what is as in defaults."""
    what = label(force.name, force.kind, number)
    if type(force) is not known.get(force.kind):
        kinds = ", ".join(known)
        message = f"{what} is a {type(force).__name__}, files keep only {kinds}"
        raise ModelError(message, force.source)
    data: dict[str, Any] = {"kind": force.kind}
    for field in _fields(type(force)):
        value = plain(getattr(force, field.name))
        if not same(value, field.default):
            data[field.name] = _written(value, field.name, what, force.source)
    return data


def decode_force(
    entry: Any,
    number: int,
    source: Source,
    known: Mapping[str, type[Any]] = FORCES,
    table: str = "forces",
) -> Any:
    """Return the force, or the part, that `encode_force` made `entry` of a `table` from."""
    what = f"entry {number} of {table}"
    kind = entry.get("kind") if isinstance(entry, dict) else None
    if not isinstance(kind, str) or kind not in known:
        problem = f"has the kind {kind!r}" if isinstance(entry, dict) else "is no mapping"
        raise ModelError(f"{what} {problem}{suggestion(kind, known)}", source)
    stated = _fields(known[kind])
    required = tuple(field.name for field in stated if field.default is dataclasses.MISSING)
    data = mapping(entry, ["kind", *(field.name for field in stated)], required, what, source)
    values = {key: plain(value) for key, value in data.items() if key != "kind"}
    for key in values:
        if _is_limit(key) and values[key] is None:
            values[key] = math.inf
    try:
        return known[kind](**values, source=source)
    except (TypeError, ValueError) as error:
        name = values.get("name", "")
        raise ModelError(f"{label(name, kind, number)}: {error}", source) from None


def _fields(kind: Any) -> list[Any]:
    """Return what a kind of force states, its name first."""
    stated = [field for field in dataclasses.fields(kind) if field.init and field.name != "source"]
    return sorted(stated, key=lambda field: field.name != "name")


def _is_limit(key: str) -> bool:
    return "limit" in key


def _written(value: Any, key: str, what: str, source: Source | None) -> FileValue:
    if isinstance(value, float) and math.isinf(value) and _is_limit(key):
        return None
    if isinstance(value, tuple):
        return [_written(part, key, what, source) for part in value]
    if isinstance(value, dict):
        return {name: _written(part, key, what, source) for name, part in value.items()}
    if value is None or isinstance(value, (bool, float, str)):
        return value
    raise ModelError(f"{what}: {key} is {value!r}, which no file can keep", source)
