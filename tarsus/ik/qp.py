"""Velocities by a quadratic programme: tasks by levels and weights, within all limits.

    min ½ Σ weight (J v − r)² + ½ ε (v − z)ᵀ W (v − z)
    with  low ≤ v ≤ high  and  rows_low ≤ C v ≤ rows_high

Levels are solved one after the other, each as far as those before stay as they are. ε is small: it
chooses among velocities that do the tasks alike, and keeps them finite where a machine is singular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.ik.levels import Level
from tarsus.ik.programme import QPSolution, solve_qp
from tarsus.ik.status import CONTRADICTORY, ITERATIONS, NOT_FINITE, SOLVED

CODES = np.array([SOLVED, CONTRADICTORY, ITERATIONS, NOT_FINITE])
"""Of the ends of programmes, in their order."""


@dataclass(frozen=True)
class Bounds:
    """What velocities (…, nv), and rows (…, k, nv) of them, may be."""

    low: Array
    high: Array
    rows: Array
    rows_low: Array
    rows_high: Array

    def of_accelerations(self, v: Array, dt: float) -> Bounds:
        """Return the bounds of accelerations after which velocities keep these."""
        along = (self.rows @ v[..., None])[..., 0]
        return Bounds(
            (self.low - v) / dt,
            (self.high - v) / dt,
            self.rows,
            (self.rows_low - along) / dt,
            (self.rows_high - along) / dt,
        )

    @staticmethod
    def free(nv: int) -> Bounds:
        """Return bounds that permit everything."""
        none = np.zeros(0)
        return Bounds(np.full(nv, -np.inf), np.full(nv, np.inf), np.zeros((0, nv)), none, none)


def programme(
    levels: list[Level],
    damping: Array,
    wish: Array,
    bounds: Bounds | None,
    start: QPSolution | None,
) -> QPSolution:
    """Return the solution of the programme; `damping` (nv,) is ε W, `start` one of before."""
    nv = wish.shape[-1]
    lead = wish.shape[:-1]
    free = Bounds.free(nv) if bounds is None else bounds
    size = nv + free.rows.shape[-2]
    fits = start is not None and start.working_set.shape == (*lead, size)
    task = [level.jacobian for level in levels] or [np.zeros((*lead, 0, nv))]
    rate = [level.rate for level in levels] or [np.zeros((*lead, 0))]
    return solve_qp(
        np.concatenate(task, axis=-2),
        np.concatenate(rate, axis=-1),
        weight=np.concatenate([level.weight for level in levels] or [np.zeros(0)]),
        damping=damping,
        reference=wish,
        levels=[len(level.weight) for level in levels] or None,
        start=start if fits else None,
        lower=free.low,
        upper=free.high,
        rows=free.rows if size > nv else None,
        rows_lower=free.rows_low if size > nv else -np.inf,
        rows_upper=free.rows_high if size > nv else np.inf,
    )


def codes(found: QPSolution) -> NDArray[np.int64]:
    """Return how steps ended (…), of how their programmes did."""
    return np.asarray(CODES[found.code])
