"""Random port-Hamiltonian systems whose energy is no quadratic form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import tarsus as ts

Array = NDArray[np.float64]


def skew(rng: np.random.Generator, n: int) -> Array:
    a = rng.normal(size=(n, n))
    return a - a.T


def positive(rng: np.random.Generator, n: int, rank: int | None = None) -> Array:
    a = rng.normal(size=(n, n if rank is None else rank))
    return a @ a.T


def system(seed: int, n: int, m: int, *, through: bool = True, **options: Any) -> ts.ports.System:
    """Return a system with n states and m inputs whose matrices depend on the state."""
    rng = np.random.default_rng(seed)
    J, K, R, G = skew(rng, n), skew(rng, m), positive(rng, n, 2), rng.normal(size=(n, m))
    S, Q = positive(rng, m), positive(rng, n) + np.eye(n)

    def energy(x: Array) -> float:
        return 0.5 * x @ Q @ x + (1.0 - np.cos(x[0])) + 0.1 * (x**4).sum()

    def gradient(x: Array) -> Array:
        return Q @ x + np.sin(x[0]) * np.eye(n)[0] + 0.4 * x**3

    return ts.ports.System(
        energy,
        n,
        J=lambda x: J * (1.0 + x[0] ** 2),
        R=lambda x: R * (1.0 + x[-1] ** 2),
        G=lambda x: G + np.outer(np.sin(x), np.ones(m)),
        K=K if through else None,
        S=S if through else None,
        gradient=gradient,
        **options,
    )
