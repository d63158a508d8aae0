"""Resets in NumPy: what an event makes of states, one or many, and its derivatives.

The core does the same within flows; this serves those who state events as equations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import derivative
from tarsus.events.resets import Function, Impact, Linear, Reset
from tarsus.model import Model

SMALL = 1e-10
"""Directions that so little of the largest inverse inertia holds are held by none."""


def mapped(resets: Sequence[Reset], q: Array, v: Array) -> tuple[Array, Array]:
    """Return states q (…, nq) and v (…, nv) after resets, one after the other."""
    for reset in resets:
        q, v = _once(reset, q, v)
    return q, v


def mapped_derivatives(resets: Sequence[Reset], q: Array, v: Array) -> tuple[Array, Array]:
    """Return how q⁺ and v⁺ change with q and v: (nq⁺, 2 nv) and (nv⁺, 2 nv), of one state.

    Positions are those of vector coordinates, nq = nv. Differences of sixth order are within
    1e-12 of what is exact for maps as smooth as impacts.
    """
    n = len(v)
    steps = np.eye(2 * n)

    def along(step: Array | float) -> Array:
        by = np.asarray(step) * steps
        after_q, after_v = mapped(resets, q + by[:, :n], v + by[:, n:])
        return np.concatenate([after_q, after_v], axis=-1)

    slopes = derivative(along).T
    size = mapped(resets, q, v)[0].shape[-1]
    return slopes[:size], slopes[size:]


def constrained(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the rows J (…, m, nv) that `model` falls onto at q, and impulses (…, m) along them.

    v⁺ = v + H⁻¹ Jᵀ λ has J v⁺ = 0; of impulses that do the same the smallest.
    """
    rows = np.asarray(model.constraint_jacobian(q))
    inertia = np.asarray(model.mass_matrix(q))
    seen = rows @ np.linalg.solve(inertia, np.swapaxes(rows, -1, -2))
    closing = (rows @ v[..., None])[..., 0]
    impulses = -(np.linalg.pinv(seen, rcond=SMALL, hermitian=True) @ closing[..., None])[..., 0]
    return rows, impulses


def _once(reset: Reset, q: Array, v: Array) -> tuple[Array, Array]:
    if isinstance(reset, Linear):
        matrix = np.asarray(reset.matrix, float)
        rates = matrix if reset.rates is None else np.asarray(reset.rates, float)
        shift = 0.0 if reset.shift is None else np.asarray(reset.shift, float)
        return q @ matrix.T + shift, v @ rates.T
    if isinstance(reset, Impact):
        rows, impulses = constrained(reset.model, q, v)
        push = np.swapaxes(rows, -1, -2) @ impulses[..., None]
        return q, v + np.linalg.solve(np.asarray(reset.model.mass_matrix(q)), push)[..., 0]
    if isinstance(reset, Function):
        return _each(reset, q, v)
    raise TypeError(f"{reset!r} is no reset of ts.resets")


def _each(reset: Function, q: Array, v: Array) -> tuple[Array, Array]:
    lead = q.shape[:-1]
    pairs = [
        reset.function(0.0, a, b)
        for a, b in zip(q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1]), strict=True)
    ]
    after = [np.array([np.asarray(pair[k], float) for pair in pairs]) for k in (0, 1)]
    return after[0].reshape(*lead, -1), after[1].reshape(*lead, -1)
