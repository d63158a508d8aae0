"""Argument checks: each returns the value in its standard form or raises an error that names it.

Values of a model's elements are checked with their `source`, a file and line or None, and raise
`ModelError`; other arguments raise `ValueError` or `TypeError`.
"""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, SupportsIndex, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.errors import WORLD, ModelError, Source, TarsusError
from tarsus._lib.files import Array

View = TypeVar("View")

LARGEST = 1e100
"""Numbers beyond this count as infinite: their products would overflow."""

COUNTED = 2**53
"""Integers up to this are exact as floating-point numbers, too."""

MAX_BODIES = 100_000
"""The most bodies of a mechanism made by a function: a mistyped number does not fill the memory."""

ORTHONORMALITY = 1e-9
"""How far R Rᵀ of a stated rotation may be from the identity."""


ARGUMENT = Source("argument")
"""The default of `source`: the value is an argument of a function, not part of a model."""


def invalid(message: str, source: Source | None) -> ValueError:
    """Return the error for an invalid value: `ModelError`, unless it is an argument."""
    return ValueError(message) if source is ARGUMENT else ModelError(message, source)


class UnknownNameError(TarsusError, KeyError, ValueError):
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


def listing(names: Iterable[str], limit: int = 20) -> str:
    """The names in one line, at most `limit` of them; sorted unless they are keys."""
    ordered = list(names) if isinstance(names, dict) else sorted(names)
    more = f" and {len(ordered) - limit} more" if len(ordered) > limit else ""
    return ", ".join(ordered[:limit]) + more


def find(views: Mapping[str, View], name: str, what: str, hint: str = "") -> View:
    """Return the element `name`; if there is none, the error says so after `what`, with a hint."""
    try:
        return views[name]
    except (KeyError, TypeError):
        reason = f", {hint}" if hint else ""
        message = f"there is no {what} {name!r}{reason}{suggestion(name, views)}"
        raise UnknownNameError(message) from None


class ByName(dict[str, View]):
    """Elements by name; a name that is not among them is an error that lists those that are."""

    def __init__(self, what: str, elements: Iterable[tuple[str, View]]) -> None:
        super().__init__(elements)
        self._what = what

    def __missing__(self, name: str) -> View:
        return find(dict(self), name, self._what)


def numbers(
    value: Any,
    shape: tuple[int, ...],
    what: str,
    source: Source | None = ARGUMENT,
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
        raise invalid(f"{what} is not an array of numbers: {value!r}", source)
    if raw.shape != shape:
        raise invalid(f"{what} has shape {raw.shape}, must be {accepted or shape}", source)
    array = raw.astype(np.float64)
    # most arrays are small, for which lists are faster than array operations
    beyond = [x for x in array.ravel().tolist() if not abs(x) <= LARGEST]
    if beyond and not (infinite and all(map(math.isinf, beyond))):
        raise invalid(f"{what} is not finite: {array.tolist()}", source)
    return read_only(array)


def reals(value: Any, what: str, *, copy: bool = True) -> Array:
    """Return `value` as a float64 array of its own shape, finite or not; a new one unless told."""
    try:
        raw = np.asarray(value)
    except ValueError:  # nested lists of different lengths
        raw = np.array(None)
    except RuntimeError:
        if is_tracked(value):
            raise TypeError(
                f"{what} is a tensor that requires grad, of which there are no derivatives here: "
                "pass its .detach()"
            ) from None
        raise
    if raw.dtype.kind not in "iuf":
        raise TypeError(f"{what} is not an array of numbers: {value!r}")
    return raw.astype(np.float64, copy=copy)


def is_tracked(value: Any) -> bool:
    """Whether `value` is a tensor of PyTorch whose derivatives are wanted."""
    return getattr(value, "requires_grad", False) is True


def finite(value: Any, what: str) -> Array:
    """Return `value` as a new float64 array of its own shape, all of it finite."""
    found = reals(value, what)
    if not np.isfinite(found).all():
        raise ValueError(f"{what} is {value!r}, must be finite")
    return found


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
        names = " or a ".join(
            f"{'tarsus.' if each.__module__.startswith('tarsus') else ''}{each.__name__}"
            for each in kinds
        )
        raise TypeError(f"{what} is of type {type(value).__name__}, must be a {names}")


def read_only(array: Array) -> Array:
    """Return `array`, from now on protected against changes."""
    array.setflags(write=False)
    return array


def number(value: Any, what: str, source: Source | None = ARGUMENT) -> float:
    """Return `value` as a finite Python float."""
    if type(value) is float and abs(value) <= LARGEST:
        return value
    return float(numbers(value, (), what, source))


def surface_number(name: str, value: Any, what: str, source: Source | None = ARGUMENT) -> float:
    """Return one of `SURFACE_NUMBERS`, which must be finite and not negative."""
    found = number(value, what, source)
    valid = {"restitution": "from 0 to 1", "stiffness": "above zero"}
    beyond = name == "restitution" and found > 1.0
    if found < 0.0 or beyond or (name == "stiffness" and found == 0.0):
        must = valid.get(name, "finite and not negative")
        raise invalid(f"{what} is {found:g}, must be {must}", source)
    return found


def count(value: int, name: str, least: int = 1, most: int = COUNTED) -> None:
    """Raise unless `value` is an integer from `least` to `most`."""
    try:
        found = operator.index(value)
    except TypeError:
        found = None
    if found is None or value is True or value is False:
        raise TypeError(f"{name} is {value!r}, must be an integer")
    if found < least:
        raise ValueError(f"{name} is {value}, must be at least {least}")
    if found > most:
        raise ValueError(f"{name} is {value}, must be at most {most}")


def checked_size(value: SupportsIndex, name: str, least: int = 1, most: int = MAX_BODIES) -> int:
    """Return `value` as an integer from `least` to `most`, or raise `ValueError`."""
    try:
        size = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} is {value!r}, must be an integer") from None
    if not least <= size <= most:
        raise ValueError(f"{name} is {size}, must be from {least} to {most}")
    return size


