"""What an identification found: errors, how well they are known, and the machine without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import UnknownNameError, number, suggestion
from tarsus._lib.files import Array
from tarsus.calibration import picture
from tarsus.calibration.encoders import Encoders
from tarsus.calibration.experiment import Experiment
from tarsus.calibration.measure import Measure
from tarsus.calibration.observability import TOLD, Observability
from tarsus.calibration.quantiles import student
from tarsus.model import Model


@dataclass(frozen=True)
class Outlier:
    """A measurement that noise does not explain: `times` as far off as one deviation."""

    pose: int
    measure: Measure
    times: float

    def __str__(self) -> str:
        return f"pose {self.pose}, {self.measure.title}: {self.times:.3g} σ"


@dataclass(frozen=True, eq=False)
class Identified:
    """Errors of an experiment's parameters (parameters,), and what is left of the residuals.

    `spread` is how many times larger residuals are than the stated deviations (1 where those are
    right, NaN where no row is left over), with `freedom` degrees of freedom; `before` and `after`
    are residuals of each measure (n, rows) without and with the errors, those of `outliers`
    included, which had no say, and NaN where nothing was measured.
    """

    experiment: Experiment
    errors: Array
    spread: float
    freedom: int
    observability: Observability
    before: list[Array]
    after: list[Array]
    outliers: tuple[Outlier, ...]

    def __getitem__(self, name: str) -> float:
        """Return one error by name, as `found["knee.rx"]`."""
        if name not in self.names:
            raise UnknownNameError(f"there is no parameter {name!r}{suggestion(name, self.names)}")
        return float(self.errors[self.names.index(name)])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self.experiment.names

    @cached_property
    def model(self) -> Model:
        """The machine with its places of joints and frames corrected."""
        return self.experiment.widened.corrected(self.errors[self.experiment._placed])

    @cached_property
    def encoders(self) -> Encoders:
        """The encoders of the corrected machine, with corrected offsets and gains."""
        return self.experiment.corrected_encoders(self.errors, self.model)

    @property
    def covariance(self) -> Array:
        """Covariance (parameters, parameters) of the errors, scaled by what residuals show.

        Combinations that are not told have none: they stay at zero. Where no row is left to show
        anything, by the deviations that were stated.
        """
        shown = self.spread if self.freedom > 0 else 1.0
        return np.asarray(shown**2 * self.observability.covariance)

    @property
    def deviations(self) -> Array:
        """Standard deviations (parameters,), inf for parameters that are not told alone."""
        told = self.observability.shares > TOLD
        return np.where(told, np.sqrt(np.diag(self.covariance)), np.inf)

    def confidence(self, level: float = 0.95) -> Array:
        """Return half-widths (parameters,) of intervals that hold the truth with this probability.

        By Student's t; inf for parameters that are told only in combination with others.
        """
        if not 0.0 < number(level, "level") < 1.0:
            raise ValueError(f"level is {level}, must be between 0 and 1")
        if self.freedom < 1:
            return np.full(len(self.names), np.inf)
        return np.asarray(student(0.5 + 0.5 * level, self.freedom) * self.deviations)

    def residuals(self, readings: ArrayLike, values: Sequence[Array]) -> list[Array]:
        """Return residuals (n, rows) of each measure on other poses, to validate the errors."""
        return self.experiment.linearised(readings, values, self.errors).residuals

    def rms(self, k: int = 0, part: int = 0, *, after: bool = True) -> float:
        """Return the root mean square of what measure k is off, [m] or for part 1 [rad].

        Outliers do not count. This is the length of the three components, not one of them.
        """
        residuals = (self.after if after else self.before)[k]
        kept = np.isfinite(residuals[:, 0])
        measure = self.experiment.measures[k]
        kept[[o.pose for o in self.outliers if o.measure is measure]] = False
        own = residuals[kept, 3 * part : 3 * part + 3]
        return float(np.sqrt((own**2).sum(axis=1).mean()))

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of residuals before and after, pose by pose; `path` writes it."""
        return picture.draw(self, path)

    def __str__(self) -> str:
        poses, told = len(self.after[0]), self.observability
        noise = f"residuals are {self.spread:.3g} of the stated deviations"
        if self.freedom < 1:
            noise = "no more rows than that: nothing tells noise from errors"
        lines = [
            f"{poses} poses, {len(self.names)} parameters, {told.rank} combinations told; {noise}"
        ]
        for k, measure in enumerate(self.experiment.measures):
            for part, unit in enumerate(measure.units(self.experiment.encoders.model)):
                old, new = (self.rms(k, part, after=after) for after in (False, True))
                lines.append(f"{measure.title}: rms {old:.3g} {unit} before, {new:.3g} after")
        width, half = max(map(len, self.names)), self.confidence()
        lines.append(f"{'parameter':{width}} {'error':>11} {'± 95 %':>10}")
        for name, error, own, share in zip(self.names, self.errors, half, told.shares, strict=True):
            how = f"{own:10.1e}" if share > TOLD else f"  {100 * share:.0f} % told"
            lines.append(f"{name:{width}} {error:+11.3e} {how}")
        lines += [f"left out: {outlier}" for outlier in self.outliers]
        lines += [f"not told: {each}" for each in told.combinations]
        return "\n".join([*lines, *map(str, told.parallel)])
