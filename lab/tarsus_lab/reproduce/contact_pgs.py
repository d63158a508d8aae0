"""Projected Gauss–Seidel for contact with friction, as O. Ayit (2015) states it in section 4.4.

Equations (4.41) to (4.43), with what is misprinted there put right: the operator is λ⁻¹ = J H⁻¹ Jᵀ,
a contact that opens loses its tangential force too, and the bound is μ F_n + μ_v ‖v_t‖. The core
has its own; this one counts iterations as the thesis does, by the change of the forces (4.39).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus._lib.files import Array


class Impulses(NamedTuple):
    """Impulses (m, 3) [N s], how many iterations they took, and the last relative change."""

    impulse: Array
    iterations: int
    change: float


def projected_gauss_seidel(
    inverse: Array,
    velocity: Array,
    friction: float,
    *,
    tolerance: float = 1e-10,
    iterations: int = 100,
    restitution: float = 0.0,
) -> Impulses:
    """Return impulses that stop contacts whose points move with `velocity` (m, 3) [m/s].

    `inverse` (3m, 3m) is the inverse inertia of the points [1/kg]; the normal is the third axis.
    """
    count = len(velocity)
    p, change, done = np.zeros(3 * count), np.inf, 0
    while change > tolerance and done < iterations:
        before, done = p.copy(), done + 1
        for k in range(count):
            _solve_one(inverse, velocity, friction, restitution, p, k)
        size = float(np.linalg.norm(p))
        change = float(np.linalg.norm(p - before)) / size if size else 0.0
    return Impulses(p.reshape(count, 3), done, change)


def _solve_one(
    inverse: Array, velocity: Array, friction: float, restitution: float, p: Array, k: int
) -> None:
    """Correct the impulse of contact k in place, with the newest impulses of all others."""
    rows = slice(3 * k, 3 * k + 3)
    own, block = p[rows], inverse[rows, rows]
    after = inverse[rows] @ p + velocity[k]
    normal = own[2] - (after[2] + restitution * velocity[k, 2]) / block[2, 2]
    if normal <= 0.0:
        own[:] = 0.0
        return
    after = after + block[:, 2] * (normal - own[2])
    # the step of both tangential impulses by the mean eigenvalue of their block
    tangential = own[:2] - after[:2] / (0.5 * (block[0, 0] + block[1, 1]))
    size, bound = float(np.linalg.norm(tangential)), friction * normal
    own[:2] = tangential if size <= bound else tangential * (bound / size)
    own[2] = normal
