"""Vector fields whose integral curves come to a curve and stay on it, in any number of dimensions.

At a configuration q let c(s) be the nearest point of the curve in a constant metric G, T its unit
tangent and d = q − c(s) the offset, which is orthogonal to T. The field

    w(q) = T − pull · d

is tangent to the curve on the curve, and offsets fade along it as exp(−pull · length): |w| ≥ 1
everywhere. It is as smooth as the curve up to the places from which two points of the curve are
nearest; those begin at its radius of curvature.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.arguments import gain, vectors
from tarsus.model import Model
from tarsus.model.checks import expect, flag, number

BEYOND = 0.1
"""Ends bend for so much of the length of a curve before they go straight on."""
BETWEEN = 4
"""So many places between two samples are looked at for the nearest point."""
ITERATIONS = 30
"""Of Newton's method at most, which takes four or five."""


@dataclass(frozen=True)
class Nearest:
    """What a curve is where it is nearest to configurations (…, nv), per unit of its parameter."""

    s: Array
    offset: Array
    first: Array
    second: Array


class CurveField:
    """A field w = field(q) along the curve through samples (K, nv), and back to it from beside.

    A spline of order three goes through the samples, which are some way apart; `periodic` curves
    end where they begin, others bend a little further and go on straight. `pull` [1/length] is the
    rate at which offsets fade along the curve, `metric` (nv, nv), a diagonal or a number says what
    is near and how long ways are: the mass matrix in the middle of the curve unless stated. All
    joints must have as many positions as velocities. `field.rate(q, v)` is exact.
    """

    def __init__(
        self,
        model: Model,
        samples: ArrayLike,
        pull: float = 5.0,
        *,
        periodic: bool = False,
        metric: ArrayLike | None = None,
    ) -> None:
        from scipy.interpolate import CubicSpline  # slow to import, and only needed here

        expect(model, Model, "model")
        if model.nq != model.nv:
            raise ValueError(
                f"a curve through samples needs as many positions as velocities, but "
                f"{model.name!r} has nq, nv = {model.nq}, {model.nv}: give a field q → w instead"
            )
        points = vectors(samples, model.nq, "samples")
        if points.ndim != 2 or len(points) < 4:
            raise ValueError(f"samples has shape {points.shape}, must be (K, {model.nq}), K >= 4")
        self.periodic, self.pull = flag(periodic, "periodic"), number(pull, "pull")
        if self.pull <= 0.0:
            raise ValueError(f"pull is {self.pull}, must be positive")
        middle = model.mass_matrix(points[len(points) // 2])
        self.metric = gain(middle if metric is None else metric, model.nv, "metric")
        steps = np.diff(points, axis=0)
        ways = np.sqrt(self._dot(steps, steps))
        if (ways == 0.0).any():
            raise ValueError(f"samples {np.flatnonzero(ways == 0.0)[0]} and the next are the same")
        if self.periodic and not np.allclose(points[0], points[-1], rtol=0.0, atol=1e-9):
            raise ValueError("samples of a periodic curve must end where they begin")
        if self.periodic:
            points = np.concatenate([points[:-1], points[:1]])
        knots = np.concatenate([[0.0], np.cumsum(ways)])
        ends = "periodic" if self.periodic else "not-a-knot"
        self._splines = [CubicSpline(knots, points, bc_type=ends)]
        self._splines += [self._splines[0].derivative(k) for k in (1, 2)]
        self.length = float(knots[-1])
        """Of the curve as the sum of the ways between samples, in the metric."""
        between = np.arange(0, len(knots) - 1, 1.0 / BETWEEN)
        self._places = np.interp(between, np.arange(len(knots)), knots)
        if not self.periodic:
            self._places = np.append(self._places, self.length)
        self._points = self._at(self._places)[0]

    def __call__(self, q: ArrayLike) -> Array:
        """Return w (…, nv) at configurations (…, nq)."""
        near = self.nearest(q)
        return np.asarray(self._unit(near.first) - self.pull * near.offset)

    def rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return dw/dt (…, nv) while configurations move with v (…, nv)."""
        near = self.nearest(q)
        speed = self._dot(near.first, near.first)
        s_rate = self._dot(near.first, v) / (speed - self._dot(near.offset, near.second))
        unit = self._unit(near.first)
        bend = near.second - unit * self._dot(unit, near.second)[..., None]
        turn = bend / np.sqrt(speed)[..., None] * s_rate[..., None]
        return np.asarray(turn - self.pull * (v - near.first * s_rate[..., None]))

    def distance(self, q: ArrayLike) -> Array:
        """Return how far configurations (…, nq) are from the curve, in the metric (…)."""
        offset = self.nearest(q).offset
        return np.asarray(np.sqrt(self._dot(offset, offset)))

    def nearest(self, q: ArrayLike) -> Nearest:
        """Return where the curve is nearest to configurations (…, nq)."""
        q = vectors(q, self.metric.shape[0], "q")
        away = q[..., None, :] - self._points
        s = self._places[np.argmin(self._dot(away, away), axis=-1)]
        most = self.length / len(self._places)  # a step may not leave the valley that was found
        for _ in range(ITERATIONS):
            point, first, second = self._at(s)
            offset = q - point
            slope = self._dot(first, first)
            bend = np.maximum(slope - self._dot(offset, second), 0.1 * slope)
            inside = self.periodic | ((s >= 0.0) & (s <= self.length))
            step = self._dot(offset, first) / bend
            step = np.where(inside, np.clip(step, -most, most), step)
            s = s + step
            if (np.abs(step) <= 1e-14 * self.length).all():
                break
        point, first, second = self._at(s)
        return Nearest(s, q - point, first, second)

    def _at(self, s: Array) -> tuple[Array, Array, Array]:
        """Return points of the curve and their first and second derivatives (…, nv)."""
        if self.periodic:
            point, first, second = (spline(s) for spline in self._splines)
            return point, first, second
        held = np.clip(s, 0.0, self.length)
        point, first, second = (spline(held) for spline in self._splines)
        # the bend fades with the square of what is left: two derivatives are continuous
        x, reach = (s - held)[..., None], BEYOND * self.length
        share = 1.0 - np.minimum(np.abs(x) / reach, 1.0)
        turned = np.sign(x) * reach / 3.0 * (1.0 - share**3)
        bent = (np.abs(x) - reach / 4.0 * (1.0 - share**4)) * reach / 3.0
        return point + first * x + second * bent, first + second * turned, second * share**2

    def _unit(self, first: Array) -> Array:
        return np.asarray(first / np.sqrt(self._dot(first, first))[..., None])

    def _dot(self, a: ArrayLike, b: ArrayLike) -> Array:
        return np.asarray(np.einsum("...i,ij,...j->...", a, self.metric, b))
