"""Constraints of port-Hamiltonian systems: multipliers and reduction."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.differences import derivative
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.ports.mechanical import Mechanical, Mechanism
from tarsus.ports.port_system import Hamiltonian, PortSystem, last_call
from tarsus.ports.structure import PortError, Structure

# Velocity constraints Aᵀ(q) v = 0 by multipliers: Duindam 2006, (2.94), (2.95), (3.47).
#
# With the rate f of the momenta without constraints and p = M v,
#
#     (Aᵀ M⁻¹ A) λ = −Aᵀ M⁻¹ (f − Ṁ v) − Ȧᵀ v − β Aᵀ v,        ṗ = f + A λ.
#
# β > 0 lets a violation decay, β = 0 lets it stay.


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


# Velocity constraints Aᵀ(q) v = 0 in reduced momenta: Duindam 2006, theorem 2.20.
#
# In momenta p = S α with Aᵀ M⁻¹ S = 0 there is nothing to violate. With the rate f of p without
# constraints (and with the input matrix B, which the statement of the theorem misses),
#
#     α̇ = M̄ Sᵀ M⁻¹ (f − Ṡ α),      M̄ = (Sᵀ M⁻¹ S)⁻¹.


class Reduced(Hamiltonian):
    """A mechanism under Aᵀ v = 0 in momenta p = S(q) α: an explicit system again, x = (q, α)."""

    def __init__(self, mechanism: Mechanism, A: Rows, S: Rows | None, around: Array) -> None:
        self.mechanism, self.A = mechanism, checked_rows(mechanism, A)
        self.S: Callable[[Array], Array] = _projected(mechanism, self.A, around)
        if S is not None:
            stated = S
            self.S = lambda q: np.asarray(stated(q), float)
        self.name, self.passive = mechanism.name, mechanism.passive
        self.nq, self.nv = mechanism.nq, mechanism.nv
        self.k = self.S(around).shape[1]
        """How many momenta are left."""
        self.n = self.nv + self.k
        self.states = (*mechanism.states[: self.nq], *(f"alpha{i + 1}" for i in range(self.k)))
        self.example = np.concatenate([around, np.zeros(self.k)])
        self._set_ports(mechanism.ports)
        left = np.abs(
            self.A(around).T @ np.linalg.solve(mechanism.mass_matrix(around), self.S(around))
        )
        if left.max(initial=0.0) > 1e-9 * np.abs(self.S(around)).max():
            raise PortError(
                f"S of {self.name!r} does not fit A: AᵀM⁻¹S has entries up to {left.max():.3g}"
            )

    def reduced_mass(self, q: Array) -> Array:
        """Return M̄ (k, k)."""
        S = self.S(q)
        return np.linalg.inv(S.T @ np.linalg.solve(self.mechanism.mass_matrix(q), S))

    def state_of(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return x = (q, α) of a configuration and a velocity, its part that A forbids left out."""
        q = np.asarray(q, float)
        return np.concatenate([q, self.reduced_mass(q) @ self.S(q).T @ np.asarray(v, float)])

    def rebased(self, x: Array) -> tuple[Reduced, Array]:
        """Return the same mechanism with momenta chosen around x, and x in these momenta."""
        q, p = self.mechanism.split(self.full(x))
        other = Reduced(self.mechanism, self.A, None, q)
        return other, other.state_of(q, self.mechanism.velocity(q, p))

    def full(self, x: Array) -> Array:
        """Return (q, p) of (q, α)."""
        return np.concatenate([x[: self.nq], self.S(x[: self.nq]) @ x[self.nq :]])

    def energy(self, x: Array) -> float:
        """Return ½ αᵀ M̄⁻¹ α + V [J]."""
        return self.mechanism.energy(self.full(x))

    def gradient(self, x: Array) -> Array:
        """Return (∂H̄/∂φ with α held, M̄⁻¹ α)."""
        q, p = self.mechanism.split(self.full(x))
        v, bent = self.mechanism.velocity(q, p), self._bent(x)
        return np.concatenate([self.mechanism.slope(q, p) + bent.T @ v, self.S(q).T @ v])

    def structure(self, x: Array) -> Structure:
        """Return the matrices of theorem 2.20, with those of joints on groups."""
        q, p = self.mechanism.split(self.full(x))
        down = self._down(q)
        bent = self._bent(x)
        gyroscopic = down @ (bent.T - bent + self.mechanism.gyroscopic(q, p)) @ down.T
        n, k = self.nv, self.k
        J = np.block([[np.zeros((n, n)), down.T], [-down, gyroscopic]])
        R = np.zeros((n + k, n + k))
        R[n:, n:] = down @ self.mechanism.damping(q, p) @ down.T
        G = np.vstack([np.zeros((n, self.m)), down @ self.mechanism.input_matrix(q)])
        through = np.zeros((self.m, self.m))
        return Structure(J, R, G, np.zeros_like(G), through, through)

    def lift(self, x: Array, rate: Array) -> Array:
        """Return (q̇, α̇) of (φ̇, α̇)."""
        q = self.mechanism.configuration_rate(x[: self.nq], rate[: self.nv])
        return np.concatenate([q, rate[self.nv :]])

    def rates(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return (q̇, α̇)."""
        x, u = self.state(x), self.inputs(u)
        q, p = self.mechanism.split(self.full(x))
        v = self.mechanism.velocity(q, p)
        bent = self.mechanism.rate_along(q, v, self.S) @ x[self.nq :]
        free = self.mechanism.momentum_rate(q, p, u)
        return self.lift(x, np.concatenate([v, self._down(q) @ (free - bent)]))

    def outputs(self, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """Return y (m,)."""
        return self.mechanism.outputs(self.full(self.state(x)), u)

    def losses(self, x: Array, u: Array) -> dict[str, float]:
        """Return the power that is dissipated [W]."""
        return self.mechanism.losses(self.full(x), u)

    def stores(self, x: Array) -> dict[str, float]:
        """Return kinetic and potential energy [J]."""
        return self.mechanism.stores(self.full(x))

    def retract(self, x: Array) -> Array:
        """Return the state on the manifold of its configurations."""
        return np.concatenate([self.mechanism.retract(self.full(x))[: self.nq], x[self.nq :]])

    def _down(self, q: Array) -> Array:
        """Return M̄ Sᵀ M⁻¹ (k, nv), from forces to rates of α; its transpose makes velocities."""
        S = self.S(q)
        raised = np.linalg.solve(self.mechanism.mass_matrix(q), S)
        return np.linalg.solve(S.T @ raised, raised.T)

    def _bent(self, x: Array) -> Array:
        """Return ∂(S α)/∂φ (nv, nv) with α held."""
        q, alpha = x[: self.nq], x[self.nq :]

        def along(unit: Array) -> Array:
            return derivative(lambda t: self.S(self.mechanism.step(q, float(t) * unit)) @ alpha)

        return np.stack([along(unit) for unit in np.eye(self.nv)], axis=-1)


def reduced(
    mechanism: Mechanism | Model,
    A: Rows | None = None,
    *,
    S: Rows | None = None,
    around: ArrayLike | None = None,
) -> Reduced:
    """Return a mechanism, or a model, under Aᵀ(q) v = 0 in reduced momenta α, p = S(q) α.

    S(q) is (nv, nv − constraints) with AᵀM⁻¹S = 0. Without it, S = M N with a basis N of allowed
    velocities that is orthonormal in M (then M̄ = 1): the one at the configuration `around`,
    projected to where the mechanism is. Too far from there it degenerates, which is an error.
    """
    found, rows = stated_rows(mechanism, A)
    place = found.example[: found.nq] if around is None else np.asarray(around, float)
    if place.shape != (found.nq,):
        raise PortError(f"around has shape {place.shape}, must be ({found.nq},)")
    return Reduced(found, rows, S, place)


def _projected(
    mechanism: Mechanism,
    A: Callable[[Array], Array],
    around: Array,
) -> Callable[[Array], Array]:
    """Return S(q) = M N(q), N the basis of allowed velocities at `around`, projected and made
    orthonormal in M by the symmetric root, so that it is as smooth as M and A."""

    def allowed(q: Array) -> tuple[Array, Array]:
        M, rows = mechanism.mass_matrix(q), A(q)
        forced = np.linalg.solve(M, rows)
        return M, np.eye(len(M)) - forced @ np.linalg.solve(rows.T @ forced, rows.T)

    M, projector = allowed(around)
    count = mechanism.nv - A(around).shape[1]
    root = np.linalg.cholesky(M).T
    left, _, _ = np.linalg.svd(root @ projector @ np.linalg.inv(root))
    basis = np.linalg.solve(root, left[:, :count])

    def found(q: Array) -> Array:
        M, projector = allowed(q)
        N = projector @ basis
        values, vectors = np.linalg.eigh(N.T @ M @ N)
        if values[0] < 1e-4 * values[-1]:
            raise PortError(
                f"the reduced momenta of {mechanism.name!r} degenerate at "
                f"q = {np.array2string(q, precision=4)}: choose one nearer to it as around="
            )
        return np.asarray(M @ N @ (vectors / np.sqrt(values)) @ vectors.T)

    return found


# Velocity constraints Aᵀ(q) v = 0: their rows, stated or those of a model, checked.


Rows: TypeAlias = Callable[[Array], ArrayLike]
"""A(q) (nv, constraints), with Aᵀ v = 0."""

FLAT = 1e-9
"""Below this share of the largest one a singular value is none."""


def stated_rows(mechanism: Mechanism | Model, A: Rows | None) -> tuple[Mechanism, Rows]:
    """Return the mechanism of a model, or itself, and its rows: those stated or the model's."""
    if isinstance(mechanism, Model):
        model = mechanism
        found: Mechanism = Mechanical(model, None, (), loops=True)
        if model.constraints and A is not None:
            raise PortError(f"{model.name!r} has constraints of its own: A would replace them")
        if A is None and not model.constraints:
            raise PortError(f"{model.name!r} has no loops that are constraints: state A(q)")
        return found, A or (lambda q: np.asarray(model.constraint_jacobian(q)).T)
    if not isinstance(mechanism, Mechanism):
        raise TypeError(f"mechanism is of type {type(mechanism).__name__}, must be a Mechanism")
    if A is None:
        raise PortError(f"{mechanism.name!r} needs A(q), (nv, constraints)")
    return mechanism, A


def checked_rows(mechanism: Mechanism, A: Rows) -> Callable[[Array], Array]:
    """Return A as a function whose shape and rank are checked."""

    def rows(q: Array) -> Array:
        found = np.asarray(A(q), float)
        if found.ndim != 2 or len(found) != mechanism.nv:
            raise PortError(f"A has shape {found.shape}, must be ({mechanism.nv}, constraints)")
        values = np.linalg.svd(found, compute_uv=False)
        if not values[-1] > FLAT * values[0]:
            raise PortError(
                f"the constraints of {mechanism.name!r} are not independent at "
                f"q = {np.array2string(q, precision=4)}: singular values of A {values.tolist()}"
            )
        return found

    return rows
