"""Where to begin to look for gaits: states that many steps from many starts lead near themselves.

States around the start of a walker take a few steps in lanes. Those that still walk are on the
section, pulled towards gaits that attract; those that a step moves least are where to begin.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.cycles.return_map import (
    COARSE,
    Returned,
    moved,
    residual,
    take_step,
)
from tarsus.gait.walkers.walker import Walker

STARTS = 512
SPREADS = (0.05, 0.2, 0.6)
"""How far starts scatter, in turn [rad, m; and as a part of the largest speed, at least 1]."""
STEPS = 3


def scattered(walker: Walker, count: int, spread: float, seed: int) -> tuple[Array, Array]:
    """Return states around the walker's start, (count, nq) and (count, nv); the first is it."""
    q, v = walker.start
    rng = np.random.default_rng(seed)
    scale = np.concatenate([np.ones(len(v)), np.full(len(v), max(1.0, np.abs(v).max()))])
    away = spread * scale * rng.uniform(-1.0, 1.0, size=(count, 2 * len(v)))
    away[0] = 0.0
    return moved(walker, np.tile(q, (count, 1)), np.tile(v, (count, 1)), away)


def seeds(walker: Walker, most: int, *, seed: int = 0, starts: int = STARTS) -> tuple[Array, Array]:
    """Return up to `most` states after strikes that one step moves least: (G, nq) and (G, nv)."""
    q, v = (np.zeros((0, len(x))) for x in walker.start)
    sizes: Array = np.zeros(0)
    for k, spread in enumerate(SPREADS):
        found = _still_walking(walker, *scattered(walker, starts, spread, seed + k))
        q, v = np.concatenate([q, found[0]]), np.concatenate([v, found[1]])
        sizes = np.concatenate([sizes, found[2]])
    chosen = _spread_out(walker, q, v, np.argsort(sizes).tolist(), most)
    return q[chosen], v[chosen]


def _still_walking(walker: Walker, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """Return states of all strikes of those that walk, and how far the next step moves them."""
    kept: list[tuple[Array, Array, Array]] = []
    at = take_step(walker, q, v, COARSE)
    for _ in range(STEPS):
        at = _onward(at)
        if not len(at.q):
            break
        then = take_step(walker, at.q, at.v, COARSE)
        move = np.linalg.norm(residual(walker, at.q, at.v, then.q, then.v), axis=1)
        kept.append((at.q[then.walked], at.v[then.walked], move[then.walked]))
        at = then
    if not kept:
        return q[:0], v[:0], np.zeros(0)
    joined = [np.concatenate(x) for x in zip(*kept, strict=True)]
    return joined[0], joined[1], joined[2]


def _onward(at: Returned) -> Returned:
    """Return those that walked."""
    return Returned(
        *(at.q[at.walked], at.v[at.walked], at.time[at.walked], at.walked[at.walked]),
        *(None, None, at.flowed),
    )


def _spread_out(walker: Walker, q: Array, v: Array, order: list[int], most: int) -> list[int]:
    """Return indices in their order, leaving out what is nearly one that is chosen."""
    chosen: list[int] = []
    for k in order:
        if not chosen or _nearest(walker, q, v, chosen, k) > 0.02 * (1.0 + np.linalg.norm(v[k])):
            chosen.append(k)
        if len(chosen) == most:
            break
    return chosen


def _nearest(walker: Walker, q: Array, v: Array, chosen: list[int], k: int) -> float:
    """Return how far state k is from the nearest that is chosen."""
    here = [np.tile(x[k], (len(chosen), 1)) for x in (q, v)]
    away = residual(walker, q[chosen], v[chosen], here[0], here[1])
    return float(np.linalg.norm(away, axis=1).min())
