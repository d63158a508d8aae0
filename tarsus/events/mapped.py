"""Resets in NumPy: what an event makes of states, one or many, and its derivatives.

The core does the same within flows; this serves those who state events as equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import STEP, WEIGHTS
from tarsus.events.phase import Exit, Phase
from tarsus.events.resets import Function, Impact, Linear, Reset

Inertia = Callable[[int, Array], Array]
"""From the number of a reset and q (…, nq) to mass matrices (…, nv, nv)."""

SMALL = 1e-12
"""Directions that so little of the largest inverse inertia holds are held by none."""


def resets_of(phase: Phase) -> tuple[Reset, ...]:
    """Return what the first exit of a phase does to states."""
    listed: Sequence[Exit] = phase.exits  # type: ignore[assignment]
    return tuple(listed[0].reset)  # type: ignore[arg-type]


def mapped(
    resets: Sequence[Reset], q: Array, v: Array, inertia: Inertia | None = None
) -> tuple[Array, Array]:
    """Return states q (…, nq) and v (…, nv) after resets, one after the other.

    `inertia` gives mass matrices at q by the number of the reset, instead of those of its model.
    """
    for k, reset in enumerate(resets):
        if isinstance(reset, Linear):
            q, v = _renamed(reset, q, v)
        elif isinstance(reset, Impact):
            own = np.asarray(reset.model.mass_matrix(q)) if inertia is None else inertia(k, q)
            v = struck(np.asarray(reset.model.constraint_jacobian(q)), own, v)[0]
        elif isinstance(reset, Function):
            q, v = _each(reset, q, v)
        else:
            raise TypeError(f"{reset!r} is no reset of ts.resets")
    return q, v


def mapped_derivatives(
    resets: Sequence[Reset], q: Array, v: Array, inertia: Inertia | None = None
) -> tuple[Array, Array]:
    """Return how q⁺ and v⁺ change with q and v: (nq⁺, 2 nv) and (nv⁺, 2 nv), of one state.

    Positions are those of vector coordinates, nq = nv. Differences of sixth order are within
    1e-12 of what is exact for maps as smooth as impacts.
    """
    n = len(v)
    steps = np.eye(2 * n)
    ways = np.array([way * k for k, _ in WEIGHTS for way in (1.0, -1.0)]) * STEP
    by = (ways[:, None, None] * steps).reshape(-1, 2 * n)
    after_q, after_v = mapped(resets, q + by[:, :n], v + by[:, n:], inertia)
    after = np.concatenate([after_q, after_v], axis=-1).reshape(len(WEIGHTS), 2, 2 * n, -1)
    weights = np.array([weight for _, weight in WEIGHTS]) / STEP
    slopes = np.einsum("k,kij->ji", weights, after[:, 0] - after[:, 1])
    size = after_q.shape[-1]
    return slopes[:size], slopes[size:]


def struck(rows: Array, inertia: Array, v: Array) -> tuple[Array, Array]:
    """Return v⁺ (…, nv) with J v⁺ = 0 and the impulses λ (…, m) that make it so.

    `rows` are J (…, m, nv), `inertia` H (…, nv, nv); H (v⁺ − v) = Jᵀ λ. Of impulses that do the
    same the smallest are taken.
    """
    change, impulses = toward(rows, inertia, -(rows @ v[..., None])[..., 0])
    return v + change, impulses


def toward(rows: Array, inertia: Array, wanted: Array) -> tuple[Array, Array]:
    """Return the least x (…, nv) in the metric H with J x = wanted (…, m), and λ: H x = Jᵀ λ."""
    across = np.linalg.solve(inertia, np.swapaxes(rows, -1, -2))
    impulses = _least(rows @ across, wanted[..., None])
    return (across @ impulses)[..., 0], impulses[..., 0]


def _least(inverse_inertia: Array, closing: Array) -> Array:
    """Return the smallest impulses (…, m, 1) that close as fast as (…, m, 1), by (…, m, m)."""
    sizes, ways = np.linalg.eigh(inverse_inertia)
    held = sizes > SMALL * sizes[..., -1:]
    inverse = np.where(held, 1.0 / np.where(held, sizes, 1.0), 0.0)
    return np.asarray(ways @ (inverse[..., None] * (np.swapaxes(ways, -1, -2) @ closing)))


def _renamed(reset: Linear, q: Array, v: Array) -> tuple[Array, Array]:
    matrix = np.asarray(reset.matrix, float)
    rates = matrix if reset.rates is None else np.asarray(reset.rates, float)
    shift = 0.0 if reset.shift is None else np.asarray(reset.shift, float)
    return q @ matrix.T + shift, v @ rates.T


def _each(reset: Function, q: Array, v: Array) -> tuple[Array, Array]:
    lead = q.shape[:-1]
    pairs = [
        reset.function(0.0, a, b)
        for a, b in zip(q.reshape(-1, q.shape[-1]), v.reshape(-1, v.shape[-1]), strict=True)
    ]
    after = [np.array([np.asarray(pair[k], float) for pair in pairs]) for k in (0, 1)]
    return after[0].reshape(*lead, -1), after[1].reshape(*lead, -1)
