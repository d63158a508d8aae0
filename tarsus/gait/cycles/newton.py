"""Newton's method for gaits: states to which n steps lead back, from many guesses at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.gait.cycles.families import kept_of, kept_slopes
from tarsus.gait.cycles.return_map import (
    FINE,
    Returned,
    Tolerances,
    cyclic,
    moved,
    residual,
    take_step,
)
from tarsus.gait.walkers.walker import Walker

ROUNDING = 1e-14
"""What a pseudo-inverse leaves of zeros, as a share of the largest step."""
HALVINGS = 8
NEUTRAL = 1e-7
"""Singular values of DP − I below this, as a part of the largest, are of gaits in families whose
walker does not say what it keeps."""


@dataclass(frozen=True, eq=False)
class Search:
    """What became of G guesses of n nodes each."""

    q: Array
    """(G, n, nq), states after strikes: node k + 1 follows node k, the first follows the last."""
    v: Array
    error: Array
    """Largest entry of what nodes are away from where steps lead (G,), infinite if they fall."""
    rounds: int
    last: Returned


def newton(
    walker: Walker,
    q: Array,
    v: Array,
    tolerances: Tolerances = FINE,
    *,
    tolerance: float,
    rounds: int,
    kept: Array | None = None,
) -> Search:
    """Lead nodes (G, n, nq), (G, n, nv) to gaits of n steps by multiple shooting.

    All nodes of all guesses are steps of one flow in lanes. Newton's steps are damped by halves
    until errors fall. Where gaits are a family the one is found that keeps `kept` (k,), what each
    guess has unless stated.
    """
    guesses, nodes = q.shape[:2]
    wanted = kept_of(walker, q[:, 0], v[:, 0]) if kept is None else kept
    step = _Steps(walker, guesses, nodes, tolerances, wanted)
    at, errors = step(q, v)
    done = 0
    for done in range(1, rounds + 1):  # noqa: B007
        open = (np.abs(errors).max(1) > tolerance) & np.isfinite(errors).all(1)
        if not open.any():
            break
        ways = np.zeros((guesses, nodes, 2 * v.shape[-1]))
        ways[open] = _ways(at, errors, step.kept_slopes(q, v), guesses, nodes)[open]
        open &= np.isfinite(ways).all((1, 2))
        ways[~open] = 0.0
        q, v, at, errors = _damped(step, q, v, at, errors, ways, open)
    return Search(q, v, np.nan_to_num(np.abs(errors).max(1), nan=np.inf), done, at)


@dataclass(frozen=True)
class _Steps:
    """Steps of all nodes, what they miss the next nodes by, and what is not kept as wanted."""

    walker: Walker
    guesses: int
    nodes: int
    tolerances: Tolerances
    wanted: Array

    def __call__(self, q: Array, v: Array) -> tuple[Returned, Array]:
        flat = [x.reshape(-1, x.shape[-1]) for x in (q, v)]
        at = take_step(self.walker, flat[0], flat[1], self.tolerances, derivatives=True)
        nexts = [np.roll(x, -1, axis=1).reshape(-1, x.shape[-1]) for x in (q, v)]
        errors = residual(self.walker, nexts[0], nexts[1], at.q, at.v)
        errors[~at.walked] = np.nan
        missed = kept_of(self.walker, q[:, 0], v[:, 0]) - self.wanted
        return at, np.concatenate([errors.reshape(self.guesses, -1), missed], axis=1)

    def kept_slopes(self, q: Array, v: Array) -> Array:
        return kept_slopes(self.walker, q[:, 0], v[:, 0])

    def moved(self, q: Array, v: Array, ways: Array) -> tuple[Array, Array]:
        return moved(self.walker, q, v, ways)


def _ways(at: Returned, errors: Array, kept: Array, guesses: int, nodes: int) -> Array:
    """Return Newton's steps (G, n, 2 nv): D_k δ_k − δ_{k+1} = −r_k, in cyclic order.

    And `kept` (G, k, 2 nv) δ_0 = −r of what is kept: more equations, but they do not contradict.
    """
    size, rows = kept.shape[-1], errors.shape[1]
    assert at.slopes is not None
    slopes = at.slopes[:, :, :size].reshape(guesses, nodes, size, size)
    flat = np.zeros((guesses, rows, nodes * size))
    flat[:, : nodes * size] = cyclic(slopes)
    flat[:, nodes * size :, :size] = kept
    good = np.isfinite(flat).all((1, 2)) & np.isfinite(errors).all(1)
    found = np.full((guesses, nodes * size), np.nan)
    if good.any():
        inverse = np.linalg.pinv(flat[good], rcond=NEUTRAL)
        steps = -np.einsum("gij,gj->gi", inverse, errors[good])
        # a knee that is straight stays on the side of its guard: no step is rounding alone
        steps[np.abs(steps) < ROUNDING * np.abs(steps).max(axis=1, keepdims=True)] = 0.0
        found[good] = steps
    return found.reshape(guesses, nodes, size)


def _damped(
    step: _Steps,
    q: Array,
    v: Array,
    at: Returned,
    errors: Array,
    ways: Array,
    open: NDArray[np.bool_],
) -> tuple[Array, Array, Returned, Array]:
    """Go as much of each way as lowers its error; guesses that find nothing lower stay."""
    before = np.linalg.norm(errors, axis=1)
    part = np.where(open, 1.0, 0.0)
    waiting = open.copy()
    for _ in range(HALVINGS):
        trial = step.moved(q, v, part[:, None, None] * ways)
        at, found = step(*trial)
        size = np.linalg.norm(found, axis=1)
        waiting = open & ~(size < before)
        if not waiting.any():
            return *trial, at, found
        part[waiting] *= 0.5
    part[waiting] = 0.0
    trial = step.moved(q, v, part[:, None, None] * ways)
    return *trial, *step(*trial)
