"""Inertial parameters as matrices that are positive definite if, and only if, they are physical.

P. M. Wensing, S. Kim, J.-J. Slotine, "Linear matrix inequalities for physically consistent inertial
parameter identification", IEEE Robotics and Automation Letters 3(1), 2018. A body with the mass m,
the first moment h = m c and the inertia I about its origin has the pseudo-inertia

    Φ = [[ ½ tr(I) 1 − I,  h ],  [ hᵀ, m ]] = ∫ x xᵀ dm,      x = [position, 1],

which is linear in the ten parameters π = [m, h, I_xx I_xy I_yy I_xz I_yz I_zz].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array

ENTRIES = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
"""Rows and columns of I in the order of the parameters."""


def _basis() -> Array:
    """Return the matrices (10, 4, 4) of which Φ is the sum, weighted by the parameters."""
    basis = np.zeros((10, 4, 4))
    basis[0, 3, 3] = 1.0
    for k in range(3):
        basis[1 + k, k, 3] = basis[1 + k, 3, k] = 1.0
    for k, (i, j) in enumerate(ENTRIES):
        basis[4 + k, i, j] = basis[4 + k, j, i] = -1.0
        if i == j:
            basis[4 + k, :3, :3] += 0.5 * np.eye(3)
    return basis


BASIS = _basis()
DUAL = np.linalg.pinv(BASIS.reshape(10, 16)).T.reshape(10, 4, 4)


def pseudo_inertia(parameters: Array) -> Array:
    """Return Φ (…, 4, 4) of parameters (…, 10)."""
    return np.asarray(np.tensordot(parameters, BASIS, axes=1))


def parameters_of(pseudo: Array) -> Array:
    """Return the parameters (…, 10) of Φ (…, 4, 4)."""
    return np.asarray(np.tensordot(pseudo, DUAL, axes=((-2, -1), (1, 2))))


def is_definite(parameters: Array) -> NDArray[np.bool_]:
    """Return whether each Φ (…) of parameters (…, 10) is positive definite, beyond rounding."""
    finite = np.asarray(np.isfinite(parameters).all(axis=-1))
    kept: Array = np.where(finite[..., None], parameters, 0.0)
    values: Array = np.asarray(np.linalg.eigvalsh(pseudo_inertia(kept)), np.float64)
    return np.asarray(finite & (values[..., 0] > 1e-12 * values[..., -1]))


def gradient(slope: Array) -> Array:
    """Return the symmetric L (…, 4, 4) with tr(Φ L) = π · slope, for a slope (…, 10)."""
    return np.asarray(np.tensordot(slope, DUAL, axes=1))


def moved(parameters: Array, step: Array) -> Array:
    """Return the parameters (…, 10) after Φ̇ = −Φ L Φ for a step L (…, 10) of slopes.

    Φ = G Gᵀ becomes G exp(−Gᵀ L G) Gᵀ. This is positive definite, unless the step is so large
    that the numbers of a computer cannot hold the result: see `is_definite`.
    """
    factor = np.linalg.cholesky(pseudo_inertia(parameters))
    turned = np.swapaxes(factor, -1, -2)
    values, axes = np.linalg.eigh(turned @ gradient(step) @ factor)
    with np.errstate(over="ignore", invalid="ignore"):
        root = factor @ axes * np.exp(-values / 2.0)[..., None, :]
        return parameters_of(root @ np.swapaxes(root, -1, -2))


def divergence(parameters: Array, estimate: Array) -> Array:
    """Return how far an estimate is from the parameters (…, 10): log|Φ̂|/|Φ| + tr(Φ̂⁻¹ Φ) − 4.

    It is zero for equal ones, positive otherwise, and does not depend on units or frames.
    """
    ratio = np.linalg.solve(pseudo_inertia(estimate), pseudo_inertia(parameters))
    trace = np.trace(ratio, axis1=-2, axis2=-1)
    return np.asarray(trace - 4.0 - np.linalg.slogdet(ratio)[1])
