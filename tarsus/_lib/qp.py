"""The quadratic programme behind inverse kinematics, solved in the core, one or many at once.

    min  ½ Σ weight (task v − target)² + ½ Σ damping (v − reference)² + Σ penalty (s + ½ s²)
    with lower ≤ v ≤ upper  and  rows_lower − s ≤ rows v ≤ rows_upper + s,  s ≥ 0

The method is the dual active set of D. Goldfarb and A. Idnani ("A numerically stable dual method
for solving strictly convex quadratic programs", Mathematical Programming 27, 1983) in the space of
the tasks. `docs/ik_programme.md` says how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._core import solve_programmes
from tarsus._lib.checks import count, number, reals
from tarsus._lib.files import Array

SOLVED, INFEASIBLE, ITERATIONS, NOT_FINITE = range(4)
WORDS = ("solved", "infeasible", "iterations", "not finite")


@dataclass(frozen=True, eq=False)
class QPSolution:
    """Solutions of quadratic programmes, with what is needed to check them.

    damping (v − reference) = taskᵀ y + rowsᵀ λ + z, where y, λ and z are the multipliers of tasks,
    rows and bounds: λ and z are positive at lower sides, negative at upper ones, else zero.
    """

    v: Array
    """What was asked for (…, n), always finite and within its bounds."""
    slack: Array
    """By how much each row is missed (…, rows); zero for what is met to the tolerance."""
    task_multipliers: Array
    """y (…, tasks): weight (target − task v) for tasks of the last level."""
    row_multipliers: Array
    """λ (…, rows)."""
    bound_multipliers: Array
    """z (…, n)."""
    working_set: NDArray[np.int8]
    """Where bounds and rows are (…, n + rows): −1 lower, 1 upper, 0 between, ∓2 missed by
    slack; for equations 0, and 2 for those that repeat others."""
    code: NDArray[np.int64]
    """How it ended (…), a number for each word of `status`."""
    iterations: NDArray[np.int64]
    """How many passes it took (…), over all levels."""
    worst: NDArray[np.int64] = field(repr=False)
    """Of what is infeasible, the bound (…), or n + the row, that is missed most; else −1."""
    missed: Array = field(repr=False)
    """… and by how much (…)."""

    @property
    def success(self) -> bool | NDArray[np.bool_]:
        """Whether it is solved: one answer, or one a problem."""
        found = self.code == SOLVED
        return bool(found) if np.ndim(found) == 0 else np.asarray(found)

    @property
    def status(self) -> str | NDArray[np.str_]:
        """How it ended: "solved", "infeasible: row 3 by 0.02", "iterations" or "not finite"."""
        if np.ndim(self.code) == 0:
            return self._words(int(self.code), int(self.worst), float(self.missed))
        told = zip(self.code.flat, self.worst.flat, self.missed.flat, strict=True)
        words = [self._words(int(c), int(w), float(m)) for c, w, m in told]
        return np.array(words, dtype=np.str_).reshape(self.code.shape)

    def _words(self, code: int, worst: int, missed: float) -> str:
        if code != INFEASIBLE:
            return WORDS[code]
        n = self.v.shape[-1]
        what = f"bound {worst}" if worst < n else f"row {worst - n}"
        return f"{WORDS[code]}: {what} by {missed:.3g}"


def solve_qp(
    task: ArrayLike,
    target: ArrayLike,
    *,
    weight: ArrayLike = 1.0,
    damping: ArrayLike = 1e-6,
    reference: ArrayLike = 0.0,
    lower: ArrayLike = -np.inf,
    upper: ArrayLike = np.inf,
    rows: ArrayLike | None = None,
    rows_lower: ArrayLike = -np.inf,
    rows_upper: ArrayLike = np.inf,
    penalty: ArrayLike = np.inf,
    levels: Sequence[int] | None = None,
    start: NDArray[np.int8] | QPSolution | None = None,
    iterations: int | None = None,
    tolerance: float = 1e-9,
    threads: int = 1,
) -> QPSolution:
    """Return v (…, n) that does the tasks best within bounds and rows.

    Tasks A v = b are met in the sense of least squares: `task` (…, tasks, n) and `target`
    (…, tasks), each counting by its `weight` (…, tasks), not negative. `damping` (…, n), positive,
    draws v to `reference`; solutions have about as many digits less as weight/damping has. Bounds
    `lower` and `upper` (…, n) are infinite for none; equal ones fix a number. `rows` (…, rows, n) v
    stay between `rows_lower` and `rows_upper` (…, rows), equal ones are equations; `penalty`
    (…, rows) is what a row may push before it gives way, infinite for rows that must hold.
    `levels` tells how many of the tasks, in their order, are of the first level, of the second, …:
    those of a level keep what the levels before have reached. One level if not given.

    `start` is the working set, or the solution, of a problem like this one. There are at most so
    many `iterations` a level, 4 (n + rows) + 100 if not given; bounds and rows may be missed by the
    `tolerance`; `threads` share a batch.

    All arrays broadcast, in leading dimensions as in their own. Rows that cannot hold together are
    missed as little as possible in the sense of least squares, then the tasks are done, and the
    status tells. Bounds and penalties of 1e30 and more count as infinite. A problem with other
    numbers beyond that, or that make no sense (NaN, weights below zero), has the status
    "not finite" and v = 0; others are not affected. The bits of a solution do not depend on the
    batch or on threads.
    """
    count(threads, "threads", 1, 1024)
    if not number(tolerance, "tolerance") > 0.0:
        raise ValueError(f"tolerance is {tolerance}, must be positive")
    matrix = _reals(task, "task", 2)
    m, n = matrix.shape[-2:]
    lines = np.zeros((0, n)) if rows is None else _reals(rows, "rows", 2)
    r = lines.shape[-2]
    if lines.shape[-1] != n:
        raise ValueError(f"rows has {lines.shape[-1]} columns, task has {n}")
    most = 4 * (n + r) + 100 if iterations is None else iterations
    count(most, "iterations")
    given: dict[str, tuple[Array, tuple[int, ...]]] = {
        "task": (matrix, (m, n)),
        "target": (_reals(target, "target", 0), (m,)),
        "weight": (_reals(weight, "weight", 0), (m,)),
        "damping": (_reals(damping, "damping", 0), (n,)),
        "reference": (_reals(reference, "reference", 0), (n,)),
        "lower": (_reals(lower, "lower", 0), (n,)),
        "upper": (_reals(upper, "upper", 0), (n,)),
        "rows": (lines, (r, n)),
        "rows_lower": (_reals(rows_lower, "rows_lower", 0), (r,)),
        "rows_upper": (_reals(rows_upper, "rows_upper", 0), (r,)),
        "penalty": (_reals(penalty, "penalty", 0), (r,)),
    }
    begin = start.working_set if isinstance(start, QPSolution) else start
    lead = _lead(given, begin)
    arrays = [_spread(name, array, lead, own) for name, (array, own) in given.items()]
    v, z, y, forces, slack, at, code, worst, missed, passes = solve_programmes(
        lead,
        n,
        m,
        r,
        arrays,
        _start(begin, lead, n + r),
        _levels(levels, m),
        most,
        tolerance,
        threads,
    )
    return QPSolution(v, slack, y, forces, z, at, code, passes, worst, missed)


def _reals(value: Any, name: str, dimensions: int) -> Array:
    plain = type(value) is np.ndarray and value.dtype == np.float64
    found: Array = value if plain else reals(value, name, copy=False)
    if found.ndim < dimensions:
        raise ValueError(f"{name} has {found.ndim} dimensions, must have at least {dimensions}")
    return found


def _lead(
    given: dict[str, tuple[Array, tuple[int, ...]]], start: NDArray[np.int8] | None
) -> tuple[int, ...]:
    """Return the leading dimensions of all arrays together."""
    lead: tuple[int, ...] = ()
    for name, (array, own) in given.items():
        ahead = array.shape[: max(0, array.ndim - len(own))]
        if ahead in ((), lead):
            continue
        try:
            lead = np.broadcast_shapes(lead, ahead)
        except ValueError:
            message = f"leading dimensions do not broadcast: {name} has {ahead}, the arrays before"
            raise ValueError(f"{message} it {lead}") from None
    if start is not None and np.ndim(start) > 1:
        lead = np.broadcast_shapes(lead, np.shape(start)[:-1])
    return lead


def _spread(name: str, array: Array, lead: tuple[int, ...], own: tuple[int, ...]) -> Array:
    """Return an array (*own) for all, (*lead, *own) for each problem, or a number."""
    shape = array.shape
    if shape in ((), own) or shape == lead + own:
        return array
    ahead = shape[: max(0, len(shape) - len(own))]
    try:
        if prod(ahead) == 1:
            return np.broadcast_to(array.reshape(shape[len(ahead) :]), own)
        return np.broadcast_to(array, lead + own)
    except ValueError:
        sizes = ", ".join(map(str, own))
        raise ValueError(f"{name} has shape {shape}, must be (…, {sizes})") from None


def _start(
    start: NDArray[np.int8] | None, lead: tuple[int, ...], size: int
) -> NDArray[np.int8] | None:
    if start is None:
        return None
    found = np.asarray(start)
    if found.dtype.kind not in "iu":
        raise TypeError(f"start is not an array of integers: {start!r}")
    if found.ndim == 0 or found.shape[-1] != size:
        raise ValueError(f"start has shape {found.shape}, must be (…, {size})")
    if found.size and (found.min() < -2 or found.max() > 2):
        raise ValueError("start must be from −2 to 2, as a working set is")
    if found.ndim > 1:
        found = np.broadcast_to(found, (*lead, size))
    problems = prod(lead) if found.ndim > 1 else 1
    return np.ascontiguousarray(found, dtype=np.int8).reshape(problems, size)


def _levels(levels: Sequence[int] | None, tasks: int) -> list[int]:
    if levels is None:
        return [tasks]
    for level in levels:
        count(level, "levels", 0)
    if sum(levels) != tasks or len(levels) == 0:
        raise ValueError(f"levels {list(levels)} add up to {sum(levels)}, task has {tasks} rows")
    return [int(level) for level in levels]
