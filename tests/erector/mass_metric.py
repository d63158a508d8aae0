"""An oracle for forces of constraints in the metric of the masses, by singular values.

Accelerations a_C that make J a_C = φ and are least in aᵀ M a; forces M a_C are in the range of Jᵀ.
Where rows contradict each other, the one of least |J a_C − φ|, rows counted by their inertia.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.sparse.linalg import lsqr

Array = NDArray[np.float64]


def whitened(rows: Array, mass: Array) -> tuple[Array, Array]:
    """Return J L⁻ᵀ and L, with M = L Lᵀ."""
    lower = np.linalg.cholesky(mass)
    return solve_triangular(lower, rows.T, lower=True).T, lower


def by_singular_values(rows: Array, mass: Array, wanted: Array, cut: float = 1e-10) -> Array:
    """Return a_C (nv,); singular values below `cut` of the largest count as zero."""
    white, lower = whitened(rows, mass)
    size = np.linalg.norm(white, axis=1)
    y = np.linalg.pinv(white / size[:, None], rcond=cut) @ (wanted / size)
    return np.asarray(solve_triangular(lower.T, y))


def by_lsqr(rows: Array, mass: Array, wanted: Array) -> Array:
    """Return a_C (nv,) by the method of Paige and Saunders, which sees products only."""
    white, lower = whitened(rows, mass)
    size = np.linalg.norm(white, axis=1)
    y = lsqr(
        white / size[:, None], wanted / size, atol=1e-15, btol=1e-15, conlim=0.0, iter_lim=10_000
    )[0]
    return np.asarray(solve_triangular(lower.T, y))
