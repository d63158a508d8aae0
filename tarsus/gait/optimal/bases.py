"""Bases of functions on [0, 1] that motions of a phase are sums of: `Chebyshev`, `BSpline`.

Powers of time span the same polynomials, but their coefficients are known to ever fewer digits:
orthogonal polynomials keep them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.polynomial import chebyshev

from tarsus.arrays import Array
from tarsus.model.checks import count


class Basis(Protocol):
    """Functions on [0, 1] with two derivatives."""

    @property
    def size(self) -> int:
        """How many functions there are."""

    def at(self, s: Array, derivative: int = 0) -> Array:
        """Return the functions at s (n,), or a derivative by s: (n, size)."""


@dataclass(frozen=True)
class Chebyshev:
    """Chebyshev polynomials up to `order`."""

    order: int = 10

    def __post_init__(self) -> None:
        count(self.order, "order", 3, 60)

    @property
    def size(self) -> int:
        """How many there are."""
        return self.order + 1

    def at(self, s: Array, derivative: int = 0) -> Array:
        """Return T₀ … T_order of 2 s − 1, or a derivative by s: (n, size)."""
        x = 2.0 * np.asarray(s, float) - 1.0
        series: Array = np.eye(self.size)
        if derivative:
            series = np.asarray(chebyshev.chebder(series, derivative, scl=2.0, axis=0), float)
        return np.asarray(chebyshev.chebval(x, series), float).T


@dataclass(frozen=True)
class BSpline:
    """B-splines of `degree` on `intervals` of equal length, with all derivatives inside."""

    intervals: int = 8
    degree: int = 5

    def __post_init__(self) -> None:
        count(self.intervals, "intervals", 1, 200)
        count(self.degree, "degree", 3, 9)

    @property
    def size(self) -> int:
        """How many there are."""
        return self.intervals + self.degree

    def at(self, s: Array, derivative: int = 0) -> Array:
        """Return the splines at s (n,), or a derivative by s: (n, size)."""
        from scipy.interpolate import BSpline as Splines  # slow to import, and only needed here

        inner = np.linspace(0.0, 1.0, self.intervals + 1)
        knots = np.concatenate([np.zeros(self.degree), inner, np.ones(self.degree)])
        splines = Splines(knots, np.eye(self.size), self.degree)
        return np.asarray(splines(np.asarray(s, float), nu=derivative))


def fitted(basis: Basis, s: Array, values: Array) -> Array:
    """Return coefficients (size, n) of the sums that are nearest to values (samples, n) at s."""
    return np.asarray(np.linalg.lstsq(basis.at(s), values, rcond=None)[0])


def lobatto(number: int) -> tuple[Array, Array]:
    """Return Gauss–Lobatto nodes on [0, 1], both ends among them, and weights (number,).

    They are exact for polynomials up to degree 2 number − 3. Rules without the ends let a
    polynomial hide its efforts there.
    """
    inner = np.polynomial.legendre.Legendre.basis(number - 1)
    roots = np.concatenate([[-1.0], np.sort(np.real(inner.deriv().roots())), [1.0]])
    weights = 2.0 / (number * (number - 1) * inner(roots) ** 2)
    return 0.5 * (roots + 1.0), 0.5 * weights
