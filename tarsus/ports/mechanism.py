"""Mechanisms in configurations and momenta: H = ½ pᵀ M⁻¹ p + V (Duindam 2006, theorem 2.17).

Along tangent steps φ of the configuration, with velocities v = M⁻¹ p that are collocated with the
forces, the equations are

    φ̇ = v,      ṗ = −∂H/∂φ + Γ v − D v + B u,      y = Bᵀ v,

with the gyroscopic matrix Γ(q, p), skew, zero for vector coordinates: (2.61), (2.69) to (2.75).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.differences import derivative
from tarsus.ports.last_call import last_call
from tarsus.ports.port_system import Hamiltonian
from tarsus.ports.structure import Structure


class Mechanism(Hamiltonian):
    """A mechanism with the state x = (q, p), configurations (nq,) and momenta (nv,)."""

    nq: int
    nv: int

    @abstractmethod
    def mass_matrix(self, q: Array) -> Array:
        """Return M (nv, nv)."""

    @abstractmethod
    def potential(self, q: Array) -> float:
        """Return V [J]."""

    @abstractmethod
    def slope(self, q: Array, p: Array) -> Array:
        """Return ∂H/∂φ (nv,) along tangent steps, the momentum being held."""

    @abstractmethod
    def gyroscopic(self, q: Array, p: Array) -> Array:
        """Return Γ (nv, nv), skew."""

    @abstractmethod
    def damping(self, q: Array, p: Array) -> Array:
        """Return D (nv, nv), ≥ 0."""

    @abstractmethod
    def input_matrix(self, q: Array) -> Array:
        """Return B (nv, m)."""

    @abstractmethod
    def momentum_rate(self, q: Array, p: Array, u: Array) -> Array:
        """Return ṗ (nv,)."""

    def configuration_rate(self, q: Array, v: Array) -> Array:
        """Return q̇ (nq,)."""
        return v

    def step(self, q: Array, tangent: Array) -> Array:
        """Return the configuration (nq,) that a tangent step (nv,) leads to."""
        return q + tangent

    def rate_along(self, q: Array, v: Array, function: Callable[[Array], Array]) -> Array:
        """Return the time derivative of a function of q while it moves with v, by differences."""
        fast = max(1.0, float(np.abs(v).max(initial=0.0)))
        return derivative(lambda t: function(self.step(q, float(t) / fast * v))) * fast

    def mass_matrix_rate(self, q: Array, v: Array) -> Array:
        """Return Ṁ (nv, nv) while q moves with v."""
        return self.rate_along(q, v, self.mass_matrix)

    def split(self, x: Array) -> tuple[Array, Array]:
        """Return q and p."""
        return x[: self.nq], x[self.nq :]

    @last_call
    def velocity(self, q: Array, p: Array) -> Array:
        """Return v = M⁻¹ p (nv,)."""
        return np.asarray(np.linalg.solve(self.mass_matrix(q), p))

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return p = M v (nv,)."""
        return np.asarray(self.mass_matrix(np.asarray(q, float)) @ np.asarray(v, float))

    def state_of(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return x = (q, p) of a configuration and its velocity."""
        return np.concatenate([np.asarray(q, float), self.momentum(q, v)])

    def energy(self, x: Array) -> float:
        """Return ½ pᵀ M⁻¹ p + V [J]."""
        q, p = self.split(x)
        return float(0.5 * p @ self.velocity(q, p) + self.potential(q))

    def stores(self, x: Array) -> dict[str, float]:
        """Return kinetic and potential energy [J]."""
        potential = self.potential(x[: self.nq])
        return {"kinetic": self.energy(x) - potential, "potential": potential}

    def gradient(self, x: Array) -> Array:
        """Return (∂H/∂φ, v), 2 nv numbers."""
        q, p = self.split(x)
        return np.concatenate([self.slope(q, p), self.velocity(q, p)])

    def structure(self, x: Array) -> Structure:
        """Return the matrices of (φ, p)."""
        q, p = self.split(x)
        n, one, none = self.nv, np.eye(self.nv), np.zeros((self.nv, self.nv))
        J = np.block([[none, one], [-one, self.gyroscopic(q, p)]])
        R = np.block([[none, none], [none, self.damping(q, p)]])
        G = np.vstack([np.zeros((n, self.m)), self.input_matrix(q)])
        through = np.zeros((self.m, self.m))
        return Structure(J, R, G, np.zeros_like(G), through, through)

    def lift(self, x: Array, rate: Array) -> Array:
        """Return ẋ (nx,) of (φ̇, ṗ)."""
        rates = self.configuration_rate(x[: self.nq], rate[: self.nv])
        return np.concatenate([rates, rate[self.nv :]])

    def rates(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return (q̇, ṗ)."""
        x, u = self.state(x), self.inputs(u)
        q, p = self.split(x)
        return self.lift(x, np.concatenate([self.velocity(q, p), self.momentum_rate(q, p, u)]))

    def outputs(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return y = Bᵀ v (m,)."""
        q, p = self.split(self.state(x))
        return np.asarray(self.input_matrix(q).T @ self.velocity(q, p))

    def losses(self, x: Array, u: Array) -> dict[str, float]:
        """Return vᵀ D v [W]."""
        q, p = self.split(x)
        v = self.velocity(q, p)
        return {self.name: float(v @ self.damping(q, p) @ v)}
