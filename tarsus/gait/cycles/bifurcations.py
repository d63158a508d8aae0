"""Where gaits change their nature: folds, flips, circles, branch points, by functions with a zero.

Each test is a smooth function along a branch that passes zero there (Y. A. Kuznetsov, "Elements of
applied bifurcation theory", section 10.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.cycles.arclength import corrected, tangent
from tarsus.gait.cycles.branch_system import BranchSystem, Gait

Kind = Literal["fold", "flip", "circle", "branch"]
KINDS: tuple[Kind, ...] = ("fold", "flip", "circle", "branch")
LOCATED = 1e-10
"""How near to a zero a bifurcation is located, along the branch."""


class NoReturnError(ArithmeticError):
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
