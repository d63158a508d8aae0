"""Velocity constraints Aᵀ(q) v = 0 by multipliers: Duindam 2006, (2.94), (2.95), (3.47).

With the rate f of the momenta without constraints and p = M v,

    (Aᵀ M⁻¹ A) λ = −Aᵀ M⁻¹ (f − Ṁ v) − Ȧᵀ v − β Aᵀ v,        ṗ = f + A λ.

β > 0 lets a violation decay, β = 0 lets it stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.ports.constraint_rows import Rows, checked_rows, stated_rows
from tarsus.ports.last_call import last_call
from tarsus.ports.mechanism import Mechanism
from tarsus.ports.port_system import PortSystem

Drift: TypeAlias = Callable[[Array, Array], ArrayLike]
"""Ȧᵀ v (constraints,) of q and v."""


class Multipliers(PortSystem):
    """A mechanism under Aᵀ v = 0 with forces A λ; x = (q, p) as without them."""

    def __init__(self, mechanism: Mechanism, A: Rows, beta: float, drift: Drift | None) -> None:
        self.mechanism, self.A, self.beta = mechanism, checked_rows(mechanism, A), float(beta)
        self._drift: Drift = drift or (
            lambda q, v: mechanism.rate_along(q, v, lambda place: np.asarray(A(place))).T @ v
        )
        if not self.beta >= 0.0:
            raise ValueError(f"beta is {beta}, must not be negative")
        self.name, self.states = mechanism.name, mechanism.states
        self._set_ports(mechanism.ports)

    def energy(self, x: Array) -> float:
        """Return H [J]."""
        return self.mechanism.energy(x)

    def multipliers(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return λ (constraints,), the forces along the columns of A."""
        return self._solved(self.state(x), self.inputs(u))[0]

    def violation(self, x: ArrayLike) -> Array:
        """Return Aᵀ v (constraints,), which should be zero."""
        q, p = self.mechanism.split(self.state(x))
        return np.asarray(self.A(q).T @ self.mechanism.velocity(q, p))

    def rates(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return (q̇, ṗ)."""
        x, u = self.state(x), self.inputs(u)
        q, p = self.mechanism.split(x)
        multipliers, free = self._solved(x, u)
        v = self.mechanism.velocity(q, p)
        return self.mechanism.lift(x, np.concatenate([v, free + self.A(q) @ multipliers]))

    def outputs(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return y (m,)."""
        return self.mechanism.outputs(x, u)

    def losses(self, x: Array, u: Array) -> dict[str, float]:
        """Return what is dissipated, and what the constraints take: nothing while they hold."""
        lost = -float(self.multipliers(x, u) @ self.violation(x))
        return self.mechanism.losses(x, u) | {"constraints": lost}

    def stores(self, x: Array) -> dict[str, float]:
        """Return kinetic and potential energy [J]."""
        return self.mechanism.stores(x)

    def retract(self, x: Array) -> Array:
        """Return the state on the manifold of its configurations."""
        return self.mechanism.retract(x)

    @last_call
    def _solved(self, x: Array, u: Array) -> tuple[Array, Array]:
        """Return λ, and ṗ without constraints."""
        mechanism = self.mechanism
        q, p = mechanism.split(x)
        M, A = mechanism.mass_matrix(q), self.A(q)
        v, free = mechanism.velocity(q, p), mechanism.momentum_rate(q, p, u)
        drift = np.asarray(self._drift(q, v))
        turned = np.linalg.solve(M, A).T
        inertial = turned @ (free - mechanism.mass_matrix_rate(q, v) @ v)
        wanted = -inertial - drift - self.beta * A.T @ v
        return np.asarray(np.linalg.solve(turned @ A, wanted)), free


def multipliers(
    mechanism: Mechanism | Model,
    A: Rows | None = None,
    *,
    beta: float = 0.0,
    drift: Drift | None = None,
) -> Multipliers:
    """Return a mechanism, or a model, under Aᵀ(q) v = 0 with multipliers.

    A(q) is (nv, constraints); without it the loops of a model that are constraints. `beta` [1/s]
    is the rate at which a violation decays. `drift` is Ȧᵀ v (constraints,) as a function of (q, v),
    by differences unless stated.
    """
    found, rows = stated_rows(mechanism, A)
    return Multipliers(found, rows, beta, drift)
