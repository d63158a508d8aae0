"""Vector fields along curves, and splines that continue beyond their ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import expect, flag, gain_matrix, number, vectors
from tarsus._lib.files import Array
from tarsus.model.model import Model

# Vector fields whose integral curves come to a curve and stay on it, in any number of dimensions.
#
# At a configuration q let c(s) be the nearest point of the curve in a constant metric G, T its unit
# tangent and d = q − c(s) the offset, which is orthogonal to T. The field
#
#     w(q) = T − pull · d
#
# is tangent to the curve on the curve, and offsets fade along it as exp(−pull · length): |w| ≥ 1
# everywhere. It is as smooth as the curve up to the places from which two points of the curve are
# nearest; those begin at its radius of curvature. There the field turns ever faster: its rate is
# that of a place at nine tenths of the way to the centre of curvature, and not more.


BETWEEN = 4
"""So many places between two samples are looked at for the nearest point."""
FLOOR = 0.1
"""Least part of the radius of curvature that is left: nearer to the centre the field would jump."""
ITERATIONS = 30
"""Of Newton's method at most, which takes three or four."""


@dataclass(frozen=True)
class Nearest:
    """What a curve is where it is nearest to configurations, in coordinates of length one each."""

    s: Array
    offset: Array
    first: Array
    second: Array


class CurveField:
    """A field w = field(q) along the curve through samples (K, nv), and back to it from beside.

    A spline of degree five goes through the samples, which are some way apart; `periodic` curves
    end where they begin, others bend a little further and go on straight. `pull` [1/length] is the
    rate at which offsets fade along the curve, `metric` (nv, nv), a diagonal or a number says what
    is near and how long ways are: [rad] and [m] unless stated. All joints must have as many
    positions as velocities. `field.with_rate(q, v)` is exact up to nine tenths of the way to the
    centre of curvature, and bounded beyond.
    """

    def __init__(
        self,
        model: Model,
        samples: ArrayLike,
        pull: float = 5.0,
        *,
        periodic: bool = False,
        metric: ArrayLike = 1.0,
    ) -> None:
        expect(model, Model, "model")
        if model.nq != model.nv:
            raise ValueError(
                f"a curve through samples needs as many positions as velocities, but "
                f"{model.name!r} has nq, nv = {model.nq}, {model.nv}: give a field q → w instead"
            )
        points = vectors(samples, model.nq, "samples")
        if points.ndim != 2 or len(points) <= DEGREE:
            raise ValueError(f"samples has shape {points.shape}, must be (K, {model.nq}), K >= 6")
        self.periodic, self.pull = flag(periodic, "periodic"), number(pull, "pull")
        if self.pull <= 0.0:
            raise ValueError(f"pull is {self.pull}, must be positive")
        self.metric = gain_matrix(metric, model.nv, "metric")
        # in coordinates y = Lᵀ q with G = L Lᵀ lengths are those of Euclid
        self._to = np.linalg.cholesky(self.metric)
        self._back = np.linalg.inv(self._to)
        knots = self._knots(points)
        self.length = float(knots[-1])
        """Of the curve, as the sum of the ways between samples."""
        self._spline = ExtendedSpline(knots, points @ self._to, periodic=self.periodic)
        between = np.arange(0.0, len(knots) - 1 + 0.5 / BETWEEN, 1.0 / BETWEEN)
        self._places = np.interp(between, np.arange(len(knots)), knots)
        self._points = self._spline(self._places)[0]

    def __call__(self, q: ArrayLike) -> Array:
        """Return w (…, nv) at configurations (…, nq)."""
        near = self.nearest(q)
        return np.asarray((_unit(near.first) - self.pull * near.offset) @ self._back)

    def with_rate(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return w and dw/dt (…, nv) while configurations move with v (…, nv)."""
        near = self.nearest(q)
        moved = vectors(v, len(self.metric), "v") @ self._to
        speed = _dot(near.first, near.first)
        s_rate = _dot(near.first, moved) / _left(near.offset, near.first, near.second)
        unit = _unit(near.first)
        bend = near.second - unit * _dot(unit, near.second)
        rate = bend / np.sqrt(speed) * s_rate - self.pull * (moved - near.first * s_rate)
        return (unit - self.pull * near.offset) @ self._back, np.asarray(rate @ self._back)

    def distance(self, q: ArrayLike) -> Array:
        """Return how far configurations (…, nq) are from the curve, in the metric (…)."""
        return np.asarray(np.linalg.norm(self.nearest(q).offset, axis=-1))

    def nearest(self, q: ArrayLike) -> Nearest:
        """Return where the curve is nearest to configurations (…, nq)."""
        y = vectors(q, len(self.metric), "q") @ self._to
        away = y[..., None, :] - self._points
        s = self._places[np.argmin((away * away).sum(axis=-1), axis=-1)]
        most = 4.0 * self.length / len(self._places)  # that a step stays in the valley it is in
        for _ in range(ITERATIONS):
            point, first, second = self._spline(s)
            offset = y - point
            step = (_dot(offset, first) / _left(offset, first, second))[..., 0]
            inside = self.periodic | ((s >= 0.0) & (s <= self.length))
            s = s + np.where(inside, np.minimum(np.maximum(step, -most), most), step)
            if np.abs(step).max(initial=0.0) <= 1e-9 * self.length:
                break  # the error after a step is as its square
        point, first, second = self._spline(s)
        return Nearest(s, y - point, first, second)

    def _knots(self, points: Array) -> Array:
        """Return how far along the curve the samples (K, nv) are (K,)."""
        ways = np.linalg.norm(np.diff(points, axis=0) @ self._to, axis=-1)
        if (ways == 0.0).any():
            raise ValueError(f"samples {np.flatnonzero(ways == 0.0)[0]} and the next are the same")
        if self.periodic and not np.allclose(points[0], points[-1], rtol=0.0, atol=1e-9):
            raise ValueError("samples of a periodic curve must end where they begin")
        return np.concatenate([[0.0], np.cumsum(ways)])


def _dot(a: Array, b: Array) -> Array:
    """Return products (…, 1) of vectors (…, nv)."""
    return np.asarray((a * b).sum(axis=-1, keepdims=True))


def _left(offset: Array, first: Array, second: Array) -> Array:
    """Return how much an offset changes with s (…, 1), which vanishes at centres of curvature."""
    speed = _dot(first, first)
    return np.maximum(speed - _dot(offset, second), FLOOR * speed)


def _unit(first: Array) -> Array:
    return np.asarray(first / np.sqrt(_dot(first, first)))


# Splines through samples that go on beyond their ends, as smooth there as laws of motion need.


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
