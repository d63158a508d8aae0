"""Checks of what tasks and solvers are given, with errors that name the argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import LARGEST, count, number, numbers, read_only, reals
from tarsus._lib.files import Array
from tarsus.model import Model


def checked_gain(value: float | None, name: str) -> float | None:
    """Return a gain [1/s] that is not negative, or None for one step."""
    if value is None:
        return None
    gain = number(value, f"gain of task {name!r}")
    if gain < 0.0:
        raise ValueError(f"gain of task {name!r} is {gain}, must not be negative")
    return gain


def checked_level(value: int, name: str) -> int:
    """Return a level: 0 comes first."""
    count(value, f"level of task {name!r}", 0, 99)
    return int(value)


def weights(value: ArrayLike, size: int, what: str) -> Array:
    """Return the weights (size,) from one number or from all of them, none of them negative."""
    if np.ndim(value) == 0:
        found = np.full(size, number(value, what))
    else:
        found = np.array(numbers(value, (size,), what, accepted=f"() or ({size},)"))
    if (found < 0.0).any():
        raise ValueError(f"{what} is negative: {found.tolist()}")
    return read_only(found)


def positive(value: float, what: str) -> float:
    """Return a number above zero."""
    if type(value) is float and 0.0 < value <= LARGEST:
        return value
    found = number(value, what)
    if found <= 0.0:
        raise ValueError(f"{what} is {found}, must be positive")
    return found


def targets(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    """Return targets (…, *shape), one or one a state; numbers that are not finite may pass.

    What is measured can be missing for a while: a step tells so in its status and stands still.
    """
    found = reals(value, what)
    if found.shape[found.ndim - len(shape) :] != shape:
        sizes = ", ".join(map(str, shape))
        raise ValueError(f"{what} has shape {found.shape}, must be (…, {sizes})")
    return read_only(found)


def of_rows(
    values: Array, own: tuple[int, ...], lead: tuple[int, ...], rows: NDArray[np.intp]
) -> Array:
    """Return values (…, *own) of some rows of states with leading dimensions, in a line.

    What is the same for all states stays as it is.
    """
    if values.ndim == len(own):
        return values
    return np.asarray(np.broadcast_to(values, (*lead, *own)).reshape(-1, *own)[rows])


def rotations(value: Array, what: str) -> None:
    """Raise unless the finite ones of `value` (…, 3, 3) are rotations."""
    product = value @ np.swapaxes(value, -1, -2)
    wrong = np.abs(product - np.eye(3)).max(axis=(-1, -2), initial=0.0)
    if (wrong > 1e-6).any():
        error = np.nanmax(wrong)
        raise ValueError(f"{what} has a rotation that is not orthonormal (R Rᵀ is off by {error})")
    with np.errstate(invalid="ignore"):
        if (np.linalg.det(value) < 0.0).any():
            raise ValueError(f"{what} has a rotation that is a reflection")


def configurations(model: Model, q: ArrayLike, name: str = "q") -> Array:
    """Return configurations (…, nq); whether they are finite is told by the results' status."""
    plain = isinstance(q, np.ndarray) and q.dtype == np.float64
    found = np.asarray(q) if plain else reals(q, name, copy=False)
    if found.shape[-1:] != (model.nq,):
        raise ValueError(f"{name} has shape {found.shape}, must be (…, {model.nq})")
    return found


def vectors(value: ArrayLike, size: int, name: str) -> Array:
    """Return numbers (…, size)."""
    found = reals(value, name, copy=False)
    if found.shape[-1:] != (size,):
        raise ValueError(f"{name} has shape {found.shape}, must be (…, {size})")
    return found


def names_of(value: str | Sequence[str], what: str) -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    if isinstance(value, str):
        return (value,)
    found = tuple(value)
    wrong: list[Any] = [each for each in found if not isinstance(each, str)]
    if wrong or not found:
        raise TypeError(f"{what} is {value!r}, must be a name or several")
    return found
