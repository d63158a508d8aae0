"""The Levi-Civita connection of the kinetic energy by differences, without any recursion.

Koszul's formula for the frame of unit velocities E_k, whose brackets [E_k, E_j] do not vanish
where velocities are no rates of coordinates (S. Kobayashi, K. Nomizu, "Foundations of
Differential Geometry", 1963, chapter IV):

    2 Γ_ijk = ∂_k H_ij + ∂_j H_ik − ∂_i H_jk
              + ⟨[E_k, E_j], E_i⟩ − ⟨[E_k, E_i], E_j⟩ − ⟨[E_j, E_i], E_k⟩
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import rate
from tarsus.model import Model

STEP = 1e-2
"""Of two steps in turn [rad or m]; what differences leave out falls with the fourth power."""


def levi_civita(model: Model, q: Array) -> Array:
    """Return Christoffel symbols of the first kind Γ (nv, nv, nv) of C_ij = Σ_k Γ_ijk v_k."""
    slopes = rate(model, q, np.eye(model.nv), model.mass_matrix)  # [k, i, j] = ∂_k H_ij
    brackets = np.einsum("kjl,li->kji", lie_brackets(model, q), model.mass_matrix(q))
    terms = [
        *(slopes.transpose(1, 2, 0), slopes.transpose(1, 0, 2), -slopes.transpose(0, 1, 2)),
        *(brackets.transpose(2, 1, 0), -brackets.transpose(1, 2, 0), -brackets.transpose(1, 0, 2)),
    ]
    return np.asarray(0.5 * np.sum(terms, axis=0))


def lie_brackets(model: Model, q: Array) -> Array:
    """Return [E_k, E_j] as velocities (nv, nv, nv): how far steps in turn do not commute."""
    steps = STEP * np.eye(model.nv)

    def after(first: float, second: float) -> Array:
        once = model.integrate(q, first * steps)[:, None, :]
        return np.asarray(model.difference(q, model.integrate(once, second * steps[None])))

    mixed = after(1, 1) - after(1, -1) - after(-1, 1) + after(-1, -1)
    mixed /= 4 * STEP**2
    return np.asarray(mixed - mixed.swapaxes(0, 1))
