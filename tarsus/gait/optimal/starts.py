"""Where searches for gaits begin: from posture to posture in straight lines, without any guess."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.events.mapped import mapped, mapped_derivatives
from tarsus.gait.optimal.bases import Basis, fitted
from tarsus.gait.walkers import Walker

SCALES = ((1.0, 1.0), (0.75, 1.0), (1.3, 1.0), (1.0, 0.7), (1.0, 1.4), (0.6, 1.4), (1.3, 0.7))
"""Of postures and of durations, one search each."""
TIME = 0.8
"""How long a step takes that nothing says it of [s]."""
SAMPLES = np.linspace(0.0, 1.0, 40)


@dataclass(frozen=True, eq=False)
class Start:
    """Postures (q at the begin, q at the end) and durations [s] of all phases."""

    postures: tuple[tuple[Array, Array], ...]
    durations: Array

    def coefficients(self, basis: Basis) -> list[Array]:
        """Return straight lines between postures, as sums of a basis."""
        return [
            fitted(basis, SAMPLES, begin + SAMPLES[:, None] * (end - begin))
            for begin, end in self.postures
        ]


def start(walker: Walker, speed: float | None, scales: tuple[float, float] = (1.0, 1.0)) -> Start:
    """Return where a search begins, with steps and durations that are scaled by two numbers."""
    first = np.asarray(walker.start[0], float)
    resets = [phase.exits[0].reset for phase in walker.phases]
    begins = [first]
    for each in resets[:-1]:
        begins.append(mapped(each, begins[-1], np.zeros_like(begins[-1]))[0])  # type: ignore[arg-type]
    last = _before(resets[-1], first, begins[-1])
    middle = 0.5 * (begins[-1] + last)
    towards = scales[0] * (last - middle)
    postures, at = [], middle - towards
    begin = _before(resets[-1], first, begins[-1]) if len(resets) == 1 else begins[0]
    begin = at if len(resets) == 1 else begin
    for p, each in enumerate(resets[:-1]):
        through = at + 2.0 * towards * (p + 1) / len(resets)
        end = _before(each, through, begins[p])
        postures.append((begin, end))
        begin = mapped(each, end, np.zeros_like(end))[0]  # type: ignore[arg-type]
    postures.append((begin, middle + towards))
    took = _took(walker, speed, postures[-1][1], scales[1])
    return Start(tuple(postures), np.full(len(resets), took / len(resets)))


def _before(resets: object, after: Array, guess: Array) -> Array:
    """Return the posture that resets lead to another from, nearest to a guess."""
    q, still = guess.copy(), np.zeros_like(guess)
    for _ in range(20):
        off = after - mapped(resets, q, still)[0]  # type: ignore[arg-type]
        slopes = mapped_derivatives(resets, q, still)[0][:, : len(q)]  # type: ignore[arg-type]
        step = np.linalg.lstsq(slopes, off, rcond=1e-8)[0]
        q = q + step
        if np.abs(step).max() < 1e-10:
            break
    return q


def _took(walker: Walker, speed: float | None, last: Array, scale: float) -> float:
    ahead = float(walker.ahead(last))
    if speed is None or not ahead / speed > 0.0:
        return TIME * scale
    return float(np.clip(ahead / speed, 0.2, 3.0)) * scale
