"""Resolved motion rates with one small system of equations to solve.

Of all velocities with J v = r the one that makes ½ vᵀ W v + α ∇H v smallest is

    v = J_W# r − α N W⁻¹ ∇H,      J_W# = W⁻¹ Jᵀ (J W⁻¹ Jᵀ)⁻¹,      N = 1 − J_W# J,

a weighted pseudo-inverse and a gradient in its null space (A. Liégeois, "Automatic supervisory
control of the configuration and behavior of multibody mechanisms", IEEE Transactions on Systems,
Man and Cybernetics 7, 1977). Neither J_W# nor N need be formed (Schwienbacher 2013, algorithm 4.3):

    z = −α W⁻¹ ∇H,    (J W⁻¹ Jᵀ) λ = r − J z,    v = W⁻¹ Jᵀ λ + z .
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tarsus.arrays import Array


class InverseWeight(Protocol):
    """The inverse of the weight W of velocities, as a function."""

    def __call__(self, x: Array) -> Array:
        """Return W⁻¹ x of columns x (…, nv, n)."""
        ...


class Diagonal:
    """A diagonal weight (nv,), which also reconciles metres and radians."""

    def __init__(self, weight: Array) -> None:
        self._inverse = 1.0 / weight

    def __call__(self, x: Array) -> Array:
        """Return W⁻¹ x of columns x (…, nv, n)."""
        return np.asarray(self._inverse[:, None] * x)


class RankOne:
    """W = δ 1 + aᵀ a with a row a (…, nv): its inverse without forming it (Sherman, Morrison).

    With the row of the vertical angular momentum velocities are found that have little of it
    (Schwienbacher 2013, section 7.5).
    """

    def __init__(self, row: Array, delta: float) -> None:
        self._row, self._delta = row, delta
        self._share = delta + (row * row).sum(axis=-1)

    def __call__(self, x: Array) -> Array:
        """Return W⁻¹ x of columns x (…, nv, n)."""
        along = self._row[..., None, :] @ x / self._share[..., None, None]
        return np.asarray((x - self._row[..., :, None] * along) / self._delta)


def one_solve(
    jacobian: Array, rate: Array, inverse_weight: InverseWeight, wish: Array
) -> tuple[Array, Array]:
    """Return velocities (…, nv), and (…) how near J W⁻¹ Jᵀ is to a singular matrix.

    `wish` (…, nv) is z: what velocities would be without tasks. The second result is the smallest
    eigenvalue by the largest one, the square of that of J for W = 1; where it vanishes the
    velocities are those of least norm that come nearest.
    """
    across = inverse_weight(np.swapaxes(jacobian, -1, -2))
    values, vectors = np.linalg.eigh(jacobian @ across)
    largest = np.maximum(values[..., -1:], 1e-300)
    kept = values > CUT * largest
    missing = rate - (jacobian @ wish[..., None])[..., 0]
    inside = (np.swapaxes(vectors, -1, -2) @ missing[..., None])[..., 0]
    solved = np.where(kept, inside, 0.0) / np.where(kept, values, 1.0)
    multipliers = vectors @ solved[..., None]
    return np.asarray((across @ multipliers)[..., 0] + wish), values[..., 0] / largest[..., 0]


CUT = 1e-12
"""Eigenvalues below this part of the largest count as zero: 1e-6 of the largest velocity."""
