"""Tarsus' own lossless format: reading and writing of models."""

from __future__ import annotations

import dataclasses
import difflib
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tarsus._lib.checks import numbers, suggestion
from tarsus._lib.errors import ModelError, Source
from tarsus.formats import text
from tarsus.formats.native_elements import decode, encode, mapping, same
from tarsus.formats.paths import Folders, common_folder
from tarsus.model.description import (
    Actuator,
    Body,
    Coupling,
    Description,
    DescriptionDraft,
    Frame,
    Joint,
    Loop,
    Shape,
)
from tarsus.model.keyframes import INITIAL, KEYFRAMES
from tarsus.model.name_references import EXCLUDED, PAIR_FRICTIONS, SENSORS, Force, label, plain
from tarsus.parts.forces import FORCES

# Our own format, YAML or JSON: everything that a description states, without loss.
#
#     format: tarsus
#     version: 1
#     name: pendulum
#     bodies:
#     - name: rod
#       mass: 1.0
#       com: [0.0, 0.0, -0.5]
#     joints:
#     - name: hinge
#       kind: revolute
#       parent: world
#       child: rod
#       axis: [0.0, 1.0, 0.0]
#
# The keys are the fields of `tarsus.model.description`; those at their default are left out. How
# their values are written is in `native_elements`, for forces in `native_forces`. Numbers keep all
# their bits. Couplings by a function of the user's own cannot be written.


VERSION = 1
ELEMENTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "bodies": (Body(""), ("name",)),
    "joints": (Joint("", "", "", ""), ("name", "kind", "parent", "child")),
    "couplings": (Coupling("", "", (), ()), ("name", "kind", "leaders", "followers")),
    "loops": (Loop("", "", "", ""), ("name", "kind", "body_a", "body_b")),
    "frames": (Frame("", ""), ("name", "body")),
    "shapes": (Shape("", "", ""), ("body", "role", "kind")),
    "actuators": (Actuator("", {}), ("name", "joints")),
}
"""Lists of elements: an element with all defaults, and the keys that must be given."""

METADATA = (INITIAL, KEYFRAMES, SENSORS, EXCLUDED, PAIR_FRICTIONS)
"""What is read of the metadata; the rest is kept as it is."""
KEYS = ("format", "version", "name", "gravity", *ELEMENTS, "forces", "warnings", "metadata")


def read_native(path: Path, *, package_dirs: Iterable[str | os.PathLike[str]] = ()) -> Description:
    """Read a .yaml or .json file.

    `package_dirs` are folders beside the file's own in which meshes may lie.
    """
    return from_data(text.read(path), str(path), package_dirs)


def write_native(description: Description, path: Path) -> None:
    """Write a .yaml or .json file."""
    text.write(to_data(description), path)


def to_data(description: Description) -> dict[str, Any]:
    """Return the description as nested dictionaries and lists of plain numbers and strings."""
    data: dict[str, Any] = {"format": "tarsus", "version": VERSION, "name": description.name}
    if not same(description.gravity, Description("").gravity):
        data["gravity"] = np.asarray(description.gravity).tolist()
    for key, (default, required) in ELEMENTS.items():
        elements = [encode(e, default, required) for e in getattr(description, key)]
        if elements:
            data[key] = elements
    for shape in data.get("shapes", []):
        # a path that is relative to where Python runs would mean another file for the reader
        if "file" in shape and "://" not in shape["file"]:
            shape["file"] = os.path.abspath(shape["file"])
    if description.forces:
        data["forces"] = [encode_force(f, k) for k, f in enumerate(description.forces, 1)]
    for key in ("warnings", "metadata"):
        if getattr(description, key):
            data[key] = _plain(getattr(description, key))
    return data


def _plain(value: Any) -> Any:
    """Return what cannot be changed as plain lists and dictionaries."""
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def from_data(
    data: Any, file: str, package_dirs: Iterable[str | os.PathLike[str]] = ()
) -> Description:
    """Return the description that `to_data` made `data` from, which was read from `file`."""
    top = mapping(data, KEYS, ("format", "version", "name"), "the file", Source(file))
    if top["format"] != "tarsus" or top["version"] != VERSION:
        stated = f"format {top['format']!r}, version {top['version']!r}"
        raise ModelError(f"must be format 'tarsus', version {VERSION}, not {stated}", Source(file))
    description = DescriptionDraft(top["name"])
    if "gravity" in top:
        description.gravity = numbers(top["gravity"], (3,), "gravity", Source(file))
    for key, (default, required) in ELEMENTS.items():
        for number, (entry, source) in enumerate(_entries(top, key, file), 1):
            what = f"entry {number} of {key}"
            getattr(description, key).append(decode(entry, default, required, what, source))
    for number, (entry, source) in enumerate(_entries(top, "forces", file), 1):
        description.forces.append(decode_force(entry, number, source))
    description.warnings = [str(warning) for warning in _list(top, "warnings", file)]
    description.metadata = text.plain(top.get("metadata", {}))
    if not isinstance(description.metadata, dict):
        raise ModelError("metadata must be a mapping", Source(file))
    _tell_unused(description)
    _find_meshes(description, Folders(file, package_dirs))
    return description.build()


def _tell_unused(description: DescriptionDraft) -> None:
    """Warn of metadata that nothing reads, but whose name is nearly one that is read.

    Any other metadata are the user's own.
    """
    for key in description.metadata.keys() - set(METADATA):
        if close := difflib.get_close_matches(str(key), METADATA, n=1):
            warning = f"nothing reads {key!r} of the metadata; did you mean {close[0]!r}?"
            if warning not in description.warnings:
                description.warnings.append(warning)


def _find_meshes(description: DescriptionDraft, folders: Folders) -> None:
    """Replace references to meshes by their paths.

    A model is often saved far from the meshes of the file that it came from. It can be used
    without them, so that those which may not be read are only told: as `file://…` they stay
    stated, but nothing opens them.
    """
    outside = []
    for k, shape in enumerate(description.shapes):
        if shape.file is None:
            continue
        assert shape.source is not None
        if (path := folders.outside(shape.file)) is not None:
            outside.append(path)
            file = path.as_uri()
        else:
            found = folders.find(shape.file, shape.source)
            file = folders.absent(shape.file) if found is None else str(found)
        description.shapes[k] = dataclasses.replace(shape, file=file)
    if outside:
        warning = (
            f"mesh files ({len(outside)}) lie outside the model's folder {folders.home} and are "
            f"not read; package_dirs=[{common_folder(outside)}] would allow them"
        )
        description.warnings += [warning] * (warning not in description.warnings)


def _entries(data: dict[str, Any], key: str, file: str) -> list[tuple[Any, Source]]:
    """Return the entries of a list, each with the place where it is stated."""
    entries = _list(data, key, file)
    return [(entry, Source(file, getattr(entry, "line", None))) for entry in entries]


def _list(data: dict[str, Any], key: str, file: str) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise ModelError(f"{key} must be a list", Source(file))
    return value


# Forces in our own format: each a mapping with its `kind` and what it states, by name.
#
#     forces:
#     - kind: spring
#       name: calf
#       a: [thigh, [0.0, 0.0, -0.1]]
#       b: heel
#       stiffness: 4000.0
#
# A place is a frame, a frame and a point (or a pose, 4×4) in it, or a point of the world. A limit
# that is infinite is written as null.


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
