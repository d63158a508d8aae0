"""Random states of a model, and residuals over a batch of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.model import Model
from tarsus.model.description import Array

LARGEST_COORDINATE = 10.0
"""Configurations are tested up to so many radians and metres."""


@dataclass(frozen=True)
class States:
    """Random states of a model: q (n, nq), and v, a, tau (n, nv)."""

    model: Model
    q: Array
    v: Array
    a: Array
    tau: Array

    @classmethod
    def random(cls, model: Model, n: int, seed: int) -> States:
        """Return n states: configurations within the limits, the rest normally distributed.

        Some files have limits such as 1e16 rad, where nothing can be computed: these are cut.
        """
        rng = np.random.default_rng(seed)
        q = np.clip(model.random_configuration(rng, n), -LARGEST_COORDINATE, LARGEST_COORDINATE)
        return cls(model, q, *rng.standard_normal((3, n, model.nv)))

    def first(self, n: int) -> States:
        """Return the first n states."""
        return States(self.model, self.q[:n], self.v[:n], self.a[:n], self.tau[:n])

    def frames(self, at_most: int = 12) -> list[str]:
        """Return frames spread over the model."""
        names = self.model.frame_names
        return [names[i] for i in sorted({*np.linspace(0, len(names) - 1, at_most, dtype=int)})]


def relative(left: Array, right: Array, *terms: Array) -> float:
    """Return the largest |left − right| relative to the largest |term| of the same state."""
    n = len(left)
    if left.size == 0:
        return 0.0
    error = np.abs(left - right).reshape(n, -1).max(axis=1)
    sizes = [np.abs(term).reshape(n, -1).max(axis=1) for term in (left, right, *terms)]
    scale = np.max(sizes, axis=0)
    return float(np.max(np.divide(error, scale, out=np.zeros(n), where=error != 0.0)))


def times(matrix: Array, vector: Array) -> Array:
    """Return the products of a batch of matrices with a batch of vectors."""
    return np.asarray((matrix @ vector[..., None])[..., 0])
