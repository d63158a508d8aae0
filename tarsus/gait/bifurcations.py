"""Points of a branch by arc length, and bifurcations on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array
from tarsus.gait.return_map import (
    Returned,
    Tolerances,
    cyclic,
    kept_of,
    kept_slopes,
    moved,
    multipliers_of,
    residual,
    take_step,
)
from tarsus.gait.walkers.walker import Walker

# Where gaits change their nature: folds, flips, circles, branch points, by functions with a zero.
#
# Each test is a smooth function along a branch that passes zero there (Y. A. Kuznetsov, "Elements
# of applied bifurcation theory", section 10.2).


Kind = Literal["fold", "flip", "circle", "branch"]
KINDS: tuple[Kind, ...] = ("fold", "flip", "circle", "branch")
LOCATED = 1e-10
"""How near to a zero a bifurcation is located, along the branch."""


class NoReturnError(TarsusError, ArithmeticError):
    """There is no gait across from a place along a branch."""


@dataclass(frozen=True, eq=False)
class Bifurcation:
    """A gait at which a branch turns back ("fold"), doubles its period ("flip"), begins to wander
    around a circle ("circle", Neimark and Sacker), or meets another branch ("branch")."""

    kind: Kind
    gait: Gait
    way: Array

    @property
    def value(self) -> float:
        """The number at which it is."""
        return self.gait.value

    def __repr__(self) -> str:
        return f"<{self.kind} at {self.value:.10g}>"


def fold(gait: Gait, way: Array) -> float:
    """Return how much the number changes along the branch."""
    return float(way[-1])


def flip(gait: Gait, way: Array) -> float:
    """Return det(Φ + I), zero where a multiplier is −1, but for that of a heading."""
    return float(np.real(np.prod(gait.multipliers + 1.0)))


def circle(gait: Gait, way: Array) -> float:
    """Return the product of λ_i λ_j − 1 over all pairs, zero where a pair is on the circle."""
    found = gait.multipliers
    pairs = [found[i] * found[j] - 1.0 for i in range(len(found)) for j in range(i)]
    return float(np.real(np.prod(pairs)))


def branch(gait: Gait, way: Array) -> float:
    """Return the determinant of the derivatives and the tangent, zero where branches meet.

    Gaits in families have more equations than unknowns, which have none: 1 always.
    """
    whole = np.vstack([gait.matrix, way])
    return float(np.linalg.det(whole)) if len(whole) == whole.shape[1] else 1.0


TESTS: dict[Kind, Callable[[Gait, Array], float]] = {
    "fold": fold,
    "flip": flip,
    "circle": circle,
    "branch": branch,
}


def located(
    system: BranchSystem, kind: Kind, start: Gait, way: Array, length: float, tolerance: float
) -> Bifurcation | None:
    """Return the bifurcation within `length` along a branch from a gait, by Brent's method.

    None if the test has a zero that is no bifurcation of that kind: two real multipliers whose
    product is one are no circle. Raises `NoReturnError` where no gait is found on the way.
    """
    from scipy.optimize import brentq  # slow to import, and only needed here

    tried: dict[float, tuple[Gait, Array]] = {}

    def test(along: float) -> float:
        tried[along] = _along(system, start, way, along, tolerance)
        return TESTS[kind](*tried[along])

    if not test(0.0) * test(length) < 0.0:
        raise NoReturnError(f"its test does not change sign within {length:.1e}")
    at = tried[brentq(test, 0.0, length, xtol=LOCATED)]
    if kind == "circle" and not _meets_circle(at[0]):
        return None
    return Bifurcation(kind, *at)


def _along(
    system: BranchSystem, start: Gait, way: Array, length: float, tolerance: float
) -> tuple[Gait, Array]:
    gait, _ = corrected(system, system.moved(start, length * way), way, tolerance)
    if gait is None:
        raise NoReturnError("steps fall there, or Newton's method does not converge")
    return gait, tangent(gait, way)


def _meets_circle(gait: Gait) -> bool:
    found = gait.multipliers
    complex_ones = found[np.abs(found.imag) > 1e-6]
    return bool(len(complex_ones)) and bool(np.abs(np.abs(complex_ones) - 1.0).min() < 1e-4)


# Along a curve of gaits: predict by its tangent, correct at a right angle to it.
#
# H. B. Keller, "Numerical solution of bifurcation and nonlinear eigenvalue problems", 1977.


ROUNDS = 8


def tangent(gait: Gait, along: Array | None = None) -> Array:
    """Return the unit tangent of the curve at a gait, the way that goes along `along`.

    The kernel of the derivatives; where gaits have families and nothing tells them apart the
    direction nearest to `along`.
    """
    _, sizes, ways = np.linalg.svd(gait.matrix)
    small = np.ones(len(ways), bool)  # the last always is
    small[: len(ways) - 1] = sizes[: len(ways) - 1] < 1e-9 * sizes[0]
    kernel = ways[small]
    if along is None or len(kernel) == 1:
        way = kernel[-1]
        return np.asarray(way if along is None or way @ along >= 0.0 else -way)
    way = kernel.T @ (kernel @ along)
    return np.asarray(way / np.linalg.norm(way))


def corrected(
    system: BranchSystem, guess: Gait, way: Array, tolerance: float
) -> tuple[Gait | None, int]:
    """Return the gait of the curve across from a guess, and after how many rounds; or None.

    Newton's steps solve F = 0 without moving along `way`: on the plane of the prediction.
    """
    gait = guess
    for round in range(ROUNDS):
        if not np.isfinite(gait.error) or gait.error > 1e3:
            return None, round
        if gait.error <= tolerance:
            return gait, round
        matrix = np.vstack([gait.matrix, way])
        if not np.isfinite(matrix).all():
            return None, round
        step = np.linalg.lstsq(matrix, np.append(-gait.errors, 0.0), rcond=1e-11)[0]
        if np.linalg.norm(step) > 1.0:
            return None, round
        gait = system.moved(gait, step)
    return (gait, ROUNDS) if gait.error <= tolerance else (None, ROUNDS)


# The equations of a branch: gaits of n steps of a walker, one of whose numbers may change.
#
# z = (steps of q and changes of v of each node, p): F(z) = P(x_k; p) − x_{k+1} = 0 for all nodes,
# 2 nv n equations for one unknown more. Gaits are a curve in z. Where gaits are families, that what
# they keep stays as it was is an equation, too.


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
