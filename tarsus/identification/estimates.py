"""Numbers that were estimated, and how well they are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus._lib.checks import find, number
from tarsus._lib.files import Array
from tarsus.calibration.observability import TOLD, Observability
from tarsus.calibration.quantiles import student


@dataclass(frozen=True, eq=False)
class Estimates:
    """Numbers `values` (p,) by least squares, those where the search began in `stated` (p,).

    `spread` is how many times larger residuals are than the stated noise (NaN where no row is left
    over), with `freedom` degrees of freedom; `observability` is what measurements tell of them.
    """

    names: tuple[str, ...]
    stated: Array
    values: Array
    observability: Observability
    spread: float
    freedom: int

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

    def table(self, bounded: tuple[str, ...] = ()) -> list[str]:
        """Return a line for each number, those `bounded` marked, and lines of what is not told."""
        told, half = self.observability, self.confidence()
        width = max(map(len, (*self.names, "parameter")))
        lines = [f"{'parameter':{width}} {'stated':>12} {'found':>12} {'± 95 %':>10}"]
        for k, name in enumerate(self.names):
            share = told.shares[k]
            how = f"{half[k]:10.1e}" if share > TOLD else f"  {100 * share:.0f} % told"
            row = f"{name:{width}} {self.stated[k]:12.6g} {self.values[k]:12.6g} {how}"
            lines.append(row + "  at its bound" * (name in bounded))
        lines.append(f"condition {told.condition:.3g}; told worst: {told.weakest}")
        return [*lines, *(f"not told: {each}" for each in told.combinations)]
