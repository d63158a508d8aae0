"""What an identification found: numbers, how well they are known, and the machine with them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.calibration.observability import TOLD, Observability
from tarsus.calibration.quantiles import student
from tarsus.events import Phase
from tarsus.identification import picture
from tarsus.identification.family import Family, phases_of
from tarsus.identification.recording import Recording
from tarsus.model import Model
from tarsus.model.checks import find, number


@dataclass(frozen=True, eq=False)
class Identification:
    """Numbers (p,) of a machine that explain a recording, and what is left of it.

    `residuals` (N, rows) are what samples are off the motion `q` (N, nq), `v` (N, nv) of the machine
    with these numbers, in their own units; NaN where nothing was recorded. `used` (N, rows) counts
    those that had a say: samples next to strikes have none. `spread` is how many times larger
    residuals are than the stated noise (NaN where no row is left over), with `freedom` degrees of
    freedom. `trouble` says why the search did not end, and is empty if it did.
    """

    family: Family
    recording: Recording
    values: Array
    observability: Observability
    q: Array
    v: Array
    residuals: Array
    used: Array
    spread: float
    freedom: int
    bounded: tuple[str, ...]
    trouble: str

    def __getitem__(self, name: str) -> float:
        """Return one number by its name."""
        return float(find(dict(zip(self.names, self.values, strict=True)), name, "parameter"))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the numbers."""
        return self.family.names

    @property
    def converged(self) -> bool:
        """Whether these are the least squares."""
        return not self.trouble

    @cached_property
    def machine(self) -> Any:
        """What was given, with the numbers that were found: model, phases or walker."""
        return self.family.make(self.values)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of the machine."""
        return phases_of(self.machine)

    @property
    def model(self) -> Model:
        """The model of the first phase."""
        return self.phases[0].model

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
        """Correlations (p, p) of the numbers: ±1 for those that only their sum is told of."""
        sizes = np.sqrt(np.diag(self.covariance))
        sizes = np.where(sizes > 0.0, sizes, 1.0)
        return np.asarray(self.covariance / np.outer(sizes, sizes))

    def confidence(self, level: float = 0.95) -> Array:
        """Return half-widths (p,) of intervals that hold the truth with this probability."""
        if not 0.0 < number(level, "level") < 1.0:
            raise ValueError(f"level is {level}, must be between 0 and 1")
        if self.freedom < 1:
            return np.full(len(self.names), np.inf)
        return np.asarray(student(0.5 + 0.5 * level, self.freedom) * self.deviations)

    @property
    def probability(self) -> float:
        """How probable residuals at least this large are by the stated noise; NaN without one."""
        if not self.recording.stated or self.freedom < 1:
            return float("nan")
        from scipy.special import gammaincc  # slow to import

        return float(gammaincc(0.5 * self.freedom, 0.5 * self.freedom * self.spread**2))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the recording, the motion and what is between; `path` writes it."""
        return picture.draw(self, path)

    def __str__(self) -> str:
        told = self.observability
        lines = [
            f"{len(self.q)} samples, {len(self.names)} parameters, {told.rank} combinations told"
        ]
        if self.trouble:
            lines.append(f"NOT CONVERGED: {self.trouble}")
        lines.append(self._noise())
        width, half = max(map(len, (*self.names, "parameter"))), self.confidence()
        lines.append(f"{'parameter':{width}} {'stated':>12} {'found':>12} {'± 95 %':>10}")
        for k, name in enumerate(self.names):
            how = f"{half[k]:10.1e}" if told.shares[k] > TOLD else f"  {100 * told.shares[k]:.0f} % told"
            bound = "  at its bound" if name in self.bounded else ""
            lines.append(
                f"{name:{width}} {self.family.stated[k]:12.6g} {self.values[k]:12.6g} {how}{bound}"
            )
        blind = int((~self.used & np.isfinite(self.residuals)).any(axis=1).sum())
        if blind:
            lines.append(f"{blind} samples next to strikes had no say")
        lines.append(f"condition {told.condition:.3g}; told worst: {told.weakest}")
        return "\n".join([*lines, *(f"not told: {each}" for each in told.combinations)])

    def _noise(self) -> str:
        if self.freedom < 1:
            return "no more rows than unknowns: nothing tells noise from errors"
        if not self.recording.stated:
            return f"residuals have a deviation of {self.spread:.3g}"
        return (
            f"residuals are {self.spread:.3g} of the stated noise, which is so or more with "
            f"probability {self.probability:.2g}"
        )
