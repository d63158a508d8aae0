"""Couplings by the user's own functions: one table of numbers for the core, and its checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.model.description import Coupling

Table = Callable[[Array, bool], Array]
PARTS = ("value", "first derivative", "second derivative", "third derivative")


class MissingDerivativeError(ValueError):
    """A function coupling without the third derivatives that derivatives of dynamics need."""


def function_table(couplings: Sequence[Coupling], position: Mapping[str, int]) -> Table | None:
    """Return a callable from configurations (states, nq) to a table, None without functions.

    The table has a row for each state: for each coupling with n followers and k leaders its
    value (n), first (n k) and second derivatives (n k k); after those, if they are asked for, the
    third derivatives (n k k k) of each. `position` holds the index in q of each joint that has one.
    """
    own = [coupling for coupling in couplings if coupling.kind == "function"]
    if not own:
        return None
    leaders = [[position[name] for name in coupling.leaders] for coupling in own]

    def row(q: Array, thirds: bool) -> Array:
        parts = [
            evaluate(c, q[where], thirds=thirds) for c, where in zip(own, leaders, strict=True)
        ]
        first = [array for each in parts for array in each[:3]]
        return np.concatenate([*first, *(array for each in parts for array in each[3:])], axis=None)

    def table(configurations: Array, thirds: bool) -> Array:
        rows = [row(q, thirds) for q in np.asarray(configurations)]
        return np.array(rows).reshape(len(rows), -1)

    return table


def evaluate(coupling: Coupling, leaders: Array, *, thirds: bool = False) -> list[Array]:
    """Return value and derivatives of a function coupling, checked: three arrays, or four."""
    what = f"the function of coupling {coupling.name!r}"
    assert coupling.function is not None
    n, k = len(coupling.followers), len(coupling.leaders)
    parts = coupling.function(np.array(leaders))
    if not isinstance(parts, tuple | list) or len(parts) not in (3, 4):
        raise ValueError(
            f"{what} must return value, first and second derivatives, and may return third ones"
        )
    if thirds and len(parts) == 3:
        raise MissingDerivativeError(
            f"derivatives of the dynamics need third derivatives: {what} must return them as a "
            "fourth array"
        )
    found = []
    for order, (name, part) in enumerate(zip(PARTS, parts[: 4 if thirds else 3], strict=False)):
        array, shape = np.asarray(part), (n, *(k,) * order)
        if not np.can_cast(array.dtype, np.float64, "same_kind"):
            raise TypeError(f"{what}: its {name} must be real numbers, not {array.dtype}")
        if array.shape != shape:
            raise ValueError(f"{what}: its {name} has shape {array.shape}, must be {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{what}: its {name} is not finite at {np.asarray(leaders).tolist()}")
        found.append(array.astype(np.float64))
    return found
