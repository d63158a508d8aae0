"""Couplings by the user's own functions: one table of numbers for the core, and its checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tarsus.model.description import Array, Coupling

Table = Callable[[Array], Array]


def function_table(couplings: Sequence[Coupling], position: Mapping[str, int]) -> Table | None:
    """Return a callable from configurations (states, nq) to a table, None without functions.

    The table has a row for each state: for each coupling with n followers and k leaders its
    value (n), first (n k), second (n k k) and perhaps third derivatives (n k k k). `position`
    holds the index in q of each joint that has one.
    """
    own = [coupling for coupling in couplings if coupling.kind == "function"]
    if not own:
        return None
    leaders = [[position[name] for name in coupling.leaders] for coupling in own]

    def table(configurations: Array) -> Array:
        rows = [
            np.concatenate(
                [evaluate(c, q[where]) for c, where in zip(own, leaders, strict=True)], axis=None
            )
            for q in np.asarray(configurations)
        ]
        return np.array(rows).reshape(len(rows), -1)

    return table


PARTS = ("value", "first derivative", "second derivative", "third derivative")


def evaluate(coupling: Coupling, leaders: Array) -> Array:
    """Return the value and the derivatives of a function coupling as one array."""
    what = f"the function of coupling {coupling.name!r}"
    assert coupling.function is not None
    n, k = len(coupling.followers), len(coupling.leaders)
    parts = coupling.function(np.array(leaders))
    if not isinstance(parts, tuple | list) or len(parts) not in (3, 4):
        raise ValueError(
            f"{what} must return value, first and second derivatives, and may return third ones"
        )
    flat = []
    for order, (name, part) in enumerate(zip(PARTS, parts, strict=False)):
        array, shape = np.asarray(part), (n, *(k,) * order)
        if not np.can_cast(array.dtype, np.float64, "same_kind"):
            raise TypeError(f"{what}: its {name} must be real numbers, not {array.dtype}")
        if array.shape != shape:
            raise ValueError(f"{what}: its {name} has shape {array.shape}, must be {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{what}: its {name} is not finite at {np.asarray(leaders).tolist()}")
        flat.append(array.astype(np.float64).ravel())
    return np.concatenate(flat)


def gives_third_derivatives(coupling: Coupling, leaders: Array) -> bool:
    """Whether a function coupling returns third derivatives, which derivatives of dynamics need."""
    n, k = len(coupling.followers), len(coupling.leaders)
    return evaluate(coupling, leaders).size > n * (1 + k + k * k)
