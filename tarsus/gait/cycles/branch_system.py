"""The equations of a branch: gaits of n steps of a walker, one of whose numbers may change.

z = (steps of q and changes of v of each node, p): F(z) = P(x_k; p) − x_{k+1} = 0 for all nodes,
2 nv n equations for one unknown more. Gaits are a curve in z. Where gaits are families, that what
they keep stays as it was is an equation, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.cycles.families import kept_of, kept_slopes
from tarsus.gait.cycles.return_map import (
    Returned,
    Tolerances,
    cyclic,
    moved,
    multipliers_of,
    residual,
    take_step,
)
from tarsus.gait.walkers.walker import Walker

DIFFERENCE = 1e-6
"""Of a number that has no derivatives in flows, as a part of its scale."""


@dataclass(frozen=True, eq=False)
class Gait:
    """Nodes q (n, nq), v (n, nv) at a value of the number, with F and its derivatives there."""

    value: float
    q: Array
    v: Array
    errors: Array
    """F (2 nv n + k,), not a number where a step falls."""
    matrix: Array
    """Derivatives of F (2 nv n + k, 2 nv n + 1), the last column by the number over its scale."""
    at: Returned
    heading: bool
    """Whether the walker may head anywhere."""

    @property
    def error(self) -> float:
        """Largest entry of F."""
        worst = float(np.abs(self.errors).max())
        return worst if np.isfinite(worst) else float("inf")

    @property
    def product(self) -> Array:
        """The derivative of n steps (2 nv, 2 nv)."""
        assert self.at.slopes is not None
        size = 2 * self.v.shape[1]
        product = np.eye(size)
        for slope in self.at.slopes:
            product = slope[:, :size] @ product
        return product

    @property
    def multipliers(self) -> Array:
        """What pushes are multiplied by in a period, the largest first, without that of time."""
        assert self.at.slopes is not None
        return multipliers_of(self.at.slopes, self.heading)


@dataclass(frozen=True, eq=False)
class BranchSystem:
    """F of a walker whose number `name` changes; `scale` makes it about as large as angles."""

    walker: Walker
    name: str
    scale: float
    tolerances: Tolerances
    kept: Array
    """What all gaits of the branch keep (k,)."""

    def gait(self, q: Array, v: Array, value: float) -> Gait:
        """Return nodes with F and its derivatives."""
        walker = self.walker.but(**{self.name: value})
        given = walker.parameters.get(self.name)
        known = () if given is None or not walker.exact else (given,)
        at = take_step(walker, q, v, self.tolerances, derivatives=True, parameters=known)
        errors = residual(walker, np.roll(q, -1, axis=0), np.roll(v, -1, axis=0), at.q, at.v)
        errors[~at.walked] = np.nan
        assert at.slopes is not None
        by_value = at.slopes[:, :, -1] if known else self._difference(q, v, value, at)
        missed = kept_of(walker, q[:1], v[:1])[0] - self.kept
        by_states = cyclic(at.slopes[:, :, : 2 * v.shape[1]])
        steps = np.column_stack([by_states, self.scale * by_value.ravel()])
        matrix = np.vstack([steps, self._kept_row(walker, q, v, value)])
        return Gait(value, q, v, np.append(errors, missed), matrix, at, walker.heading)

    def moved(self, gait: Gait, step: Array) -> Gait:
        """Return the gait after a step of z."""
        ways = step[:-1].reshape(len(gait.v), -1)
        q, v = moved(self.walker, gait.q, gait.v, ways)
        return self.gait(q, v, gait.value + self.scale * float(step[-1]))

    def away(self, gait: Gait, other: Gait) -> Array:
        """Return the step of z from one gait to another."""
        ways = residual(self.walker, gait.q, gait.v, other.q, other.v).ravel()
        return np.append(ways, (other.value - gait.value) / self.scale)

    def _kept_row(self, walker: Walker, q: Array, v: Array, value: float) -> Array:
        """Return how what is kept changes with z (k, 2 nv n + 1)."""
        row = np.zeros((walker.neutral, q.shape[0] * 2 * v.shape[1] + 1))
        if walker.neutral:
            row[:, : 2 * v.shape[1]] = kept_slopes(walker, q[:1], v[:1])[0]
            ends = [
                kept_of(self.walker.but(**{self.name: value + h}), q[:1], v[:1])[0]
                for h in (DIFFERENCE * self.scale, -DIFFERENCE * self.scale)
            ]
            row[:, -1] = (ends[0] - ends[1]) / (2.0 * DIFFERENCE)
        return row

    def _difference(self, q: Array, v: Array, value: float, at: Returned) -> Array:
        """Return how returns change with the number (n, 2 nv), by central differences."""
        h = DIFFERENCE * self.scale
        ends = []
        for way in (1.0, -1.0):
            walker = self.walker.but(**{self.name: value + way * h})
            then = take_step(walker, q, v, self.tolerances)
            ends.append(residual(walker, at.q, at.v, then.q, then.v))
        return (ends[0] - ends[1]) / (2.0 * h)