def positive(value: float, name: str, *, zero: bool = False, infinite: bool = False) -> float:
    """Return `value`, a finite number above zero; zero or infinity where allowed."""
    if type(value) is float and 0.0 < value <= LARGEST:
        return value
    if infinite and value == math.inf:
        return math.inf
    try:
        good = math.isfinite(value) and (value > 0.0 or (zero and value == 0.0))
    except (TypeError, OverflowError):
        good = None
    if good is None or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, must be a number")
    if not good:
        raise ValueError(f"{name} is {value}, must be {'zero or more' if zero else 'positive'}")
    if value > LARGEST:
        raise ValueError(f"{name} is {value}, must be at most {LARGEST:g}")
    return float(value)


def threads_of(value: int) -> int:
    """Return the number of threads, if that is one."""
    if type(value) is not int or not 1 <= value <= 1024:
        count(value, "threads", most=1024)
    return operator.index(value)


def choice(value: str, valid: Sequence[str], name: str) -> None:
    """Raise unless `value` is one of the valid words."""
    if value not in valid:
        raise ValueError(f"unknown {name} {value!r}{suggestion(value, valid)}")


def bounds_of(
    names: Sequence[str], bounds: Mapping[str, tuple[float, float]] | None
) -> tuple[Array, Array]:
    """Return lower and upper bounds (p,) of all numbers, infinite where none are stated."""
    places = {name: k for k, name in enumerate(names)}
    both = np.tile([[-np.inf], [np.inf]], len(places))
    for name, (lower, upper) in (bounds or {}).items():
        k = find(places, name, "parameter")
        if not lower < upper:
            raise ValueError(f"bounds[{name!r}] is ({lower}, {upper}), must grow")
        both[:, k] = lower, upper
    return both[0], both[1]


