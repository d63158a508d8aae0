"""Checks of single values, which return them as read-only float64 arrays or raise `ModelError`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np

from tarsus.model.description import Array, ModelError, Source

LARGEST = 1e100
"""Numbers beyond this count as infinite: their products would overflow."""

ORTHONORMALITY = 1e-9
"""How far RᵀR of a stated rotation may be from the identity."""


class UnknownNameError(KeyError, ValueError):
    """A name that the model does not have; the message lists those that it has."""

    def __str__(self) -> str:
        return str(self.args[0])


def suggestion(name: object, valid: Iterable[str]) -> str:
    """Return the end of an error message: close matches, then the valid names (the first 30)."""
    names = list(valid)
    close = difflib.get_close_matches(str(name), names, n=3)
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    listed = ", ".join(names[:30]) + (f", … ({len(names)} in all)" if len(names) > 30 else "")
    return f"{hint} (valid: {listed or 'none'})"


def numbers(
    value: Any,
    shape: tuple[int, ...],
    what: str,
    source: Source | None = None,
    *,
    infinite: bool = False,
    accepted: str = "",
) -> Array:
    """Return `value` as a read-only float64 array of `shape`; `infinite` lets ±inf pass.

    `accepted` says which shapes the caller takes, if there are more than one.
    """
    try:
        raw = np.asarray(value)
    except ValueError:  # nested lists of different lengths
        raw = np.array(None)
    if raw.size and raw.dtype.kind not in "iuf":
        raise ModelError(f"{what} is not an array of numbers: {value!r}", source)
    if raw.shape != shape:
        raise ModelError(f"{what} has shape {raw.shape}, must be {accepted or shape}", source)
    array = raw.astype(np.float64)
    within = np.abs(array) <= LARGEST
    if not within.all() and not (infinite and (within | np.isinf(array)).all()):
        raise ModelError(f"{what} is not finite: {array.tolist()}", source)
    return read_only(array)


def is_triple(value: Any) -> bool:
    """Whether `value` is three entries, not a matrix."""
    try:
        return bool(np.shape(value) == (3,))
    except ValueError:  # nested lists of different lengths
        return False


def expect(value: object, kind: type | tuple[type, ...], what: str) -> None:
    """Raise `TypeError` unless `value` is of the public class, or of one of the classes, `kind`."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = " or a ".join(f"tarsus.{each.__name__}" for each in kinds)
        raise TypeError(f"{what} is of type {type(value).__name__}, must be a {names}")


def read_only(array: Array) -> Array:
    """Return `array`, from now on protected against changes."""
    array.setflags(write=False)
    return array


def number(value: Any, what: str, source: Source | None = None) -> float:
    """Return `value` as a finite Python float."""
    if type(value) is float and abs(value) <= LARGEST:
        return value
    return float(numbers(value, (), what, source))


def pose(value: Any, what: str, source: Source | None = None) -> Array:
    """Return `value` (4, 4) as a read-only homogeneous transform with an orthonormal rotation."""
    matrix = numbers(value, (4, 4), f"{what}: placement", source)
    if matrix[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
        raise ModelError(
            f"{what}: the last row of placement is {matrix[3]}, must be 0 0 0 1", source
        )
    rotation = matrix[:3, :3]
    error = float(np.abs(rotation.T @ rotation - np.eye(3)).max())
    if error > ORTHONORMALITY:
        raise ModelError(
            f"{what}: the rotation of placement is not orthonormal (RᵀR is off by {error:.1e})",
            source,
        )
    if np.linalg.det(rotation) < 0.0:
        raise ModelError(f"{what}: the rotation of placement is a reflection", source)
    return matrix


def check_name(name: Any, what: str, source: Source | None = None) -> None:
    """Raise unless `name` is a string with something in it."""
    if not isinstance(name, str) or not name:
        raise ModelError(f"{what} has the name {name!r}, must be a non-empty string", source)
