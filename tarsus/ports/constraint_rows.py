"""Velocity constraints Aᵀ(q) v = 0: their rows, stated or those of a model, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.ports.domains import PortError
from tarsus.ports.mechanical import Mechanical
from tarsus.ports.mechanism import Mechanism

Rows: TypeAlias = Callable[[Array], ArrayLike]
"""A(q) (nv, constraints), with Aᵀ v = 0."""

FLAT = 1e-9
"""Below this share of the largest one a singular value is none."""


def stated_rows(mechanism: Mechanism | Model, A: Rows | None) -> tuple[Mechanism, Rows]:
    """Return the mechanism of a model, or itself, and its rows: those stated or the model's."""
    if isinstance(mechanism, Model):
        model = mechanism
        found: Mechanism = Mechanical(model, None, (), loops=True)
        if model.constraints and A is not None:
            raise PortError(f"{model.name!r} has constraints of its own: A would replace them")
        if A is None and not model.constraints:
            raise PortError(f"{model.name!r} has no loops that are constraints: state A(q)")
        return found, A or (lambda q: np.asarray(model.constraint_jacobian(q)).T)
    if not isinstance(mechanism, Mechanism):
        raise TypeError(f"mechanism is of type {type(mechanism).__name__}, must be a Mechanism")
    if A is None:
        raise PortError(f"{mechanism.name!r} needs A(q), (nv, constraints)")
    return mechanism, A


def checked_rows(mechanism: Mechanism, A: Rows) -> Callable[[Array], Array]:
    """Return A as a function whose shape and rank are checked."""

    def rows(q: Array) -> Array:
        found = np.asarray(A(q), float)
        if found.ndim != 2 or len(found) != mechanism.nv:
            raise PortError(f"A has shape {found.shape}, must be ({mechanism.nv}, constraints)")
        values = np.linalg.svd(found, compute_uv=False)
        if not values[-1] > FLAT * values[0]:
            raise PortError(
                f"the constraints of {mechanism.name!r} are not independent at "
                f"q = {np.array2string(q, precision=4)}: singular values of A {values.tolist()}"
            )
        return found

    return rows
