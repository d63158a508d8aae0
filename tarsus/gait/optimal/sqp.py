"""Sequential quadratic programming."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tarsus._lib.files import Array
from tarsus._lib.qp import solve_qp
from tarsus.gait.optimal.transcription import Values

# Sequential quadratic programming for costs of outputs, equations and slacks.
#
# Each step minimises the cost of linearised outputs plus what curvature was seen beside it, within
# the linearised equations and slacks; a merit function of cost and violations decides how far to
# go, with a second-order correction where curved equations are in the way. J. Nocedal, S. Wright,
# "Numerical Optimization", 2006, chapter 18.


SHORTEST = 2.0**-14
"""Part of a step below which none is taken."""
CAUTION, CALM, RIGID = 1e-1, 1e-5, 1e6
"""Damping at first, where a search may end, and where it gives up, as parts of the cost."""
TRUSTED = 0.1
"""Part of a step that a model which is to be trusted leads."""
FLOOR = 1e-2
"""Least price of a row, as a part of the largest of its kind."""


class Programme(Protocol):
    """A cost, equations and slacks of unknowns."""

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and largest unknowns."""

    def values(self, x: Array) -> Values:
        """Return values without derivatives."""

    def linearised(self, x: Array) -> Values:
        """Return values with derivatives."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Where a search ended, and how."""

    x: Array
    values: Values
    status: str
    iterations: int

    @property
    def violation(self) -> float:
        """What equations and slacks miss most."""
        return violation(self.values)


def violation(values: Values) -> float:
    """Return what equations and slacks miss most."""
    short = np.minimum(values.slacks, 0.0)
    return float(max(np.abs(values.equations).max(initial=0.0), -short.min(initial=0.0)))


def minimise(
    programme: Programme,
    x: Array,
    *,
    iterations: int = 200,
    tolerance: float = 1e-9,
    precision: float = 1e-7,
    nothing: float = 1e-12,
    watch: Callable[[int, Values, float], None] | None = None,
) -> Solution:
    """Return unknowns of least cost, from x (n,).

    It ends as "converged" where violations are within `tolerance` and a step would lower the cost
    by less than `precision` of it, or by `nothing`. Otherwise the status says what is in the way.
    """
    lower, upper = programme.bounds
    x = np.clip(x, lower, upper)
    here = programme.linearised(x)
    curvature = np.zeros((len(x), len(x)))
    prices = np.zeros(len(here.equations) + len(here.slacks))
    damping = CAUTION * (here.cost + 1e-6)
    for k in range(iterations):
        step, multipliers, missed = model_step(here, curvature, damping, lower - x, upper - x)
        gain = promised(here, curvature, step)
        if watch is not None:
            watch(k, here, float(np.abs(step).max()))
        close = violation(here) <= tolerance
        if close and gain <= precision * here.cost + nothing:
            if damping <= CALM * (here.cost + 1e-6):
                return Solution(x, here, "converged", k)
            damping *= 0.01
            continue
        prices = _raised(prices, here, multipliers)
        part, at = _searched(programme, x, here, step, prices, curvature, lower, upper)
        if part == 0.0:
            if damping > RIGID * (here.cost + 1e-6):
                return Solution(x, here, _stuck(here, tolerance, missed), k)
            curvature, damping = np.zeros_like(curvature), max(10.0 * damping, 1e-9)
            continue
        damping *= 0.3 if part == 1.0 else 1.0 if part > 0.2 else 3.0
        there = programme.linearised(at)
        # a model that leads nowhere is forgotten
        known = curvature if part >= TRUSTED else np.zeros_like(curvature)
        curvature = learnt(known, here, there, at - x, multipliers)
        x, here = at, there
    return Solution(x, here, f"no convergence in {iterations} iterations", iterations)


def _raised(prices: Array, here: Values, multipliers: Array) -> Array:
    """Return prices of violations, row by row above their multipliers, and never far below others.

    Rows have units of their own: one price for all would make steps short that bend a row which
    hardly matters.
    """
    wanted = 1.5 * np.abs(multipliers)
    found = np.maximum(wanted, 0.5 * (prices + wanted))
    for rows in (slice(len(here.equations)), slice(len(here.equations), None)):
        found[rows] = np.maximum(found[rows], FLOOR * found[rows].max(initial=0.0))
    return found


def _merit(values: Values, prices: Array) -> float:
    return float(values.cost + prices @ _missed(values.equations, values.slacks))


def _missed(equations: Array, slacks: Array) -> Array:
    return np.concatenate([np.abs(equations), -np.minimum(slacks, 0.0)])


def _searched(
    programme: Programme,
    x: Array,
    here: Values,
    step: Array,
    prices: Array,
    curvature: Array,
    lower: Array,
    upper: Array,
) -> tuple[float, Array]:
    """Return the part of the step that was taken, and where it leads."""
    start = _merit(here, prices)
    missed = _missed(
        here.equations + here.equation_slopes @ step, here.slacks + here.slack_slopes @ step
    )
    # directions of negative curvature promise more than the merit function can keep
    bend = min(0.5 * float(step @ curvature @ step), 0.0)
    gain = promised(here, curvature, step) + bend
    expected = gain + float(prices @ (_missed(here.equations, here.slacks) - missed))
    expected = max(expected, 1e-16 * abs(start))
    part = 1.0
    while part >= SHORTEST:
        at = np.clip(x + part * step, lower, upper)
        there = programme.values(at)
        if _good(there, start, expected * part, prices):
            return part, at
        if part == 1.0:
            at = np.clip(at + _correction(here, there), lower, upper)
            if _good(programme.values(at), start, expected, prices):
                return part, at
        part *= 0.5
    return 0.0, x


def _good(there: Values, start: float, expected: float, prices: Array) -> bool:
    merit = _merit(there, prices)
    return bool(np.isfinite(merit) and merit <= start - 1e-4 * expected)


def _correction(here: Values, there: Values) -> Array:
    """Return the smallest step that undoes what the curvature of equations left."""
    short = there.slacks < 0.0
    rows = np.concatenate([here.equation_slopes, here.slack_slopes[short]])
    left = np.concatenate([there.equations, there.slacks[short]])
    return np.asarray(-np.linalg.lstsq(rows, left, rcond=1e-10)[0])


def _stuck(here: Values, tolerance: float, missed: str) -> str:
    most = violation(here)
    if most <= tolerance:
        return "converged"  # no step lowers the cost by more than rounding
    reason = f" ({missed})" if missed else ""
    return f"no way found to keep all conditions: {most:.2g} is missed{reason}"


# The quadratic model of a step: its curvature, the best step within linearised conditions.


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
