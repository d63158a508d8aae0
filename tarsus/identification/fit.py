"""Numbers of anything that can be simulated, by differences: contact, motors, controllers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import bounds_of, number
from tarsus._lib.files import Array
from tarsus.calibration.observability import CUT, told_by
from tarsus.identification.estimates import Estimates
from tarsus.identification.family import SHARE


@dataclass(frozen=True, eq=False)
class Fitted(Estimates):
    """Numbers of a simulation; `residuals` are samples less what it gives, in their own units."""

    residuals: Array
    bounded: tuple[str, ...]
    trouble: str

    @property
    def converged(self) -> bool:
        """Whether these are the least squares."""
        return not self.trouble

    def __str__(self) -> str:
        lines = [f"{self.residuals.size} rows; residuals are {self.spread:.3g} of the stated noise"]
        if self.trouble:
            lines.append(f"NOT CONVERGED: {self.trouble}")
        return "\n".join([*lines, *self.table(self.bounded)])


def fit(
    simulate: Callable[..., ArrayLike],
    parameters: Mapping[str, float],
    samples: ArrayLike,
    *,
    noise: ArrayLike = 1.0,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    share: float = SHARE,
    cut: float = CUT,
) -> Fitted:
    """Return the numbers with which `simulate(**numbers)` comes nearest to samples (…).

    `parameters` are first guesses by names of its arguments. Samples have any shape, NaN where
    nothing was recorded; `noise` are their deviations, one or as they broadcast. Slopes are
    differences over `share` of the guesses, or of one for a guess of zero: a simulation in steps
    of time needs a larger share than one that is smooth. By SciPy's trust regions.
    """
    from scipy.optimize import least_squares  # slow to import

    if not isinstance(parameters, Mapping) or not parameters:
        raise TypeError(f"parameters is {parameters!r}, must be first guesses by names")
    names = tuple(parameters)
    stated = np.array([number(x, f"parameters[{name!r}]") for name, x in parameters.items()])
    measured = np.array(samples, float)
    deviations = np.broadcast_to(np.asarray(noise, float), measured.shape)
    if not (deviations > 0.0).all():
        raise ValueError(f"noise is {noise!r}, must be positive")
    there = np.isfinite(measured)
    if not number(share, "share") > 0.0:
        raise ValueError(f"share is {share:g}, must be positive")
    lower, upper = bounds_of(names, bounds)
    scales = np.where(stated == 0.0, 1.0, np.abs(stated))

    def left(values: Array) -> Array:
        made = np.asarray(simulate(**dict(zip(names, values.tolist(), strict=True))), float)
        if made.shape != measured.shape:
            raise ValueError(f"simulate made {made.shape}, must be {measured.shape} as samples")
        return np.asarray(((made - measured) / deviations)[there])

    def slopes(values: Array) -> Array:
        steps = share * scales
        columns = []
        for k, each in enumerate(np.diag(steps)):
            more = np.minimum(values + each, upper)
            less = np.maximum(values - each, lower)
            columns.append((left(more) - left(less)) / (more[k] - less[k]))
        return np.stack(columns, axis=1)

    start = np.clip(stated, lower, upper)
    solved = least_squares(left, start, slopes, (lower, upper), x_scale=scales)
    seen = told_by(names, slopes(solved.x), scales, cut)
    freedom = int(there.sum()) - seen.rank
    residuals = np.full(measured.shape, np.nan)
    residuals[there] = -solved.fun * deviations[there]
    return Fitted(
        names=names,
        stated=stated,
        values=np.asarray(solved.x),
        observability=seen,
        spread=float(np.sqrt(2.0 * solved.cost / freedom)) if freedom > 0 else float("nan"),
        freedom=freedom,
        residuals=residuals,
        bounded=tuple(name for name, k in zip(names, solved.active_mask, strict=True) if k),
        trouble="" if solved.success else str(solved.message),
    )
