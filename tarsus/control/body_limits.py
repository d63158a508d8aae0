"""Limits of joints, and what shall stay apart, as bounds of accelerations.

A coordinate at a distance d from its limit keeps it if it comes nearer no faster than a critically
damped spring would lead it there,

    d̈ ≥ −2 k ḋ − k² d,

so that it brakes in time; the same holds for distances of links beyond their margin (Q. Nguyen,
K. Sreenath, "Exponential control barrier functions for enforcing high relative-degree
safety-critical constraints", American Control Conference 2016). Speeds s keep |v| ≤ s by
a ≤ k (s − v). Where limits contradict each other, those of accelerations hold, then those of
positions.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import rate
from tarsus.ik import Avoid, Limits
from tarsus.ik.limits import JointBounds
from tarsus.model import Model


class BodyLimits:
    """What accelerations may be; `rate` [1/s] is k."""

    def __init__(
        self, model: Model, limits: Limits | None, avoid: Avoid | None, rate: float
    ) -> None:
        self.model, self.avoid, self.rate = model, avoid, rate
        self.joints = None if limits is None else JointBounds(model, limits)

    def bounds(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return the lowest and highest accelerations (…, nv) at states."""
        if self.joints is None:
            none = np.full(v.shape, np.inf)
            return -none, none
        k, fastest = self.rate, self.joints.fastest
        below, above = self.joints.reach(q)
        least, most = k**2 * below - 2.0 * k * v, k**2 * above - 2.0 * k * v
        low = np.clip(k * (-fastest - v), least, most)
        high = np.clip(k * (fastest - v), least, most)
        rate = self.joints.acceleration
        return np.clip(low, -rate, rate), np.clip(high, -rate, rate)

    def rows(self, q: Array, v: Array) -> list[tuple[Array, Array]]:
        """Return rows (…, pairs, nv) of accelerations with their least values, if any."""
        if self.avoid is None:
            return []
        distances, margin, k = self.avoid.distances, self.avoid.margin, self.rate
        found = distances.nearest(q, gradient=True)
        assert found.gradient is not None
        near = np.isfinite(found.distance)
        some = np.flatnonzero(near.reshape(-1, near.shape[-1]).any(axis=0))
        if not some.size:
            return []

        def approach(at: Array) -> Array:
            slope = distances.nearest(at, gradient=True).gradient
            assert slope is not None
            return np.asarray((slope[..., some, :] @ v[..., None])[..., 0])

        slope, near = found.gradient[..., some, :], near[..., some]
        gap = np.where(near, found.distance[..., some] - margin, 0.0)
        speed = (slope @ v[..., None])[..., 0]
        least = -2.0 * k * speed - k**2 * gap - rate(self.model, q, v, approach)
        return [(slope, np.where(near, least, -np.inf))]
