"""Nonlinear least squares of named parameters, by the trust regions of SciPy.

`scipy.optimize.least_squares` chooses the steps and keeps bounds. `LeastSquares` adds what it does
not do:

- Rank. Combinations of parameters on which no residual depends stay where they are: SciPy gets the
  singular values and vectors of the Jacobian, with the largest singular value and a residual of
  zero for such combinations. A full step is then the Gauss–Newton step of least norm.
- Carried unknowns. A `Point` may depend on more than the parameters (states of nodes, a first
  state): `move` takes it to other parameters and adjusts these, too.
- Convergence. The search has ended if the Gauss–Newton step at its end changes nothing; if SciPy
  ends elsewhere, the reason is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.errors import TarsusError
from tarsus._lib.files import Array
from tarsus.estimation.observability import Observability, told_by

MAX_EVALUATIONS = 100
"""Evaluations of residuals in one search."""
MAX_REJECTED = 10
"""Trial steps without progress, one shorter than the other."""
SETTLED = 1e-7
"""A Gauss–Newton step that changes residuals by a smaller share of their norm ends the search."""
ROUNDED = 1e-13
"""Relative differences of squares that may be rounding."""
NEGLIGIBLE = 1e-3
"""A step below this share of a standard deviation need not reduce the residuals."""


class Point(Protocol):
    """Parameters, and residuals in units of their standard deviations with slopes there."""

    @property
    def values(self) -> Array:
        """Parameters (p,)."""

    @property
    def residuals(self) -> Array:
        """Residuals (m,), the same number at all points of a search."""

    @property
    def slopes(self) -> Array:
        """Their derivatives (m, p) with respect to the parameters."""

    @property
    def gap(self) -> float:
        """Norm of what carried unknowns must still change, in the units of residuals."""


P = TypeVar("P", bound=Point)


class Move(Protocol[P]):
    """Evaluates other parameters, coming from a point.

    `share` is how large the step is beside the Gauss–Newton step, at most 1: carried unknowns take
    the same share of theirs. ArithmeticError, ValueError and residuals or slopes that are not
    finite mean that there are no residuals.
    """

    def __call__(self, point: P, values: Array, share: float, /) -> P: ...


@dataclass(frozen=True, eq=False)
class Reduced:
    """Residuals (p + 1,) with the norm of all, their slopes (p + 1, p) in natural units, full rank.

    `step` (p,) is the Gauss–Newton step of least norm within the bounds.
    """

    residuals: Array
    slopes: Array
    step: Array


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Least squares of parameters `names` with natural sizes `scales` (p,) within bounds (p,).

    Singular values of the scaled Jacobian below `cut`, relative to the largest, or below `floor`
    count as zero. `rounding` is a change of residuals that may be rounding; a step below
    `small_step`, in natural sizes, ends the search.
    """

    names: tuple[str, ...]
    scales: Array
    lower: Array
    upper: Array
    cut: float
    floor: float = 0.0
    rounding: float = 0.0
    small_step: float = 1e-12

    def solve(
        self, start: P, move: Move[P], renew: Callable[[P], P] | None = None
    ) -> tuple[P, str]:
        """Return the point of least squares, and why it is not one (empty if it is).

        `renew` may choose other residuals at a point that was accepted; if so, it returns another
        point.
        """
        search = _Search(self, start, move, renew)
        while not (search.settled or search.stalled):
            search.run()
        return search.point, "" if search.settled else self._trouble(search)

    def _trouble(self, search: _Search[P]) -> str:
        """Return why a search that SciPy ended has not converged, empty if it has."""
        point, step = search.point, search.reduced.step
        self.observability(point)  # raises if residuals depend on no parameter
        change = self._change(point, step)
        spread = float(np.linalg.norm(point.residuals)) / np.sqrt(max(len(point.residuals), 1))
        if search.evaluations > MAX_EVALUATIONS:
            return f"it still changes after {MAX_EVALUATIONS} evaluations"
        if change <= max(self.rounding, NEGLIGIBLE * spread):
            return ""
        why = f"; the last step failed: {search.failure}" if search.failure else ""
        return (
            f"no part of a step of {self.size(step):.3g} of natural sizes helps, although "
            f"residuals should change by {change:.3g} standard deviations{why}"
        )

    def step(self, point: Point) -> Array:
        """Return the Gauss–Newton step of least norm (p,), within the bounds."""
        return self.reduced(point).step

    def size(self, step: Array) -> float:
        """Return the largest change of a parameter in natural sizes."""
        return float(np.abs(step / self.scales).max())

    def is_settled(self, point: Point, step: Array) -> bool:
        """Return whether the Gauss–Newton step changes nothing."""
        if self._change(point, step) <= SETTLED * np.linalg.norm(point.residuals):
            return True
        return self.size(step) <= self.small_step and point.gap <= 1e-2 * self.rounding

    def observability(self, point: Point) -> Observability:
        """Return what the residuals tell of the parameters."""
        return told_by(self.names, point.slopes, self.scales, self.cut, floor=self.floor)

    def at_bounds(self, values: Array) -> tuple[str, ...]:
        """Return the names of parameters at a bound."""
        bounded: NDArray[np.bool_] = (values <= self.lower) | (values >= self.upper)
        return tuple(name for name, at in zip(self.names, bounded.tolist(), strict=True) if at)

    def reduced(self, point: Point) -> Reduced:
        """Return residuals and slopes along the singular vectors, and the Gauss–Newton step."""
        both = np.column_stack([point.slopes * self.scales, point.residuals])
        if not np.isfinite(both).all():
            raise ArithmeticError("residuals or their slopes are not finite")
        # the same singular values, and few rows
        triangle: Array = np.asarray(np.linalg.qr(both, mode="r"))
        values, vectors, along = self._observable(triangle)
        count, rank = len(self.names), len(values)
        residuals, slopes = np.zeros(count + 1), np.zeros((count + 1, count))
        residuals[:rank] = along
        rest = float(point.residuals @ point.residuals) - float(along @ along)
        residuals[-1] = np.sqrt(max(rest, 0.0))
        slopes[:-1] = vectors
        slopes[:rank] *= values[:, None]
        slopes[rank:-1] *= values.max(initial=1e-300)
        step = -vectors[:rank].T @ (along / values)
        return Reduced(residuals, slopes, self._bounded(point, triangle, self.scales * step))

    def _observable(self, triangle: Array) -> tuple[Array, Array, Array]:
        """Return singular values (rank,), vectors (p, p), residuals (rank,) along the first."""
        u, values, vectors = np.linalg.svd(triangle[:, :-1], full_matrices=True)
        values = values[values > max(self.cut * values.max(initial=0.0), self.floor)]
        return values, vectors, u[:, : len(values)].T @ triangle[:, -1]

    def _bounded(self, point: Point, triangle: Array, step: Array) -> Array:
        """Return the step without the parameters that it would take out of their bounds."""
        free = np.ones(len(step), bool)
        while True:
            out = (point.values + step < self.lower) & (point.values <= self.lower)
            out |= (point.values + step > self.upper) & (point.values >= self.upper)
            if not (out & free).any():
                break
            free &= ~out
            values, vectors, along = self._observable(triangle * np.append(free, True))
            step = -self.scales * (vectors[: len(values)].T @ (along / values))
        return np.asarray(np.clip(point.values + step, self.lower, self.upper) - point.values)

    def _change(self, point: Point, step: Array) -> float:
        """Return how much residuals and carried unknowns change by a step."""
        return float(np.hypot(np.linalg.norm(point.slopes @ step), point.gap))


