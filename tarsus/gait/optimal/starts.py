"""Where searches for gaits begin: from posture to posture in straight lines, without any guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tarsus.arrays import Array
from tarsus.events.mapped import mapped, mapped_derivatives, resets_of
from tarsus.events.resets import Reset
from tarsus.gait.optimal.bases import Basis, fitted
from tarsus.gait.walkers import Walker

SCALES = ((1.0, 1.0), (1.6, 1.0), (0.6, 1.0), (1.3, 1.0), (0.8, 1.0), (2.0, 1.0), (1.0, 1.4))
"""Of postures and of durations, one search each: mostly postures decide where a search ends."""
TIME = 0.8
"""How long a step takes that nothing says it of [s]."""
STILL = 1e-6
"""Postures that are nearer to each other are the same [rad or m]."""
NEWTON = 20
"""Most steps to the posture before a strike."""
SAMPLES = np.linspace(0.0, 1.0, 40)


@dataclass(frozen=True, eq=False)
class Start:
    """Postures (q at the begin, q at the end) and durations [s] of all phases."""

    postures: tuple[tuple[Array, Array], ...]
    durations: Array

    @property
    def stands(self) -> bool:
        """Whether no phase leads anywhere: such a posture is none to begin a step with."""
        return all(np.abs(end - begin).max() < STILL for begin, end in self.postures)

    def coefficients(self, basis: Basis) -> list[Array]:
        """Return straight lines between postures, as sums of a basis."""
        return [
            fitted(basis, SAMPLES, begin + SAMPLES[:, None] * (end - begin))
            for begin, end in self.postures
        ]


def start(
    walker: Walker,
    speed: float | None,
    scales: tuple[float, float] = (1.0, 1.0),
    posture: Array | None = None,
) -> Start:
    """Return where a search begins, with steps and durations that are scaled by two numbers.

    The first posture is the one that is given, or the walker's start; the last is the one from
    which a strike leads to it. Where these are the same, it is durations that the first scales.
    """
    resets = [resets_of(phase) for phase in walker.phases]
    begins = [np.asarray(walker.start[0] if posture is None else posture, float)]
    for each in resets[:-1]:
        begins.append(_after(each, begins[-1]))
    last = _before(resets[-1], begins[0], begins[-1])
    middle, half = 0.5 * (begins[-1] + last), 0.5 * scales[0] * (last - begins[-1])
    postures = []
    begin = middle - half if len(resets) == 1 else begins[0]
    for p, each in enumerate(resets[:-1]):
        through = middle + half * (2.0 * (p + 1) / len(resets) - 1.0)
        end = _before(each, through, begins[p])
        postures.append((begin, end))
        begin = _after(each, end)
    postures.append((begin, middle + half))
    took = _took(walker, speed, postures[-1][1], scales[1])
    found = Start(tuple(postures), np.full(len(resets), took / len(resets)))
    return replace(found, durations=scales[0] * found.durations) if found.stands else found


def _after(resets: Sequence[Reset], q: Array) -> Array:
    return mapped(resets, q, np.zeros_like(q))[0]


def _before(resets: Sequence[Reset], after: Array, guess: Array) -> Array:
    """Return the posture from which resets lead to another, nearest to a guess."""
    q, still = guess.copy(), np.zeros_like(guess)
    for _ in range(NEWTON):
        slopes = mapped_derivatives(resets, q, still)[0][:, : len(q)]
        step = np.linalg.lstsq(slopes, after - _after(resets, q), rcond=1e-8)[0]
        q = q + step
        if np.abs(step).max() < 1e-10:
            break
    return q


def _took(walker: Walker, speed: float | None, last: Array, scale: float) -> float:
    ahead = float(walker.ahead(last))
    if speed is None or not ahead / speed > 0.0:
        return TIME * scale
    return float(np.clip(ahead / speed, 0.2, 3.0)) * scale
