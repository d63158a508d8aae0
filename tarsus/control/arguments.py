"""Checks of what controllers are given, with errors that name the argument and what it must be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, number, numbers, read_only, reals
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model import Model


def checked_model(model: Model, what: str) -> Model:
    """Return `model`, if all its loops are in clusters: then its velocities are independent."""
    expect(model, Model, "model")
    if model.constraints:
        names = ", ".join(repr(each.name) for each in model.constraints)
        raise ModelError(
            f"{what} needs independent velocities, but these loops of {model.name!r} are "
            f"constraints: {names}; state them with constraint=False"
        )
    return model


def vectors(value: ArrayLike | None, size: int, name: str) -> Array:
    """Return `value` as finite numbers (…, size); None stands for zeros."""
    return np.zeros(size) if value is None else _finite(value, (size,), name)


def poses(value: ArrayLike, name: str) -> Array:
    """Return `value` as homogeneous matrices (…, 4, 4) with orthonormal rotations."""
    array = _finite(value, (4, 4), name)
    rotation = array[..., :3, :3]
    error = np.abs(rotation @ np.swapaxes(rotation, -1, -2) - np.eye(3)).max(initial=0.0)
    if error > 1e-6 or (np.linalg.det(rotation) < 0.0).any():
        raise ValueError(f"{name} has a rotation that is not orthonormal (R Rᵀ is off by {error})")
    if (array[..., 3, :] != (0.0, 0.0, 0.0, 1.0)).any():
        raise ValueError(f"the last row of {name} must be 0 0 0 1")
    return array


def not_negative(value: Any, name: str) -> float:
    """Return `value` as a finite number that is zero or more."""
    found = number(value, name)
    if found < 0.0:
        raise ValueError(f"{name} is {found}, must not be negative")
    return found


def checked_period(value: float | None, name: str = "period") -> float | None:
    """Return a period [s], or None for as often as the simulation steps."""
    if value is None:
        return None
    period = number(value, name)
    if period <= 0.0:
        raise ValueError(f"{name} is {period}, must be positive")
    return period


def elapsed(last: float, t: float) -> float:
    """Return the time from the last call until t, which must not be before it [s]."""
    now = number(t, "t")
    if now < last:
        raise ValueError(f"t is {now} s, before the last call at {last} s; reset() starts anew")
    return now - last


def gain(value: ArrayLike, size: int, name: str) -> Array:
    """Return a symmetric matrix (size, size) from one, from its diagonal, or from a number.

    A matrix must be positive definite; a number or a diagonal may have zeros: no gain there.
    """
    if np.ndim(value) < 2:
        return read_only(np.diag(diagonal(value, size, name)))
    accepted = f"(), ({size},) or ({size}, {size})"
    matrix = numbers(value, (size, size), name, accepted=accepted)
    if np.abs(matrix - matrix.T).max() > 1e-9 * np.abs(matrix).max():
        raise ValueError(f"{name} is not symmetric: {matrix.tolist()}")
    if np.linalg.eigvalsh(matrix)[0] <= 0.0:
        raise ValueError(f"{name} is not positive definite: {matrix.tolist()}")
    return matrix


def inverse(matrix: Array, name: str) -> Array:
    """Return the inverse (size, size) of a gain that acts in all directions."""
    values = np.linalg.eigvalsh(matrix)
    if values[0] <= 1e-12 * values[-1]:
        raise ValueError(f"{name} is not positive definite: {matrix.tolist()}")
    return read_only(np.asarray(np.linalg.inv(matrix), np.float64))


def diagonal(value: ArrayLike, size: int, name: str) -> Array:
    """Return the numbers (size,) of a diagonal gain from one number, or from all of them."""
    if np.ndim(value) == 0:
        entries = np.full(size, number(value, name))
    else:
        entries = np.array(numbers(value, (size,), name, accepted=f"() or ({size},)"))
    if (entries < 0.0).any():
        raise ValueError(f"{name} is negative: {entries.tolist()}")
    return read_only(entries)


def _finite(value: Any, shape: tuple[int, ...], name: str) -> Array:
    array = reals(value, name, copy=False)
    if array.shape[-len(shape) :] != shape:
        sizes = ", ".join(map(str, shape))
        raise ValueError(f"{name} must have shape (…, {sizes}), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has entries that are not finite")
    return array