def flag(value: bool, name: str) -> bool:
    """Return `value`, if it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}, must be True or False")
    return bool(value)


def pose(value: Any, what: str, source: Source | None = ARGUMENT) -> Array:
    """Return `value` (4, 4) as a read-only homogeneous transform with an orthonormal rotation."""
    matrix = numbers(value, (4, 4), f"{what}: placement", source)
    if matrix[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
        raise invalid(f"{what}: the last row of placement is {matrix[3]}, must be 0 0 0 1", source)
    x, y, z = matrix[:3, :3].tolist()
    lengths, angles = ((x, x), (y, y), (z, z)), ((x, y), (y, z), (z, x))
    error = max(*(abs(_dot(*pair) - 1.0) for pair in lengths), *(abs(_dot(*p)) for p in angles))
    if error > ORTHONORMALITY:
        raise invalid(
            f"{what}: the rotation of placement is not orthonormal (R Rᵀ is off by {error:.1e})",
            source,
        )
    across = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    if _dot(across, z) < 0.0:
        raise invalid(f"{what}: the rotation of placement is a reflection", source)
    return matrix


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def check_name(name: Any, what: str, source: Source | None = ARGUMENT) -> None:
    """Raise unless `name` is a string with something in it."""
    if not isinstance(name, str) or not name:
        raise invalid(f"{what} has the name {name!r}, must be a non-empty string", source)


def check_body_name(
    name: str, names: Iterable[str], what: str, role: str, source: Source | None = ARGUMENT
) -> None:
    """Raise unless `name`, in its role for `what`, is one of the declared bodies or the world."""
    if not isinstance(name, str) or name not in names:
        valid = [other for other in names if role not in ("child", "rotor") or other != WORLD]
        message = f"{what}: {role} {name!r} is not declared{suggestion(name, valid)}"
        raise invalid(message, source)


def unused(name: str, taken: set[str]) -> str:
    """Return `name`, or the first of name_2, name_3, … that is not taken; from now on it is."""
    count, result = 1, name
    while result in taken:
        count += 1
        result = f"{name}_{count}"
    taken.add(result)
    return result


class Sizes(Protocol):
    """A model, of which only the sizes of its states matter here."""

    @property
    def nq(self) -> int: ...

    @property
    def nv(self) -> int: ...


def checked_state(model: Sizes, q: ArrayLike, v: ArrayLike | None) -> tuple[Array, Array]:
    """Return q (…, nq) and v (…, nv) with the same leading dimensions; v is zero by default."""
    positions, velocities = vectors(q, model.nq, "q"), vectors(v, model.nv, "v")
    lead = np.broadcast_shapes(positions.shape[:-1], velocities.shape[:-1])
    return (
        np.broadcast_to(positions, (*lead, model.nq)).copy(),
        np.broadcast_to(velocities, (*lead, model.nv)).copy(),
    )


# Arguments of controllers, observers and tasks: one for all states, or one for each.


def batch(
    value: ArrayLike, own: tuple[int, ...], name: str, *, finite: bool = True, copy: bool = False
) -> Array:
    """Return `value` as numbers (…, *own), finite unless told otherwise; new ones with `copy`."""
    if not copy and type(value) is np.ndarray and value.dtype == np.float64:
        array: Array = value
    else:
        array = reals(value, name, copy=copy)
    if array.shape[-len(own) :] != own:
        sizes = ", ".join(map(str, own))
        raise ValueError(f"{name} has shape {array.shape}, must be (…, {sizes})")
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{name} has entries that are not finite")
    return array


def vectors(value: ArrayLike | None, size: int, name: str) -> Array:
    """Return `value` as finite numbers (…, size); None stands for zeros."""
    return np.zeros(size) if value is None else batch(value, (size,), name)


def rotations(value: Array, name: str) -> None:
    """Raise unless the finite ones of `value` (…, 3, 3) are rotations, to 1e-6."""
    product = value @ np.swapaxes(value, -1, -2)
    wrong = np.abs(product - np.eye(3)).max(axis=(-1, -2), initial=0.0)
    if (wrong > 1e-6).any():
        error = np.nanmax(wrong)
        raise ValueError(f"{name} has a rotation that is not orthonormal (R Rᵀ is off by {error})")
    with np.errstate(invalid="ignore"):
        if (np.linalg.det(value) < 0.0).any():
            raise ValueError(f"{name} has a rotation that is a reflection")


def poses(value: ArrayLike, name: str) -> Array:
    """Return `value` as homogeneous matrices (…, 4, 4) with orthonormal rotations."""
    array = batch(value, (4, 4), name)
    rotations(array[..., :3, :3], name)
    if (array[..., 3, :] != (0.0, 0.0, 0.0, 1.0)).any():
        raise ValueError(f"the last row of {name} must be 0 0 0 1")
    return array


def not_negative(value: Any, name: str) -> float:
    """Return `value` as a finite number that is zero or more."""
    found = number(value, name)
    if found < 0.0:
        raise ValueError(f"{name} is {found}, must not be negative")
    return found


def weights(value: ArrayLike, size: int, name: str) -> Array:
    """Return numbers (size,) from one number or from all of them, none of them negative."""
    if np.ndim(value) == 0:
        found = np.full(size, number(value, name))
    else:
        found = np.array(numbers(value, (size,), name, accepted=f"() or ({size},)"))
    if (found < 0.0).any():
        raise ValueError(f"{name} is negative: {found.tolist()}")
    return read_only(found)


def gain_matrix(value: ArrayLike, size: int, name: str) -> Array:
    """Return a symmetric matrix (size, size) from one, from its diagonal, or from a number.

    A matrix must be positive definite; a number or a diagonal may have zeros: no gain there.
    """
    if np.ndim(value) < 2:
        return read_only(np.diag(weights(value, size, name)))
    accepted = f"(), ({size},) or ({size}, {size})"
    matrix = numbers(value, (size, size), name, accepted=accepted)
    if np.abs(matrix - matrix.T).max() > 1e-9 * np.abs(matrix).max():
        raise ValueError(f"{name} is not symmetric: {matrix.tolist()}")
    if np.linalg.eigvalsh(matrix)[0] <= 0.0:
        raise ValueError(f"{name} is not positive definite: {matrix.tolist()}")
    return matrix


def inverse_gain(matrix: Array, name: str) -> Array:
    """Return the inverse (size, size) of a gain that acts in all directions."""
    values = np.linalg.eigvalsh(matrix)
    if values[0] <= 1e-12 * values[-1]:
        raise ValueError(f"{name} is not positive definite: {matrix.tolist()}")
    return read_only(np.asarray(np.linalg.inv(matrix), np.float64))


def checked_period(value: float | None, name: str = "period") -> float | None:
    """Return a period [s], or None for as often as the simulation steps."""
    return None if value is None else positive(value, name)


def elapsed(last: float, t: float) -> float:
    """Return the time from the last call until t, which must not be before it [s]."""
    now = number(t, "t")
    if now < last:
        raise ValueError(f"t is {now} s, before the last call at {last} s; reset() starts anew")
    return now - last


def names_of(value: str | Sequence[str], name: str) -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    if isinstance(value, str):
        return (value,)
    found = tuple(value)
    if not found or not all(isinstance(each, str) for each in found):
        raise TypeError(f"{name} is {value!r}, must be a name or several")
    return found
