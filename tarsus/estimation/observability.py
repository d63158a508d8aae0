"""What measurements tell of parameters: ranks, covariances, and estimates that carry both.

Slopes of all residuals, in units of their deviations and of natural sizes of the parameters (such
as the reach of a robot for lengths, a radian for angles), are A = U S Vᵀ. Columns of V with
singular values of zero are combinations of parameters that change nothing that is measured. Joints
whose axes are parallel share such combinations, and those that are nearly so share badly determined
ones (S. Hayati, IEEE Conference on Decision and Control 1983).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import find, number
from tarsus._lib.files import Array

CUT = 1e-8
"""Singular values below this, relative to the largest, tell nothing."""
NAMED = 0.02
"""Shares of a combination below this, relative to the largest, are not named."""
TOLD = 1.0 - 1e-4
"""A parameter counts as told from this share on: what is missing, 1.4 %, is zero as stated."""
TIE = 1e-3
"""Relative difference below which the distances of two columns count as equal."""


@dataclass(frozen=True)
class Combination:
    """Errors that come together: `shares` of them by name, in their own units.

    `deviation` is how well measurements tell it, in multiples of these shares; inf for not at all.
    """

    shares: dict[str, float]
    deviation: float

    def __str__(self) -> str:
        return " ".join(f"{share:+.3g} {name}" for name, share in self.shares.items())


@dataclass(frozen=True)
class ParallelAxes:
    """Neighbours whose axes differ by an angle [rad] that is small or zero."""

    first: str
    second: str
    angle: float

    def __str__(self) -> str:
        kind = "parallel" if self.angle < 1e-9 else f"{np.rad2deg(self.angle):.2g}° from parallel"
        return f"axes of {self.first} and {self.second} are {kind}"


@dataclass(frozen=True, eq=False)
class Observability:
    """What a set of poses tells about the parameters of an experiment.

    `values` are the singular values, largest first; `told` (parameters, rank) and `untold`
    (parameters, rest) directions of parameters in units of `scales`.
    """

    names: tuple[str, ...]
    scales: Array
    values: Array
    told: Array
    untold: Array
    parallel: tuple[ParallelAxes, ...]

    @property
    def rank(self) -> int:
        """How many combinations of parameters are told."""
        return int(self.told.shape[1])

    @property
    def condition(self) -> float:
        """The largest over the smallest singular value of what is told."""
        return float(self.values[0] / self.values[self.rank - 1])

    @property
    def shares(self) -> Array:
        """How much of each parameter is told (parameters,): 1 is all of it, 0 nothing."""
        return np.asarray(np.sqrt((self.told**2).sum(axis=1)))

    @property
    def covariance(self) -> Array:
        """Covariance (parameters, parameters) by the stated noise, of what is told."""
        half = self.scales[:, None] * self.told / self.values[: self.rank]
        return np.asarray(half @ half.T)

    @property
    def deviations(self) -> Array:
        """Standard deviations (parameters,) by the stated noise, inf for what is not told."""
        known = np.sqrt(np.diag(self.covariance))
        return np.where(self.shares > TOLD, known, np.inf)

    @property
    def combinations(self) -> list[Combination]:
        """What is not told: as many combinations as there are, each with few parameters."""
        return [Combination(each, np.inf) for each in self._sparse(self.untold)]

    @property
    def independent(self) -> tuple[str, ...]:
        """Parameters, as many as combinations are told, that suffice to explain measurements.

        With `Experiment.only` all others are taken to be as stated, and each of these is told.
        """
        weighted = (self.told * self.values[: self.rank]).T
        chosen = _pivots(weighted)[: self.rank]
        return tuple(self.names[k] for k in sorted(chosen.tolist()))

    @property
    def weakest(self) -> Combination:
        """What is told worst."""
        last = self.told[:, -1] * self.scales
        kept = np.flatnonzero(np.abs(self.told[:, -1]) > 0.1 * np.abs(self.told[:, -1]).max())
        unit = last[kept[np.argmax(np.abs(self.told[kept, -1]))]]
        shares = {self.names[k]: float(last[k] / unit) for k in kept.tolist()}
        return Combination(shares, float(abs(unit) / self.values[self.rank - 1]))

    def _sparse(self, directions: Array) -> list[dict[str, float]]:
        """Return directions by row reduction: each has a parameter that the others have not."""
        if not directions.shape[1]:
            return []
        rows = directions.T
        pivots = _pivots(rows)[: len(rows)]
        reduced = np.linalg.solve(rows[:, pivots], rows)
        found = []
        for row in reduced:
            row = row / np.abs(row).max()
            kept = np.flatnonzero(np.abs(row) > NAMED).tolist()
            kept.sort(key=lambda k: -abs(row[k]))
            unit = self.scales[kept[0]]
            found.append({self.names[k]: float(row[k] * self.scales[k] / unit) for k in kept})
        return found

    def __str__(self) -> str:
        lines = [f"{self.rank} of {len(self.names)} combinations of parameters are told"]
        lines.append(f"condition {self.condition:.3g}; told worst: {self.weakest}")
        lines += [f"not told: {each}" for each in self.combinations]
        return "\n".join([*lines, *map(str, self.parallel)])


def told_by(
    names: tuple[str, ...],
    slopes: Array,
    scales: Array,
    cut: float,
    *,
    floor: float = 0.0,
    parallel: tuple[ParallelAxes, ...] = (),
) -> Observability:
    """Return what whitened slopes (rows, parameters) tell; values below `floor` tell nothing."""
    triangle = np.linalg.qr(slopes * scales, mode="r")  # the same values and rows, few of them
    _, values, rows = np.linalg.svd(triangle, full_matrices=True)
    rank = int((values > max(cut * values.max(initial=0.0), floor)).sum())
    if not rank:
        raise ArithmeticError(
            f"nothing that is measured depends on the parameters: {', '.join(names)}"
        )
    told, untold = rows[:rank].T, rows[rank:].T
    return Observability(names, scales, values, told, untold, parallel)


def _pivots(matrix: Array) -> NDArray[np.int64]:
    """Return independent columns of a matrix, each the farthest from what those before it span.

    Among equally far columns it is the first: rounding errors must not decide.
    """
    rest, chosen = np.array(matrix), list[int]()
    for _ in range(min(rest.shape)):
        norms = np.linalg.norm(rest, axis=0)
        chosen.append(int(np.argmax(norms >= (1.0 - TIE) * norms.max())))
        direction = rest[:, chosen[-1]] / norms[chosen[-1]]
        rest -= np.outer(direction, direction @ rest)
    return np.array(chosen, np.int64)


def chi_square(share: ArrayLike, freedom: ArrayLike) -> Array:
    """Return what a sum of `freedom` squares of unit noise stays below, this share of the time."""
    from scipy.special import gammaincinv  # slow to import

    return np.asarray(2.0 * gammaincinv(np.asarray(freedom) / 2.0, share))


def student(share: ArrayLike, freedom: ArrayLike) -> Array:
    """Return what noise stays below if its size was estimated from `freedom` numbers."""
    from scipy.special import stdtrit  # slow to import

    return np.asarray(stdtrit(freedom, share))


@dataclass(frozen=True, eq=False)
class Estimates:
    """Numbers `values` (p,) by least squares, those where the search began in `stated` (p,).

    `spread` is how many times larger residuals are than the stated noise (NaN where no row is left
    over), with `freedom` degrees of freedom; `observability` is what measurements tell of them.
    `bounded` names numbers at a bound, whose deviations are those without it. `trouble` says why
    the search did not end, if so.
    """

    names: tuple[str, ...]
    stated: Array
    values: Array
    observability: Observability
    spread: float
    freedom: int
    bounded: tuple[str, ...]
    trouble: str

    @property
    def converged(self) -> bool:
        """Whether these are the least squares."""
        return not self.trouble

    def __getitem__(self, name: str) -> float:
        """Return one number by its name."""
        return float(find(dict(zip(self.names, self.values, strict=True)), name, "parameter"))

    @property
    def covariance(self) -> Array:
        """Covariance (p, p), scaled by what residuals show, of what is told.

        Combinations that are not told have none: they stay as they were.
        """
        shown = self.spread if self.freedom > 0 else 1.0
        return np.asarray(shown**2 * self.observability.covariance)

    @property
    def deviations(self) -> Array:
        """Standard deviations (p,), inf for numbers that are not told alone."""
        told = self.observability.shares > TOLD
        return np.where(told, np.sqrt(np.diag(self.covariance)), np.inf)

    @property
    def correlation(self) -> Array:
        """Correlations (p, p) of the numbers, of what is told."""
        covariance = self.covariance
        sizes = np.sqrt(np.diag(covariance))
        sizes = np.where(sizes > 0.0, sizes, 1.0)
        return np.asarray(covariance / np.outer(sizes, sizes))

    def confidence(self, level: float = 0.95) -> Array:
        """Return half-widths (p,) of intervals that hold the truth with this probability."""
        if not 0.0 < number(level, "level") < 1.0:
            raise ValueError(f"level is {level}, must be between 0 and 1")
        if self.freedom < 1:
            return np.full(len(self.names), np.inf)
        return np.asarray(student(0.5 + 0.5 * level, self.freedom) * self.deviations)

    @property
    def probability(self) -> float:
        """How probable residuals at least this large are by the stated noise."""
        if self.freedom < 1:
            return float("nan")
        from scipy.special import gammaincc  # slow to import

        return float(gammaincc(0.5 * self.freedom, 0.5 * self.freedom * self.spread**2))

    def table(self) -> list[str]:
        """Return a line for each number, and lines of what is not told."""
        told, half = self.observability, self.confidence()
        width = max(map(len, (*self.names, "parameter")))
        lines = [f"{'parameter':{width}} {'stated':>12} {'found':>12} {'± 95 %':>10}"]
        for k, name in enumerate(self.names):
            share = told.shares[k]
            how = f"{half[k]:10.1e}" if share > TOLD else f"  {100 * share:.0f} % told"
            row = f"{name:{width}} {self.stated[k]:12.6g} {self.values[k]:12.6g} {how}"
            lines.append(row + "  at its bound" * (name in self.bounded))
        lines.append(f"condition {told.condition:.3g}; told worst: {told.weakest}")
        return [*lines, *(f"not told: {each}" for each in told.combinations)]
