"""How readings err: bias that walks, white noise, steps of a converter, and the time they take."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import number
from tarsus._lib.files import Array


@dataclass(frozen=True)
class Errors:
    """reading(t) = round((x(t − delay) + bias + noise) / quantum) · quantum, per number.

    In the unit of the sensor. Densities of data sheets [unit/√Hz] are `noise` · √(period).
    """

    noise: float = 0.0
    """Standard deviation of white noise of each reading."""
    bias: float = 0.0
    """Standard deviation of the bias at the start."""
    walk: float = 0.0
    """How the bias walks: its standard deviation after one second from none [unit/√s]."""
    quantum: float = 0.0
    """The step of the converter; 0: none."""
    delay: float = 0.0
    """How old a reading is [s]: it is that of the last sample at least so old."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if not number(getattr(self, each.name), each.name) >= 0.0:
                raise ValueError(f"{each.name} is {getattr(self, each.name)}, must not be negative")


class Readings:
    """Readings of one sensor in the order of time: `next(t, values)`.

    What is drawn depends on `seed` and on the number of the reading alone, and a state of a batch
    errs the same however many come after it.
    """

    def __init__(self, errors: Errors, seed: tuple[int, ...]) -> None:
        self.errors, self.seed = errors, seed
        self.reset()

    def reset(self) -> None:
        """Begin anew: the same numbers will be drawn."""
        self._number = 0
        self._bias: Array | None = None
        self._last = 0.0
        self._past: list[tuple[float, Array]] = []

    def restart(self, which: NDArray[np.bool_], values: Array) -> None:
        """Let some states (B,) begin anew at values (B, size): they were never elsewhere."""
        for _, past in self._past:
            past[which] = values[which]
        if self._bias is not None:
            drawn = self.errors.bias * self._draw(self._number, 2, values.shape)
            self._bias = np.where(which[:, None], drawn, self._bias)

    def next(self, t: float, values: Array) -> Array:
        """Return what is read at the time t [s], of what is there to see now (…, size)."""
        own, number = self.errors, self._number
        self._number += 1
        found = self._delayed(t, values)
        if own.bias or own.walk:
            if self._bias is None:
                self._bias = own.bias * self._draw(number, 0, values.shape)
            else:
                lasted = np.sqrt(max(t - self._last, 0.0))
                self._bias = self._bias + own.walk * lasted * self._draw(number, 0, values.shape)
            found = found + self._bias
        self._last = t
        if own.noise:
            found = found + own.noise * self._draw(number, 1, values.shape)
        return np.round(found / own.quantum) * own.quantum if own.quantum else found

    def _delayed(self, t: float, values: Array) -> Array:
        if not self.errors.delay:
            return values
        self._past.append((t, np.array(values)))
        # times are sums of steps: a sample that is as old but for rounding is old enough
        old = t - self.errors.delay + 1e-9
        while len(self._past) > 1 and self._past[1][0] <= old:
            del self._past[0]
        return self._past[0][1]

    def _draw(self, number: int, which: int, shape: tuple[int, ...]) -> Array:
        return np.random.default_rng([*self.seed, number, which]).normal(size=shape)
