"""Couplings by the user's own functions: one table of numbers for the core, and its checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tarsus.model.description import Array, Coupling

Table = Callable[[Array], Array]


def function_table(couplings: Sequence[Coupling], position: Mapping[str, int]) -> Table | None:
    """Return a callable from configurations (states, nq) to a table, None without functions.

    The table has a row for each state: for each coupling with n followers and k leaders its
    value (n), first (n k) and second derivatives (n k k). `position` holds the index in q of
    each joint that has one.
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


def evaluate(coupling: Coupling, leaders: Array) -> Array:
    """Return value, first and second derivatives of a function coupling as one array."""
    what = f"the function of coupling {coupling.name!r}"
    assert coupling.function is not None
    n, k = len(coupling.followers), len(coupling.leaders)
    parts = coupling.function(np.array(leaders))
    if not isinstance(parts, tuple | list) or len(parts) != 3:
        raise ValueError(f"{what} must return value, first and second derivatives")
    flat = []
    for name, part, shape in zip(
        ("value", "first derivative", "second derivative"),
        parts,
        ((n,), (n, k), (n, k, k)),
        strict=True,
    ):
        array = np.asarray(part, dtype=np.float64)
        if array.shape != shape:
            raise ValueError(f"{what}: its {name} has shape {array.shape}, must be {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{what}: its {name} is not finite at {np.asarray(leaders).tolist()}")
        flat.append(array.ravel())
    return np.concatenate(flat)
