"""`ts.ports.Canonical`: a mechanism in vector coordinates, stated by M(q) and V(q)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ports.domains import Port, PortError, distinct
from tarsus.ports.gradients import by_differences
from tarsus.ports.mechanism import Mechanism
from tarsus.ports.structure import Matrix, matrix_function


class Canonical(Mechanism):
    """q̇ = ∂H/∂p, ṗ = −∂H/∂q − D q̇ + B u, y = Bᵀ q̇ (Duindam 2006, (2.61)).

    `coordinates` are names. `mass` M, `damping` D (n, n) and `inputs` B (n, m) are constants or
    functions of q; `potential` V(q) [J]. Without `inputs` a force acts on each coordinate.
    `ports` divide u and y; without them there is one for each input. Slopes are by differences.
    """

    def __init__(
        self,
        coordinates: Sequence[str],
        mass: Matrix,
        potential: Callable[[Array], float] | None = None,
        *,
        inputs: Matrix | None = None,
        damping: Matrix | None = None,
        ports: Sequence[Port] | None = None,
        at: ArrayLike | None = None,
        name: str = "mechanism",
    ) -> None:
        distinct(coordinates, "coordinate")
        self.name = name
        n = self.nq = self.nv = len(coordinates)
        self.n = 2 * n
        self.states = (*coordinates, *(f"p_{name}" for name in coordinates))
        q = np.zeros(n) if at is None else np.asarray(at, float)
        if q.shape != (n,):
            raise PortError(f"at has shape {q.shape}, must be ({n},)")
        self.example = np.concatenate([q, np.ones(n)])
        stated = np.eye(n) if inputs is None else inputs
        width = np.shape(stated(q) if callable(stated) else stated)[-1]
        given = [Port(f"u{k}") for k in range(width)] if ports is None else ports
        self._set_ports(tuple(given))
        self._moving = callable(mass)
        self._mass = matrix_function(mass, (n, n), "mass")
        self._inputs_at = matrix_function(stated, (n, self.m), "inputs")
        self._damping = matrix_function(damping, (n, n), "damping")
        self._potential = potential
        least = float(np.linalg.eigvalsh(self._mass(q))[0])
        if least <= 0.0 or np.abs(self._mass(q) - self._mass(q).T).max() > 1e-12 * least:
            raise PortError(f"mass at q = {q.tolist()} is not symmetric and positive definite")
        self.check(self.example)

    def mass_matrix(self, q: Array) -> Array:
        """Return M (n, n)."""
        return self._mass(q)

    def potential(self, q: Array) -> float:
        """Return V [J]."""
        return 0.0 if self._potential is None else float(self._potential(q))

    def mass_matrix_rate(self, q: Array, v: Array) -> Array:
        """Return Ṁ (n, n) while q moves with v."""
        return super().mass_matrix_rate(q, v) if self._moving else np.zeros((self.nv, self.nv))

    def slope(self, q: Array, p: Array) -> Array:
        """Return ∂H/∂q (n,)."""
        if not self._moving:
            return (
                np.zeros(self.nv) if self._potential is None else by_differences(self.potential)(q)
            )
        return by_differences(lambda place: self.energy(np.concatenate([place, p])))(q)

    def gyroscopic(self, q: Array, p: Array) -> Array:
        """Return zeros: rates of coordinates have no gyroscopic forces."""
        return np.zeros((self.nv, self.nv))

    def damping(self, q: Array, p: Array) -> Array:
        """Return D (n, n)."""
        return self._damping(q)

    def input_matrix(self, q: Array) -> Array:
        """Return B (n, m)."""
        return self._inputs_at(q)

    def momentum_rate(self, q: Array, p: Array, u: Array) -> Array:
        """Return ṗ (n,)."""
        brake = self._damping(q) @ self.velocity(q, p)
        return np.asarray(-self.slope(q, p) - brake + self._inputs_at(q) @ u)
