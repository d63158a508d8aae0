"""What was recorded: evenly spaced samples of positions, perhaps of velocities and efforts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.files import Array
from tarsus.model import Model

EVEN = 1e-6
"""Intervals of samples may differ by this share."""
LEAST = 4
"""Samples of which something can be learned."""
REACH = 5
"""Velocities are first guessed from so many samples on either side."""


@dataclass(frozen=True, eq=False)
class Recording:
    """Samples at times t (N,) [s]: q (N, nq), v and tau (N, nv) or None; NaN where nothing is.

    `noise` and `rate_noise` (nv,) are deviations of steps of q and of v.
    """

    t: Array
    q: Array
    v: Array | None
    tau: Array | None
    noise: Array
    rate_noise: Array
    stated: bool
    """Whether somebody said how large noise is."""

    @property
    def interval(self) -> float:
        """Time from sample to sample [s]."""
        return float((self.t[-1] - self.t[0]) / (len(self.t) - 1))

    @property
    def whole(self) -> NDArray[np.int64]:
        """Samples (n,) all of whose coordinates were recorded."""
        return np.flatnonzero(np.isfinite(self.q).all(axis=1))

    def residuals(self, model: Model, q: Array, v: Array) -> Array:
        """Return what samples are off states q (N, nq) and v (N, nv): (N, rows), NaN for none."""
        # a configuration with a coordinate that is missing is compared where it has one
        filled = np.where(np.isfinite(self.q), self.q, q)
        steps = np.asarray(model.difference(q, filled))
        if model.nq == model.nv:
            steps = np.where(np.isfinite(self.q), steps, np.nan)
        else:
            steps[~np.isfinite(self.q).all(axis=1)] = np.nan
        return steps if self.v is None else np.concatenate([steps, self.v - v], axis=1)

    @property
    def deviations(self) -> Array:
        """Deviations (rows,) of the residuals."""
        return self.noise if self.v is None else np.concatenate([self.noise, self.rate_noise])

    def state(self, model: Model, k: int) -> tuple[Array, Array]:
        """Return about the state at a whole sample: its q, and v recorded or by its neighbours."""
        q = self.q[k]
        if self.v is not None and np.isfinite(self.v[k]).all():
            return q, self.v[k]
        there = self.whole
        near = there[np.argsort(np.abs(there - k), kind="stable")[: 2 * REACH + 1]]
        times, steps = self.t[near] - self.t[k], np.asarray(model.difference(q, self.q[near]))
        powers = times[:, None] ** np.arange(min(3, len(near)))
        return q, np.linalg.lstsq(powers, steps, rcond=None)[0][1]


def recording(
    model: Model,
    t: ArrayLike,
    q: ArrayLike,
    v: ArrayLike | None,
    tau: ArrayLike | None,
    noise: Any,
    rate_noise: Any,
) -> Recording:
    """Return what was recorded, checked."""
    times = np.array(t, float)
    if times.ndim != 1 or len(times) < LEAST:
        raise ValueError(f"t has shape {times.shape}, must be (N,) with N ≥ {LEAST}")
    steps = np.diff(times)
    if not np.isfinite(times).all() or np.ptp(steps) > EVEN * abs(steps.mean()) or steps[0] <= 0.0:
        raise ValueError(
            f"t has intervals from {steps.min():g} to {steps.max():g} s, must be evenly spaced and "
            "grow: fill the rows of samples that are missing with NaN"
        )
    positions = _rows(q, len(times), model.nq, "q")
    if np.isfinite(positions).all(axis=1).sum() < LEAST:
        raise ValueError(f"q has fewer than {LEAST} rows that are finite")
    if v is not None and (noise is None or rate_noise is None):
        raise ValueError("noise and rate_noise are missing: q and v are weighed by them")
    if v is None and rate_noise is not None:
        raise ValueError("rate_noise is of v, which was not recorded")
    efforts = None if tau is None else _rows(tau, len(times), model.nv, "tau")
    if efforts is not None and not np.isfinite(efforts[:-1]).all():
        raise ValueError("tau has entries that are not finite: efforts must be known")
    return Recording(
        times,
        positions,
        None if v is None else _rows(v, len(times), model.nv, "v"),
        efforts,
        _deviations(1.0 if noise is None else noise, model.nv, "noise"),
        _deviations(1.0 if rate_noise is None else rate_noise, model.nv, "rate_noise"),
        noise is not None,
    )


def _rows(given: ArrayLike, count: int, size: int, name: str) -> Array:
    array = np.array(given, float)
    if array.shape != (count, size):
        raise ValueError(f"{name} has shape {array.shape}, must be ({count}, {size})")
    if np.isinf(array).any():
        raise ValueError(f"{name} has entries that are infinite; NaN is what was not recorded")
    return array


def _deviations(given: ArrayLike, size: int, name: str) -> Array:
    array = np.array(given, float)
    if array.shape not in ((), (size,)) or not (np.isfinite(array) & (array > 0.0)).all():
        raise ValueError(f"{name} is {given!r}, must be positive, one number or ({size},)")
    return np.array(np.broadcast_to(array, (size,)))
