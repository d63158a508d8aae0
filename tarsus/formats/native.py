"""Our own format, YAML or JSON: everything that a description states, without loss.

    format: tarsus
    version: 1
    name: pendulum
    bodies:
    - name: rod
      mass: 1.0
      com: [0.0, 0.0, -0.5]
    joints:
    - name: hinge
      kind: revolute
      parent: world
      child: rod
      axis: [0.0, 1.0, 0.0]

The keys are the fields of `tarsus.model.description`; those at their default are left out. A
placement is written as `position` and `rotation` (3×3), an inertia without products as three
numbers, and a limit that is infinite as null. Numbers keep all their bits.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.formats import text
from tarsus.model.checks import is_triple, number, numbers, suggestion
from tarsus.model.description import (
    Array,
    Body,
    Description,
    Frame,
    Joint,
    ModelError,
    Shape,
    Source,
)
from tarsus.model.validation import LIMIT_FIELDS

VERSION = 1
ELEMENTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "bodies": (Body(""), ("name",)),
    "joints": (Joint("", "", "", ""), ("name", "kind", "parent", "child")),
    "frames": (Frame("", ""), ("name", "body")),
    "shapes": (Shape("", "", ""), ("body", "role", "kind")),
}
"""Lists of elements: an element with all defaults, and the keys that must be given."""

KEYS = ("format", "version", "name", "gravity", *ELEMENTS, "warnings", "metadata")


def read_native(path: Path) -> Description:
    """Read a .yaml or .json file."""
    return from_data(text.read(path), str(path))


def write_native(description: Description, path: Path) -> None:
    """Write a .yaml or .json file."""
    text.write(to_data(description), path)


def to_data(description: Description) -> dict[str, Any]:
    """Return the description as nested dictionaries and lists of plain numbers and strings."""
    data: dict[str, Any] = {"format": "tarsus", "version": VERSION, "name": description.name}
    if not _same(description.gravity, Description("").gravity):
        data["gravity"] = np.asarray(description.gravity).tolist()
    for key, (default, required) in ELEMENTS.items():
        elements = [_encode(e, default, required) for e in getattr(description, key)]
        if elements:
            data[key] = elements
    for key in ("warnings", "metadata"):
        if getattr(description, key):
            data[key] = getattr(description, key)
    return data


def from_data(data: Any, file: str) -> Description:
    """Return the description that `to_data` made `data` from; `file` is for messages."""
    top = _mapping(data, KEYS, ("format", "version", "name"), "the file", Source(file))
    if top["format"] != "tarsus" or top["version"] != VERSION:
        stated = f"format {top['format']!r}, version {top['version']!r}"
        raise ModelError(f"must be format 'tarsus', version {VERSION}, not {stated}", Source(file))
    description = Description(top["name"])
    if "gravity" in top:
        description.gravity = numbers(top["gravity"], (3,), "gravity", Source(file))
    for key, (default, required) in ELEMENTS.items():
        for index, entry in enumerate(_list(top, key, file)):
            source = Source(file, getattr(entry, "line", None))
            what = f"entry {index + 1} of {key}"
            getattr(description, key).append(_decode(entry, default, required, what, source))
    description.warnings = [str(warning) for warning in _list(top, "warnings", file)]
    description.metadata = text.plain(top.get("metadata", {}))
    if not isinstance(description.metadata, dict):
        raise ModelError("metadata must be a mapping", Source(file))
    return description


def _encode(element: Any, default: Any, required: tuple[str, ...]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for field in dataclasses.fields(element):
        key, value = field.name, getattr(element, field.name)
        if key == "source" or (key not in required and _same(value, getattr(default, key))):
            continue
        if key == "placement":
            data |= _encode_placement(value)
        elif key == "inertia" and not (value - np.diag(np.diag(value))).any():
            data[key] = np.diag(value).tolist()
        elif key in LIMIT_FIELDS:
            data[key] = [x if np.isfinite(x) else None for x in value.tolist()]
        else:
            data[key] = list(value) if isinstance(value, tuple) else _plain(value)
    return data


def _decode(entry: Any, default: Any, required: tuple[str, ...], what: str, source: Source) -> Any:
    fields = [field.name for field in dataclasses.fields(default)]
    placed = "placement" in fields
    keys = [key for key in fields if key not in ("source", "placement")]
    keys += ["position", "rotation"] if placed else []
    data = dict(_mapping(entry, keys, required, what, source))
    what = f"{type(default).__name__.lower()} {data.get('name', '')!r}"
    values: dict[str, Any] = {"placement": _decode_placement(data, what, source)} if placed else {}
    for key, value in data.items():
        known = getattr(default, key)
        if isinstance(known, float):
            values[key] = number(value, f"{what}: {key}", source)
        elif key in ("size", "color"):
            values[key] = tuple(_vector(value, f"{what}: {key}", source).tolist())
        elif key == "inertia" and is_triple(value):
            values[key] = np.diag(numbers(value, (3,), f"{what}: {key}", source))
        elif key == "inertia":
            accepted = "(3,), the diagonal, or (3, 3)"
            values[key] = numbers(value, (3, 3), f"{what}: {key}", source, accepted=accepted)
        elif isinstance(known, str) or key in (*required, "file"):
            values[key] = _string(value, f"{what}: {key}", source)
        elif key in LIMIT_FIELDS:
            values[key] = _limits(value, key, f"{what}: {key}", source)
        else:
            values[key] = _vector(value, f"{what}: {key}", source)
    return type(default)(**values, source=source)


def _encode_placement(placement: Array) -> dict[str, Any]:
    parts = {
        "position": (placement[:3, 3], np.zeros(3)),
        "rotation": (placement[:3, :3], np.eye(3)),
    }
    return {key: part.tolist() for key, (part, none) in parts.items() if not _same(part, none)}


def _decode_placement(data: dict[str, Any], what: str, source: Source) -> Array:
    placement = np.eye(4)
    if "position" in data:
        placement[:3, 3] = numbers(data.pop("position"), (3,), f"{what}: position", source)
    if "rotation" in data:
        placement[:3, :3] = numbers(data.pop("rotation"), (3, 3), f"{what}: rotation", source)
    return placement


def _limits(value: Any, key: str, what: str, source: Source) -> Array:
    if not isinstance(value, list):
        raise ModelError(f"{what} must be a list", source)
    none = -np.inf if key == "lower" else np.inf
    filled = [none if x is None else x for x in value]
    return numbers(filled, (len(filled),), what, source, infinite=True)


def _vector(value: Any, what: str, source: Source) -> Array:
    if not isinstance(value, list):
        raise ModelError(f"{what} must be a list", source)
    return numbers(value, (len(value),), what, source)


def _string(value: Any, what: str, source: Source) -> str:
    if not isinstance(value, str):
        raise ModelError(f"{what} must be a string, not {value!r}", source)
    return value


def _list(data: dict[str, Any], key: str, file: str) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise ModelError(f"{key} must be a list", Source(file))
    return value


def _mapping(
    data: Any, keys: Any, required: tuple[str, ...], what: str, source: Source
) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ModelError(f"{what} must be a mapping with the keys {', '.join(keys)}", source)
    for key in data:
        if key not in keys:
            raise ModelError(f"{what} has an unknown key {key!r}{suggestion(key, keys)}", source)
    for key in required:
        if key not in data:
            raise ModelError(f"{what} has no {key!r}", source)
    return data


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _same(value: Any, other: Any) -> bool:
    """Whether two values have the same bits: −0.0 is not 0.0 here."""
    if isinstance(value, np.ndarray) and isinstance(other, np.ndarray):
        return value.shape == other.shape and value.tobytes() == other.tobytes()
    return type(value) is type(other) and repr(value) == repr(other)
