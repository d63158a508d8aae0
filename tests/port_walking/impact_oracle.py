"""Impacts, releases and energy lost, in dense matrices: rows A ((n, k), columns are directions).

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 3.3. Plain NumPy: nothing is shared with the library.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def projector(mass: Array, a: Array) -> Array:
    """Return ℙ (n, n) of (3.44), from momenta before an impact to those after it.

    A pseudo-inverse, for directions that repeat each other.
    """
    back = np.linalg.inv(mass)
    return np.asarray(np.eye(len(mass)) - a @ np.linalg.pinv(a.T @ back @ a) @ a.T @ back)


def impulse(mass: Array, a: Array, v: Array) -> Array:
    """Return the impulses (k,) of (3.43)."""
    return np.asarray(-np.linalg.pinv(a.T @ np.linalg.solve(mass, a)) @ a.T @ v)


def after(mass: Array, a: Array, v: Array) -> Array:
    """Return the velocity (n,) after a plastic impact."""
    return np.asarray(v + np.linalg.solve(mass, a @ impulse(mass, a, v)))


def loss_matrix(mass: Array, a: Array) -> Array:
    """Return 𝒟 (n, n): an impact takes ½ vᵀ 𝒟 v (4.17)."""
    return np.asarray(a @ np.linalg.pinv(a.T @ np.linalg.solve(mass, a)) @ a.T)


def principal_losses(mass: Array, loss: Array) -> Array:
    """Return the shares of the energy lost in the directions of the kinetic metric, largest first.

    M = GᵀG, and the singular values of G⁻ᵀ 𝒟 G⁻¹ do not depend on coordinates (4.20).
    """
    g = np.linalg.cholesky(mass).T
    back = np.linalg.inv(g)
    return np.linalg.svd(back.T @ loss @ back, compute_uv=False)


def kept(mass: Array, normals: Array, force: Array, bias: Array) -> set[int]:
    """Return which of two contacts (columns of `normals`, (n, 2)) stay: the tree of figure 3.20.

    `force` (n,) is all that acts but the contacts, `bias` (2,) the accelerations of the contact
    points that come from velocities.
    """
    free = normals.T @ np.linalg.solve(mass, force) + bias
    if (free > 0.0).all():
        return set()
    order = (0, 1) if free[0] <= 0.0 else (1, 0)
    for one in order:
        other = 1 - one
        a = normals[:, [one]]
        back = np.linalg.solve(mass, a)
        push = np.linalg.solve(a.T @ back, -free[[one]])
        if free[other] + normals[:, other] @ (back @ push) > 0.0:
            return {one}
    return {0, 1}