class SearchEndError(TarsusError):
    """Ends a run of SciPy; no user sees it."""


class _Search(Generic[P]):
    """Runs of SciPy from the best point so far, in natural units around the first: y = 1 there."""

    def __init__(
        self, problem: LeastSquares, start: P, move: Move[P], renew: Callable[[P], P] | None
    ) -> None:
        self.problem, self.move, self.renew = problem, move, renew
        self.origin = start.values
        self.lower, self.upper = (
            1.0 + (bound - self.origin) / problem.scales for bound in (problem.lower, problem.upper)
        )
        self.evaluations, self.rejected, self.failure = 0, 0, ""
        self.begun = self.stalled = False
        self.accept(start, problem.reduced(start))

    def accept(self, point: P, reduced: Reduced) -> None:
        """Go on from a point."""
        self.point, self.reduced, self.trial = point, reduced, (point, reduced)
        self.rejected, self.failure = 0, ""
        self.squares = float(point.residuals @ point.residuals)
        self.settled = self.problem.is_settled(point, reduced.step)

    def run(self) -> None:
        """Run SciPy until it ends, a point is settled, or residuals are chosen anew."""
        from scipy.optimize import least_squares  # slow to import

        self.begun, self.rejected, before = False, 0, self.point
        start = 1.0 + (self.point.values - self.origin) / self.problem.scales
        bounded = np.isfinite([self.lower, self.upper]).any()
        with suppress(SearchEndError):
            least_squares(
                self.residuals,
                np.clip(start, self.lower, self.upper),
                self.slopes,
                (self.lower, self.upper),
                "dogbox" if bounded else "trf",  # iterates of "trf" stay off the bounds
                ftol=None,
                xtol=1e-14,
                gtol=None,
                max_nfev=MAX_EVALUATIONS,
            )
        self.stalled |= self.point is before

    def residuals(self, y: Array) -> Array:
        """Return the reduced residuals at a trial; if it is no better, a vector of their norm."""
        if not self.begun:  # the first call is for the point itself
            self.begun = True
            return self.reduced.residuals
        self.rejected += 1
        self.evaluations += 1
        if self.rejected > MAX_REJECTED or self.evaluations > MAX_EVALUATIONS:
            self.stalled = True
            raise SearchEndError
        values = self.origin + (y - 1.0) * self.problem.scales
        values = np.where(y <= self.lower, self.problem.lower, values)
        values = np.where(y >= self.upper, self.problem.upper, values)
        whole = self.problem.size(self.reduced.step)
        size = self.problem.size(values - self.point.values)
        try:
            trial = self.move(self.point, values, min(1.0, size / whole) if whole else 1.0)
            squares = float(trial.residuals @ trial.residuals)
            same = abs(squares - self.squares) <= ROUNDED * self.squares
            if squares > self.squares and not same:
                return np.append(np.zeros(len(y)), np.sqrt(squares))
            reduced = self.problem.reduced(trial)
        except (ArithmeticError, ValueError) as error:
            self.failure = str(error)
            return np.full(len(y) + 1, np.inf)
        if same:  # a shorter step does no better
            self.accept(trial, reduced)
            self.stalled = True
            raise SearchEndError
        self.trial = trial, reduced
        return reduced.residuals

    def slopes(self, y: Array) -> Array:
        """Return the reduced slopes at a point that SciPy has accepted."""
        point, reduced = self.trial
        if point is not self.point:
            chosen = point if self.renew is None else self.renew(point)
            again = chosen is not point
            self.accept(chosen, reduced if chosen is point else self.problem.reduced(chosen))
            if self.settled or again:
                raise SearchEndError
        return self.reduced.slopes
