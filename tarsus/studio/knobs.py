"""Numbers that sliders move: `spring1.stiffness`, `nail1.target.x`, `world.gravity.z`.

A target is a name, a dot and a field of what is called so; x, y or z after it is one number of a
point, or of where a pose is.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.studio.language import LineError

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

AXES = ("x", "y", "z")


def split_target(target: str) -> tuple[str, str]:
    """Return the name and the field of a target: `nail1.target.x` is `target.x` of nail1."""
    stem, _, axis = target.rpartition(".")
    if axis not in AXES:
        stem, axis = target, ""
    name, _, field = stem.rpartition(".")
    return (name, f"{field}.{axis}" if axis else field) if name else ("", target)


def number_at(stage: Stage, target: str) -> float | None:
    """Return the number that a target names, None if there is no such number."""
    name, field = split_target(target)
    field, _, axis = field.partition(".")
    value = _stated(stage, name, field)
    if axis:
        point = np.array([]) if value is None else _point(value)
        return float(point[AXES.index(axis)]) if point.shape == (3,) else None
    if isinstance(value, bool) or np.size(value) != 1 or isinstance(value, str) or value is None:
        return None
    return float(np.ravel(value)[0])


def moved(value: Any, axis: str, number: float, option: str) -> Any:
    """Return a point (3,), or a pose (4, 4), with one number of its place changed."""
    point = np.array([]) if value is None else _point(value)
    if point.shape != (3,):
        raise LineError(f"{option}: this is no point, which has x, y and z", option)
    if np.shape(value) == (4, 4):
        whole = np.array(value, float)
        whole[AXES.index(axis), 3] = number
        return whole
    point[AXES.index(axis)] = number
    return tuple(point.tolist())


def _point(value: Any) -> Any:
    found = np.array(value, dtype=object)
    return (found[:3, 3] if found.shape == (4, 4) else found).astype(float, copy=True)


def _stated(stage: Stage, name: str, field: str) -> Any:
    """Return what a document says of a field, None if it says nothing."""
    document = stage.document
    name = next((each for each in document.parts if fnmatch.fnmatchcase(each, name)), name)
    if name in document.parts:
        return getattr(document.parts[name], field, None)
    if name == "ground":
        return getattr(document.ground, field, None)
    if name == "world":
        return {"gravity": document.description.gravity, "dt": document.dt}.get(field)
    if document.names.get(name) == "joint":
        return getattr(stage.machine.model.joint(name), field, None)
    masses = {body.name: body.mass for body in document.description.bodies}
    return masses.get(name) if field == "m" else None
