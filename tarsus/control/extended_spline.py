"""Splines through samples that go on beyond their ends, as smooth there as laws of motion need."""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import Array

DEGREE = 5
"""Efforts depend on second derivatives, which are smooth then."""
BEYOND = 0.1
"""Ends bend for so much of the length before they go straight on."""


class ExtendedSpline:
    """A spline of degree five through values (K, n) at rising places (K,).

    Beyond an end its bend fades as the square of what is left of a tenth of its length, so that
    second derivatives stay continuous, and it goes straight on. A `periodic` one repeats.
    """

    def __init__(self, places: Array, values: Array, *, periodic: bool = False) -> None:
        from scipy.interpolate import make_interp_spline  # slow to import, and only needed here

        self.periodic = periodic
        self.first, self.last = float(places[0]), float(places[-1])
        if periodic:
            values = np.concatenate([values[:-1], values[:1]])
        spline = make_interp_spline(
            places, values, DEGREE, bc_type="periodic" if periodic else None
        )
        breaks = np.unique(spline.t[DEGREE:-DEGREE])
        middles = 0.5 * (breaks[1:] + breaks[:-1])
        inner = [spline(middles, k) / math.factorial(k) for k in range(DEGREE, -1, -1)]
        self._from, self._about, self._powers = breaks[1:-1], middles, np.stack(inner)
        if not periodic:
            self._extend(spline, breaks)

    def _extend(self, spline: object, breaks: Array) -> None:
        """Add two polynomials beyond each end: one that fades, and one that is straight."""
        reach, ends = BEYOND * (self.last - self.first), []
        for at, x in ((self.first, -reach), (self.last, reach)):
            point, first, second = (spline(at, k) for k in range(3))  # type: ignore[operator]
            none = np.zeros_like(point)
            fading = [none, second / (12.0 * x * x), -second / (3.0 * x), second / 2.0, first]
            straight = [none, none, none, none, first + second * x / 3.0]
            turned = point + first * x + second * x * x / 4.0
            ends.append(np.stack([[*fading, point], [*straight, turned]], axis=1))
        low, high = self.first - reach, self.last + reach
        self._from = np.concatenate([[low], breaks, [high]])
        self._about = np.concatenate([[low, self.first], self._about, [self.last, high]])
        self._powers = np.concatenate([ends[0][:, ::-1], self._powers, ends[1]], axis=1)

    def __call__(self, s: Array) -> tuple[Array, Array, Array]:
        """Return values at places (…), first and second derivatives, all (…, n)."""
        if self.periodic:
            s = self.first + (s - self.first) % (self.last - self.first)
        k = np.searchsorted(self._from, s)
        x = (s - self._about[k])[..., None]
        a, b, c, d, e, f = self._powers[:, k]
        value = ((((a * x + b) * x + c) * x + d) * x + e) * x + f
        slope = (((5.0 * a * x + 4.0 * b) * x + 3.0 * c) * x + 2.0 * d) * x + e
        return value, slope, ((20.0 * a * x + 12.0 * b) * x + 6.0 * c) * x + 2.0 * d
