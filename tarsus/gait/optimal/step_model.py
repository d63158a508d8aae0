"""The quadratic model of a step: its curvature, the best step within linearised conditions."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.optimal.transcription import Values
from tarsus.ik.programme import solve_qp

CLEAR = 1e-3
"""How much along a step curvature must be seen to be believed, as a part of all that was seen."""
ELASTIC = 1e2
"""Price of what cannot be met at first, as a part of the cost."""


def model_step(
    here: Values, curvature: Array, damping: float, lower: Array, upper: Array
) -> tuple[Array, Array, str]:
    """Return the step, multipliers of equations and slacks, and what cannot be met, if any."""
    back = np.linalg.inv(_factor(here, curvature, damping)).T  # y = Lᵀ d has unit curvature
    bounded = np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
    rows = np.concatenate([here.equation_slopes, here.slack_slopes, np.eye(len(lower))[bounded]])
    count = len(here.equations) + len(here.slacks)
    stated = {
        "damping": 1.0,
        "reference": -back.T @ here.gradient,
        "rows": rows @ back,
        "rows_lower": np.concatenate([-here.equations, -here.slacks, lower[bounded]]),
        "rows_upper": np.concatenate(
            [-here.equations, np.full(len(here.slacks), np.inf), upper[bounded]]
        ),
        "tolerance": 1e-11,
    }
    nothing = np.zeros((0, len(lower))), np.zeros(0)
    solved = solve_qp(*nothing, **stated)
    if solved.success:
        return back @ solved.v, solved.row_multipliers[:count], ""
    missed = str(solved.status)
    prices = np.full(len(rows), np.inf)
    prices[:count] = ELASTIC * (here.cost + 1e-3)
    solved = solve_qp(*nothing, penalty=prices, **stated)
    return back @ solved.v, solved.row_multipliers[:count], missed


def promised(here: Values, curvature: Array, step: Array) -> float:
    """Return by how much the step lowers the cost of the model."""
    return float(-here.gradient @ step - 0.5 * step @ (here.curvature + curvature) @ step)


def learnt(curvature: Array, here: Values, there: Values, step: Array, multipliers: Array) -> Array:
    """Return the curvature beside that of linear outputs, by a symmetric update of rank one.

    It is of what these leave out: the curvature of outputs times how much they matter, and that of
    equations and slacks times their multipliers.
    """

    def rows(values: Values) -> Array:
        return np.concatenate([values.equation_slopes, values.slack_slopes])

    before, after = ((values.outputs, values.output_slopes) for values in (here, there))
    beyond = here.objective.unseen(before, after, step)
    seen = beyond - (rows(there) - rows(here)).T @ multipliers
    off = seen - curvature @ step
    across = float(off @ step)
    if abs(across) <= CLEAR * np.linalg.norm(off) * np.linalg.norm(step):
        return curvature
    return np.asarray(curvature + np.outer(off, off) / across)


def _factor(here: Values, curvature: Array, damping: float) -> Array:
    """Return L, where L Lᵀ is the curvature of the step's model, made positive definite.

    Only along the equations' linear space does it have to be the true one: where it is negative
    there, its size is taken, and across it that of linear outputs.
    """
    squared = here.curvature
    extra = max(damping, 1e-13 * float(np.trace(squared))) * np.eye(len(squared))
    try:
        return np.asarray(np.linalg.cholesky(squared + curvature + extra))
    except np.linalg.LinAlgError:
        pass
    full, _ = np.linalg.qr(here.equation_slopes.T, mode="complete")
    across, along = np.split(full, [len(here.equations)], axis=1)
    values, vectors = np.linalg.eigh(along.T @ (squared + curvature) @ along)
    sizes = np.maximum(np.abs(values), 1e-10 * np.abs(values).max(initial=0.0))
    whole = along @ (vectors * sizes) @ vectors.T @ along.T
    whole += across @ (across.T @ squared @ across) @ across.T
    return np.asarray(np.linalg.cholesky(whole + extra))
