"""`ts.ports.System`: a port-Hamiltonian system stated by its energy and its matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ports.domains import Port, PortError, distinct
from tarsus.ports.gradients import Energy, Gradient, gradient_of
from tarsus.ports.port_system import Hamiltonian
from tarsus.ports.structure import Matrix, Structure, matrix_function

TRIED = 4
"""At how many random states a system is checked when it is made, unless told where."""


class System(Hamiltonian):
    """ẋ = (J − R) ∂H + (G − P) u, y = (G + P)ᵀ ∂H + (K + S) u (Duindam 2006, (B.1)).

    `energy` is H(x) [J], or a symmetric matrix Q (n, n) for ½ xᵀ Q x, or None for nothing stored.
    `states` are names, or how many there are. J, R (n, n), G, P (n, m), K, S (m, m) are constants
    or functions of x, zero unless stated. `gradient` is ∂H/∂x as a function, or "differences"
    (sixth order), or "complex" steps. `ports` divide u and y; without them there is one, "u".

    Shapes, symmetries, signs and the gradient are checked at the states `at` (k, n), random ones
    near zero unless stated. `passive=False` allows R and S that make power: audits tell how much.
    """

    def __init__(
        self,
        energy: Energy | ArrayLike | None,
        states: Sequence[str] | int,
        *,
        J: Matrix | None = None,
        R: Matrix | None = None,
        G: Matrix | None = None,
        P: Matrix | None = None,
        K: Matrix | None = None,
        S: Matrix | None = None,
        gradient: Gradient = "differences",
        ports: Sequence[Port] | None = None,
        at: ArrayLike | None = None,
        passive: bool = True,
        name: str = "system",
    ) -> None:
        self.name, self.passive = name, passive
        self.states = (
            tuple(f"x{k}" for k in range(states)) if isinstance(states, int) else tuple(states)
        )
        distinct(self.states, "state")
        n = self.n = len(self.states)
        tried = np.random.default_rng(0).normal(size=(TRIED, n)) if at is None else _states(at, n)
        self.example = tried[0]
        self._set_ports(_ports(ports, G, K, S, self.example))
        shapes = {"J": (n, n), "R": (n, n), "G": (n, self.m), "P": (n, self.m)}
        shapes |= {"K": (self.m, self.m), "S": (self.m, self.m)}
        stated = zip("JRGPKS", (J, R, G, P, K, S), strict=True)
        self._matrices = [matrix_function(value, shapes[key], key) for key, value in stated]
        self.constant = not any(map(callable, (J, R, G, P, K, S)))
        self._fixed = self._evaluated(tried[0])
        self._energy, gradient = _energy(energy, n, gradient)
        self._gradient = gradient_of(self._energy, gradient, tried, f"{name!r}")
        for x in tried:
            self.check(x)

    def energy(self, x: Array) -> float:
        """Return H [J] of a state (nx,)."""
        return float(self._energy(x))

    def gradient(self, x: Array) -> Array:
        """Return ∂H/∂x (n,)."""
        return self._gradient(x)

    def structure(self, x: Array) -> Structure:
        """Return J, R, G, P, K and S at a state."""
        return self._fixed if self.constant else self._evaluated(x)

    def _evaluated(self, x: Array) -> Structure:
        return Structure(*(matrix(x) for matrix in self._matrices))


def _states(at: ArrayLike, n: int) -> Array:
    tried = np.atleast_2d(np.asarray(at, float))
    if tried.shape[-1] != n or tried.ndim != 2:
        raise PortError(f"at has shape {tried.shape}, must be (…, {n})")
    return tried


def _ports(
    ports: Sequence[Port] | None,
    G: Matrix | None,
    K: Matrix | None,
    S: Matrix | None,
    x: Array,
) -> tuple[Port, ...]:
    """Return the ports, or one that is as large as the matrices say."""
    if ports is not None:
        return tuple(ports)
    for value in (G, K, S):
        if value is not None:
            shape = np.shape(value(x) if callable(value) else value)
            return (Port("u", size=shape[-1] if shape else 1),)
    return ()


def _energy(
    energy: Energy | ArrayLike | None, n: int, gradient: Gradient
) -> tuple[Energy, Gradient]:
    """Return the energy as a function, with its gradient where that is known."""
    if energy is None:
        return (lambda x: 0.0), (lambda x: np.zeros(n))
    if callable(energy):
        return energy, gradient
    Q = np.asarray(energy, float)
    Q = Q.reshape(1, 1) if Q.shape == () and n == 1 else Q
    if Q.shape != (n, n):
        raise PortError(f"energy has shape {Q.shape}, must be a function or a matrix ({n}, {n})")
    if np.abs(Q - Q.T).max(initial=0.0) > 1e-12 * np.abs(Q).max(initial=0.0):
        raise PortError(f"energy is a matrix that is not symmetric: {Q.tolist()}")
    return (lambda x: 0.5 * (x @ Q @ x)), (lambda x: Q @ x)
