"""The matrices of a port-Hamiltonian system, and what is wrong with them if something is.

    ẋ = (J − R) ∂H + (G − P) u          J, K skew,  [[R, P], [Pᵀ, S]] symmetric and ≥ 0
    y = (G + P)ᵀ ∂H + (K + S) u

Duindam 2006, (B.1), with the term P that connections of systems with feedthrough bring in
(A. van der Schaft, D. Jeltsema, "Port-Hamiltonian Systems Theory: An Introductory Overview",
2014, chapter 4): with it, what is connected is of this form again. The whole is one matrix,

    [ẋ; −y] = N [∂H; u],    skew part of N: [[J, G], [−Gᵀ, −K]],  the other: −[[R, P], [Pᵀ, S]].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ports.domains import PortError

Matrix: TypeAlias = ArrayLike | Callable[[Array], ArrayLike]
"""A constant, or a function of the state."""

ROUNDING = 1e-9
"""How far a matrix may be from its symmetry, and below zero, relative to its largest number."""


@dataclass(frozen=True)
class Structure:
    """J, R (n, n), G, P (n, m), K, S (m, m) at a state."""

    J: Array
    R: Array
    G: Array
    P: Array
    K: Array
    S: Array

    @staticmethod
    def of(total: Array, n: int) -> Structure:
        """Return the parts of N (n + m, n + m)."""
        skew, lost = (total - total.T) / 2.0, -(total + total.T) / 2.0
        return Structure(
            skew[:n, :n], lost[:n, :n], skew[:n, n:], lost[:n, n:], -skew[n:, n:], lost[n:, n:]
        )

    @property
    def total(self) -> Array:
        """N (n + m, n + m)."""
        return np.block(
            [[self.J - self.R, self.G - self.P], [-(self.G + self.P).T, -self.K - self.S]]
        )

    @property
    def losses(self) -> Array:
        """[[R, P], [Pᵀ, S]] (n + m, n + m)."""
        return np.block([[self.R, self.P], [self.P.T, self.S]])

    def faults(self, passive: bool = True) -> list[str]:
        """Return what is wrong, in words; with `passive` also where power would be made."""
        found = [
            f"{name} is not skew: {name} + {name}ᵀ has entries up to {error:.3g}"
            for name in ("J", "K")
            if (error := _asymmetry(getattr(self, name), -1.0)) > 0.0
        ]
        found += [
            f"{name} is not symmetric: {name} − {name}ᵀ has entries up to {error:.3g}"
            for name in ("R", "S")
            if (error := _asymmetry(getattr(self, name), 1.0)) > 0.0
        ]
        return found + self._negative() if passive else found

    def _negative(self) -> list[str]:
        found = [
            f"{name} is not ≥ 0: it has the eigenvalue {least:.3g}"
            for name in ("R", "S")
            if (least := _below_zero(getattr(self, name))) < 0.0
        ]
        if not found and (least := _below_zero(self.losses)) < 0.0:
            found.append(f"[[R, P], [Pᵀ, S]] is not ≥ 0: it has the eigenvalue {least:.3g}")
        return found


def _asymmetry(matrix: Array, sign: float) -> float:
    """Return the largest entry of matrix − sign matrixᵀ if that is more than rounding, else 0."""
    error = float(np.abs(matrix - sign * matrix.T).max(initial=0.0))
    return error if error > ROUNDING * np.abs(matrix).max(initial=0.0) else 0.0


def _below_zero(matrix: Array) -> float:
    """Return the least eigenvalue of the symmetric part if it is below rounding, else 0."""
    if not matrix.size:
        return 0.0
    least = float(np.linalg.eigvalsh((matrix + matrix.T) / 2.0)[0])
    return least if least < -ROUNDING * np.abs(matrix).max() else 0.0


def matrix_function(
    value: Matrix | None, shape: tuple[int, int], what: str
) -> Callable[[Array], Array]:
    """Return a function of the state for a constant, a function, or None for zeros.

    A number stands for a 1 × 1 matrix.
    """
    if callable(value):
        function = value
        return lambda x: _checked(function(x), shape, what)
    constant = np.zeros(shape) if value is None else _checked(value, shape, what)
    return lambda x: constant


def _checked(value: ArrayLike, shape: tuple[int, int], what: str) -> Array:
    array = np.array(value, float)  # a copy: it is kept
    array = array.reshape(1, 1) if array.shape == () and shape == (1, 1) else array
    if array.shape != shape:
        raise PortError(f"{what} has shape {array.shape}, must be {shape}")
    if not np.isfinite(array).all():
        raise PortError(f"{what} is not finite: {array.tolist()}")
    array.flags.writeable = False
    return array
