"""What a joint is where nothing was stated: its axes, limits, parameters and coordinates."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy as np

from tarsus import _core
from tarsus._lib.checks import read_only
from tarsus._lib.files import Array
from tarsus.model.description import KINDS, NON_NEGATIVE_FIELDS, QUATERNION, Joint, SurfaceStatement

LIMITS = {"lower": -np.inf, "upper": np.inf, "velocity_limit": np.inf, "effort_limit": np.inf}


def neutral(kind: str) -> Array:
    """Return the neutral configuration of a joint kind: zeros, and the identity quaternion."""
    q = np.zeros(KINDS[kind][0])
    if kind in QUATERNION:
        q[QUATERNION[kind].stop - 1] = 1.0
    return q


def filled(joint: Joint) -> Joint:
    """Return `joint` with unit axes and an array in place of every default."""
    nq, nv = KINDS[joint.kind]
    default = (1.0, 0.0, 0.0) if joint.kind == "universal" else (0.0, 0.0, 1.0)
    axis = unit(np.array(default) if joint.axis is None else joint.axis)
    values: dict[str, Any] = {"axis": axis, "second_axis": _second_axis(joint, axis)}
    for key in ("lower", "upper"):
        values[key] = _or_constant(getattr(joint, key), nq, LIMITS[key])
    for key in NON_NEGATIVE_FIELDS:
        values[key] = _or_constant(getattr(joint, key), nv, LIMITS.get(key, 0.0))
    values["rest"] = read_only(neutral(joint.kind)) if joint.rest is None else joint.rest
    if joint.kind == "rolling" and joint.ground is None:
        values["ground"] = SurfaceStatement("plane")
    return dataclasses.replace(joint, **values)


def unit(vector: Array) -> Array:
    """Return `vector` at unit length, read-only; one that has it already keeps its bits."""
    norm = math.sqrt(vector @ vector)
    return read_only(vector if norm == 1.0 else vector / norm)


def _second_axis(joint: Joint, axis: Array) -> Array:
    if joint.second_axis is not None:
        return unit(joint.second_axis)
    if joint.kind != "universal":
        return np.array([1.0, 0.0, 0.0])  # not used
    # x, y, z are followed by y, z, x, other axes by some perpendicular one
    return np.array(_core.axis_rotation(axis)[:, 0])


def _or_constant(value: Array | None, size: int, default: float) -> Array:
    return _constant(size, default) if value is None else value


@functools.cache
def _constant(size: int, value: float) -> Array:
    return read_only(np.full(size, value))
